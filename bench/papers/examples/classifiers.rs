//! How fast is the tuning experiment? Runs two rounds of it on Adult with the paper's list of λ and
//! prints, as JSON, how many private classifiers that took and how long; bench/classifiers.py puts
//! scikit-learn beside it. `cargo run --release --example classifiers -- DATA_DIR` in bench/papers

use discretion::privacy::Budget;
use discretion_papers::Failure;
use discretion_papers::tables::ADULT;
use discretion_papers::tuning::{Experiment, PRINTED};
use std::path::PathBuf;
use std::time::Instant;

#[allow(clippy::print_stdout)] // a measuring program
fn main() -> Result<(), Failure> {
    let folder =
        std::env::args().nth(1).ok_or_else(|| Failure("say where the tables are".to_owned()))?;
    let table = ADULT.read(&PathBuf::from(folder))?;
    let experiment = Experiment {
        table: ADULT.name,
        grid: "printed",
        lambdas: PRINTED.to_vec(),
        budgets: vec![
            Budget::Pure { epsilon: 0.3 },
            Budget::Pure { epsilon: 1.0 },
            Budget::Pure { epsilon: 5.0 },
        ],
        repeats: 1,
        folds: 10,
        rounds: 2,
        both_families: 1,
    };
    let started = Instant::now();
    let results = experiment.run(&table, 1, &|| {})?;
    let seconds = started.elapsed().as_secs_f64();
    println!("{{\"classifiers\": {}, \"seconds\": {seconds:.3}}}", results.trained);
    Ok(())
}
