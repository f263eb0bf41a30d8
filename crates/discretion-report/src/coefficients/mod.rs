//! The coefficients of a model as tables for other programs: CSV for machines, with every digit, and LaTeX for papers.

mod csv;
mod latex;

pub use csv::{csv, field};
pub use latex::latex;
