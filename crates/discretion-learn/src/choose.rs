//! The learner that a study asks for.

use crate::{AnswerKind, Balanced, Boosting, Command, CommandError, Learner, Logistic, Trees};
use discretion_table::{ClassWeights, LearnerChoice, Processes, Study, VoteSettings};
use std::io;
use std::path::Path;
use std::time::Duration;

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

/// The learner of a study, with the defaults of this crate. A program is looked for, and not
/// started.
pub fn learner(study: &Study, vote: &VoteSettings) -> Result<Box<dyn Learner>, LearnerError> {
    let (schema, classes) = (&study.schema, &vote.classes);
    let learner: Box<dyn Learner> = match &vote.learner {
        LearnerChoice::Logistic => {
            Box::new(Logistic::new(schema, classes, vote.lambda.unwrap_or(Logistic::LAMBDA)))
        }
        LearnerChoice::Trees => Box::new(Trees::new(schema, classes, Trees::TREES)),
        LearnerChoice::Boosting => Box::new(Boosting::new(schema, classes, Boosting::TREES)),
        LearnerChoice::Command { command, processes, timeout } => {
            let folder = study.path.parent().unwrap_or(Path::new(""));
            let answers =
                if vote.score_bins.is_some() { AnswerKind::Scores } else { AnswerKind::Classes };
            let program =
                Command::new(command, *processes, *timeout, folder, schema, classes, answers)?;
            program.check()?;
            Box::new(program)
        }
    };
    Ok(match vote.weights {
        ClassWeights::Equal => learner,
        ClassWeights::Balanced => Box::new(Balanced(learner)),
    })
}

/// How long the votes of all models can take at most, by the study's own word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongestVotes {
    /// So many steps come one after the other.
    rounds: u32,
    processes: Processes,
    timeout: Duration,
}

impl LongestVotes {
    /// The longest that votes can take.
    pub fn votes(&self) -> Duration {
        Command::longest_step(self.processes, self.timeout).saturating_mul(self.rounds)
    }

    /// The `timeout` with which votes take at most `limit`, if there is one.
    pub fn timeout_within(&self, limit: Duration) -> Option<Duration> {
        let without =
            Command::longest_step(self.processes, Duration::ZERO).saturating_mul(self.rounds);
        let each = if self.processes == Processes::Shared { 2 } else { 1 };
        let left = limit.checked_sub(without)? / self.rounds.saturating_mul(each);
        // Shown in milliseconds.
        let left = Duration::from_millis(left.as_millis() as u64);
        (!left.is_zero()).then_some(left)
    }
}

/// The longest that the votes of so many models can take with as many threads as there are. Only
/// programs have such a limit: what is built in takes what its arithmetic takes.
pub fn longest_votes(vote: &VoteSettings, chunks: usize) -> Option<LongestVotes> {
    let LearnerChoice::Command { processes, timeout, .. } = &vote.learner else { return None };
    let rounds = chunks.div_ceil(rayon::current_num_threads().max(1));
    Some(LongestVotes {
        rounds: u32::try_from(rounds).unwrap_or(u32::MAX),
        processes: *processes,
        timeout: *timeout,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_timeout_that_fits_is_the_largest_one() {
        let second = Duration::from_secs(1);
        for processes in [Processes::Chunk, Processes::Shared] {
            let longest = |timeout| LongestVotes { rounds: 7, processes, timeout };
            let fits = longest(second).timeout_within(10 * second).unwrap();
            assert!(longest(fits).votes() <= 10 * second, "{fits:?}");
            assert!(longest(fits + Duration::from_millis(2)).votes() > 10 * second, "{fits:?}");
            assert_eq!(longest(second).timeout_within(second), None);
        }
    }
}
