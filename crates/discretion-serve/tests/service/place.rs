//! A study in a folder of its own, and voters that need no training.

use super::client::Client;
use discretion::noise::Sensitive;
use discretion::vote::Ballot;
use discretion_jobs::vote::Queries;
use discretion_serve::service::VoterChoice;
use discretion_serve::store::Store;
use discretion_serve::tokens::Role;
use discretion_serve::voters::Voters;
use discretion_serve::{Options, PreparedService, RunningService};
use discretion_table::Study;
use std::io;
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;

/// Not about privacy: so large an ε that hundreds of unstable answers are paid for with 120 voters.
const STUDY: &str = r#"[data]
path = "t.csv"
account = "t"
target = "y"
positive = "yes"
negative = "no"
[budget]
epsilon = 1000
delta = 1e-3
[spend]
epsilon = 900
delta = 1e-4
[columns]
age = { min = 0, max = 1000000 }
job = { values = ["clerk", "nurse"] }
[vote]
queries = QUERIES
unstable = UNSTABLE
chunks = 120
"#;

/// All 120 agree about clerks, half of them disagree about nurses, which may take longer.
pub struct Halves {
    pub longer: Duration,
}

impl Voters for Halves {
    fn ballots(&self, queries: &Queries) -> io::Result<Vec<Ballot>> {
        let ballot = |query| {
            let nurse = queries.rows.codes(query)[0] == 1;
            if nurse {
                std::thread::sleep(self.longer);
            }
            if let Some(bins) = queries.bins.get(query) {
                return Ballot::Scores(
                    Sensitive::new(vec![if nurse { 0.5 } else { 0.93 }; 120]),
                    *bins,
                );
            }
            Ballot::Labels(Sensitive::new(if nurse { vec![60, 60] } else { vec![0, 120] }))
        };
        Ok((0..queries.rows.count()).map(ballot).collect())
    }
}

pub struct Place {
    folder: TempDir,
    study: Study,
}

impl Place {
    pub fn new(queries: usize, unstable: usize) -> Place {
        Place::spending(900, queries, unstable)
    }

    /// One whose account of ε = 1000 may pay for several sessions.
    pub fn spending(epsilon: u32, queries: usize, unstable: usize) -> Place {
        let folder = tempfile::tempdir().unwrap();
        let rows: String = (0..6000).map(|i| format!("{i},clerk,yes\n")).collect();
        std::fs::write(folder.path().join("t.csv"), format!("age,job,y\n{rows}")).unwrap();
        let text = STUDY
            .replace("UNSTABLE", &unstable.to_string())
            .replace("QUERIES", &queries.to_string());
        let text = text.replace("epsilon = 900", &format!("epsilon = {epsilon}"));
        let study = Study::parse(&folder.path().join("study.toml"), &text).unwrap();
        Place { folder, study }
    }

    /// The same with one piece of the study's text replaced.
    pub fn altered(queries: usize, from: &str, to: &str) -> Place {
        let mut place = Place::new(queries, 10);
        let text = STUDY.replace("UNSTABLE", "10").replace("QUERIES", &queries.to_string());
        assert!(text.contains(from), "{from}");
        place.study =
            Study::parse(&place.folder.path().join("study.toml"), &text.replace(from, to)).unwrap();
        place
    }

    pub fn ledger(&self) -> PathBuf {
        self.folder.path().join("ledger.sqlite")
    }

    pub fn study(&self) -> Study {
        self.study.clone()
    }

    pub fn store(&self) -> Store {
        Store::of_account(&self.ledger(), "t").unwrap()
    }

    pub fn token(&self, name: &str, role: Role, limit: Option<u64>) -> String {
        self.store().new_token(name, role, limit).unwrap()
    }

    pub fn options(&self, tick: Option<Duration>) -> Options {
        let listen = "127.0.0.1:0".parse().unwrap();
        // Every row is positive.
        Options { listen, tick, log: false, accept_check: true, ..Options::new(self.ledger()) }
    }

    pub fn start(&self, options: Options, longer: Duration) -> RunningService {
        let prepared = PreparedService::new(self.study.clone(), options).unwrap();
        prepared.start(VoterChoice::Custom(Box::new(Halves { longer })), false).unwrap()
    }

    /// Everything that a request could have changed, but for counts of requests.
    pub fn state(&self) -> String {
        let ledger = rusqlite::Connection::open(self.ledger()).unwrap();
        let session: (u64, String) = ledger
            .query_row("SELECT revision, state FROM sessions", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .unwrap();
        let answers: u64 =
            ledger.query_row("SELECT COUNT(*) FROM answers", [], |row| row.get(0)).unwrap();
        let used: Vec<u64> =
            self.store().tokens().unwrap().iter().map(|token| token.used).collect();
        format!("{session:?} {answers} {used:?}")
    }
}

pub fn tick(millis: u64) -> Option<Duration> {
    Some(Duration::from_millis(millis))
}

/// A place with a service and an analyst, as most tests need it.
pub fn running(
    queries: usize,
    unstable: usize,
    limit: Option<u64>,
) -> (Place, RunningService, Client, String) {
    let place = Place::new(queries, unstable);
    let token = place.token("ann", Role::Analyst, limit);
    let running = place.start(place.options(tick(20)), Duration::ZERO);
    let client = Client::new(running.address());
    (place, running, client, token)
}

pub fn clerk(age: usize) -> String {
    format!(r#"{{"query": {{"age": {age}, "job": "clerk"}}}}"#)
}

pub fn nurse(age: usize) -> String {
    format!(r#"{{"query": {{"age": {age}, "job": "nurse"}}}}"#)
}
