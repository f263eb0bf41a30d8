//! A study becomes a running service.
//!
//! The order matters: what can be refused for public reasons is refused first, the address and the
//! lock are taken, the session is charged (or found) before anything is trained, and nobody is
//! listened to before that is done.

use crate::app::{App, SharedCounts, TokenList, refresh_tokens};
use crate::clock::Clock;
use crate::lock::Lock;
use crate::metrics::Metrics;
use crate::opening::OpenedSession;
use crate::options::Options;
use crate::signals::Signals;
use crate::state_files;
use crate::store::Store;
use crate::tokens::Role;
use crate::voters::Voters;
use crate::{http, log};
use discretion::{Refusal, RefusalKind};
use discretion_jobs::vote::{self, Voting, key};
use discretion_jobs::{fingerprint, request};
use discretion_learn::learner;
use discretion_ledger::Ledger;
use discretion_table::{AnswerChoice, PersonKey, QueryReader, Study, VoteSettings};
use serde_json::json;
use std::net::SocketAddr;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};

/// What casts the votes.
pub enum VoterChoice {
    /// Models, trained as the study says.
    StudyModels,
    /// Something else, for tests and measurements. The session is charged as for the study's.
    Custom(Box<dyn Voters + Send>),
}

/// A study that can be served, as far as can be said without its rows.
pub struct PreparedService {
    pub(crate) study: Study,
    pub(crate) vote: VoteSettings,
    pub(crate) voting: Voting,
    pub(crate) options: Options,
}

impl PreparedService {
    /// Checks everything that can be checked without a row, a socket or a ledger.
    pub fn new(study: Study, mut options: Options) -> Result<PreparedService, Refusal> {
        // Once: whatever links lead to it, lock, state and ledger belong together.
        options.ledger = state_files::canonical(&options.ledger);
        let at =
            |sentence: &str| Refusal::bad_input(format!("{}: {sentence}", study.path.display()));
        let (vote, voting) = vote::of(&study)?;
        let vote = vote.clone();
        request::check_budget(&study)?;
        learner(&study, &vote).map_err(|error| at(&error.to_string()))?;
        options.listen_options()?.check()?;
        Ok(PreparedService { study, vote, voting, options })
    }

