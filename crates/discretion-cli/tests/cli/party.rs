//! `discretion party`, real processes: three holders with their own rows, keys and ledgers, and a coordinator.

use crate::workspace::{Run, STUDY, Workspace, table};
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};

const NAMES: [&str; 3] = ["north", "south", "west"];

/// A process whose output is read while it runs.
struct Process {
    child: Child,
    stdout: JoinHandle<String>,
    stderr: JoinHandle<String>,
}

impl Process {
    fn start(
        mut command: Command,
        first: impl FnOnce(&mut BufReader<std::process::ChildStderr>) -> String,
    ) -> Process {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let before = first(&mut stderr);
        let all = |mut from: Box<dyn Read + Send>, before: String| {
            thread::spawn(move || {
                let mut text = before;
                from.read_to_string(&mut text).unwrap();
                text
            })
        };
        let stdout = thread::spawn(move || {
            let mut text = String::new();
            stdout.read_to_string(&mut text).unwrap();
            text
        });
        Process { child, stdout, stderr: all(Box::new(stderr), before) }
    }

    /// A process that was ended by a signal has code −1.
    fn wait(mut self) -> Run {
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        Run { code, stdout: self.stdout.join().unwrap(), stderr: self.stderr.join().unwrap() }
    }
}

struct Trial {
    workspace: Workspace,
}

struct Fared {
    coordinator: Run,
    members: Vec<Run>,
}

impl Trial {
    fn new() -> Trial {
        let trial = Trial { workspace: Workspace::empty() };
        let key = |name: &str| {
            let run = trial.workspace.run(&["party", "key", &format!("{name}.key")]).succeeds();
            run.stdout.trim().to_owned()
        };
        let mut study = format!("{STUDY}\n[party]\ncoordinator = \"{}\"\n", key("coordinator"));
        study += "aggregators = [\"south\", \"north\"]\n[party.holders]\n";
        // All rows of west have one class: it takes part like any other.
        for (name, rows) in NAMES.iter().zip([180, 120, 50]) {
            study += &format!("{name} = {{ rows = {rows}, key = \"{}\" }}\n", key(name));
        }
        trial.workspace.write("study.toml", study);
        let all = table();
        // Notes have two lines, so rows are told apart by their ends.
        let rows: Vec<&str> = all["age,gain,job,note,y\n".len()..]
            .split_inclusive("yes\n")
            .flat_map(|part| part.split_inclusive("no\n"))
            .collect();
        assert_eq!(rows.len(), 400);
        let yes: Vec<&str> =
            rows[300..].iter().copied().filter(|row| row.ends_with("yes\n")).take(50).collect();
        for (name, rows) in NAMES.iter().zip([&rows[..180], &rows[180..300], &yes]) {
            trial.workspace.write(&format!("{name}.csv"), format!("age,gain,job,note,y\n{}", rows.concat()));
        }
        trial
    }

    fn ledger(&self, name: &str) -> PathBuf {
        self.workspace.path(&format!("{name}.sqlite"))
    }

