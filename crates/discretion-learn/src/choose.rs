//! The learner that a study asks for.

use crate::{Answers, Command, CommandError, Learner, Logistic, Trees};
use discretion_table::{LearnerChoice, Study, VoteSettings};
use std::io;
use std::path::Path;

/// The study's learner cannot be had. Known before any row is read.
#[derive(Debug, thiserror::Error)]
pub enum LearnerError {
    /// Its program cannot be started.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// There is no place for its files.
    #[error("no folder for a learner's files could be made: {0}")]
    Files(#[from] io::Error),
}

/// The learner of a study, with the defaults of this crate. A program is looked for, and not started.
pub fn learner(study: &Study, vote: &VoteSettings) -> Result<Box<dyn Learner>, LearnerError> {
    let (schema, classes) = (&study.schema, &vote.classes);
    Ok(match &vote.learner {
        LearnerChoice::Logistic => Box::new(Logistic::new(schema, classes, Logistic::LAMBDA)),
        LearnerChoice::Trees => Box::new(Trees::new(schema, classes, Trees::TREES)),
        LearnerChoice::Command { command, processes, timeout } => {
            let folder = study.path.parent().unwrap_or(Path::new(""));
            let answers = if vote.score_bins.is_some() { Answers::Scores } else { Answers::Classes };
            let program = Command::new(command, *processes, *timeout, folder, schema, classes, answers)?;
            program.check()?;
            Box::new(program)
        }
    })
}
