//! What is published, and the way there: whoever asks (the command line, Python) writes the same files.
//!
//! - [`fit`] is the fit of a table: rows, plan, model. Who charges the account, and when, is the caller's to do:
//!   between [`fit::Rows::plan`] and [`fit::Rows::run`]. [`elsewhere`] lays out rows that others hold.
//! - [`joint`] is what several holders trained together, as a model file.
//! - [`vote`] is a voting session under a ledger, up to the votes themselves.
//! - [`files`] writes whole files into a [`folder`], [`model`] and [`density`] are the files, [`report`] the page about
//!   a model.
//! - [`plan`] says what a budget buys, [`audit`] what a mechanism costs at least: as data and as text.
//! - [`request`] checks what a study asks for; [`words`] and [`numbers`] say it, [`summary`] and
//!   [`text_table`] on a terminal.

pub mod arguments;
pub mod artefact;
pub mod audit;
pub mod density;
pub mod elsewhere;
mod error;
pub mod files;
pub mod fit;
pub mod folder;
pub mod joint;
pub mod model;
pub mod numbers;
pub mod plan;
pub mod report;
pub mod request;
mod stoppable;
pub mod summary;
pub mod table;
pub mod text_table;
pub mod vote;
pub mod words;

pub use error::{Error, reason};
