//! Answering queries, with a memory that is written before an answer leaves.

use super::answer::Answer;
use super::design::Design;
use super::scores::Bins;
use super::state::{State, Threshold};
use super::tally::Tally;
use crate::noise::{NoiseError, Released, Sensitive, Source};

/// Answers that are remembered together. What is not yet remembered has not left, so a crash forgets it harmlessly.
const TOGETHER: usize = 64;

/// The votes on one query. Replacing one row of the table moves at most one of them.
pub enum Ballot {
    /// How many voters named each label.
    Labels(Sensitive<Vec<u32>>),
    /// Every voter's score, and the width of bins to count them in.
    Scores(Sensitive<Vec<f32>>, Bins),
}

/// Where a session is remembered. The guarantee hangs on it: a memory that loses a state, or hands out an older one,
/// lets a threshold be drawn twice.
pub trait Memory {
    /// Why something could not be remembered.
    type Error;

    /// The state that was remembered last, as [`State::to_secret_text`] wrote it.
    fn state(&self) -> String;

    /// The answer to a query that was asked before.
    fn recall(&self, query: &str) -> Result<Option<Answer>, Self::Error>;

    /// Replaces the state and adds the answers, both or neither. They are durable when this returns.
    fn remember(&mut self, state: &str, answers: &[(String, Answer)]) -> Result<(), Self::Error>;
}

/// A session of queries on one table.
#[derive(Clone, Copy, Debug)]
pub struct Session {
    /// How queries are tested.
    pub design: Design,
    /// m, how many may be asked.
    pub queries: u64,
}

/// Why a session went no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// T tests have failed.
    Paid,
    /// m queries were asked.
    Asked,
}

/// What came of a list of queries.
#[derive(Debug)]
pub struct Answered {
    /// One for each query in order; nothing for those that were not asked any more.
    pub answers: Vec<Option<Released<Answer>>>,
    /// Why some were not asked.
    pub stopped: Option<Stop>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError<E> {
    /// No randomness.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// Nothing could be remembered, so nothing was answered.
    #[error("{0}")]
    Memory(E),
    /// What was remembered is not a state.
    #[error(
        "the remembered state of this voting session cannot be read; a copy of the ledger may be damaged"
    )]
    State,
}

impl Session {
    /// Answers queries in order, each under its name; a query that was asked before gets its old answer, which costs
    /// nothing. Answers leave only after they and the state behind them are remembered.
    ///
    /// Postcondition: over the whole life of `memory`, whatever is asked and whenever the process dies, everything that
    /// left satisfies [`Design::event`] for replace-one neighbours, if one row moves at most one vote of each ballot.
    pub fn answer<M: Memory>(
        &self,
        queries: impl IntoIterator<Item = (String, Ballot)>,
        memory: &mut M,
        source: &mut impl Source,
    ) -> Result<Answered, AnswerError<M::Error>> {
        let mut queries = queries.into_iter().peekable();
        let mut answered = Answered { answers: Vec::new(), stopped: None };
        while queries.peek().is_some() {
            let mut state = State::from_secret_text(&memory.state()).ok_or(AnswerError::State)?;
            let mut fresh: Vec<(String, Answer)> = Vec::new();
            let mut group = Vec::new();
            for (name, ballot) in queries.by_ref().take(TOGETHER) {
                let known = match fresh.iter().find(|(asked, _)| *asked == name) {
                    Some((_, answer)) => Some(*answer),
                    None => memory.recall(&name).map_err(AnswerError::Memory)?,
                };
                let answer = match known {
                    Some(answer) => Some(answer),
                    None => match self.may_ask(&state) {
                        Ok(()) => {
                            let answer = self.test(ballot, &mut state, source)?;
                            fresh.push((name, answer));
                            Some(answer)
                        }
                        Err(stop) => {
                            answered.stopped = Some(stop);
                            None
                        }
                    },
                };
                group.push(answer);
            }
            if !fresh.is_empty() {
                memory.remember(&state.to_secret_text(), &fresh).map_err(AnswerError::Memory)?;
            }
            let release = |answer| Released::new(answer, source.provenance());
            answered.answers.extend(group.into_iter().map(|answer| answer.map(release)));
        }
        Ok(answered)
    }

    fn may_ask(&self, state: &State) -> Result<(), Stop> {
        match () {
            () if state.paid >= self.design.paid() => Err(Stop::Paid),
            () if state.asked >= self.queries => Err(Stop::Asked),
            () => Ok(()),
        }
    }

    /// One query: one test, or for scores a second one on shifted bins if the first fails and is not the last.
    fn test(
        &self,
        ballot: Ballot,
        state: &mut State,
        source: &mut impl Source,
    ) -> Result<Answer, NoiseError> {
        state.asked += 1;
        match ballot {
            Ballot::Labels(counts) => {
                let winner = self.winner(&counts.into_inner(), state, source)?;
                Ok(winner.map_or(Answer::Unstable, Answer::Label))
            }
            Ballot::Scores(scores, bins) => {
                let scores = scores.into_inner();
                if let Some(bin) = self.winner(&bins.plain(&scores), state, source)? {
                    return Ok(Answer::Score(bins.middle(bin)));
                }
                if state.paid >= self.design.paid() {
                    return Ok(Answer::Unstable);
                }
                let bin = self.winner(&bins.shifted(&scores), state, source)?;
                Ok(bin.map_or(Answer::Unstable, |bin| Answer::Score(bins.shifted_middle(bin))))
            }
        }
    }

    /// The winner, if it passes the test; a failed test is paid for.
    fn winner(
        &self,
        counts: &[u32],
        state: &mut State,
        source: &mut impl Source,
    ) -> Result<Option<usize>, NoiseError> {
        let Tally { winner, distance } = Tally::of(counts);
        let passes = match &self.design {
            Design::Gaussian(gaussian) => gaussian.passes(distance, source)?,
            Design::Sparse(sparse) => {
                let threshold = match state.threshold {
                    Some(threshold) if threshold.paid < sparse.paid_each => threshold,
                    _ => Threshold { noise: sparse.threshold(source)?, paid: 0 },
                };
                let passes = sparse.passes(distance, threshold.noise, source)?;
                state.threshold = Some(Threshold { paid: threshold.paid + u64::from(!passes), ..threshold });
                passes
            }
        };
        state.paid += u64::from(!passes);
        Ok(passes.then_some(winner))
    }
}
