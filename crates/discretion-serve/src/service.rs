//! A study becomes a running service.
//!
//! The order matters: what can be refused for public reasons is refused first, the address and the lock are taken, the
//! session is charged (or found) before anything is trained, and nobody is listened to before that is done.

use crate::clock::Clock;
use crate::desk::Asking;
use crate::lock::Lock;
use crate::metrics::Metrics;
use crate::options::{Options, QUERIES_PER_TICK};
use crate::store::Store;
use crate::tokens::Token;
use crate::voters::{Models, Voters};
use crate::writer::Writer;
use crate::{http, listen, log};
use discretion_learn::{Cache, cache_key, learner, rehearse_program, train_all};
use discretion_ledger::{Account, Fingerprint, Ledger, checkpoint};
use discretion_publish::artefact::PROGRAM;
use discretion_publish::vote::{Numbers, Opened, Opening, Queries, Voting, key, session};
use discretion_publish::{request, table};
use discretion_table::{Kind, PlainRows, Protect, QueryReader, Study, VoteSettings, read_rows};
use serde_json::json;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};

/// Why a service does not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Understood, and will not be done; or the machine cannot do it.
    #[error("{0}")]
    Refused(String),
    /// A file or an argument has to be repaired.
    #[error("{0}")]
    BadInput(String),
}

impl From<discretion_publish::Error> for Failure {
    fn from(error: discretion_publish::Error) -> Failure {
        match error {
            discretion_publish::Error::Refused(message) => Failure::Refused(message),
            discretion_publish::Error::BadInput(message) => Failure::BadInput(message),
        }
    }
}

impl From<discretion_ledger::Error> for Failure {
    fn from(error: discretion_ledger::Error) -> Failure {
        discretion_publish::Error::from(error).into()
    }
}

/// What clients may see of how far things are. It changes at boundaries of the tick alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Published {
    pub queries_left: u64,
    pub unstable_left: u64,
    /// In answered requests since the start.
    pub queries: u64,
    /// By each token in all its life.
    pub used: HashMap<i64, u64>,
}

/// What the writer shows.
#[derive(Default)]
pub(crate) struct Shared {
    published: Mutex<Published>,
}

impl Shared {
    pub fn published(&self) -> Published {
        locked(&self.published).clone()
    }

