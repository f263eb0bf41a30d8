//! The binary `discretion`: raw arguments become a command, a command becomes files and an exit
//! code.

// Arguments of commands that are not built in are parsed all the same.
#![cfg_attr(
    not(all(
        feature = "audit",
        feature = "learners",
        feature = "party",
        feature = "serve",
        feature = "studio"
    )),
    allow(dead_code, unused_imports)
)]

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
mod run;
mod threads;
mod watch;
mod words;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    bug::install_hook();
    exit::code(commands::run(&args::Args::parse()))
}