    fn coordinator(&self, more: &[&str]) -> (Process, String) {
        let mut command =
            self.workspace.command(&["party", "coordinate", "--study", "study.toml", "--force"]);
        command.args([
            "--key",
            "coordinator.key",
            "--listen",
            "127.0.0.1:0",
            "--patience",
            "3",
            "--out",
            "out",
        ]);
        command.args(more);
        let mut url = String::new();
        let process = Process::start(command, |stderr| {
            let mut line = String::new();
            stderr.read_line(&mut line).unwrap();
            url = line.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("{line}")).to_owned();
            line
        });
        (process, url)
    }

    fn join_command(&self, name: &str, url: &str, more: &[&str]) -> Command {
        let mut command =
            self.workspace.command(&["party", "join", "--study", "study.toml", "--coordinator", url]);
        command.args(["--data", &format!("{name}.csv"), "--patience", "3", "--force"]);
        if !more.contains(&"--key") {
            command.args(["--key", &format!("{name}.key")]);
        }
        command.args(more).env("DISCRETION_LEDGER", self.ledger(name));
        command
    }

    fn join(&self, name: &str, url: &str, more: &[&str]) -> Run {
        Process::start(self.join_command(name, url, more), |_| String::new()).wait()
    }

    /// Everybody runs, one of them perhaps with a crash on its way.
    fn run(&self, crash: Option<(&str, &str)>) -> Fared {
        let (coordinator, url) = self.coordinator(&[]);
        let member = |name: &&str| {
            let mut command = self.join_command(name, &url, &["--out", &format!("{name}-out")]);
            if let Some((who, step)) = crash
                && who == *name
            {
                command.env("DISCRETION_ABORT_AT", step);
            }
            Process::start(command, |_| String::new())
        };
        let members: Vec<Process> = NAMES.iter().map(member).collect();
        let members = members.into_iter().map(Process::wait).collect();
        Fared { coordinator: coordinator.wait(), members }
    }

    fn succeeds(&self) -> serde_json::Value {
        let fared = self.run(None);
        fared.coordinator.succeeds();
        fared.members.into_iter().for_each(|member| drop(member.succeeds()));
        self.workspace.json("out/model.json")
    }

    /// The number of charges in each ledger.
    fn charges(&self) -> Vec<usize> {
        let count = |name: &&str| {
            let mut command = self.workspace.command(&["ledger", "show", "t", "--json"]);
            let shown = command.env("DISCRETION_LEDGER", self.ledger(name)).output().unwrap();
            String::from_utf8_lossy(&shown.stdout).matches("\"charged\"").count()
        };
        NAMES.iter().map(count).collect()
    }
}

#[test]
fn three_processes_make_one_model_for_one_charge_each() {
    let trial = Trial::new();
    let fared = trial.run(None);
    // Whether it had to wait for anybody depends on the machine.
    let coordinator = fared.coordinator.succeeds().says("everybody is here");
    assert!(
        coordinator.stdout.contains("north with 180 rows, south with 120 rows"),
        "{}",
        coordinator.stdout
    );
    for member in fared.members {
        member.succeeds().says("everybody is here").says("charge 2: ε = 1");
    }
    let model = trial.workspace.json("out/model.json");
    assert_eq!(model["privacy"]["private"], true);
    assert_eq!(model["joint"]["holders"][1]["name"], "south");
    for name in NAMES {
        let theirs = trial.workspace.json(&format!("{name}-out/model.json"));
        assert_eq!(theirs["coefficients"], model["coefficients"]);
        assert_eq!(theirs["ledger"]["charge"], 2);
    }
    assert_eq!(trial.charges(), [1, 1, 1]);
    trial.workspace.run(&["predict", "out/model.json", "north.csv", "--out", "p.csv"]).succeeds();
    assert!(trial.workspace.read("out/report.html").contains("south"));
    // Another account would forget what this one knows.
    let study = trial.workspace.read("study.toml");
    trial.workspace.write("study.toml", study.replacen("account = \"t\"", "account = \"u\"", 1));
    trial
        .join("north", "http://127.0.0.1:9", &[])
        .fails(1, "charge 2 of account 't' pays for this study already");
    trial.workspace.write("study.toml", study);
    // The same commands again: the sums are there, and nothing is charged.
    assert_eq!(trial.succeeds()["coefficients"], model["coefficients"]);
    assert_eq!(trial.charges(), [1, 1, 1]);
}