    pub fn publish(&self, change: impl FnOnce(&mut Published)) {
        change(&mut locked(&self.published));
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the routes know.
pub(crate) struct App {
    pub options: Options,
    pub study: Study,
    pub vote: VoteSettings,
    pub reader: QueryReader,
    pub charge: u64,
    pub chunks: usize,
    pub desk: mpsc::Sender<Asking>,
    pub shared: Arc<Shared>,
    pub metrics: Metrics,
    tokens: Mutex<Arc<Vec<Token>>>,
}

impl App {
    /// The tokens, as they were at the last look.
    pub fn tokens(&self) -> Arc<Vec<Token>> {
        locked(&self.tokens).clone()
    }
}

/// What casts the votes.
pub enum Casting {
    /// Models, trained as the study says.
    Study,
    /// Something else, for tests and measurements. The session is charged as for the study's.
    Given(Box<dyn Voters + Send>),
}

/// A study that can be served, as far as can be said without its rows.
pub struct Prepared {
    study: Study,
    vote: VoteSettings,
    voting: Voting,
    options: Options,
}

/// What starting found out.
struct Ready {
    charge: u64,
    chunks: usize,
    queries_left: u64,
    unstable_left: u64,
    notes: Vec<String>,
}

impl Prepared {
    /// Checks everything that can be checked without a row, a socket or a ledger.
    pub fn new(study: Study, options: Options) -> Result<Prepared, Failure> {
        let at = |sentence: &str| Failure::BadInput(format!("{}: {sentence}", study.path.display()));
        let vote = study.vote.clone().ok_or_else(|| {
            at("this study has no [vote] table; add one, for example:\n\n[vote]\nlearner  = \"logistic\"\nqueries  = 1000\n\
                unstable = 50\n")
        })?;
        if vote.protect == Protect::Labels {
            return Err(at(
                "with `protect = \"labels\"` the queries are rows of the table itself; use `discretion answer`",
            ));
        }
        request::check_budget(&study)?;
        request::voting_budget(study.spend)?;
        let voting = Voting::plan(study.spend, Numbers::of(&vote)).map_err(|error| at(&error.to_string()))?;
        learner(&study, &vote).map_err(|error| at(&error.to_string()))?;
        listen::tls(&options)?;
        Ok(Prepared { study, vote, voting, options })
    }

    /// Reads the table and says what starting would do. Charges, trains and listens to nothing.
    pub fn check(&self) -> Result<String, Failure> {
        let rows = self.rows()?;
        let chosen = self.voting.chunks(rows.count() as u64)?;
        self.rehearse(rows.count() / chosen.chunks)?;
        let mut text = format!(
            "{}: {} models of {} rows, {} queries, {} unstable answers\n",
            self.study.path.display(),
            chosen.chunks,
            rows.count() / chosen.chunks,
            self.vote.queries,
            self.vote.unstable
        );
        text += &chosen.advice.map_or(String::new(), |advice| format!("note: {advice}\n"));
        let ledger = match Ledger::peek(&self.options.ledger) {
            Err(discretion_ledger::Error::Missing { .. }) => Ledger::in_memory()?,
            other => other?,
        };
        let account = ledger.account(&self.study.data.account, self.study.budget)?;
        let name = key(&self.study, &self.vote, chosen.chunks);
        match account.session(&name)? {
            Some(found) if !self.options.new_session => {
                if found.table_changed(&table::fingerprint(account.fingerprint(), &self.study.data.path)?) {
                    return Err(Failure::Refused(format!(
                        "the table is not the one that the session of charge {} was opened on",
                        found.charge()
                    )));
                }
                text += &format!(
                    "it goes on with the session of charge {}; nothing new is charged\n",
                    found.charge()
                );
            }
            _ => {
                let quote = account.price(&self.voting.planned.design.event())?;
                if !quote.within {
                    return Err(Failure::Refused(format!(
                        "account '{}' cannot pay for this session",
                        account.name()
                    )));
                }
                text += &format!("a new session is charged to account '{}'\n", account.name());
            }
        }
        Ok(text + "all is well; nothing was charged\n")
    }

    /// Starts: charges or finds the session, trains, listens. Ends at [`Running::stop`], and at a signal if `signals`.
    pub fn start(self, casting: Casting, signals: bool) -> Result<Running, Failure> {
        let tls = listen::tls(&self.options)?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let listener = listen::bind(&self.options)?;
        let address = listener.local_addr().map_err(|error| Failure::Refused(error.to_string()))?;
        let Prepared { study, vote, options, .. } = &self;
        let (desk, inbox) = mpsc::channel(options.most_waiting);
        let shared = Arc::new(Shared::default());
        let watched = Store::of_account(&options.ledger, &study.data.account)?;
        let tokens = watched.tokens()?;
        let used = tokens.iter().map(|token| (token.id, token.used)).collect();
        let (study, vote, options) = (study.clone(), vote.clone(), options.clone());

        let (ready, started) = sync_channel(1);
        let for_writer = shared.clone();
        let writer = thread::spawn(move || self.write(casting, for_writer, &ready, inbox));
        let ready: Ready = match started.recv() {
            Ok(ready) => ready?,
            // The panic hook has said why.
            Err(_) => return Err(Failure::Refused("the service could not be started".to_owned())),
        };
        shared.publish(|published| {
            (published.queries_left, published.unstable_left) = (ready.queries_left, ready.unstable_left);
            published.used = used;
        });
        let reader = QueryReader::new(&study.schema);
        let app = Arc::new(App {
            options,
            study,
            vote,
            reader,
            charge: ready.charge,
            chunks: ready.chunks,
            desk,
            shared,
            metrics: Metrics::default(),
            tokens: Mutex::new(Arc::new(tokens)),
        });
        let (stop, stopped) = watch::channel(false);
        let on_signal = signals.then(|| stop.clone());
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::Refused(format!("no threads for the service: {error}")))?;
        let sockets = thread::spawn(move || {
            runtime.block_on(async move {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                if let Some(stop) = on_signal {
                    tokio::spawn(async move {
                        listen::signal().await;
                        log::line("stopping", json!({}));
                        let _ = stop.send(true);
                    });
                }
                let looking = tokio::spawn(look(app.clone(), watched));
                let options = app.options.clone();
                listen::serve(listener, tls, http::router(app), &options, stopped).await;
                looking.abort();
            });
        });
        let notes = ready.notes;
        Ok(Running { address, scheme, notes, stop, sockets, writer })
    }

    fn rows(&self) -> Result<PlainRows, Failure> {
        read_rows(&self.study.data.path, &self.study.schema, &self.vote.classes, &|_| {})
            .map_err(|error| Failure::BadInput(error.to_string()))
    }

    fn rehearse(&self, rows_of_a_chunk: usize) -> Result<(), Failure> {
        let at = |problem: &dyn std::fmt::Display| {
            Failure::BadInput(format!("{}: {problem}; nothing was charged", self.study.path.display()))
        };
        let learner = learner(&self.study, &self.vote).map_err(|error| at(&error))?;
        rehearse_program(&*learner, &self.study, &self.vote, rows_of_a_chunk).map_err(|error| at(&error))
    }

    /// The writer's thread, from the ledger to the last answer.
    fn write(
        self,
        casting: Casting,
        shared: Arc<Shared>,
        ready: &SyncSender<Result<Ready, Failure>>,
        inbox: mpsc::Receiver<Asking>,
    ) {
        let ledger = match Ledger::open(&self.options.ledger) {
            Ok(ledger) => ledger,
            Err(error) => return drop(ready.send(Err(error.into()))),
        };
        match self.open(&ledger, casting, shared) {
            Ok((writer, lock, told)) => {
                let _ = ready.send(Ok(told));
                writer.run(Clock::new(self.options.tick), inbox);
                drop(lock);
            }
            Err(failure) => drop(ready.send(Err(failure))),
        }
    }

    fn open<'l>(
        &self,
        ledger: &'l Ledger,
        casting: Casting,
        shared: Arc<Shared>,
    ) -> Result<(Writer<'l>, Lock, Ready), Failure> {
        let Prepared { study, vote, voting, options } = self;
        let account: Account<'l> = ledger.account(&study.data.account, study.budget)?;
        let fingerprint = table::fingerprint(account.fingerprint(), &study.data.path)?;
        let rows = self.rows()?;
        let chosen = voting.chunks(rows.count() as u64)?;
        let mut notes: Vec<String> = chosen.advice.into_iter().collect();
        self.rehearse(rows.count() / chosen.chunks)?;
        let name = key(study, vote, chosen.chunks);
        let lock = Lock::take(&options.ledger, &name)?;
        let store = Store::of_account(&options.ledger, &study.data.account)?;
        let opening = Opening {
            key: &name,
            table: &fingerprint,
            what: &format!("answers of {}, served", study.path.display()),
            names: &[],
            new: options.new_session,
            how_new: "--new",
        };
        let Opened { kept, charge } = session(&account, voting, &opening)?;
        checkpoint("serve: charged");
        notes.push(match &charge {
            Some(charge) => format!("charge {} pays for this session", charge.number),
            None => format!(
                "this goes on with the session of charge {}; nothing new was charged",
                kept.session().charge()
            ),
        });
        let voters = match casting {
            Casting::Given(voters) => voters as Box<dyn Voters>,
            Casting::Study => self.train(&rows, chosen.chunks, &fingerprint, &name, &mut notes)?,
        };
        checkpoint("serve: trained");
        let state = kept.state()?;
        let told = Ready {
            charge: kept.session().charge(),
            chunks: chosen.chunks,
            queries_left: state.queries_left(),
            unstable_left: state.unstable_left(),
            notes,
        };
        let (none, labels) = (PlainRows::new(&study.schema), vote.classes.names().to_vec());
        let writer = Writer { kept, store, voters, none, score_bins: vote.score_bins, labels, shared };
        Ok((writer, lock, told))
    }

