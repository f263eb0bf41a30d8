//! `learner` in `[vote]`.

use super::document::Section;
use crate::error::Error;
use crate::problem::Problem;
use std::time::Duration;

/// What trains a model on each chunk of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LearnerChoice {
    /// Regularised logistic regression.
    Logistic,
    /// A random forest.
    Trees,
    /// Gradient boosting of shallow trees.
    Boosting,
    /// Any program.
    Command {
        /// The program and its first arguments. At least the program.
        command: Vec<String>,
        /// How its processes are started.
        processes: Processes,
        /// How long one step may take.
        timeout: Duration,
    },
}

/// How a program's processes are started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Processes {
    /// Two for each chunk: one trains, one predicts.
    #[default]
    Chunk,
    /// One for each core, for all chunks.
    Shared,
}

const LEARNER: &str = "\"logistic\", \"trees\", \"boosting\" or { command = [\"program\", …] }";

pub(super) fn learner(section: &Section<'_>) -> Result<LearnerChoice, Error> {
    let Some(entry) = section.get("learner") else { return Ok(LearnerChoice::Logistic) };
    if entry.value.as_str().is_some() {
        return Ok(match section.word_of("learner", &["logistic", "trees", "boosting"])? {
            Some("trees") => LearnerChoice::Trees,
            Some("boosting") => LearnerChoice::Boosting,
            _ => LearnerChoice::Logistic,
        });
    }
    let program = entry
        .section("vote.learner", "`learner`".to_owned())
        .ok_or_else(|| entry.wrong_type(LEARNER))?;
    program.refuse_unknown()?;
    let words = program.required("command")?;
    let command = words.list("a list of texts: a program and its first arguments", |value| {
        value.as_str().map(str::to_owned)
    })?;
    if command.first().is_none_or(|name| name.trim().is_empty()) {
        return Err(words.error(Problem::EmptyText { key: "command", section: program.title() }));
    }
    let timeout = program.number("timeout")?.expect("it has a default");
    Ok(LearnerChoice::Command {
        command,
        processes: match program.word("processes")? {
            Some("shared") => Processes::Shared,
            _ => Processes::Chunk,
        },
        timeout: Duration::from_secs_f64(timeout),
    })
}