/// South, which adds noise, is killed at every step of its journal; west, which does not, before and after its report is noted. The others stop and
/// say what it cost; then the same commands finish the study, for the same charges.
#[test]
fn whoever_is_killed_the_next_attempt_is_free() {
    thread::scope(|scope| {
        for (name, step) in [
            ("south", "party: charged"),
            ("south", "party: contributing to round 0"),
            ("south", "party: preparing round 0"),
            ("south", "party: prepared round 0"),
            ("south", "party: letting go of round 0"),
            ("west", "party: contributing to round 0"),
            ("north", "session:after-commit"),
        ] {
            scope.spawn(move || {
                let trial = Trial::new();
                let fared = trial.run(Some((name, step)));
                let coordinator = fared.coordinator;
                assert_eq!(coordinator.code, 1, "{step}: {}", coordinator.stderr);
                let coordinator = coordinator.says(&format!("{name} has not been heard of for 3 seconds"));
                let coordinator = coordinator.says("no sum was opened here");
                let coordinator = coordinator.says("The ledgers were charged: north: ");
                assert!(!trial.workspace.path("out/model.json").exists(), "{}", coordinator.stderr);
                for (other, member) in NAMES.iter().zip(fared.members) {
                    if *other == name {
                        assert_eq!(member.code, -1, "{step}: it was killed");
                    } else {
                        assert_eq!(member.code, 3, "{step} {other}: {}", member.stderr);
                        member.says("stays and pays for going on");
                    }
                }
                trial.succeeds();
                assert_eq!(trial.charges(), [1, 1, 1], "{name} {step}");
            });
        }
    });
}

#[test]
fn a_coordinator_that_is_killed_costs_nothing() {
    let trial = Trial::new();
    let (mut coordinator, url) = trial.coordinator(&[]);
    let members: Vec<Process> = NAMES
        .iter()
        .map(|name| {
            let command = trial.join_command(name, &url, &[]);
            Process::start(command, |stderr| {
                // North is read until the study has begun; the others need no watching.
                let mut text = String::new();
                if *name == "west" {
                    while !text.contains("everybody is here") && stderr.read_line(&mut text).unwrap() > 0 {}
                }
                text
            })
        })
        .collect();
    coordinator.child.kill().unwrap();
    coordinator.wait();
    for member in members {
        let member = member.wait();
        // Some may have been charged by then.
        let charged = member.stderr.contains("stays and pays for going on");
        assert_eq!(member.code, if charged { 3 } else { 1 }, "{}", member.stderr);
        member.says("has not answered for 3 seconds");
    }
    trial.succeeds();
    assert_eq!(trial.charges(), [1, 1, 1]);
}

#[test]
fn what_does_not_fit_is_refused_before_anything_is_charged() {
    let trial = Trial::new();
    let (mut coordinator, url) = trial.coordinator(&[]);
    let study = trial.workspace.read("study.toml");
    let with = |from: &str, to: &str| {
        assert!(study.contains(from), "{from}");
        trial.workspace.write("study.toml", study.replacen(from, to, 1));
        let run = trial.join("west", &url, &[]);
        trial.workspace.write("study.toml", &study);
        run
    };
    // Another study, by its first difference.
    with("max = 100 }", "max = 99 }")
        .fails(1, "the coordinator does not accept this process")
        .says("[columns]");
    with("epsilon = 1.0", "epsilon = 0.9")
        .fails(1, "the coordinator does not accept")
        .says("[spend] differs");
    with("lambda = 0.01", "lambda = 0.02")
        .fails(1, "the coordinator does not accept")
        .says("[model] differs");
    with("rows = 120", "rows = 121").fails(1, "the coordinator does not accept").says("[party] differs");
    with("[party]", "[party]\nrun = 2").fails(1, "the coordinator does not accept").says("[party] differs");
    with("lambda = 0.01", "lambda = [0.01, 0.1]").fails(2, "study.toml: several holders cannot choose");
    with("[party.holders]", "[intervals]\n[party.holders]")
        .fails(1, "the coordinator does")
        .says("[intervals] differs");
    // Wrong keys.
    trial.workspace.run(&["party", "key", "stranger.key"]).succeeds();
    let join = |more: &[&str]| trial.join("west", &url, more);
    let with_key = |key: &str| trial.join("west", &url, &["--key", key]);
    with_key("stranger.key").fails(2, "nobody in [party.holders] has this key");
    with_key("no.key").fails(2, "no.key: there is no such key file");
    // Tables that are not what the study says.
    let table = trial.workspace.read("west.csv");
    trial.workspace.write("west.csv", "age,gain,job,note,y\n");
    join(&[]).fails(2, "west.csv: the table has no rows");
    trial.workspace.write("west.csv", "age,gain,job,note,y\n1,2,clerk,x,yes\n");
    join(&[]).fails(2, "holder 2 has a table of another shape").says("1 rows of 5 coefficients, not 50 rows");
    trial.workspace.write("west.csv", "age,job,note,y\n1,clerk,x,yes\n");
    join(&[]).fails(2, "west.csv").says("gain");
    trial.workspace.write("west.csv", table);
    // An account that cannot pay.
    let poor = study.replacen("epsilon = 3.0", "epsilon = 0.5", 1);
    trial.workspace.write("study.toml", poor);
    join(&[]).fails(1, "study.toml").says("lower [spend]");
    trial.workspace.write("study.toml", &study);
    join(&["--dry-run"]).succeeds();
    assert_eq!(trial.charges(), [0, 0, 0]);
    coordinator.child.kill().unwrap();
    coordinator.wait();
    // The coordinator's own key.
    let mut wrong =
        trial.workspace.command(&["party", "coordinate", "--study", "study.toml", "--key", "north.key"]);
    let wrong = wrong.args(["--listen", "127.0.0.1:0"]).output().unwrap();
    assert!(
        String::from_utf8_lossy(&wrong.stderr)
            .contains("the study's coordinator has another key than this one")
    );
}

