//! A trial: three holders and a coordinator, each a process of its own.

use crate::workspace::{Run, STUDY, Workspace, table};
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};

pub const NAMES: [&str; 3] = ["north", "south", "west"];

/// A process whose output is read while it runs.
pub struct Process {
    pub child: Child,
    stdout: JoinHandle<String>,
    stderr: JoinHandle<String>,
}

impl Process {
    pub fn start(
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
    pub fn wait(mut self) -> Run {
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        Run { code, stdout: self.stdout.join().unwrap(), stderr: self.stderr.join().unwrap() }
    }
}

pub struct Trial {
    pub workspace: Workspace,
}

/// What came of a trial's processes.
pub struct TrialRuns {
    pub coordinator: Run,
    pub members: Vec<Run>,
}

impl Trial {
    pub fn new() -> Trial {
        let trial = Trial { workspace: Workspace::empty() };
        let key = |name: &str| {
            let run = trial.workspace.run(&["party", "key", &format!("{name}.key")]).succeeds();
            run.stdout.trim().to_owned()
        };
        let mut study = format!("{STUDY}\n[party]\ncoordinator = \"{}\"\n", key("coordinator"));
        study += "aggregators = [\"south\", \"north\"]\n[party.holders]\n";
        // All rows of west have one class: it takes part like any other, and says that this is as
        // it should be.
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
            trial
                .workspace
                .write(&format!("{name}.csv"), format!("age,gain,job,note,y\n{}", rows.concat()));
        }
        trial
    }

    pub fn ledger(&self, name: &str) -> PathBuf {
        self.workspace.path(&format!("{name}.sqlite"))
    }

    pub fn coordinator(&self, more: &[&str]) -> (Process, String) {
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
            url = line
                .trim()
                .strip_prefix("listening on ")
                .unwrap_or_else(|| panic!("{line}"))
                .to_owned();
            line
        });
        (process, url)
    }

    pub fn join_command(&self, name: &str, url: &str, more: &[&str]) -> Command {
        let mut command = self.workspace.command(&[
            "party",
            "join",
            "--study",
            "study.toml",
            "--coordinator",
            url,
        ]);
        command.args(["--data", &format!("{name}.csv"), "--patience", "3", "--force"]);
        if name == "west" {
            command.arg("--accept-check");
        }
        if !more.contains(&"--key") {
            command.args(["--key", &format!("{name}.key")]);
        }
        command.args(more).env("DISCRETION_LEDGER", self.ledger(name));
        command
    }

    pub fn join(&self, name: &str, url: &str, more: &[&str]) -> Run {
        Process::start(self.join_command(name, url, more), |_| String::new()).wait()
    }

    /// Everybody runs, one of them perhaps with a crash on its way.
    pub fn run(&self, crash: Option<(&str, &str)>) -> TrialRuns {
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
        TrialRuns { coordinator: coordinator.wait(), members }
    }

    pub fn succeeds(&self) -> serde_json::Value {
        let runs = self.run(None);
        runs.coordinator.succeeds();
        runs.members.into_iter().for_each(|member| drop(member.succeeds()));
        self.workspace.json("out/model.json")
    }

    /// The number of charges in each ledger.
    pub fn charges(&self) -> Vec<usize> {
        let count = |name: &&str| {
            let mut command = self.workspace.command(&["ledger", "show", "t", "--json"]);
            let shown = command.env("DISCRETION_LEDGER", self.ledger(name)).output().unwrap();
            String::from_utf8_lossy(&shown.stdout).matches("\"charged\"").count()
        };
        NAMES.iter().map(count).collect()
    }
}
