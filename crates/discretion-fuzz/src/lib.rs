//! Everything that this program reads from outside, as functions of bytes.
//!
//! Each function reads the bytes as the program does, and panics if something that must always hold
//! does not: not only that nothing breaks, but that what was read and written again reads the same,
//! that a changed ledger says what it said or is refused, that a refusal is one line.
//! `tests/run.rs` calls them on stable with the corpus and many changes of it, the programs in
//! `fuzz/` with whatever libFuzzer finds.

mod bodies;
mod events;
mod ledger;
mod mailbox;
mod messages;
pub mod mutate;
mod released;
mod study;
mod tables;

pub use bodies::bodies;
pub use events::events;
pub use ledger::ledger;
pub use mailbox::mailbox;
pub use messages::{honest_messages, messages};
pub use released::{density, evaluation, model};
pub use study::study;
pub use tables::{arrow, csv, parquet};

use discretion::Refusal;
use discretion_table::{Schema, Study};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};

/// What became of some bytes. A corpus has both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They were read.
    Accepted,
    /// They were refused.
    Refused,
}

impl Verdict {
    fn of<T, E>(result: &Result<T, E>) -> Verdict {
        if result.is_ok() { Verdict::Accepted } else { Verdict::Refused }
    }
}

/// One kind of input.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name: of the function, of its corpus and of its program in `fuzz/`.
    pub name: &'static str,
    /// Reads bytes and checks what was read.
    pub run: fn(&[u8]) -> Verdict,
    /// Of a thousand inputs it gets so many: what takes longer gets fewer.
    pub share: usize,
}

impl Target {
    /// Reads bytes and checks what was read. An input that breaks it is kept in a file.
    pub fn try_on(&self, input: &[u8]) -> Verdict {
        catch_unwind(AssertUnwindSafe(|| (self.run)(input))).unwrap_or_else(|panic| {
            let path =
                std::env::temp_dir().join(format!("discretion-fuzz-{}-{}", self.name, input.len()));
            std::fs::write(&path, input).expect("an input can be kept");
            eprintln!(
                "{}: broken by {}; once mended, keep it in fuzz/corpus/{0}",
                self.name,
                path.display()
            );
            resume_unwind(panic)
        })
    }

    /// The target of this name.
    pub fn named(name: &str) -> &'static Target {
        TARGETS.iter().find(|target| target.name == name).expect("a target")
    }
}

/// Every kind of input.
pub const TARGETS: [Target; 12] = [
    Target { name: "arrow", run: arrow, share: 50 },
    Target { name: "bodies", run: bodies, share: 200 },
    Target { name: "csv", run: csv, share: 100 },
    Target { name: "density", run: density, share: 100 },
    Target { name: "evaluation", run: evaluation, share: 40 },
    Target { name: "events", run: events, share: 20 },
    Target { name: "ledger", run: ledger, share: 10 },
    Target { name: "mailbox", run: mailbox, share: 20 },
    Target { name: "messages", run: messages, share: 150 },
    Target { name: "model", run: model, share: 60 },
    Target { name: "parquet", run: parquet, share: 50 },
    Target { name: "study", run: study, share: 200 },
];

/// Program's words and a few excerpts of a file are shorter than this; lists of columns, of which
/// forty are named at most, are the longest.
const LONGEST_REFUSAL: usize = 3_000;

/// A refusal is for a person at a terminal, or for a log: one line, and nothing that moves the
/// cursor.
fn one_line(refusal: impl Into<Refusal>) {
    let refusal = refusal.into().to_string();
    assert!(!refusal.is_empty(), "a refusal says why");
    assert!(!refusal.chars().any(char::is_control), "a refusal is one line: {refusal:?}");
    assert!(refusal.chars().count() < LONGEST_REFUSAL, "a refusal quotes little: {refusal}");
}

/// The schema of a corpus: what a model says, and its columns.
fn schema_of(model: &str, columns: &str) -> Schema {
    let study = format!(
        "[data]\npath = \"t.csv\"\naccount = \"t\"\ntarget = \"y\"\npositive = \"yes\"\nnegative = \"no\"\n\
         [budget]\nepsilon = 1\n[spend]\nepsilon = 1\n[model]\n{model}\n[columns]\n{columns}"
    );
    Study::parse(Path::new("study.toml"), &study).expect("the study of the corpus is one").schema
}

/// Calls `work` with a file of this name and content. In memory where there is such a place: none
/// has to survive.
fn with_file<T>(name: &str, bytes: &[u8], work: impl FnOnce(&Path) -> T) -> T {
    let folder = tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .expect("a folder can be made");
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("a file can be written");
    work(&path)
}

/// The kept inputs of a target, by name and in its order.
pub fn corpus(name: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a folder can be listed").path());
    let named = |path: PathBuf| {
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        (name, std::fs::read(&path).expect("an input can be read"))
    };
    let mut found: Vec<(String, Vec<u8>)> = paths.map(named).collect();
    found.sort();
    found
}
