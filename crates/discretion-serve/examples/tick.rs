//! How long the work of one tick takes, from the votes to the last byte on the disk: what the
//! default tick was chosen by.
//!
//!     cargo run --release --workspace --example tick -- FOLDER
//!
//! FOLDER is one that `discretion demo` wrote. A service with the study's own models is asked with
//! the tick off, so that a request takes as long as its work; its ledger is a new one in a
//! temporary folder.

#[path = "../tests/service/client.rs"]
#[allow(dead_code)]
mod client;

use client::Client;
use discretion_serve::options::{DEFAULT_TICK, MOST_QUERIES};
use discretion_serve::service::VoterChoice;
use discretion_serve::store::Store;
use discretion_serve::tokens::Role;
use discretion_serve::{Options, PreparedService};
use discretion_table::{Kind, Study};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Ticks of each size.
const TICKS: usize = 20;

fn main() {
    let folder =
        PathBuf::from(std::env::args().nth(1).expect("say a folder that `discretion demo` wrote"));
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let mut text = String::new();
    let mut longest = Duration::ZERO;
    for learner in ["logistic", "trees"] {
        let study = study(&folder, learner);
        let ledger = temporary.path().join(learner).join("ledger.sqlite");
        let token = Store::of_account(&ledger, &study.data.account)
            .and_then(|store| store.new_token("measured", Role::Analyst, None))
            .expect("a new token");
        let options = Options {
            listen: "127.0.0.1:0".parse().expect("an address"),
            tick: None,
            log: false,
            ..Options::new(ledger)
        };
        let prepared =
            PreparedService::new(study.clone(), options).expect("the demo's study can be served");
        let running = prepared.start(VoterChoice::StudyModels, false).expect("it starts");
        let mut client = Client::new(running.address());
        let mut number = 0;
        for size in [1, 16, 64, MOST_QUERIES] {
            let mut took = Vec::new();
            for _ in 0..TICKS {
                let queries: Vec<Value> = (0..size).map(|_| query(&study, &mut number)).collect();
                let body = json!({ "queries": queries }).to_string();
                let start = Instant::now();
                let response = client.ask(&token, None, body).expect("no error");
                took.push(start.elapsed());
                assert_eq!(response.status, 200, "{}", response.body);
            }
            took.sort();
            let at = |share: f64| took[((took.len() - 1) as f64 * share) as usize];
            longest = longest.max(at(1.0));
            text += &format!(
                "{learner:<9}{size:>4} queries: median {:>6.1} ms, 90 % {:>6.1} ms, longest {:>6.1} ms\n",
                millis(at(0.5)),
                millis(at(0.9)),
                millis(at(1.0))
            );
        }
        running.stop().expect("it ends in good order");
    }
    text += &format!(
        "the default tick, {} ms, is {:.1} times the longest of these\n",
        millis(DEFAULT_TICK),
        DEFAULT_TICK.as_secs_f64() / longest.as_secs_f64()
    );
    std::io::stdout().write_all(text.as_bytes()).expect("standard output is open");
}

/// The demo's study with another learner and room for all queries. What it spends does not matter
/// here.
fn study(folder: &std::path::Path, learner: &str) -> Study {
    let path = folder.join("study.toml");
    let text = std::fs::read_to_string(&path).expect("the folder has a study.toml");
    let (before, _) = text.split_once("[vote]").expect("the demo's study has a [vote] table");
    let text =
        before.replace("epsilon = 3.0", "epsilon = 1000").replace("epsilon = 1.0", "epsilon = 990");
    let vote = format!(
        "[vote]\nlearner = \"{learner}\"\nqueries = 20000\nunstable = 4500\nchunks = 400\nagreement = 1.0\n"
    );
    Study::parse(&path, &(text + &vote)).expect("the study can be read")
}

/// Queries all over the declared ranges, no two the same.
fn query(study: &Study, number: &mut usize) -> Value {
    *number += 1;
    let mut fields = Map::new();
    for (place, column) in study.schema.columns().iter().enumerate() {
        let share = (*number * (place + 1)) as f64 * 0.618_033_988_749_894_9 % 1.0;
        match &column.kind {
            Kind::Number { min, max, .. } => {
                fields.insert(column.name.clone(), json!(min + (max - min) * share))
            }
            Kind::Category { values, .. } => fields
                .insert(column.name.clone(), json!(values[(share * values.len() as f64) as usize])),
            Kind::Date { .. } | Kind::Dropped => None,
        };
    }
    Value::Object(fields)
}

fn millis(time: Duration) -> f64 {
    1000.0 * time.as_secs_f64()
}
