//! Everything before the votes: rows are split into k chunks by position, one model is trained on each, and each votes on
//! queries.
//!
//! | item | is |
//! |---|---|
//! | [`learner`] | the learner that a study asks for |
//! | [`Learner`] | what trains a model on some rows and asks it about others |
//! | [`Logistic`], [`Trees`], [`Command`] | regularised logistic regression, a random forest, any program |
//! | [`train_all`], [`Ensemble`] | one model for each chunk, on all cores |
//! | [`longest_votes`] | what is known beforehand about the time of votes |
//! | [`leave_signals_to_others`] | for programs that end in their own way |
//! | [`is_guarded`] | whether a panic of this thread is a learner's, for panic hooks |
//! | [`Votes`], [`Scores`] | what the models say about each query, as [`Sensitive`](discretion::noise::Sensitive) values |
//! | [`made_up`], [`rehearse`], [`rehearse_program`] | made-up rows, and a learner tried out on them |
//! | [`Cache`], [`cache_key`] | trained models in the custodian's folder, so that a killed run goes on where it stopped |
//!
//! The privacy of what is made of the votes rests on one fact, which this crate has to keep: **one row changes one
//! chunk's votes and nothing else**. So nothing is fitted across chunks, row i belongs to chunk i mod k whatever it holds,
//! a chunk's seed is its number, and a chunk whose learner fails votes class 0, or score 0.

mod cache;
mod cache_key;
mod choose;
mod command;
mod ensemble;
mod learner;
mod logistic;
mod rehearsal;
mod trees;
mod votes;

pub use cache::{Cache, CacheError};
pub use cache_key::cache_key;
pub use choose::{LearnerError, LongestVotes, learner, longest_votes};
pub use command::{AnswerKind, Command, CommandError, leave_signals_to_others};
pub use ensemble::{Ensemble, is_guarded, train_all};
pub use learner::{ChunkFailure, Learner, PreparedQueries};
pub use logistic::Logistic;
pub use rehearsal::{RehearsalError, made_up, rehearse, rehearse_program};
pub use trees::Trees;
pub use votes::{Scores, Votes};
