//! `learner` in `[vote]`.

use super::document::Section;
use super::model::choice;
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
        let known = [("logistic", 0), ("trees", 1), ("boosting", 2)];
        return Ok(match choice(section, "learner", &known)?.expect("the key is there") {
            0 => LearnerChoice::Logistic,
            1 => LearnerChoice::Trees,
            _ => LearnerChoice::Boosting,
        });
    }
    let program = entry.section("`learner`".to_owned()).ok_or_else(|| entry.wrong_type(LEARNER))?;
    program.allow(&["command", "processes", "timeout"])?;
    let words =
        program.get("command").ok_or_else(|| program.missing("command", "[\"program\"]"))?;
    let command = words.list("a list of texts: a program and its first arguments", |value| {
        value.as_str().map(str::to_owned)
    })?;
    if command.first().is_none_or(|name| name.trim().is_empty()) {
        return Err(words.error(Problem::EmptyText { key: "command", section: program.title() }));
    }
    let processes = [("chunk", Processes::Chunk), ("shared", Processes::Shared)];
    let timeout = match program.get("timeout") {
        None => 60.0,
        Some(entry) => match entry.number()? {
            seconds if seconds > 0.0 && seconds <= 1e6 => seconds,
            value => {
                let range = "above 0 and at most 1000000 (seconds)";
                return Err(entry.error(Problem::OutOfRange { key: "timeout", range, value }));
            }
        },
    };
    Ok(LearnerChoice::Command {
        command,
        processes: choice(&program, "processes", &processes)?.unwrap_or_default(),
        timeout: Duration::from_secs_f64(timeout),
    })
}
