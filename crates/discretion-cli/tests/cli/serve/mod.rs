//! `discretion serve`, the real binary: started, asked, ended; `kills.rs` kills it.

mod kills;

use crate::answer;
use crate::client::Client;
use crate::workspace::Workspace;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

/// The study of `answer`'s tests. Not about privacy: with so large an ε, 120 voters pay for many
/// unstable answers.
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

const SERVE: [&str; 7] =
    ["serve", "study.toml", "--listen", "127.0.0.1:0", "--tick", "50ms", "--quiet"];

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
        // A machine with much else to do may need longer than a tick for its votes, and the service
        // then refuses to start.
        for _ in 0..20 {
            let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
            let mut line = String::new();
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
            if let Some(address) = line.trim().strip_prefix("listening on http://") {
                return Server { child, address: address.trim_end_matches('/').parse().unwrap() };
            }
            assert!(!child.wait().unwrap().success());
        }
        panic!("it does not listen");
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
    let text: String =
        ledger.query_row("SELECT state FROM sessions", [], |row| row.get(0)).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_study_is_checked_served_once_and_ended() {
    let workspace = workspace();
    let check = workspace.run(&["serve", "study.toml", "--check"]).succeeds();
    assert!(
        check.stdout.contains("120 models of 50 rows")
            && check.stdout.contains("nothing was charged")
    );
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

#[test]
fn scores_are_served_as_numbers_with_labels_by_a_threshold() {
    let workspace = workspace();
    workspace.write(
        "study.toml",
        study().replace("[vote]", "[vote]\nscores = true\ngamma = 0.5\nthreshold = 0.5"),
    );
    let token = token(&workspace, "ann");
    let server = Server::start(&workspace);
    let mut client = Client::new(server.address);
    let schema = client.get("/v1/schema", None).unwrap().json();
    assert_eq!(
        schema["answers"],
        json!({ "kind": "score", "bins": 2, "of": "yes", "threshold": 0.5 })
    );
    let body = r#"{"queries": [{"age": 2, "job": "clerk"}, {"age": 98, "job": "clerk"}]}"#;
    let answers = client.ask(&token, None, body).unwrap().json();
    assert_eq!(
        answers,
        json!({ "answers": [0.25, 0.75], "labels": ["no", "yes"], "session_ended": false })
    );
    let one = client.ask(&token, None, r#"{"query": {"age": 98, "job": "clerk"}}"#).unwrap().json();
    assert_eq!(one, json!({ "answer": 0.75, "label": "yes" }));
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
    workspace
        .run(&["serve", "study.toml", "--listen", &address, "--new-tokens"])
        .says("cannot be used");
    let missing = ["serve", "study.toml", "--tls-cert", "c.pem", "--tls-key", "k.pem"];
    workspace.run(&missing).fails(2, "c.pem: this is no PEM file for TLS");
    workspace
        .run(&["serve", "token", "revoke", "study.toml", "--name", "x"])
        .fails(2, "there is no token named 'x'");
    workspace.write("study.toml", study().split("[vote]").next().unwrap());
    workspace.run(&["serve", "study.toml"]).says("has no [vote] table");
    let ledger = rusqlite::Connection::open(workspace.ledger()).unwrap();
    assert!(ledger.prepare("SELECT * FROM entries").is_err(), "there is no ledger yet");
}

/// Learns nothing, fails on chunk 7 and says its rows if `tells`, and always answers yes, after a
/// moment.
fn program(workspace: &Workspace, tells: bool, timeout: &str) {
    let fails = if tells {
        "test \"$4\" = 7 && { cat \"$2\" >&2; exit 3; }; : > \"$3\""
    } else {
        ": > \"$3\""
    };
    let text = format!(
        "case $1 in\ntrain) {fails};;\npredict) sleep 0.1; sed 1d \"$3\" | sed 's/.*/yes/' > \"$4\";;\nesac\n"
    );
    workspace.write("learner.sh", text);
    let learner =
        format!("[vote]\nlearner = {{ command = [\"sh\", \"learner.sh\"], timeout = {timeout} }}");
    let study = study()
        .replace("[vote]", &learner)
        .replace("chunks = 120", "chunks = 60")
        .replace("unstable = 30", "unstable = 3");
    workspace.write("study.toml", study);
}

const PROGRAMS: [&str; 9] = [
    "serve",
    "study.toml",
    "--listen",
    "127.0.0.1:0",
    "--quiet",
    "--threads",
    "60",
    "--tick",
    "9s",
];

#[test]
fn programs_that_may_outlast_the_tick_are_refused_before_anything_is_charged() {
    let workspace = workspace();
    program(&workspace, false, "10");
    let mut serve = PROGRAMS;
    workspace.run(&serve).says("choose --tick 11s, or `timeout = 8.8` in `learner`");
    workspace
        .run(&["serve", "study.toml", "--check", "--threads", "60"])
        .says("nothing was charged");
    serve[6] = "1";
    workspace.run(&serve).says("more --threads, or fewer chunks");
    assert!(!workspace.ledger().exists() || state_of_sessions(&workspace) == 0);
}

fn state_of_sessions(workspace: &Workspace) -> u64 {
    let ledger = rusqlite::Connection::open(workspace.ledger()).unwrap();
    ledger.query_row("SELECT COUNT(*) FROM sessions", [], |row| row.get(0)).unwrap()
}

/// SIGTERM lets programs live until the answers that they make have left, and what they say about
/// rows is in no log.
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
            Client::new(address)
                .ask(&token, None, r#"{"query": {"age": 2, "job": "clerk"}}"#)
                .unwrap()
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
        let lines: Vec<Value> =
            log.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
        assert!(!log.contains("clerk") && !log.contains("failed"), "{log}");
        let said = lines
            .iter()
            .find_map(|line| line["text"].as_str()?.strip_prefix("what learners said is in "));
        let said = std::path::PathBuf::from(said.unwrap().split(": NOT PRIVATE").next().unwrap());
        let text = std::fs::read_to_string(&said).unwrap();
        assert_eq!(
            (text.contains("clerk"), text.contains("chunk 7 failed")),
            (tells, tells),
            "{text}"
        );
        let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&said).unwrap());
        assert_eq!(mode & 0o077, 0);
    }
}
