//! The service killed at any step, alone and under load: nothing is answered or paid for twice.

use super::{SERVE, Server, state, study, token, workspace};
use crate::client::Client;
use crate::workspace::Workspace;
use discretion::noise::{Seeded, Source};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What clients have seen: a response under each key, and never another one.
type Seen = Arc<Mutex<HashMap<String, (String, u16, String)>>>;

/// Killed at every step between a question and its answer: one charge, one test, one count, one
/// answer.
#[test]
fn a_crash_at_any_step_costs_nothing_twice() {
    for step in ["charge:after-commit", "serve: charged", "serve: trained"] {
        let workspace = workspace();
        // Votes of a tick must not take longer than it, on a busy machine either.
        let patient = SERVE.map(|word| if word == "50ms" { "60s" } else { word });
        let status =
            workspace.command(&patient).env("DISCRETION_ABORT_AT", step).output().unwrap().status;
        assert_eq!(status.code(), None, "{step}: the process was to be killed");
        Server::start(&workspace).terminate();
        let ledger = rusqlite::Connection::open(workspace.ledger()).unwrap();
        let charged = "SELECT COUNT(*) FROM entries WHERE kind = 'charged'";
        assert_eq!(ledger.query_row(charged, [], |row| row.get::<_, u64>(0)).unwrap(), 1, "{step}");
    }
    for step in
        ["session:before-begin", "session:before-commit", "session:after-commit", "serve: settled"]
    {
        let workspace = workspace();
        let token = token(&workspace, "ann");
        let mut command = workspace.command(&SERVE);
        command.env("DISCRETION_ABORT_AT", step);
        let mut dying = Server::spawn(command);
        let body = r#"{"query": {"age": 2, "job": "clerk"}}"#;
        assert!(
            Client::new(dying.address).ask(&token, Some("k"), body).is_err(),
            "{step}: an answer left"
        );
        dying.child.wait().unwrap();
        let server = Server::start(&workspace);
        let answer = Client::new(server.address).ask(&token, Some("k"), body).unwrap();
        assert_eq!((answer.status, answer.json()), (200, json!({ "answer": "no" })), "{step}");
        server.terminate();
        assert_eq!(state(&workspace)["asked"], 1, "{step}");
        let list = workspace.run(&["serve", "token", "list", "study.toml", "--json"]).succeeds();
        assert_eq!(serde_json::from_str::<Value>(&list.stdout).unwrap()[0]["used"], 1, "{step}");
    }
}