    fn train(
        &self,
        rows: &PlainRows,
        chunks: usize,
        fingerprint: &Fingerprint,
        name: &str,
        notes: &mut Vec<String>,
    ) -> Result<Box<dyn Voters>, Failure> {
        let Prepared { study, vote, options, .. } = self;
        let refused = |problem: &dyn std::fmt::Display| {
            Failure::Refused(format!("{problem}; what the session was charged stays in the ledger"))
        };
        let learner = learner(study, vote).map_err(|error| refused(&error))?;
        let models = cache_key(study, vote, PROGRAM, fingerprint, name);
        let cache = Cache::open(&options.cache, &models).map_err(|error| refused(&error))?;
        let trained = train_all(&*learner, rows, chunks, Some(&cache), &|_| {});
        const FOR_YOU: &str = "NOT PRIVATE, for you alone";
        if let Some(problem) = cache.problem().into_inner() {
            notes.push(format!("{FOR_YOU}: not all models could be kept for a later run ({problem})"));
        }
        drop(cache);
        let models = Models::new(trained, learner, vote.classes.clone(), vote.score_bins.is_some());
        let failed = models.failed().into_inner();
        if let Some((chunk, reason)) = failed.first() {
            let (failed, reason) = (failed.len(), reason.trim());
            notes.push(format!(
                "{FOR_YOU}: {failed} of {chunks} learners failed and vote the first class; chunk {chunk}: {reason}"
            ));
        }
        if let Some(tick) = options.tick {
            let queries = Queries::of(made_up(study, QUERIES_PER_TICK), vote.score_bins);
            let start = Instant::now();
            models.ballots(&queries).map_err(|error| refused(&error))?;
            let took = start.elapsed();
            if took * 4 > tick {
                notes.push(format!(
                    "{FOR_YOU}: the votes of one full tick took {took:?} just now, more than a quarter of the tick, {tick:?}; \
                     choose a longer one with --tick, or work that overruns it may show in when answers leave"
                ));
            }
        }
        Ok(Box::new(models))
    }
}

