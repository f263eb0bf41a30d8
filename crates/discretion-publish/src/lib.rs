//! What is published, and the way there: whoever asks (the command line, Python) writes the same files.
//!
//! - [`fit`] is the fit of a table in memory: rows, plan, model. Who charges the account, and when, is the caller's to do:
//!   between [`fit::Rows::plan`] and [`fit::Rows::run`].
//! - [`vote`] is a voting session under a ledger, up to the votes themselves.
//! - [`model`] and [`density`] are the files, [`report`] the page about a model.
//! - [`request`] checks what a study asks for; [`words`] and [`numbers`] say it.

pub mod artefact;
pub mod density;
mod error;
pub mod fit;
pub mod model;
pub mod numbers;
pub mod report;
pub mod request;
mod stoppable;
pub mod table;
pub mod vote;
pub mod words;

pub use error::Error;
