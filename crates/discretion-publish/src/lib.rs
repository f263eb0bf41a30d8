//! What is published, and the way there: whoever asks (the command line, Python) writes the same files.
//!
//! - [`fit`] is the fit of a table in memory: rows, plan, model. Who charges the account, and when, is the caller's to do:
//!   between [`fit::Rows::plan`] and [`fit::Rows::run`].
//! - [`model`] and [`density`] are the files, [`report`] the page about a model.
//! - [`plan`] says what a budget buys, [`audit`] what a mechanism costs at least: as data and as text.
//! - [`request`] checks what a study asks for; [`words`], [`numbers`] and [`text_table`] say it.

pub mod arguments;
pub mod artefact;
pub mod audit;
pub mod density;
mod error;
pub mod fit;
pub mod model;
pub mod numbers;
pub mod plan;
pub mod report;
pub mod request;
mod stoppable;
pub mod text_table;
pub mod words;

pub use error::Error;
