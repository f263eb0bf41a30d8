//! Made-up rows: for the short form of the experiment, and for a table whose best λ is far from the smallest.

use discretion::erm::matrix::{Batch, Layout, Matrix, Norm};
use discretion::noise::Seeded;

/// Rows of ten numbers; the label leans on the first five, with a quarter of the rows positive or so.
pub fn census(rows: usize, seed: u64) -> Matrix {
    let weights = [4.0, -3.0, 2.0, -1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    table(rows, weights.len(), seed, |x, source| {
        let margin: f64 = weights.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() - 1.5;
        source.unit() < 1.0 / (1.0 + (-margin).exp())
    })
}

/// Rows of many numbers that all say the same about the label, which is wrong on one row in ten: the direction is found
/// under any λ, and a small one adds nothing but noise.
pub fn one_direction(rows: usize, columns: usize, seed: u64) -> Matrix {
    let mut source = Seeded::new(seed);
    let mut batch = Batch::default();
    let bound = constant(columns);
    for _ in 0..rows {
        let side = if source.unit() < 0.5 { -1.0 } else { 1.0 };
        for _ in 0..columns {
            // Uniform on the label's side or across both: mean ±0.35.
            let value = if source.unit() < 0.7 { side * source.unit() } else { 2.0 * source.unit() - 1.0 };
            batch.numeric.push((value * f64::from(bound)) as f32);
        }
        batch.positive.push((side > 0.0) != (source.unit() < 0.1));
    }
    matrix(columns, batch)
}

fn table(rows: usize, columns: usize, seed: u64, label: impl Fn(&[f64], &mut Seeded) -> bool) -> Matrix {
    let mut source = Seeded::new(seed);
    let mut batch = Batch::default();
    let bound = constant(columns);
    for _ in 0..rows {
        let x: Vec<f64> = (0..columns).map(|_| 2.0 * source.unit() - 1.0).collect();
        batch.numeric.extend(x.iter().map(|value| (value * f64::from(bound)) as f32));
        batch.positive.push(label(&x, &mut source));
    }
    matrix(columns, batch)
}

/// The bound on each of `columns` numbers and the intercept that keeps a row in the unit ball.
fn constant(columns: usize) -> f32 {
    ((1.0 - 1e-6) / ((columns + 1) as f64).sqrt()) as f32
}

fn matrix(columns: usize, batch: Batch) -> Matrix {
    let bound = constant(columns);
    let layout = Layout::new(Norm::Scale, bound, vec![bound; columns], Vec::new());
    let mut matrix = Matrix::new(layout.expect("the constants keep rows in the unit ball"));
    matrix.push(batch);
    matrix
}
