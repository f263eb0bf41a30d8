//! The expected error against what noise does to margins of generated tables. `make lambda` does
//! the same on real ones.

use super::*;
use crate::erm::Oracle;
use crate::erm::matrix::{Batch, Layout, Matrix, Norm};
use crate::train::not_private;
use discretion_privacy::noise::Seeded;

/// What docs/noise.md promises.
const FACTOR: f64 = 2.5;
const RUNS: u64 = 8;
const CODES: [usize; 2] = [4, 12];

/// Rows that are not as the schema suggests: two numbers go together, and small codes are more
/// frequent than large ones.
struct Table {
    /// Where in a row its entries are, and what they are.
    rows: Vec<Vec<(usize, f64)>>,
    matrix: Matrix,
}

fn table(rows: usize) -> Table {
    let source = &mut Seeded::new(1);
    let size = 1.0 / 6f32.sqrt() * 0.999;
    let layout =
        Layout::new(Norm::Scale, size, vec![size; 3], CODES.map(|k| (k, size)).to_vec()).unwrap();
    let mut batch = Batch::default();
    let mut sparse = Vec::new();
    for _ in 0..rows {
        let (a, b, c) =
            (source.unit() * 2.0 - 1.0, source.unit() * 2.0 - 1.0, source.unit() * 2.0 - 1.0);
        let numbers = [a, 0.8 * a + 0.2 * b, 0.5 * c].map(|x| x as f32 * size);
        let codes = CODES.map(|k| (source.unit().powi(2) * k as f64) as usize);
        let score = 2.0 * a + c - 0.5 + if codes[0] == 1 { 1.0 } else { 0.0 };
        batch.positive.push(source.unit() < 1.0 / (1.0 + (-score).exp()));
        batch.numeric.extend(numbers);
        batch.codes.extend(codes.map(|code| code as u16));
        let entries = std::iter::once(size).chain(numbers).map(f64::from).enumerate();
        let starts = [4, 4 + CODES[0]];
        let marked = starts.iter().zip(codes).map(|(start, code)| (start + code, f64::from(size)));
        sparse.push(entries.chain(marked).collect());
    }
    Table { rows: sparse, matrix: Matrix::of(layout, batch) }
}

impl Table {
    /// How far margins are from those of another model, root mean square.
    fn moved(&self, theta: &[f64], exact: &[f64]) -> f64 {
        let margin = |row: &Vec<(usize, f64)>| {
            row.iter().map(|&(at, x)| x * (theta[at] - exact[at])).sum::<f64>()
        };
        (self.rows.iter().map(|row| margin(row).powi(2)).sum::<f64>() / self.rows.len() as f64)
            .sqrt()
    }
}

#[test]
fn the_expected_error_is_near_the_measured_one_under_every_law() {
    let table = table(1500);
    for budget in [
        Budget::Pure { epsilon: 0.3 },
        Budget::Pure { epsilon: 3.0 },
        Budget::Approximate { epsilon: 1.0, delta: 1e-6 },
    ] {
        let training =
            Training { loss: LossKind::Logistic, lambda: None, method: Method::Objective, budget };
        let plan = training.plan(table.matrix.all().facts()).unwrap();
        let exact = not_private(&table.matrix.all(), plan.loss, plan.lambda).unwrap().into_inner();
        for candidate in std::iter::once(&plan.chosen).chain(&plan.rejected) {
            let run = Plan { chosen: candidate.clone(), ..plan.clone() };
            let square = |seed: u64| {
                let theta = run.fit(&table.matrix.all(), &mut Seeded::new(seed)).unwrap();
                table.moved(&theta, &exact).powi(2)
            };
            let measured = ((0..RUNS).map(square).sum::<f64>() / RUNS as f64).sqrt();
            let ratio = candidate.expected_error / measured;
            assert!(
                (1.0 / FACTOR..FACTOR).contains(&ratio),
                "{budget}, {:?}: {ratio}",
                candidate.law
            );
        }
    }
}
