//! `discretion serve`, the real binary: started, asked, killed.

use crate::answer;
use crate::client::Client;
use crate::workspace::Workspace;
use discretion::noise::{Seeded, Source};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The study of `answer`'s tests. Not about privacy: with so large an ε, 120 voters pay for many unstable answers.
fn study() -> String {
    let mut study = answer::STUDY.to_owned();
    for (usual, here) in [
        ("epsilon = 12", "epsilon = 200"),
        ("epsilon = 8", "epsilon = 100"),
        ("queries = 130", "queries = 5000"),
        ("unstable = 4", "unstable = 30"),
    ] {
        assert!(study.contains(usual), "{usual}");
        study = study.replace(usual, here);
    }
    study
}

fn workspace() -> Workspace {
    let workspace = Workspace::empty();
    workspace.write("study.toml", study());
    workspace.write("t.csv", answer::table(6000));
    workspace
}

const SERVE: [&str; 7] = ["serve", "study.toml", "--listen", "127.0.0.1:0", "--tick", "50ms", "--quiet"];

struct Server {
    child: Child,
    address: SocketAddr,
}

impl Server {
    fn start(workspace: &Workspace) -> Server {
        Server::spawn(workspace.command(&SERVE))
    }

    fn start_with(workspace: &Workspace, variables: &[(&str, &str)]) -> Server {
        let mut command = workspace.command(&SERVE);
        command.envs(variables.iter().copied());
        Server::spawn(command)
    }

