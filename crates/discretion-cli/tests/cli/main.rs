//! Whole-program tests: the real binary, in folders of its own.

mod accounts;
mod answer;
mod audit;
mod bad_input;
mod check;
#[path = "../../../discretion-serve/tests/service/client.rs"]
mod client;
mod demo;
mod density;
mod docs;
mod export;
mod fit;
mod golden;
mod help;
mod house;
mod intervals;
mod ledger;
mod licences;
mod memory;
mod mistakes;
mod one_build;
mod outputs;
mod party;
mod plan;
mod predict;
mod published;
mod repeats;
mod sample;
mod schema;
mod seeded;
mod serve;
mod spends;
mod tables;
mod tune;
mod usage;
mod workspace;
