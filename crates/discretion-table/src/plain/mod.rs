//! Rows in the columns' own units, for learners that are not linear.

mod classes;
mod rows;
#[cfg(test)]
mod tests;
mod units;

pub use classes::Classes;
pub use rows::PlainRows;
pub use units::{UnitRows, rows_by_person};
