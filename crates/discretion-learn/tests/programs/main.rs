//! What trains and answers outside of this program, and what is kept of it: one test program,
//! because each is linked with all of them.

mod cache;
mod command;
#[path = "../common/mod.rs"]
mod common;
mod stays;
