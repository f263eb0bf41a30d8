//! From a prepared study to a writer that works: the ledger, the lock, the charge, the models, in
//! this order.

use crate::app::SharedCounts;
use crate::clock::Clock;
use crate::lock::Lock;
use crate::options::{LONGEST_TICK, QUERIES_PER_TICK};
use crate::request_queue::PendingRequest;
use crate::service::{PreparedService, VoterChoice};
use crate::state_files;
use crate::store::Store;
use crate::voters::{Models, Voters};
use crate::writer::Writer;
use discretion::noise::Receipt;
use discretion::vote::{Ballot, Recent, answer};
use discretion::{Refusal, RefusalKind};
use discretion_formats::PROGRAM;
use discretion_jobs::check::stop_at_mistakes;
use discretion_jobs::fingerprint;
use discretion_jobs::vote::{
    ChunkCount, Queries, SessionRequest, VotingSession, explain, key, rare, session, to_learn_from,
};
use discretion_jobs::{News, Watch};
use discretion_learn::{
    Cache, cache_key, learner, longest_votes, made_up, rehearse_program, train_all,
};
use discretion_ledger::{Account, Fingerprint, Ledger, checkpoint};
use discretion_table::{PersonKey, PlainRows, Protect, UnitRows, read_units};
use std::cell::RefCell;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::Instant;
use tokio::sync::mpsc;

/// What starting found out.
pub(crate) struct OpenedSession {
    pub charge: u64,
    pub chunks: usize,
    pub queries_left: u64,
    pub unstable_left: u64,
    /// The session's name: equal for the same study.
    pub name: String,
    /// Public ones. What may hold rows is in a file.
    pub notes: Vec<String>,
}

/// What the user of a service should know about its charge, for the log.
#[derive(Default)]
struct Notes(RefCell<Vec<String>>);

impl Watch for Notes {
    fn tell(&self, news: News<'_>) {
        let note = match news {
            News::Warning(text) => format!("warning: {text}"),
            News::Note(text) | News::Forecast(text) => text.to_owned(),
            News::TableChanged { account, changed } => format!(
                "the table is not the one that charge {} of account '{account}' was made on ({}); the account goes on",
                changed.first_charge, changed.at
            ),
            News::Charged { .. } | News::Working(_) | News::Done => return,
        };
        self.0.borrow_mut().push(note);
    }
}

impl PreparedService {
    /// The rows, and how many models they get. Refuses what could not be served, before anything is
    /// charged.
    pub(crate) fn rows(&self, key: PersonKey) -> Result<(UnitRows, ChunkCount), Refusal> {
        let (path, accepted) = (&self.study.data.path, self.options.accept_check);
        let (rows, counts) = read_units(path, &self.study.schema, &self.vote.classes, key, &|_| {})
            .map_err(|error| Refusal::from_error(RefusalKind::BadInput, error))?;
        stop_at_mistakes(&counts, path, accepted)?;
        // As `answer` has it, so that both have the same models.
        let rows = to_learn_from(rows, self.vote.protect);
        let chosen = self.voting.chunks(rows.count() as u64)?;
        self.programs_fit(chosen.chunks)?;
        self.rehearse(rows.count() / chosen.chunks)?;
        Ok((rows, chosen))
    }

    fn rehearse(&self, rows_of_a_chunk: usize) -> Result<(), Refusal> {
        let at = |problem: &dyn std::fmt::Display| {
            Refusal::bad_input(format!(
                "{}: {problem}; nothing was charged",
                self.study.path.display()
            ))
        };
        let learner = learner(&self.study, &self.vote).map_err(|error| at(&error))?;
        rehearse_program(&*learner, &self.study, &self.vote, rows_of_a_chunk)
            .map_err(|error| at(&error))
    }

