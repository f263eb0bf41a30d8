//! Made-up rows: for the short form of the experiment, and for a table whose best λ is far from the
//! smallest.

use discretion::erm::matrix::{Batch, Layout, Matrix, Norm};
use discretion::noise::Seeded;

/// Rows of ten numbers; the label leans on the first five, with a quarter of the rows positive or
/// so.
pub fn census(rows: usize, seed: u64) -> Matrix {
    const WEIGHTS: [f64; 10] = [4.0, -3.0, 2.0, -1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let bound = constant(WEIGHTS.len());
    let mut source = Seeded::new(seed);
    let mut batch = Batch::default();
    for _ in 0..rows {
        let x = WEIGHTS.map(|_| 2.0 * source.unit() - 1.0);
        let margin = WEIGHTS.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() - 1.5;
        batch.numeric.extend(x.map(|value| (value * f64::from(bound)) as f32));
        batch.positive.push(source.unit() < 1.0 / (1.0 + (-margin).exp()));
    }
    matrix(vec![bound; WEIGHTS.len()], Vec::new(), bound, batch)
}

/// Rows of four categories out of fifty each, of which only the first says a little about the
/// label: so many coefficients and so little to learn that any model with a small λ is noise, and
/// the best λ is a large one.
pub fn faint(rows: usize, seed: u64) -> Matrix {
    const COLUMNS: usize = 4;
    const CATEGORIES: u16 = 50;
    let bound = constant(COLUMNS);
    let mut source = Seeded::new(seed);
    let mut batch = Batch::default();
    for _ in 0..rows {
        let codes = [(); COLUMNS].map(|()| (source.unit() * f64::from(CATEGORIES)) as u16);
        batch.codes.extend(codes);
        let chance = if codes[0] < CATEGORIES / 2 { 0.6 } else { 0.4 };
        batch.positive.push(source.unit() < chance);
    }
    matrix(Vec::new(), vec![(usize::from(CATEGORIES), bound); COLUMNS], bound, batch)
}

/// The bound on each of `columns` entries and the intercept that keeps a row in the unit ball.
fn constant(columns: usize) -> f32 {
    ((1.0 - 1e-6) / ((columns + 1) as f64).sqrt()) as f32
}

fn matrix(
    numeric: Vec<f32>,
    categories: Vec<(usize, f32)>,
    intercept: f32,
    batch: Batch,
) -> Matrix {
    let layout = Layout::new(Norm::Scale, intercept, numeric, categories);
    let mut matrix = Matrix::new(layout.expect("the constants keep rows in the unit ball"));
    matrix.push(batch);
    matrix
}
