//! The coefficients of a model as tables for other programs: CSV for machines, with every digit,
//! and LaTeX for papers.

mod csv;
mod latex;
mod latex_text;

pub use csv::{csv, field, number_csv};
pub use latex::{latex, number_latex};