#[test]
fn members_speak_https_to_a_coordinator_with_a_certificate() {
    let trial = Trial::new();
    let pem =
        |name: &str| format!("{}/../discretion-serve/tests/service/{name}.pem", env!("CARGO_MANIFEST_DIR"));
    let (certificate, key) = (pem("test-certificate"), pem("test-key"));
    let (coordinator, url) = trial.coordinator(&["--tls-cert", &certificate, "--tls-key", &key]);
    let url = url.replace("127.0.0.1", "localhost");
    assert!(url.starts_with("https://"), "{url}");
    trial.join("north", &url, &[]).fails(1, &url).says("--ca FILE");
    let member = |name: &&str| {
        Process::start(trial.join_command(name, &url, &["--ca", &certificate]), |_| String::new())
    };
    let members: Vec<Process> = NAMES.iter().map(member).collect();
    members.into_iter().for_each(|member| drop(member.wait().succeeds()));
    coordinator.wait().succeeds();
}

#[test]
fn keys_are_made_once() {
    let workspace = Workspace::empty();
    let made = workspace.run(&["party", "key"]).succeeds().says("keep it");
    assert!(made.stdout.starts_with("dpk_"), "{}", made.stdout);
    let again = workspace.run(&["party", "key"]).succeeds().says("was there already");
    assert_eq!(again.stdout, made.stdout);
    workspace.write("bad.key", "nothing");
    workspace.run(&["party", "key", "bad.key"]).fails(2, "bad.key: this is no key file");
}

#[test]
fn one_table_is_dealt_and_all_parts_are_played() {
    let workspace = Workspace::new();
    let run = workspace
        .run(&["party", "simulate", "study.toml", "--sizes", "1:2:4", "--aggregators", "2"])
        .succeeds();
    assert!(run.stdout.contains("holder 3"), "{}", run.stdout);
    let model = workspace.json("study/model.json");
    let rows: Vec<u64> = (0..3).map(|i| model["joint"]["holders"][i]["rows"].as_u64().unwrap()).collect();
    assert_eq!(rows, [58, 114, 228]);
    let list = STUDY.replacen("lambda = 0.01", "lambda = [0.01, 0.1]", 1);
    workspace.write("list.toml", list);
    workspace
        .run(&["party", "simulate", "list.toml", "--parties", "2"])
        .succeeds()
        .says("takes \"auto\" instead");
    workspace.run(&["party", "simulate", "study.toml", "--parties", "5"]).fails(1, "").says("--force");
    for (args, says) in [
        (&["--parties", "1"][..], "2..=254"),
        (&["--sizes", "1:0"], "such as 1:2:4"),
        (&["--parties", "3", "--aggregators", "1"], "2 to all can add noise"),
        (&["--parties", "3", "--colluders", "3"], "one at least must keep its noise"),
    ] {
        let all = [&["party", "simulate", "study.toml", "--force"], args].concat();
        let run = workspace.run(&all);
        assert_eq!(run.code, 2, "{}", run.stderr);
        run.says(says);
    }
}
