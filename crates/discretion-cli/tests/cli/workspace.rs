//! A folder with a study and a table in it, and the binary run there.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Two numbers, a category, a dropped column; both target values declared.
pub const STUDY: &str = r#"[data]
path = "t.csv"
account = "t"
target = "y"
positive = "yes"
negative = "no"

[budget]
epsilon = 3.0

[spend]
epsilon = 1.0

[columns]
age  = { min = 0, max = 100 }
gain = { min = 0, max = 1000, scale = "log", missing = 30.63858403911275 }
job  = { values = ["clerk", "nurse"] }
note = { drop = true }

[model]
loss = "logistic"
lambda = 0.01
method = "auto"
"#;

/// The study's table, with quoted fields, clipped and missing numbers and a category that is not
/// declared.
pub fn table() -> String {
    let mut text = "age,gain,job,note,y\n".to_owned();
    for i in 0..400 {
        let (age, gain) = (i * 7 % 110, i * i % 1300);
        let job = ["clerk", "nurse", "\"pilot, retired\"", ""][i % 4];
        let gain = if i % 50 == 0 { String::new() } else { gain.to_string() };
        let label = if age + 30 * (i % 3) > 70 { "yes" } else { "no" };
        text += &format!("{age},{gain},{job},\"a note\nof two lines\",{label}\n");
    }
    text
}

pub struct Workspace {
    folder: TempDir,
    /// Outside the folder, so that tests can list what a run wrote there.
    ledger: TempDir,
}

/// How a run ended.
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Workspace {
    /// With `study.toml` and `t.csv`.
    pub fn new() -> Workspace {
        let workspace = Workspace::empty();
        workspace.write("study.toml", STUDY);
        workspace.write("t.csv", table());
        workspace
    }

    pub fn empty() -> Workspace {
        Workspace { folder: tempfile::tempdir().unwrap(), ledger: tempfile::tempdir().unwrap() }
    }

    /// With one piece of the study replaced.
    pub fn with_study(from: &str, to: &str) -> Workspace {
        assert!(STUDY.contains(from), "{from}");
        let workspace = Workspace::new();
        workspace.write("study.toml", STUDY.replacen(from, to, 1));
        workspace
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn ledger(&self) -> PathBuf {
        self.ledger.path().join("ledger.sqlite")
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), contents).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_discretion"));
        command.current_dir(&self.folder).args(args).stdin(Stdio::null());
        command.env("DISCRETION_LEDGER", self.ledger());
        command
    }

    pub fn run(&self, args: &[&str]) -> Run {
        let output = self.command(args).output().unwrap();
        Run {
            code: output.status.code().expect("not ended by a signal"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Every file below the folder except the study and the table.
    pub fn written(&self) -> Vec<String> {
        let mut found = Vec::new();
        list(self.folder.path(), self.folder.path(), &mut found);
        found.retain(|name| !["study.toml", "t.csv"].contains(&name.as_str()));
        found.sort();
        found
    }
}

fn list(root: &Path, folder: &Path, into: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            list(root, &path, into);
        } else {
            into.push(path.strip_prefix(root).unwrap().to_string_lossy().into_owned());
        }
    }
}

impl Run {
    pub fn succeeds(self) -> Run {
        assert_eq!(self.code, 0, "{}", self.stderr);
        self
    }

    /// Ends with this code and one line that starts so; nothing goes to standard output.
    pub fn fails(self, code: i32, start: &str) -> Run {
        assert_eq!(self.code, code, "{}{}", self.stdout, self.stderr);
        assert!(self.stderr.starts_with(&format!("error: {start}")), "{start:?}: {}", self.stderr);
        assert_eq!(self.stderr.lines().count(), 1, "{}", self.stderr);
        assert_eq!(self.stdout, "");
        self
    }

    pub fn says(self, words: &str) -> Run {
        assert!(self.stderr.contains(words), "{words:?}: {}", self.stderr);
        self
    }
}
