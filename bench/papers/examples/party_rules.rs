//! What λ and the Newton step of several holders were chosen by, on other tables than
//! `discretion-papers parties` reports on. `cargo run --release --example party_rules -- DATA_DIR` in
//! bench/papers

use discretion_papers::{Failure, parties};
use std::path::PathBuf;

#[allow(clippy::print_stdout)] // a measuring program
fn main() -> Result<(), Failure> {
    let folder =
        std::env::args().nth(1).ok_or_else(|| Failure("say where the tables are".to_owned()))?;
    println!("{}", parties::rules(&PathBuf::from(folder))?);
    Ok(())
}