    fn spawn(mut command: Command) -> Server {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address =
            line.trim().strip_prefix("listening on http://").expect("it listens").trim_end_matches('/');
        Server { child, address: address.parse().unwrap() }
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// SIGTERM, to which it ends in good order.
    fn terminate(mut self) {
        Command::new("kill").arg(self.child.id().to_string()).status().unwrap();
        assert!(self.child.wait().unwrap().success());
    }
}

fn token(workspace: &Workspace, name: &str) -> String {
    let run = workspace.run(&["serve", "token", "new", "study.toml", "--name", name]).succeeds();
    run.stdout.trim().to_owned()
}

fn state(workspace: &Workspace) -> Value {
    let ledger = rusqlite::Connection::open(workspace.ledger()).unwrap();
    let text: String = ledger.query_row("SELECT state FROM sessions", [], |row| row.get(0)).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_study_is_checked_served_once_and_ended() {
    let workspace = workspace();
    let check = workspace.run(&["serve", "study.toml", "--check"]).succeeds();
    assert!(check.stdout.contains("120 models of 50 rows") && check.stdout.contains("nothing was charged"));
    assert!(!workspace.ledger().exists());
    let token = token(&workspace, "ann");
    let server = Server::start(&workspace);
    workspace.run(&SERVE).fails(1, "another server answers for this session already");
    // Nor under another name of the ledger.
    std::fs::create_dir(workspace.path("elsewhere")).unwrap();
    let link = workspace.path("elsewhere/ledger.sqlite");
    std::fs::hard_link(workspace.ledger(), &link).unwrap();
    let second = workspace.command(&SERVE).env("DISCRETION_LEDGER", &link).output().unwrap();
    let said = String::from_utf8(second.stderr).unwrap();
    assert!(second.status.code() == Some(1) && said.contains("has 2 names (hard links)"), "{said}");
    std::fs::remove_dir_all(workspace.path("elsewhere")).unwrap();
    let mut client = Client::new(server.address);
    assert_eq!(client.get("/healthz", None).unwrap().json(), json!({ "status": "ok" }));
    let body = r#"{"queries": [{"age": 2, "job": "clerk"}, {"age": "98", "job": "clerk"}]}"#;
    let answers = client.ask(&token, None, body).unwrap().json();
    assert_eq!(answers, json!({ "answers": ["no", "yes"], "session_ended": false }));
    let list = workspace.run(&["serve", "token", "list", "study.toml", "--json"]).succeeds();
    let list: Value = serde_json::from_str(&list.stdout).unwrap();
    assert_eq!(
        list,
        json!([{ "name": "ann", "role": "analyst", "used": 2, "limit": null, "revoked": false }])
    );
    // A file of the same queries goes on with the session of the service, which notices.
    workspace.write("q.csv", "age,job\n2,clerk\n3,clerk\n");
    workspace.run(&["answer", "study.toml", "--queries", "q.csv", "--out", "a.csv"]).succeeds();
    assert_eq!(state(&workspace)["asked"], 3);
    let third = client.ask(&token, None, r#"{"query": {"age": 4, "job": "clerk"}}"#).unwrap();
    assert_eq!((third.status, third.json()), (200, json!({ "answer": "no" })));
    assert_eq!(state(&workspace)["asked"], 4);
    server.terminate();
    workspace.run(&["ledger", "verify"]).succeeds();
    let check = workspace.run(&["serve", "study.toml", "--check"]).succeeds();
    assert!(check.stdout.contains("it goes on with the session of charge "), "{}", check.stdout);
}

/// Killed at every step between a question and its answer: one charge, one test, one count, one answer.
#[test]
fn a_crash_at_any_step_costs_nothing_twice() {
    for step in ["charge:after-commit", "serve: charged", "serve: trained"] {
        let workspace = workspace();
        let status = workspace.command(&SERVE).env("DISCRETION_ABORT_AT", step).output().unwrap().status;
        assert_eq!(status.code(), None, "{step}: the process was to be killed");
        Server::start(&workspace).terminate();
        let ledger = rusqlite::Connection::open(workspace.ledger()).unwrap();
        let charged = "SELECT COUNT(*) FROM entries WHERE kind = 'charged'";
        assert_eq!(ledger.query_row(charged, [], |row| row.get::<_, u64>(0)).unwrap(), 1, "{step}");
    }
    for step in ["session:before-begin", "session:before-commit", "session:after-commit", "serve: settled"] {
        let workspace = workspace();
        let token = token(&workspace, "ann");
        let mut command = workspace.command(&SERVE);
        command.env("DISCRETION_ABORT_AT", step);
        let mut dying = Server::spawn(command);
        let body = r#"{"query": {"age": 2, "job": "clerk"}}"#;
        assert!(Client::new(dying.address).ask(&token, Some("k"), body).is_err(), "{step}: an answer left");
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

#[test]
fn scores_are_served_as_numbers() {
    let workspace = workspace();
    workspace.write("study.toml", study().replace("[vote]", "[vote]\nscores = true\ngamma = 0.5"));
    let token = token(&workspace, "ann");
    let server = Server::start(&workspace);
    let mut client = Client::new(server.address);
    let schema = client.get("/v1/schema", None).unwrap().json();
    assert_eq!(schema["answers"], json!({ "kind": "score", "bins": 2, "of": "yes" }));
    let body = r#"{"queries": [{"age": 2, "job": "clerk"}, {"age": 98, "job": "clerk"}]}"#;
    let answers = client.ask(&token, None, body).unwrap().json();
    assert_eq!(answers, json!({ "answers": [0.25, 0.75], "session_ended": false }));
    server.terminate();
}

#[test]
fn what_cannot_be_served_is_refused_before_anything_is_charged() {
    let workspace = workspace();
    let open = ["serve", "study.toml", "--listen", "0.0.0.0:0"];
    workspace.run(&open).fails(2, "--listen 0.0.0.0:0: others can reach this address");
    workspace.run(&["serve", "study.toml", "--tick", "0ms"]).says("10ms to 3600s");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    workspace.run(&["serve", "study.toml", "--listen", &address, "--new-tokens"]).says("cannot be used");
    let missing = ["serve", "study.toml", "--tls-cert", "c.pem", "--tls-key", "k.pem"];
    workspace.run(&missing).fails(2, "c.pem: this is no PEM file for TLS");
    workspace
        .run(&["serve", "token", "revoke", "study.toml", "--name", "x"])
        .fails(2, "there is no token named 'x'");
    workspace.write("study.toml", study().replace("[vote]", "[vote]\nprotect = \"labels\""));
    workspace.run(&["serve", "study.toml"]).fails(2, "study.toml: with `protect = \"labels\"`");
    workspace.write("study.toml", study().split("[vote]").next().unwrap());
    workspace.run(&["serve", "study.toml"]).says("has no [vote] table");
    let ledger = rusqlite::Connection::open(workspace.ledger()).unwrap();
    assert!(ledger.prepare("SELECT * FROM entries").is_err(), "there is no ledger yet");
}

/// Learns nothing, fails on chunk 7 and says its rows if `tells`, and always answers yes, after a moment.
fn program(workspace: &Workspace, tells: bool, timeout: &str) {
    let fails =
        if tells { "test \"$4\" = 7 && { cat \"$2\" >&2; exit 3; }; : > \"$3\"" } else { ": > \"$3\"" };
    let text = format!(
        "case $1 in\ntrain) {fails};;\npredict) sleep 0.1; sed 1d \"$3\" | sed 's/.*/yes/' > \"$4\";;\nesac\n"
    );
    workspace.write("learner.sh", text);
    let learner = format!("[vote]\nlearner = {{ command = [\"sh\", \"learner.sh\"], timeout = {timeout} }}");
    let study = study()
        .replace("[vote]", &learner)
        .replace("chunks = 120", "chunks = 60")
        .replace("unstable = 30", "unstable = 3");
    workspace.write("study.toml", study);
}

const PROGRAMS: [&str; 9] =
    ["serve", "study.toml", "--listen", "127.0.0.1:0", "--quiet", "--threads", "60", "--tick", "9s"];

#[test]
fn programs_that_may_outlast_the_tick_are_refused_before_anything_is_charged() {
    let workspace = workspace();
    program(&workspace, false, "10");
    let mut serve = PROGRAMS;
    workspace.run(&serve).says("choose --tick 11s, or `timeout = 8.8` in `learner`");
    workspace.run(&["serve", "study.toml", "--check", "--threads", "60"]).says("nothing was charged");
    serve[6] = "1";
    workspace.run(&serve).says("more --threads, or fewer chunks");
    assert!(!workspace.ledger().exists() || state_of_sessions(&workspace) == 0);
}

fn state_of_sessions(workspace: &Workspace) -> u64 {
    let ledger = rusqlite::Connection::open(workspace.ledger()).unwrap();
    ledger.query_row("SELECT COUNT(*) FROM sessions", [], |row| row.get(0)).unwrap()
}

/// SIGTERM lets programs live until the answers that they make have left, and what they say about rows is in no log.
#[test]
fn programs_answer_until_the_end_and_what_they_say_is_in_no_log() {
    for tells in [false, true] {
        let workspace = workspace();
        program(&workspace, tells, "3");
        let mut serve = PROGRAMS;
        serve[8] = "4s";
        let token = token(&workspace, "ann");
        let mut command = workspace.command(&serve);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").expect("it listens");
        let address: SocketAddr = address.trim_end_matches('/').parse().unwrap();
        let asked = thread::spawn(move || {
            Client::new(address).ask(&token, None, r#"{"query": {"age": 2, "job": "clerk"}}"#).unwrap()
        });
        // Until its answer is in the ledger, or it is at least worked on.
        while state(&workspace)["asked"] == 0 {
            thread::sleep(Duration::from_millis(20));
        }
        Command::new("kill").arg(child.id().to_string()).status().unwrap();
        let response = asked.join().unwrap();
        assert_eq!((response.status, response.json()), (200, json!({ "answer": "yes" })));
        assert_eq!(child.wait().unwrap().code(), Some(0));
        let mut log = String::new();
        std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut log).unwrap();
        let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
        assert!(!log.contains("clerk") && !log.contains("failed"), "{log}");
        let said =
            lines.iter().find_map(|line| line["text"].as_str()?.strip_prefix("what learners said is in "));
        let said = std::path::PathBuf::from(said.unwrap().split(": NOT PRIVATE").next().unwrap());
        let text = std::fs::read_to_string(&said).unwrap();
        assert_eq!((text.contains("clerk"), text.contains("chunk 7 failed")), (tells, tells), "{text}");
        let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&said).unwrap());
        assert_eq!(mode & 0o077, 0);
    }
}

/// What clients have seen: a response under each key, and never another one.
type Seen = Arc<Mutex<HashMap<String, (String, u16, String)>>>;

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
                let first = seen.lock().unwrap().entry(key.clone()).or_insert_with(|| now.clone()).clone();
                assert_eq!(first, now, "{key} was answered twice, differently");
            }
            break;
        }
    }
}

