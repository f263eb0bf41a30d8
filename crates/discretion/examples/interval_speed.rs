//! How long intervals take: `cargo run --release -p discretion --example interval_speed --
//! [COEFFICIENTS]`

use discretion::erm::Oracle;
use discretion::erm::matrix::{Batch, Layout, Matrix, Norm, Rows};
use discretion::interval::{IntervalError, Intervals, Plan, Split};
use discretion::loss::LossKind;
use discretion::noise::Receipt;
use discretion::privacy::Budget;
use discretion::train::{Method, Training};
use std::time::Instant;

#[allow(clippy::print_stdout)] // a measuring program
fn main() -> Result<(), IntervalError> {
    let d = std::env::args().nth(1).and_then(|d| d.parse().ok()).unwrap_or(100);
    let c = (0.999 / (d as f64).sqrt()) as f32;
    let layout = Layout::new(Norm::Scale, c, vec![c; d - 1], vec![]).expect("rows of length 1");
    let mut matrix = Matrix::new(layout);
    let rows = 100_000;
    // Any numbers will do; these are the fractional parts of multiples of the golden ratio.
    let fraction = |k: usize| (k as f64 * 0.618_033_988_749_895).fract();
    let numeric =
        (0..rows * (d - 1)).map(|k| c * (2.0 * fraction(k + k / 7) - 1.0) as f32).collect();
    let positive = (0..rows).map(|k| fraction(k * k) < 0.4).collect();
    matrix.push(Batch { numeric, positive, ..Batch::default() });
    let matrix = Rows::from(matrix);

    let timed =
        |what: &str, start: Instant| println!("  {what}: {:.3} s", start.elapsed().as_secs_f64());
    let budgets =
        [Budget::Pure { epsilon: 8.0 }, Budget::Approximate { epsilon: 8.0, delta: 1e-6 }];
    let mut plans = Vec::new();
    for budget in budgets {
        println!("{rows} rows, {d} coefficients, {budget}");
        let training =
            Training { loss: LossKind::Logistic, lambda: Some(1e-2), method: Method::Auto, budget };
        let start = Instant::now();
        plans.push(Plan::new(&training, Split::DEFAULT, matrix.facts())?);
        timed("plan", start);
    }
    for plan in plans {
        println!("{rows} rows, {d} coefficients, {}", plan.budget());
        let start = Instant::now();
        let theta = plan.training().fit(&matrix, Receipt::nobody_remembers().noise())?;
        timed("train", start);
        let start = Instant::now();
        let evidence = plan.run(&matrix, &theta, Receipt::nobody_remembers().noise())?;
        timed("release both matrices", start);
        let start = Instant::now();
        let intervals = Intervals::new(&evidence, &theta)?;
        timed("decompose them", start);
        let start = Instant::now();
        intervals.coefficients(0.95)?;
        timed("an interval for each coefficient", start);
        let start = Instant::now();
        intervals.draws(10_000, 1);
        timed("10,000 draws of the whole vector", start);
    }
    Ok(())
}