    /// Programs get only as much time as a tick has: how long a chunk's own takes must not show.
    fn programs_fit(&self, chunks: usize) -> Result<(), Refusal> {
        let PreparedService { study, vote, options, .. } = self;
        let (Some(tick), Some(longest)) = (options.tick, longest_votes(vote, chunks)) else {
            return Ok(());
        };
        let votes = longest.votes();
        if votes <= tick {
            return Ok(());
        }
        let tick_that_does = votes.as_millis().div_ceil(1000);
        let mut remedies = vec![format!("--tick {tick_that_does}s")];
        if votes > LONGEST_TICK {
            remedies.clear();
        }
        if let Some(timeout) = longest.timeout_within(tick) {
            remedies.push(format!("`timeout = {}` in `learner`", timeout.as_secs_f64()));
        }
        remedies.push("more --threads, or fewer chunks".to_owned());
        Err(Refusal::bad_input(format!(
            "{}: the {chunks} programs that vote in a tick may take {} s, each as long as its `timeout` lets it, and the tick \
             is {} s: a row could show in when answers leave; choose {}; nothing was charged",
            study.path.display(),
            votes.as_secs_f64(),
            tick.as_secs_f64(),
            remedies.join(", or ")
        )))
    }

    /// The writer's thread, from the ledger to the last answer.
    pub(crate) fn write(
        self,
        voters: VoterChoice,
        counts: Arc<SharedCounts>,
        clock: Clock,
        ready: &SyncSender<Result<OpenedSession, Refusal>>,
        queue: mpsc::Receiver<PendingRequest>,
    ) {
        let ledger = match Ledger::open(&self.options.ledger) {
            Ok(ledger) => ledger,
            Err(error) => return drop(ready.send(Err(error.into()))),
        };
        match self.open(&ledger, voters, counts) {
            Ok((writer, lock, opened)) => {
                let _ = ready.send(Ok(opened));
                writer.run(clock, queue);
                drop(lock);
            }
            Err(failure) => drop(ready.send(Err(failure))),
        }
    }