    /// Reads the table and says what starting would do. Charges, trains and listens to nothing.
    pub fn check(&self) -> Result<String, Refusal> {
        let ledger = match Ledger::peek(&self.options.ledger) {
            Err(discretion_ledger::Error::File(discretion_ledger::FileError::Missing {
                ..
            })) => Ledger::in_memory()?,
            other => other?,
        };
        let account = ledger.account(&self.study.data.account, self.study.budget)?;
        let (rows, chosen) = self.rows(PersonKey::new(account.person_key()))?;
        let mut text = format!(
            "{}: {} models of {} {}, {} queries, {}\n",
            self.study.path.display(),
            chosen.chunks,
            rows.count() / chosen.chunks,
            rows.unit().plural(),
            self.vote.queries,
            match self.vote.answer {
                AnswerChoice::Sure => format!("{} unstable answers", self.vote.unstable),
                AnswerChoice::All { .. } => "all of them answered".to_owned(),
            }
        );
        text += &chosen.advice.map_or(String::new(), |advice| format!("note: {advice}\n"));
        let rare = vote::rare(
            &(&self.vote).into(),
            chosen.chunks as u64,
            (rows.unit(), rows.count() as u64),
        );
        text += &rare.map_or(String::new(), |rare| format!("warning: {rare}\n"));
        let name = key(&self.study, &self.vote, chosen.chunks);
        Lock::check(&self.options.ledger, account.name(), name.name())?;
        let state = Store::peek(&self.options.ledger, account.name())?;
        if state.map_or(Ok(true), |state| state.tokens().map(|tokens| tokens.is_empty()))? {
            text += "note: nobody has a token yet\n";
        }
        match account.session_named(&name)? {
            Some(found) if !self.options.new_session => {
                if found.table_changed(&fingerprint(account.fingerprint(), &self.study.data.path)?)
                {
                    return Err(Refusal::refused(format!(
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
                let quote = account.price(&self.voting.design().event())?;
                if !quote.within {
                    return Err(Refusal::refused(format!(
                        "account '{}' cannot pay for this session",
                        account.name()
                    )));
                }
                text += &format!("a new session is charged to account '{}'\n", account.name());
            }
        }
        Ok(text + "all is well; nothing was charged\n")
    }

    /// Starts: charges or finds the session, trains, listens. Ends at [`RunningService::stop`], and
    /// at a signal if `signals`.
    pub fn start(self, voters: VoterChoice, signals: bool) -> Result<RunningService, Refusal> {
        let listener = self.options.listen_options()?.listen()?;
        let (address, url) = (listener.address(), format!("{}/", listener.url()));
        let PreparedService { study, vote, options, .. } = &self;
        let (sender, receiver) = mpsc::channel(options.most_waiting);
        let counts = Arc::new(SharedCounts::default());
        let token_store = Store::of_account(&options.ledger, &study.data.account)?;
        let (study, vote, options) = (study.clone(), vote.clone(), options.clone());

        let (ready, started) = sync_channel(1);
        let for_writer = counts.clone();
        // Before a row is read: how long training takes must not move the boundaries.
        let clock = Clock::new(options.tick);
        let writer = thread::spawn(move || self.write(voters, for_writer, clock, &ready, receiver));
        let opened: OpenedSession = match started.recv() {
            Ok(opened) => opened?,
            // The panic hook has said why.
            Err(_) => return Err(Refusal::refused("the service could not be started".to_owned())),
        };
        // Nothing can be refused any more.
        let new_tokens = if options.new_tokens { new_tokens(&token_store)? } else { Vec::new() };
        let tokens = token_store.tokens()?;
        let mut notes = opened.notes;
        if tokens.is_empty() {
            notes.push(format!(
                "nobody has a token yet; make one with `discretion serve token new {} --name NAME`",
                study.path.display()
            ));
        }
        let used = tokens.iter().map(|token| (token.id, token.used)).collect();
        let (stop, stopped) = watch::channel(false);
        counts.update(|counts| {
            (counts.queries_left, counts.unstable_left) =
                (opened.queries_left, opened.unstable_left);
            counts.used = used;
        });
        let reader = QueryReader::new(&study.schema);
        let app = Arc::new(App {
            options,
            study,
            vote,
            reader,
            name: opened.name,
            charge: opened.charge,
            chunks: opened.chunks,
            queue: sender,
            counts,
            metrics: Metrics::default(),
            tokens: Mutex::new(TokenList { tokens: Arc::new(tokens), read_at: Instant::now() }),
            waiting: Mutex::default(),
            stopped: stopped.clone(),
        });
        clock.wait(clock.next(Instant::now()));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|error| Refusal::refused(format!("no threads for the service: {error}")))?;
        // Caught before anybody is told that it listens.
        let within = runtime.enter();
        let signals = signals.then(Signals::catch).transpose();
        let signals = signals
            .map_err(|error| Refusal::refused(format!("no signals for the service: {error}")))?;
        drop(within);
        let on_signal = signals.map(|signals| (signals, stop.clone()));
        let sockets = thread::spawn(move || {
            runtime.block_on(async move {
                if let Some((signals, stop)) = on_signal {
                    tokio::spawn(async move {
                        signals.wait().await;
                        log::line("stopping", json!({}));
                        let _ = stop.send(true);
                    });
                }
                let refreshing = tokio::spawn(refresh_tokens(app.clone(), token_store));
                listener.serve(http::router(app), stopped).await;
                refreshing.abort();
            });
        });
        Ok(RunningService { address, url, notes, new_tokens, stop, sockets, writer })
    }
}

/// A token of each kind, under the first names that are free.
fn new_tokens(store: &Store) -> Result<Vec<(String, String)>, Refusal> {
    let taken: Vec<String> = store.tokens()?.into_iter().map(|token| token.name).collect();
    let new = |role: Role| {
        let mut names = (1..)
            .map(|n| if n == 1 { role.name().to_owned() } else { format!("{}-{n}", role.name()) });
        let name =
            names.find(|name| !taken.contains(name)).expect("there are more names than tokens");
        let token = store.new_token(&name, role, None)?;
        Ok((name, token))
    };
    [Role::Analyst, Role::Custodian].into_iter().map(new).collect()
}

/// A service that runs.
pub struct RunningService {
    address: SocketAddr,
    url: String,
    notes: Vec<String>,
    new_tokens: Vec<(String, String)>,
    stop: watch::Sender<bool>,
    sockets: JoinHandle<()>,
    writer: JoinHandle<()>,
}

impl RunningService {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The same as a URL.
    pub fn url(&self) -> String {
        self.url.clone()
    }

    /// What the custodian should know.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The tokens that were made, if that was asked for: whose they are and what they are. They are
    /// not shown again.
    pub fn new_tokens(&self) -> &[(String, String)] {
        &self.new_tokens
    }

    /// Lets out the answers that are under way, and ends.
    pub fn stop(self) -> Result<(), Refusal> {
        let _ = self.stop.send(true);
        self.wait()
    }

    /// Waits for the end.
    pub fn wait(self) -> Result<(), Refusal> {
        let fault = || {
            Refusal::new(
                RefusalKind::Fault,
                "the service ended by a fault; what has left is in the ledger".to_owned(),
            )
        };
        // Without a writer nothing is answered any more, so a fault of its ends everything. At a
        // regular end it is the last: the routes hold the way to it.
        while !self.sockets.is_finished() && !self.writer.is_finished() {
            thread::sleep(Duration::from_millis(20));
        }
        self.writer.join().map_err(|_| fault())?;
        self.sockets.join().map_err(|_| fault())
    }
}
