//! The ledger as its users see it, by its files and in several processes. One program, because each
//! would link SQLite again.

#[path = "../common/mod.rs"]
mod common;

mod accounts;
mod failures;
mod file_names;
mod files;
mod filters;
mod flips;
mod formats;
mod interrupted;
mod mistakes;
mod names;
mod one_file;
mod processes;
mod sessions;
mod sessions_crash;
mod tampering;
mod units;
