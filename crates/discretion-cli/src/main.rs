//! The binary `discretion`: raw arguments become a command, a command becomes files and an exit code.

mod args;
mod bug;
mod commands;
mod csv;
mod exit;
mod files;
mod interrupt;
mod ledger;
mod out;
mod progress;
mod threads;

use clap::Parser;
// What is published is a library's; commands go on calling it by these names.
use discretion_publish::{
    arguments, artefact, density, model, numbers, report, request, text_table, vote, words,
};
use std::process::ExitCode;

fn main() -> ExitCode {
    bug::install_hook();
    exit::code(commands::run(&args::Args::parse()))
}
