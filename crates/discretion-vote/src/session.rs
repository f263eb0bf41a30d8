//! Answering queries, with a memory that is written before an answer leaves.

use super::answer::Answer;
use super::design::{Design, Noisy};
use super::scores::Bins;
use super::state::{State, Threshold};
use super::tally::Tally;
use discretion_privacy::noise::{NoiseError, Released, Sensitive, Source};
use discretion_privacy::trusted::{Open, released};

/// Answers that are remembered together. What is not yet remembered has not left, so a crash
/// forgets it harmlessly.
const TOGETHER: usize = 64;

/// The votes on one query. Replacing one row of the table moves at most one of them.
pub enum Ballot {
    /// How many voters named each label.
    Labels(Sensitive<Vec<u32>>),
    /// Every voter's score, and the width of bins to count them in.
    Scores(Sensitive<Vec<f32>>, Bins),
}

/// Where a session is remembered. The guarantee hangs on it: a memory that loses a state, or hands
/// out an older one, lets a threshold be drawn twice.
pub trait Memory {
    /// Why something could not be remembered.
    type Error;

    /// The state that was remembered last, as [`State::to_secret_text`] wrote it.
    fn state(&self) -> String;

    /// The answer to a query that was asked before.
    fn recall(&self, query: &str) -> Result<Option<Answer>, Self::Error>;

    /// Replaces the state and adds the answers, both or neither. They are durable when this
    /// returns.
    fn remember(&mut self, state: &str, answers: &[(String, Answer)]) -> Result<(), Self::Error>;
}

/// Why a session went no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// T tests have failed.
    Paid,
    /// As many queries were asked, or tests made, as were charged for.
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
    /// A session under a seed is not continued with real randomness, nor the other way round.
    #[error("this voting session draws its noise from another source than it began with")]
    Randomness,
}

/// Answers queries in order, each under its name, within the session that `memory` holds; a query
/// that was asked before gets its old answer, which costs nothing. Answers leave only after they
/// and the state behind them are remembered.
///
/// Postcondition: over the whole life of `memory`, whatever is asked and whenever the process dies,
/// everything that left satisfies [`Design::event`] of the session's design for replace-one
/// neighbours, if one row moves at most one vote of each ballot.
pub fn answer<M: Memory>(
    queries: impl IntoIterator<Item = (String, Ballot)>,
    memory: &mut M,
    source: &mut dyn Source,
) -> Result<Answered, AnswerError<M::Error>> {
    let mut queries = queries.into_iter().peekable();
    let mut answered = Answered { answers: Vec::new(), stopped: None };
    while queries.peek().is_some() {
        let mut state = State::from_secret_text(&memory.state()).ok_or(AnswerError::State)?;
        if state.randomness != source.provenance() {
            return Err(AnswerError::Randomness);
        }
        let mut fresh: Vec<(String, Answer)> = Vec::new();
        let mut group = Vec::new();
        for (name, ballot) in queries.by_ref().take(TOGETHER) {
            let known = match fresh.iter().find(|(asked, _)| *asked == name) {
                Some((_, answer)) => Some(*answer),
                None => memory.recall(&name).map_err(AnswerError::Memory)?,
            };
            let told = match (known, state.may_test()) {
                (Some(answer), _) => Some(answer),
                (None, Ok(())) => {
                    let answer = state.ask(ballot, source)?;
                    fresh.push((name, answer));
                    Some(answer)
                }
                (None, Err(stop)) => {
                    answered.stopped = Some(stop);
                    None
                }
            };
            group.push(told);
        }
        if !fresh.is_empty() {
            memory.remember(&state.to_secret_text(), &fresh).map_err(AnswerError::Memory)?;
        }
        let release = |answer| released(answer, state.randomness);
        answered.answers.extend(group.into_iter().map(|answer| answer.map(release)));
    }
    Ok(answered)
}

impl State {
    /// Why nothing new may be asked any more; nothing if something may.
    pub fn over(&self) -> Option<Stop> {
        self.may_test().err()
    }

    fn may_test(&self) -> Result<(), Stop> {
        match () {
            () if self.design.paid().is_some_and(|most| self.paid >= most) => Err(Stop::Paid),
            () if self.asked >= self.queries => Err(Stop::Asked),
            () if self.design.most_tests().is_some_and(|most| self.tests >= most) => {
                Err(Stop::Asked)
            }
            () => Ok(()),
        }
    }

    /// One query. Where tests can fail, scores have a second one on shifted bins if the first fails
    /// and there may be another.
    fn ask(&mut self, ballot: Ballot, source: &mut dyn Source) -> Result<Answer, NoiseError> {
        let answer = match (self.design, ballot) {
            (Design::Sums(sums), Ballot::Scores(scores, _)) => {
                self.tests += 1;
                Some(Answer::Score(sums.mean(&scores.into_inner(), source)?))
            }
            (Design::Sums(_), Ballot::Labels(_)) => {
                panic!("a session of scores has ballots of scores")
            }
            (_, Ballot::Labels(counts)) => {
                let noisy = self.winner(&counts.into_inner(), source)?;
                noisy.map(|Noisy { winner, sure }| match sure {
                    true => Answer::Label(winner),
                    false => Answer::Unsure(winner),
                })
            }
            (_, Ballot::Scores(scores, bins)) => {
                let scores = scores.into_inner();
                match self.winner(&bins.plain(&scores), source)? {
                    Some(bin) => Some(Answer::Score(bins.middle(bin.winner))),
                    None if self.may_test().is_err() => None,
                    None => {
                        let bin = self.winner(&bins.shifted(&scores), source)?;
                        bin.map(|bin| Answer::Score(bins.shifted_middle(bin.winner)))
                    }
                }
            }
        };
        self.asked += 1;
        Ok(answer.unwrap_or(Answer::Unstable))
    }

    /// The winner; where it is tested, only if it passes, and a failed test is paid for.
    fn winner(
        &mut self,
        counts: &[u32],
        source: &mut dyn Source,
    ) -> Result<Option<Noisy>, NoiseError> {
        let Tally { winner, distance } = Tally::of(counts);
        let stable = |passes: bool| passes.then_some(Noisy { winner, sure: true });
        let noisy = match &self.design {
            Design::Gaussian(gaussian) => stable(gaussian.passes(distance, source)?),
            Design::Sparse(sparse) => {
                let threshold = match self.threshold {
                    Some(threshold) if threshold.paid < sparse.paid_each => threshold,
                    _ => Threshold { noise: sparse.threshold(source)?, paid: 0 },
                };
                let passes = sparse.passes(distance, threshold.noise, source)?;
                self.threshold =
                    Some(Threshold { paid: threshold.paid + u64::from(!passes), ..threshold });
                stable(passes)
            }
            Design::Maximum(maximum) => Some(maximum.winner(counts, source)?),
            Design::Exponential(exponential) => {
                Some(Noisy { winner: exponential.winner(counts, source)?, sure: true })
            }
            Design::Sums(_) => unreachable!("sums have no winner"),
        };
        self.tests += 1;
        self.paid += u64::from(noisy.is_none());
        Ok(noisy)
    }
}