fn load(
    who: u64,
    unclear: u64,
    address: Arc<Mutex<SocketAddr>>,
    token: String,
    stop: Arc<AtomicBool>,
    seen: Seen,
) {
    let mut source = Seeded::new(who);
    let mut draw = move |below: u64| source.word().unwrap() % below;
    let mut number = 0;
    while !stop.load(Ordering::Relaxed) {
        let old: Option<(String, String)> = (draw(3) == 0)
            .then(|| {
                let seen = seen.lock().unwrap();
                let at = draw(seen.len().max(1) as u64) as usize;
                seen.iter().nth(at).map(|(key, (body, _, _))| (key.clone(), body.clone()))
            })
            .flatten();
        let (key, body) = old.unwrap_or_else(|| {
            number += 1;
            // Some queries are asked by several clients.
            let (age, job) = match draw(unclear) {
                0 => (draw(10_000) as f64 / 100.0, "nurse"),
                _ => (draw(4_000) as f64 / 100.0, "clerk"),
            };
            (format!("{who}-{number}"), format!(r#"{{"query": {{"age": {age}, "job": "{job}"}}}}"#))
        });
        // Until it is answered: whatever happens in between, under this key there is one answer.
        while !stop.load(Ordering::Relaxed) {
            let at = *address.lock().unwrap();
            let Ok(response) = Client::new(at).ask(&token, Some(&key), &body) else {
                thread::sleep(Duration::from_millis(5));
                continue;
            };
            if response.status == 503 {
                continue;
            }
            assert!(matches!(response.status, 200 | 410), "{}", response.body);
            if response.status == 200 {
                let now = (body.clone(), response.status, response.body);
                let first =
                    seen.lock().unwrap().entry(key.clone()).or_insert_with(|| now.clone()).clone();
                assert_eq!(first, now, "{key} was answered twice, differently");
            }
            break;
        }
    }
}

/// Aborted at each point between drawing noise and releasing: started again, the same key gets one
/// answer, of one test.
#[test]
fn aborted_at_any_step_it_answers_once() {
    for (step, answered) in
        [("session:before-commit", 0), ("session:after-commit", 1), ("serve: settled", 1)]
    {
        let workspace = workspace();
        let token = token(&workspace, "ann");
        Server::start(&workspace).terminate();
        let mut server = Server::start_with(&workspace, &[("DISCRETION_ABORT_AT", step)]);
        let body = r#"{"query": {"age": 2, "job": "clerk"}}"#;
        assert!(Client::new(server.address).ask(&token, Some("k"), body).is_err(), "{step}");
        assert!(!server.child.wait().unwrap().success(), "{step}");
        assert_eq!(state(&workspace)["asked"], answered, "{step}");
        let server = Server::start(&workspace);
        let first = Client::new(server.address).ask(&token, Some("k"), body).unwrap();
        assert_eq!((first.status, first.json()), (200, json!({ "answer": "no" })), "{step}");
        assert_eq!(
            Client::new(server.address).ask(&token, Some("k"), body).unwrap().body,
            first.body
        );
        server.terminate();
        assert_eq!(state(&workspace)["asked"], 1, "{step}");
        let list = workspace.run(&["serve", "token", "list", "study.toml", "--json"]).succeeds();
        assert_eq!(serde_json::from_str::<Value>(&list.stdout).unwrap()[0]["used"], 1, "{step}");
    }
    // Aborted on the way to the first answer: charged once.
    for step in ["serve: charged", "serve: trained"] {
        let workspace = workspace();
        let aborted = workspace.command(&SERVE).env("DISCRETION_ABORT_AT", step).output().unwrap();
        assert!(aborted.status.code().is_none(), "{step}");
        Server::start(&workspace).terminate();
        let ledger = rusqlite::Connection::open(workspace.ledger()).unwrap();
        let charged = "SELECT COUNT(*) FROM entries WHERE kind = 'charged'";
        assert_eq!(ledger.query_row(charged, [], |row| row.get::<_, u64>(0)).unwrap(), 1, "{step}");
    }
}

/// `make kills` for the long form.
#[test]
fn killed_under_load_it_goes_on_where_it_was() {
    let (asked, paid) = kill_under_load(workspace(), 150, false);
    assert!(asked <= 5000 && paid <= 30, "{asked} queries, {paid} paid");
}

/// The same across the end of a session: whenever it dies, no answer beyond T is paid for.
#[test]
fn killed_at_the_end_of_its_session_it_pays_for_no_more() {
    let workspace = workspace();
    workspace.write(
        "study.toml",
        study().replace("queries = 5000\nunstable = 30", "queries = 300\nunstable = 5"),
    );
    let (asked, paid) = kill_under_load(workspace, 15, true);
    assert!(asked <= 300 && paid <= 5, "{asked} queries, {paid} paid");
    assert!(asked == 300 || paid == 5, "it ended: {asked} queries, {paid} paid");
}

/// Kills a server again and again while eight clients ask, one query in `unclear` of them an
/// unstable one, and then until the session has ended if it should. Returns how many queries were
/// asked and paid for.
fn kill_under_load(workspace: Workspace, unclear: u64, to_its_end: bool) -> (u64, u64) {
    let kills: u64 =
        std::env::var("DISCRETION_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(8);
    let token = token(&workspace, "ann");
    let mut server = Server::start(&workspace);
    let (address, stop) = (Arc::new(Mutex::new(server.address)), Arc::new(AtomicBool::new(false)));
    let seen = Seen::default();
    let clients: Vec<_> = (0..8)
        .map(|who| {
            let (address, token, stop, seen) =
                (address.clone(), token.clone(), stop.clone(), seen.clone());
            thread::spawn(move || load(who, unclear, address, token, stop, seen))
        })
        .collect();
    let mut source = Seeded::new(kills);
    for _ in 0..kills {
        thread::sleep(Duration::from_millis(20 + source.word().unwrap() % 200));
        server.kill();
        server = Server::start(&workspace);
        *address.lock().unwrap() = server.address;
    }
    thread::sleep(Duration::from_millis(300));
    let mut watching = Client::new(server.address);
    let mut goes_on = to_its_end;
    while goes_on {
        let left = watching.get("/v1/budget", Some(&token)).unwrap().json()["session"].clone();
        goes_on = left["queries_left"] != 0 && left["unstable_left"] != 0;
        thread::sleep(Duration::from_millis(50));
    }
    stop.store(true, Ordering::Relaxed);
    clients.into_iter().for_each(|client| client.join().unwrap());

    let seen = seen.lock().unwrap();
    assert!(seen.len() >= 8, "{} requests", seen.len());
    let mut client = Client::new(server.address);
    for (key, (body, status, answer)) in &*seen {
        let again = client.ask(&token, Some(key), body).unwrap();
        assert_eq!((again.status, &again.body), (*status, answer), "{key} was lost");
    }
    server.terminate();
    workspace.run(&["ledger", "verify"]).succeeds();
    let state = state(&workspace);
    let [asked, tests, paid] = ["asked", "tests", "paid"].map(|key| state[key].as_u64().unwrap());
    assert_eq!(asked, tests);
    let ledger = rusqlite::Connection::open(workspace.ledger()).unwrap();
    let count = |sql| ledger.query_row(sql, [], |row| row.get::<_, u64>(0)).unwrap();
    assert_eq!(count("SELECT COUNT(*) FROM entries WHERE kind = 'charged'"), 1);
    assert_eq!(count("SELECT COUNT(*) FROM answers"), asked);
    assert_eq!(count("SELECT COUNT(*) FROM answers WHERE answer = 'unstable'"), paid);
    // Every request that was answered was counted once, and no more than one for each client was
    // answered unheard.
    let list = workspace.run(&["serve", "token", "list", "study.toml", "--json"]).succeeds();
    let used = serde_json::from_str::<Value>(&list.stdout).unwrap()[0]["used"].as_u64().unwrap();
    assert!(
        (seen.len() as u64..=seen.len() as u64 + 8).contains(&used),
        "{used} of {}",
        seen.len()
    );
    eprintln!("{kills} kills, {} requests, {asked} queries, {paid} paid", seen.len());
    (asked, paid)
}
