//! A small table, and programs in files.
#![allow(dead_code)] // each test program uses a part of it

use discretion::erm::matrix::OTHER;
use discretion_learn::{AnswerKind, Command, Learner, train_all};
use discretion_table::{Classes, PlainRows, Processes, Schema, Study};
use std::path::Path;
use std::time::Duration;

pub fn schema() -> Schema {
    let text = "[data]\npath = \"t.csv\"\naccount = \"t\"\ntarget = \"y\"\npositive = \"yes\"\nnegative = \"no\"\n\
        [budget]\nepsilon = 1\n[spend]\nepsilon = 1\n[columns]\n\
        age = { min = 0, max = 100 }\ngain = { min = 0, max = 1000, scale = \"log\" }\njob = { values = [\"clerk\", \"nurse\"] }\n";
    Study::parse(Path::new("study.toml"), text).unwrap().schema
}

pub fn two() -> Classes {
    Classes::of(&schema().target().labels).unwrap()
}

pub fn three() -> Classes {
    Classes::listed(["a", "b", "c"].map(String::from).to_vec()).unwrap()
}

/// Rows whose class follows from their age.
pub fn rows(count: usize, classes: &Classes) -> PlainRows {
    let mut rows = PlainRows::new(&schema());
    for i in 0..count {
        let age = (i * 37 % 101) as f32;
        let class = (age as usize * classes.count() / 101) as u16;
        let gain = if i % 7 == 0 { f32::NAN } else { (i * 13 % 1000) as f32 };
        rows.append(vec![age, gain], vec![[0, 1, OTHER][i % 3]], vec![class]);
    }
    rows
}

/// A program of this text in a folder, as a learner.
pub fn program(
    folder: &Path,
    text: &str,
    processes: Processes,
    timeout: f64,
    answers: AnswerKind,
) -> Command {
    std::fs::write(folder.join("learner.sh"), text).unwrap();
    let command = ["sh", "learner.sh"].map(String::from);
    let timeout = Duration::from_secs_f64(timeout);
    Command::new(&command, processes, timeout, folder, &schema(), &two(), answers).unwrap()
}

/// For each class how many of `chunks` chunks vote for it at the first of three queries; how many
/// fail in training; how many fail in all.
pub fn outcome(
    learner: &dyn Learner,
    classes: &Classes,
    chunks: usize,
) -> (Vec<u32>, usize, usize) {
    let trained = train_all(learner, &rows(20 * chunks, classes).into(), chunks, None, &|_| {});
    let votes =
        trained.votes(learner, classes, &rows(3, classes).without_classes(), &|_| {}).unwrap();
    let counts = votes.counts(0).not_private().into_inner();
    (counts, trained.failed().into_inner().len(), votes.failed().into_inner())
}