    fn open<'l>(
        &self,
        ledger: &'l Ledger,
        voters: VoterChoice,
        counts: Arc<SharedCounts>,
    ) -> Result<(Writer<'l>, Lock, OpenedSession), Refusal> {
        let PreparedService { study, vote, voting, options } = self;
        let account: Account<'l> = ledger.account(&study.data.account, study.budget)?;
        let print = fingerprint(account.fingerprint(), &study.data.path)?;
        let (rows, chosen) = self.rows(PersonKey::new(account.person_key()))?;
        let mut notes: Vec<String> = chosen.advice.into_iter().collect();
        notes.extend(rare(&vote.into(), chosen.chunks as u64, (rows.unit(), rows.count() as u64)));
        // Models are kept under the fingerprint, so the rows have to be those that it was taken of.
        if fingerprint(account.fingerprint(), &study.data.path)? != print {
            return Err(Refusal::refused(format!(
                "{}: this table changed while it was read; nothing was charged",
                study.data.path.display()
            )));
        }
        let name = key(study, vote, chosen.chunks);
        let lock = Lock::take(&options.ledger, &study.data.account, name.name())?;
        let store = Store::of_account(&options.ledger, &study.data.account)?;
        let labels_only =
            if vote.protect == Protect::Labels { ", protecting labels only" } else { "" };
        let request = SessionRequest {
            key: &name,
            table: &print,
            units: (rows.unit(), rows.count()),
            what: &format!("answers of {}{labels_only}, served", study.path.display()),
            names: &[],
            new: options.new_session,
            consent: Some(options.consent),
        };
        let heard = Notes::default();
        let VotingSession { memory, charge } = session(&account, voting, &request, &heard)?;
        notes.extend(heard.0.into_inner());
        checkpoint("serve: charged");
        notes.push(match &charge {
            Some(charge) => format!("charge {} pays for this session", charge.number),
            None => format!(
                "this goes on with the session of charge {}; nothing new was charged",
                memory.session().charge()
            ),
        });
        // An earlier program may have opened it, under another name.
        let name = memory.session().key().to_owned();
        let voters = match voters {
            VoterChoice::Custom(voters) => voters as Box<dyn Voters>,
            VoterChoice::StudyModels => {
                self.train(&rows, chosen.chunks, &print, &name, &mut notes)?
            }
        };
        checkpoint("serve: trained");
        let state = memory.state()?;
        let opened = OpenedSession {
            charge: memory.session().charge(),
            chunks: chosen.chunks,
            queries_left: state.queries_left(),
            unstable_left: state.unstable_left(),
            name,
            notes,
        };
        let (no_queries, labels) = (PlainRows::new(&study.schema), vote.classes.names().to_vec());
        let (bins, tells_apart, threshold) = (vote.bins(), vote.tells_apart(), vote.threshold);
        let writer = Writer {
            memory,
            store,
            voters,
            no_queries,
            bins,
            labels,
            tells_apart,
            threshold,
            counts,
        };
        Ok((writer, lock, opened))
    }

    fn train(
        &self,
        rows: &UnitRows,
        chunks: usize,
        fingerprint: &Fingerprint,
        name: &str,
        notes: &mut Vec<String>,
    ) -> Result<Box<dyn Voters>, Refusal> {
        let PreparedService { study, vote, options, .. } = self;
        let refused = |problem: &dyn std::fmt::Display| {
            Refusal::refused(format!("{problem}; what the session was charged stays in the ledger"))
        };
        let learner = learner(study, vote).map_err(|error| refused(&error))?;
        let models = cache_key(study, vote, PROGRAM, fingerprint, name);
        let cache = Cache::open(&options.cache, &models).map_err(|error| refused(&error))?;
        let (path, mut learner_log) = self.learner_log(name).map_err(|error| refused(&error))?;
        // The same line whether they said something or not.
        notes.push(format!(
            "what learners said is in {}: NOT PRIVATE, for you alone",
            path.display()
        ));
        let trained = train_all(&*learner, rows, chunks, Some(&cache), &|_| {});
        if let Some(problem) = cache.problem().into_inner() {
            // That this cannot be written either must not show.
            let _ =
                writeln!(learner_log, "not all models could be kept for a later run: {problem}");
        }
        drop(cache);
        let models = Models::new(trained, learner, vote.classes.clone(), vote.score_bins.is_some());
        for (chunk, reason) in models.failed().into_inner() {
            let _ = writeln!(
                learner_log,
                "chunk {chunk} failed and votes the first class: {}",
                reason.trim()
            );
        }
        if let Some(tick) = options.tick {
            let full = made_up(&study.schema, &vote.classes, QUERIES_PER_TICK).without_classes();
            let queries = Queries::of(full, vote.bins());
            let start = Instant::now();
            let ballots = models.ballots(&queries).map_err(|error| refused(&error))?;
            self.draw(&queries, ballots)?;
            let took = start.elapsed();
            let _ = writeln!(
                learner_log,
                "the votes and draws of one full tick took {took:?}; the tick is {tick:?}"
            );
            if took > tick {
                let enough = (took * 4).as_secs() + 1;
                return Err(refused(&format!(
                    "the votes and draws of one full tick took longer than the tick, {tick:?}, so work would show in when answers leave; \
                     choose a longer one, such as --tick {enough}s"
                )));
            }
        }
        Ok(Box::new(models))
    }

    /// Draws once for each query, for the time that it takes. What was drawn is dropped: nothing of
    /// it leaves.
    fn draw(&self, queries: &Queries, ballots: Vec<Ballot>) -> Result<(), Refusal> {
        let mut receipt = Receipt::seeded(0);
        let mut memory =
            Recent::new(self.voting.design(), QUERIES_PER_TICK as u64, receipt.provenance());
        let named = queries.names.iter().cloned().zip(ballots);
        answer(named, &mut memory, receipt.noise()).map(drop).map_err(explain)
    }

    /// A new file for what learners say, which may quote rows: beside the models, for the custodian
    /// alone.
    fn learner_log(&self, name: &str) -> std::io::Result<(PathBuf, File)> {
        let path = self
            .options
            .cache
            .join(state_files::named(&[&self.study.data.account, name], "said-NOT-PRIVATE.txt"));
        let mut file = discretion_disk::owner_only().create(true).truncate(true).open(&path)?;
        writeln!(
            file,
            "NOT PRIVATE: what learners said about rows of a sensitive table. For the custodian alone."
        )?;
        Ok((path, file))
    }
}
