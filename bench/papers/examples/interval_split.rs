//! How should a budget be divided between coefficients and the matrices behind their intervals?
//! Prints coverage and mean length by split, on the public tables in a folder (bench/README.md
//! lists them): `cargo run --release --example interval_split -- DIR` in bench/papers

use discretion_papers::{Options, intervals};
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data =
        std::env::args_os().nth(1).map(Into::into).ok_or("say where the public tables are")?;
    let options = Options { data: Some(data), quick: false, seed: 1 };
    let results = intervals::splits(&options, &|done, of| eprint!("\r{done} of {of}"));
    let results = results.map_err(|failed| failed.0)?;
    eprintln!();
    std::io::stdout().write_all(results.text.as_bytes())?;
    Ok(())
}
