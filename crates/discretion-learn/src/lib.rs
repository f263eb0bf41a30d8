//! Everything before the votes: rows are split into k chunks by position, one model is trained on
//! each, and each votes on queries.
//!
//! | item | is |
//! |---|---|
//! | [`learner`] | the learner that a study asks for |
//! | [`Learner`] | what trains a model on some rows and asks it about others |
//! | [`Logistic`], [`Trees`], [`Boosting`], [`Command`] | regularised logistic regression, a random forest, boosted trees, any program |
//! | [`train_all`], [`Ensemble`] | one model for each chunk, on all cores |
//! | [`longest_votes`] | what is known beforehand about the time of votes |
//! | [`leave_signals_to_others`] | for programs that end in their own way |
//! | [`is_guarded`] | whether a panic of this thread is a learner's, for panic hooks |
//! | [`Votes`], [`Scores`] | what the models say about each query, as [`Sensitive`](discretion::noise::Sensitive) values |
//! | [`made_up`], [`rehearse`], [`rehearse_program`] | made-up rows, and a learner tried out on them |
//! | [`InventedVote`] | a whole vote on invented rows, with each learner |
//! | [`Cache`], [`cache_key`] | trained models in the custodian's folder, so that a killed run goes on where it stopped |
//!
//! The privacy of what is made of the votes rests on one fact, which this crate has to keep: **one
//! row changes one chunk's votes and nothing else**. So nothing is fitted across chunks, row i
//! belongs to chunk i mod k whatever it holds, a chunk's seed is its number, and a chunk whose
//! learner fails votes class 0, or score 0.
//!
//! Twenty models, and what they say about somebody of 90 years:
//!
//! ```
//! use discretion_learn::{Logistic, train_all};
//! use discretion_table::{Classes, PlainRows, Study};
//! use std::path::Path;
//!
//! let study = r#"
//!     [data]
//!     path     = "patients.csv"
//!     account  = "patients"
//!     target   = "readmitted"
//!     positive = "yes"
//!     negative = "no"
//!     [budget]
//!     epsilon = 3.0
//!     [spend]
//!     epsilon = 1.0
//!     [columns]
//!     age = { min = 0, max = 100 }
//! "#;
//! let schema = Study::parse(Path::new("study.toml"), study)?.schema;
//! let classes = Classes::of(&schema.target().labels)?;
//! let mut rows = PlainRows::new(&schema);
//! for age in (0..1_000_u16).map(|row| row % 100) {
//!     rows.append(vec![f32::from(age)], vec![], vec![u16::from(age > 50)]);
//! }
//!
//! let learner = Logistic::new(&schema, &classes, Logistic::LAMBDA);
//! let ensemble = train_all(&learner, &rows.into(), 20, None, &|_done| {});
//! let mut queries = PlainRows::new(&schema);
//! queries.append(vec![90.0], vec![], vec![]);
//! let votes = ensemble.votes(&learner, &classes, &queries, &|_done| {})?;
//! let counts = votes.counts(0).not_private().into_inner(); // a vote would take it as it is: `Sensitive`
//! assert_eq!(counts.iter().sum::<u32>(), 20);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod balanced;
mod boosting;
mod cache;
mod cache_key;
mod choose;
mod command;
mod compare;
mod ensemble;
mod features;
mod learner;
mod logistic;
mod rehearsal;
mod trees;
mod votes;

pub use balanced::Balanced;
pub use boosting::Boosting;
pub use cache::{Cache, CacheError};
pub use cache_key::cache_key;
pub use choose::{LearnerError, LongestVotes, learner, longest_votes};
pub use command::{AnswerKind, Command, CommandError, leave_signals_to_others};
pub use compare::{
    Beside, Comparison, DirectLine, InventedVote, Judged, LearnerLine, Truth, auc, student_rows,
};
pub use ensemble::{Ensemble, is_guarded, train_all};
pub use learner::{ChunkFailure, Learner, PreparedQueries};
pub use logistic::Logistic;
pub use rehearsal::{RehearsalError, made_up, rehearse, rehearse_program};
pub use trees::Trees;
pub use votes::{Scores, Votes};