/// Queries that fill the declared ranges: what a tick may have to vote on.
fn made_up(study: &Study, count: usize) -> PlainRows {
    let mut rows = PlainRows::new(&study.schema);
    for i in 0..count {
        let (mut numbers, mut codes) = (Vec::new(), Vec::new());
        for column in study.schema.columns() {
            match &column.kind {
                Kind::Number { min, max, .. } => {
                    numbers.push((min + (max - min) * (i as f64 + 0.5) / count as f64) as f32);
                }
                Kind::Category { values } => codes.push((i % values.len()) as u16),
                Kind::Dropped => {}
            }
        }
        rows.append(numbers, codes, Vec::new());
    }
    rows
}

/// Looks at the tokens again and again, on a schedule of its own that no work changes: what was revoked opens nothing
/// half a second later.
async fn look(app: Arc<App>, store: Store) {
    let mut every = tokio::time::interval(Duration::from_millis(500));
    loop {
        every.tick().await;
        if let Ok(tokens) = store.tokens() {
            *locked(&app.tokens) = Arc::new(tokens);
        }
    }
}

/// A service that runs.
pub struct Running {
    address: SocketAddr,
    scheme: &'static str,
    notes: Vec<String>,
    stop: watch::Sender<bool>,
    sockets: JoinHandle<()>,
    writer: JoinHandle<()>,
}

impl Running {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The same as a URL.
    pub fn url(&self) -> String {
        format!("{}://{}/", self.scheme, self.address)
    }

    /// What the custodian should know.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Lets out the answers that are under way, and ends.
    pub fn stop(self) -> Result<(), Failure> {
        let _ = self.stop.send(true);
        self.wait()
    }

    /// Waits for the end.
    pub fn wait(self) -> Result<(), Failure> {
        let fault =
            || Failure::Refused("the service ended by a fault; what has left is in the ledger".to_owned());
        // Without a writer nothing is answered any more, so a fault of its ends everything. At a regular end it is the
        // last: the routes hold the way to it.
        while !self.sockets.is_finished() && !self.writer.is_finished() {
            thread::sleep(Duration::from_millis(20));
        }
        self.writer.join().map_err(|_| fault())?;
        self.sockets.join().map_err(|_| fault())
    }
}
