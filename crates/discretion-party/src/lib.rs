//! Several holders train one model, and nobody, the coordinator included, sees anyone's.
//!
//! `discretion::joint` has the mathematics: what each holder contributes, what noise each
//! aggregator adds and why that is enough. This crate adds contributions up without showing them,
//! between processes that do not trust each other:
//!
//! | module | is |
//! |---|---|
//! | [`sums`] | secret-shared, range-checked sums as functions of messages (`PROOF.md`: what anyone sees) |
//! | [`wire`] | who is who: keys, signed greetings, sealed channels that are in order (`PROOF.md`) |
//! | [`mailbox`] | how sealed messages travel: a coordinator's mailboxes behind HTTP, and a member's side of them |
//! | [`run`] | a study from its first greeting to its last sum: charged once, resumed after a crash (`PROOF.md`) |
//!
//! The words, each for one thing:
//!
//! | word | is |
//! |---|---|
//! | member | a holder of rows, as the study names it; *holder* where only its rows matter |
//! | aggregator | a member that adds noise to its share of each sum |
//! | coordinator | keeps the mailboxes; has no rows and is not trusted |
//! | participant | a member or the coordinator; each has a number |
//! | charter | the public study, which must be the same everywhere |
//! | greeting, roster | how a process introduces itself; all greetings together |
//! | channel | one direction between two participants, sealed and in order |
//! | message, piece | what one participant tells another; a part of it that fits into a request |
//! | request, response | what a member asks of the coordinator, and gets, over HTTP |
//! | round, attempt | one sum of the plan; one try at it, by those of one roster |
//! | journal | what a member did, in its ledger before anyone can see it |
//! | progress | what was released so far, and the round that comes next |
//!
//! Three holders in one process, with every message that they would send:
//!
//! ```
//! use discretion::erm::matrix::{Batch, Layout, Matrix, Norm};
//! use discretion::joint::{Joint, Sharing, Weighting};
//! use discretion::loss::LossKind;
//! use discretion::noise::Receipt;
//! use discretion::privacy::Budget;
//! use discretion_party::simulate;
//!
//! let layout = Layout::new(Norm::Scale, 0.7, vec![0.7], vec![])?;
//! let numeric: Vec<f32> = (0..3_000).map(|row| 0.7 * ((row % 200) as f32 / 100.0 - 1.0)).collect();
//! let positive = numeric.iter().map(|&number| number > 0.1).collect();
//! let rows = Matrix::of(layout, Batch { numeric, positive, ..Batch::default() });
//!
//! let joint = Joint {
//!     loss: LossKind::Logistic,
//!     lambda: 0.05,
//!     weighting: Weighting::BySize,
//!     sharing: Sharing::new(3, 1)?, // of three that add noise, one may tell another what it knows
//!     budget: Budget::Approximate { epsilon: 1.0, delta: 1e-6 },
//!     step: None,
//! };
//! let mut receipt = Receipt::nobody_remembers();
//! let study = simulate(&joint, &rows, &[1_000, 1_200, 800], receipt.noise())?;
//! assert_eq!(study.coefficients().len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod mailbox;
mod refusals;
pub mod run;
pub mod sums;
pub mod wire;

pub use sums::{
    Aggregator, Attempt, RoundError, Scheme, Simulation, VerifyKey, deal, simulate, simulate_plan,
};
