//! `discretion studio`, ended from outside while a run is under way: the same words and the same
//! code as a command.

use crate::golden::compare;
use crate::workspace::{STUDY, Workspace};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A run that chooses among so many values trains long enough to be caught at it.
fn slow_study() -> String {
    let lambdas: Vec<String> =
        (0..400).map(|i| format!("{}", 0.02 + f64::from(i) / 1000.0)).collect();
    STUDY.replace("lambda = 0.01", &format!("lambda = [{}]", lambdas.join(", ")))
}

fn ask(host: &str, token: &str, name: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(host).unwrap();
    let length = body.len();
    let request = format!(
        "POST /api/{name} HTTP/1.1\r\nhost: {host}\r\nx-discretion-token: {token}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    said
}

#[cfg(unix)]
#[test]
fn ctrl_c_after_the_charge_says_what_stays() {
    let workspace = Workspace::new();
    let folder = workspace.path("");
    fs::write(folder.join("study.toml"), slow_study()).unwrap();
    let table = fs::read_to_string(folder.join("t.csv")).unwrap();
    let (head, rows) = table.split_once('\n').unwrap();
    fs::write(folder.join("t.csv"), format!("{head}\n{}", rows.repeat(40))).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_discretion"))
        .args(["studio", "--no-open", "--ledger"])
        .arg(folder.join("ledger.sqlite"))
        .arg(&folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let lines: Vec<String> = lines.map(Result::unwrap).take(3).collect();
    let address = lines[1].clone();
    let said = lines
        .join("\n")
        .replace(address.trim(), "ADDRESS")
        .replace(&folder.display().to_string(), "FOLDER");
    compare("tests/cli/golden/output/studio.txt", &(said + "\n"));
    let (host, token) = address.trim().strip_prefix("http://").unwrap().split_once("/#").unwrap();
    let started = ask(host, token, "run", r#"{"study":"study.toml","folder":"results"}"#);
    assert!(started.starts_with("HTTP/1.1 200"), "{started}");
    loop {
        let state = ask(host, token, "state", "{}");
        assert!(
            !state.contains("\"stage\":\"done\"") && !state.contains("\"stage\":\"refused\""),
            "{state}"
        );
        if state.contains("\"stage\":\"working\"") {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    // The button asks first.
    let stop = ask(host, token, "stop", "{}");
    assert!(stop.contains("a run is under way: charge 2 stays in the ledger"), "{stop}");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{said}");
    assert!(said.contains("stopped: charge 2 stays in the ledger; unless "), "{said}");
    assert!(
        said.contains("nothing was released for it, and another run is charged again"),
        "{said}"
    );
    assert!(!folder.join("results/model.json").exists());
}