/// Aborted at each point between drawing noise and releasing: started again, the same key gets one answer, of one test.
#[test]
fn aborted_at_any_step_it_answers_once() {
    for (step, answered) in [("session:before-commit", 0), ("session:after-commit", 1), ("serve: settled", 1)]
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
        assert_eq!(Client::new(server.address).ask(&token, Some("k"), body).unwrap().body, first.body);
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
    workspace
        .write("study.toml", study().replace("queries = 5000\nunstable = 30", "queries = 300\nunstable = 5"));
    let (asked, paid) = kill_under_load(workspace, 15, true);
    assert!(asked <= 300 && paid <= 5, "{asked} queries, {paid} paid");
    assert!(asked == 300 || paid == 5, "it ended: {asked} queries, {paid} paid");
}

/// Kills a server again and again while eight clients ask, one query in `unclear` of them an unstable one, and
/// then until the session has ended if it should. Returns how
/// many queries were asked and paid for.
fn kill_under_load(workspace: Workspace, unclear: u64, to_its_end: bool) -> (u64, u64) {
    let kills: u64 = std::env::var("DISCRETION_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(8);
    let token = token(&workspace, "ann");
    let mut server = Server::start(&workspace);
    let (address, stop) = (Arc::new(Mutex::new(server.address)), Arc::new(AtomicBool::new(false)));
    let seen = Seen::default();
    let clients: Vec<_> = (0..8)
        .map(|who| {
            let (address, token, stop, seen) = (address.clone(), token.clone(), stop.clone(), seen.clone());
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
    // Every request that was answered was counted once, and no more than one for each client was answered unheard.
    let list = workspace.run(&["serve", "token", "list", "study.toml", "--json"]).succeeds();
    let used = serde_json::from_str::<Value>(&list.stdout).unwrap()[0]["used"].as_u64().unwrap();
    assert!((seen.len() as u64..=seen.len() as u64 + 8).contains(&used), "{used} of {}", seen.len());
    eprintln!("{kills} kills, {} requests, {asked} queries, {paid} paid", seen.len());
    (asked, paid)
}
