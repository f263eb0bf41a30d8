//! Several holders train one model, and nobody, the coordinator included, sees anyone's.
//!
//! `discretion::joint` has the mathematics: what each holder contributes, what noise each aggregator adds and why that is enough. This
//! crate adds contributions up without showing them, between processes that do not trust each other:
//!
//! | module | is |
//! |---|---|
//! | [`sums`] | secret-shared, range-checked sums as functions of messages (`PROOF.md`: what anyone sees) |
//! | [`wire`] | who is who: keys, signed greetings, sealed channels that are in order (`PROOF.md`) |
//! | [`mailbox`] | how sealed messages travel: a coordinator's mailboxes behind HTTP, and a member's side of them |
//! | [`run`] | a study from its first greeting to its last sum: charged once, resumed after a crash (`PROOF.md`) |

pub mod mailbox;
pub mod run;
mod stop;
pub mod sums;
pub mod wire;

pub use stop::Stop;
pub use sums::{Aggregator, Attempt, RoundError, Scheme, Simulation, VerifyKey, deal, simulate};
