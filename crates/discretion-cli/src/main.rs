//! The binary `discretion`: raw arguments become a command, a command becomes files and an exit code.

mod args;
mod artefact;
mod bug;
mod commands;
mod csv;
mod density;
mod exit;
mod files;
mod ledger;
mod model;
mod numbers;
mod out;
mod progress;
mod report;
mod request;
mod text_table;
mod threads;
mod voters;
mod words;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    bug::install_hook();
    exit::code(commands::run(&args::Args::parse()))
}
