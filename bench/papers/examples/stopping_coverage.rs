//! Do intervals hold after random stopping? Prints their coverage on the public tables in a folder
//! (bench/README.md lists them): `cargo run --release --example stopping_coverage -- DIR
//! [REPLICATES]` in bench/papers

use discretion_papers::{Options, intervals};
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data =
        std::env::args_os().nth(1).map(Into::into).ok_or("say where the public tables are")?;
    let replicates = std::env::args().nth(2).map_or(Ok(300), |text| text.parse())?;
    let options = Options { data: Some(data), quick: false, seed: 1 };
    let results =
        intervals::stopping(&options, replicates, &|done, of| eprint!("\r{done} of {of}"));
    std::io::stdout().write_all(results.map_err(|failed| failed.0)?.text.as_bytes())?;
    Ok(())
}
