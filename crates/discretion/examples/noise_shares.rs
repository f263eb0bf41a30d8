//! What noise that nobody knows costs: the standard deviation per coordinate, in units of the sum's
//! L₂ sensitivity, of all A aggregators' shares together, if any A − t of them must be enough.
//! Prints the table of docs/parties.md: `cargo run --release -p discretion --example noise_shares`

use discretion::privacy::{Approximate, Zcdp, analytic_gaussian_sigma};

/// δ of the columns that have one.
const DELTA: f64 = 1e-6;

fn main() {
    eprintln!(
        "| d | ε | A | t | spherical: one holder | in parts | by each | Laplace in Pólya shares | Gaussian: one holder | in parts | by each, discrete | discrete or Skellam shares |"
    );
    eprintln!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for dimension in [10usize, 100, 1000] {
        for epsilon in [0.1, 1.0, 4.0] {
            for (aggregators, colluders) in [(2usize, 1usize), (3, 1), (5, 0), (5, 2), (20, 10)] {
                row(dimension, epsilon, aggregators, colluders);
            }
        }
    }
}

fn row(dimension: usize, epsilon: f64, aggregators: usize, colluders: usize) {
    let honest = aggregators - colluders;
    let (a, h, d) = (aggregators as f64, honest as f64, dimension as f64);
    let degrees = (dimension + 1).div_ceil(honest) as f64;
    let analytic = analytic_gaussian_sigma(1.0, epsilon, DELTA);
    let concentrated =
        (2.0 * Zcdp::within(Approximate { epsilon, delta: DELTA }).rho).sqrt().recip();
    let columns = [
        (d + 1.0).sqrt() / epsilon,
        (a * degrees).sqrt() / epsilon,
        (a * (d + 1.0)).sqrt() / epsilon,
        (2.0 * d * a / h).sqrt() / epsilon,
        analytic,
        analytic * (a / h).sqrt(),
        concentrated * a.sqrt(),
        concentrated * (a / h).sqrt(),
    ];
    let columns: Vec<String> = columns.iter().map(|x| format!("{x:.1}")).collect();
    eprintln!(
        "| {dimension} | {epsilon} | {aggregators} | {colluders} | {} |",
        columns.join(" | ")
    );
}
