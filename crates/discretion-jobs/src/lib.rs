//! What runs on a sensitive table, whoever asks: the command line, Python, a service.
//!
//! A [`Job`] says what is planned, what that does to the table, how it runs and which file is made of it. [`spend`] is the one way
//! to run it: plan, charge, compute, release. A [`Payer`] pays, a [`Watch`] hears of it.
//!
//! - [`fit`], [`density`] and [`joint`] are jobs. [`fit::remote`] lays out rows that others hold.
//! - [`vote`] is a voting session: one charge pays for many answers, and its state is in the ledger before any of them leaves.
//! - [`plan`] says what a budget buys, [`audit`] what a mechanism costs at least: as data and as text.
//! - [`request`] checks what a study asks for.

pub mod arguments;
pub mod audit;
pub mod density;
mod fingerprint;
pub mod fit;
mod job;
pub mod joint;
pub mod plan;
mod promise;
pub mod request;
mod reuse;
mod spend;
mod stoppable;
pub mod vote;
mod watch;

pub use fingerprint::fingerprint;
pub use job::Job;
pub use promise::entry as ledger_entry;
pub use reuse::{EarlierResult, earlier_result};
pub use spend::{Outcome, PaidRun, Payer, buy, dry_run, note_release, pay, spend};
pub use watch::{News, Silence, Watch, warn_of_delta};
