//! Whole-program tests: the real binary, in folders of its own.

mod answer;
mod audit;
mod bad_input;
mod demo;
mod density;
mod fit;
mod intervals;
mod ledger;
mod plan;
mod predict;
mod sample;
mod schema;
mod tune;
mod usage;
mod workspace;
