//! Any program as a learner. The protocol is in `docs/learners.md`.

mod answers;
mod process_group;
mod program;
mod rows;
mod server;
mod signals;

use crate::learner::{ChunkFailure, Learner, PreparedQueries};
use discretion_table::{Classes, PlainRows, Processes, Schema};
use program::{Program, Step};
use rows::RowWriter;
use server::{Run, Servers};
use signals::ScratchFolder;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use program::CommandError;
pub use signals::leave_signals_to_others;

/// What a program is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerKind {
    /// The name of a class for each query.
    Classes,
    /// A number in [0, 1] for each query.
    Scores,
}

/// A model that is larger than this fails: all models of a run are in memory.
const LARGEST_MODEL: u64 = 256 << 20;

/// A program that trains and predicts.
pub struct Command {
    program: Program,
    servers: Option<Servers>,
    writer: RowWriter,
    classes: Classes,
    answers: AnswerKind,
    scratch: ScratchFolder,
}

impl Command {
    /// A learner for tables of this schema. `command` is the program and its first arguments; it
    /// runs in `folder`, where the study file is, and one step of it may take `timeout`.
    ///
    /// Makes a folder for its files, which no other user can read and which is removed in the end.
    /// Panics if `command` is empty.
    pub fn new(
        command: &[String],
        processes: Processes,
        timeout: Duration,
        folder: &Path,
        schema: &Schema,
        classes: &Classes,
        answers: AnswerKind,
    ) -> io::Result<Self> {
        let folder = std::path::absolute(if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        })?;
        let program =
            Program::new(command, folder, timeout, answers, &schema.target().column, classes);
        let servers = (processes == Processes::Shared).then(Servers::default);
        let writer = RowWriter::new(schema, classes);
        Ok(Self {
            program,
            servers,
            writer,
            classes: classes.clone(),
            answers,
            scratch: ScratchFolder::new()?,
        })
    }

    /// The longest that one step of one chunk can take: its limit and the end of its process. In a
    /// process that has worked before it may be done a second time, in a new one.
    pub fn longest_step(processes: Processes, timeout: Duration) -> Duration {
        let once = timeout.saturating_add(process_group::LAST_WORDS);
        if processes == Processes::Shared { once.saturating_mul(2) } else { once }
    }

    /// Whether the program is there and may be run. Nothing is started.
    pub fn check(&self) -> Result<(), CommandError> {
        self.program.find().map(|_| ())
    }

    /// Does a chunk's work, perhaps twice: all of it, with the files it needs, is in `work`.
    fn work<T>(
        &self,
        work: impl Fn(&mut Run<'_>) -> Result<T, ChunkFailure>,
    ) -> Result<T, ChunkFailure> {
        match &self.servers {
            None => work(&mut |step| self.program.run(step)),
            Some(servers) => servers.work(&self.program, work),
        }
    }
}

/// The system's fault rather than the program's; the chunk fails all the same.
fn failed(problem: io::Error) -> ChunkFailure {
    ChunkFailure::because(format!("its files could not be written or read: {problem}"))
}

impl Learner for Command {
    fn train(&self, rows: &PlainRows, seed: u64) -> Result<Vec<u8>, ChunkFailure> {
        self.work(|run| {
            let files = self.scratch.folder().map_err(failed)?;
            let (table, model) = (files.path().join("rows.csv"), files.path().join("model"));
            self.writer.write(rows, &table).map_err(failed)?;
            run(&Step::Train { rows: &table, model: &model, seed })?;
            read(&model, LARGEST_MODEL)
        })
    }

    fn prepare<'a>(&'a self, queries: &'a PlainRows) -> io::Result<Box<dyn PreparedQueries + 'a>> {
        let folder = self.scratch.folder()?;
        let path = folder.path().join("queries.csv");
        self.writer.write(queries, &path)?;
        Ok(Box::new(QueryFile { command: self, path, count: queries.count(), _folder: folder }))
    }
}

/// The program's file, if it wrote one of a sensible size.
fn read(path: &Path, largest: u64) -> Result<Vec<u8>, ChunkFailure> {
    // A link or a pipe would be read from somewhere else, perhaps forever.
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() && found.len() <= largest => {}
        Ok(found) if found.is_file() => {
            return Err(ChunkFailure::because("the program wrote a file that is too large"));
        }
        _ => return Err(ChunkFailure::because("the program wrote no file")),
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(largest).read_to_end(&mut bytes)).map_err(failed)?;
    Ok(bytes)
}

/// Queries in a file, for all models.
struct QueryFile<'a> {
    command: &'a Command,
    path: PathBuf,
    count: usize,
    _folder: tempfile::TempDir,
}

impl QueryFile<'_> {
    fn answers<T>(
        &self,
        model: &[u8],
        kind: AnswerKind,
        understood: impl Fn(&[u8]) -> Result<T, ChunkFailure>,
    ) -> Result<T, ChunkFailure> {
        assert_eq!(kind, self.command.answers, "a program is told once what it will be asked for");
        let longest = self.command.classes.names().iter().map(String::len).max().unwrap_or(0);
        self.command.work(|run| {
            let files = self.command.scratch.folder().map_err(failed)?;
            let (file, out) = (files.path().join("model"), files.path().join("answers"));
            fs::write(&file, model).map_err(failed)?;
            run(&Step::Predict { model: &file, queries: &self.path, out: &out })?;
            understood(&read(&out, (self.count * (longest + 64)) as u64)?)
        })
    }
}

impl PreparedQueries for QueryFile<'_> {
    fn classes(&self, model: &[u8]) -> Result<Vec<u16>, ChunkFailure> {
        let understood = |text: &[u8]| answers::classes(text, self.count, &self.command.classes);
        self.answers(model, AnswerKind::Classes, understood)
    }

    fn scores(&self, model: &[u8]) -> Result<Vec<f32>, ChunkFailure> {
        self.answers(model, AnswerKind::Scores, |text| answers::scores(text, self.count))
    }
}
