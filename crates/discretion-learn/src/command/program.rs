//! The program, where it is, and how it is started.

use super::AnswerKind;
use super::process_group::ProcessGroup;
use crate::learner::ChunkFailure;
use discretion_table::Classes;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::time::Duration;

/// The program cannot be started. Known before any row is read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum CommandError {
    /// There is no such program.
    #[error(
        "there is no program `{0}`; install it, or write the path of another in `learner` (relative to the study file)"
    )]
    NotFound(String),
    /// It is a file that may not be run.
    #[error("`{path}` is no program that may be run; allow it (chmod +x), or name its interpreter first", path = .0.display())]
    NotExecutable(PathBuf),
}

pub(super) struct Program {
    command: Vec<String>,
    folder: PathBuf,
    pub timeout: Duration,
    /// What the program is told besides the files.
    environment: [(&'static str, String); 3],
}

/// One request to a program.
pub(super) enum Step<'a> {
    Train { rows: &'a Path, model: &'a Path, seed: u64 },
    Predict { model: &'a Path, queries: &'a Path, out: &'a Path },
}

impl Step<'_> {
    /// The words of the protocol, as arguments or on a line.
    pub fn words(&self) -> [String; 4] {
        // The scratch folder's path is UTF-8 text.
        let shown = |path: &Path| path.to_string_lossy().into_owned();
        match *self {
            Step::Train { rows, model, seed } => {
                ["train".to_owned(), shown(rows), shown(model), seed.to_string()]
            }
            Step::Predict { model, queries, out } => {
                ["predict".to_owned(), shown(model), shown(queries), shown(out)]
            }
        }
    }
}

impl Program {
    pub fn new(
        command: &[String],
        folder: PathBuf,
        timeout: Duration,
        answers: AnswerKind,
        target: &str,
        classes: &Classes,
    ) -> Self {
        assert!(!command.is_empty(), "a command names a program");
        let answers = match answers {
            AnswerKind::Classes => "classes",
            AnswerKind::Scores => "scores",
        };
        let environment = [
            ("DISCRETION_ANSWERS", answers.to_owned()),
            ("DISCRETION_TARGET", target.to_owned()),
            ("DISCRETION_CLASSES", classes.names().join("\n")),
        ];
        Self { command: command.to_vec(), folder, timeout, environment }
    }

    /// Where the program is: in the study's folder if it is a path, among the system's programs if
    /// it is a name.
    pub fn find(&self) -> Result<PathBuf, CommandError> {
        let name = &self.command[0];
        let places: Vec<PathBuf> = if name.contains('/') {
            vec![self.folder.join(name)]
        } else {
            let path = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&path).map(|place| place.join(name)).collect()
        };
        let mut files = places.into_iter().filter(|file| file.is_file()).peekable();
        let first = files.peek().cloned().ok_or_else(|| CommandError::NotFound(name.clone()))?;
        files.find(|file| may_be_run(file)).ok_or(CommandError::NotExecutable(first))
    }

    /// The process to be started, with these arguments after the command's own.
    pub fn process(&self, arguments: &[String]) -> Result<process::Command, ChunkFailure> {
        let program = self.find().map_err(|error| ChunkFailure::because(error.to_string()))?;
        let mut process = process::Command::new(program);
        process
            .args(&self.command[1..])
            .args(arguments)
            .current_dir(&self.folder)
            .stdin(Stdio::null());
        process.envs(self.environment.iter().map(|(name, value)| (name, value)));
        Ok(process)
    }

    /// One step in a process of its own.
    pub fn run(&self, step: &Step<'_>) -> Result<(), ChunkFailure> {
        let process =
            ProcessGroup::start(&mut self.process(&step.words())?, false).map_err(|problem| {
                ChunkFailure::because(format!("the program could not be started: {problem}"))
            })?;
        match process.wait(self.timeout) {
            (Some(status), _) if status.success() => Ok(()),
            (Some(status), tail) => Err(ChunkFailure::because(format!(
                "the program ended with {status}{}",
                tail.shown()
            ))),
            (None, tail) => Err(self.too_slow(&tail.shown())),
        }
    }

    pub fn too_slow(&self, said: &str) -> ChunkFailure {
        ChunkFailure::because(format!(
            "the program took longer than {} s{said}",
            self.timeout.as_secs_f64()
        ))
    }
}

fn may_be_run(file: &Path) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}
