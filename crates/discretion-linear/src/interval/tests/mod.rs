//! Sensitivities, releases, the law of the estimates, coverage, bad input.

mod bad_input;
mod coverage;
mod curves;
mod law;
mod persons;
mod planned;
mod release;
mod sandwich;
mod sensitivity;
mod shape;
mod steps;

pub(crate) use shape::gauge;

use crate::erm::matrix::{Batch, Layout, Matrix, Norm};
use discretion_privacy::noise::{Seeded, Source};

/// Rows (x without its intercept, label) of unit length in any direction: the intercept's constant
/// is so small that it hardly takes part.
fn rows_of_length_one(rows: &[(Vec<f32>, bool)]) -> Matrix {
    let layout = Layout::new(Norm::Row, 1e-6, vec![1.0; rows[0].0.len()], vec![]).unwrap();
    let mut matrix = Matrix::new(layout);
    matrix.push(Batch {
        numeric: rows.iter().flat_map(|(x, _)| x.clone()).collect(),
        positive: rows.iter().map(|(_, positive)| *positive).collect(),
        ..Batch::default()
    });
    matrix
}

/// Uniform in (0, 1).
pub(crate) fn unit(source: &mut Seeded) -> f64 {
    ((source.word().unwrap() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

/// Uniform in (−1, 1).
pub(crate) fn signed_unit(source: &mut Seeded) -> f64 {
    2.0 * unit(source) - 1.0
}

/// n rows of d − 1 numbers in [−c, c] beside an intercept c = 1/√d, with labels drawn from a
/// logistic model.
fn logistic_table(n: usize, truth: &[f64], source: &mut Seeded) -> Matrix {
    let d = truth.len();
    let c = (1.0 / (d as f64).sqrt() * (1.0 - 1e-6)) as f32;
    let mut matrix = Matrix::new(Layout::new(Norm::Scale, c, vec![c; d - 1], vec![]).unwrap());
    let mut batch = Batch::default();
    for _ in 0..n {
        let x: Vec<f32> = (1..d).map(|_| (signed_unit(source) * f64::from(c)) as f32).collect();
        let margin = truth[0] * f64::from(c)
            + x.iter().zip(&truth[1..]).map(|(&x, t)| f64::from(x) * t).sum::<f64>();
        batch.positive.push(unit(source) < 1.0 / (1.0 + (-margin).exp()));
        batch.numeric.extend(x);
    }
    matrix.push(batch);
    matrix
}

/// The largest distance between a sample's distribution function and `cdf`; one beyond the second
/// number has a chance of at most 1e-6 (Dvoretzky–Kiefer–Wolfowitz with Massart's constant).
fn distance_from_law(mut sample: Vec<f64>, cdf: impl Fn(f64) -> f64) -> (f64, f64) {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let gap = |(i, &x): (usize, &f64)| {
        let at = cdf(x);
        (at - i as f64 / n).abs().max((at - (i as f64 + 1.0) / n).abs())
    };
    (
        sample.iter().enumerate().map(gap).fold(0.0, f64::max),
        ((2.0f64 / 1e-6).ln() / (2.0 * n)).sqrt(),
    )
}
