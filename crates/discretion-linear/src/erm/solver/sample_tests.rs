//! What a sample of the rows is good for: fewer passes over all of them.

use super::*;
use crate::erm::matrix::{Batch, Layout, Matrix, Norm, Rows};
use crate::erm::{Answer, Facts, Question};
use crate::loss::Logistic;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts passes over all rows.
struct Counted<'a> {
    rows: &'a Rows<'a>,
    passes: AtomicUsize,
}

impl Oracle for Counted<'_> {
    fn facts(&self) -> Facts {
        self.rows.facts()
    }

    fn answer(&self, question: Question<'_>) -> Result<Answer, OracleError> {
        self.passes.fetch_add(1, Ordering::Relaxed);
        self.rows.answer(question)
    }

    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        self.rows.sample()
    }
}

/// What a sample says about the end of the first step saves passes over all rows, and changes
/// nothing that is promised.
#[test]
fn a_sample_saves_passes() {
    const NUMBERS: usize = 8;
    let mut state = 7u64;
    let mut next = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1u64 << 24) as f64
    };
    let mut batch = Batch::default();
    for _ in 0..160_000 {
        let x: Vec<f64> = (0..NUMBERS).map(|_| 0.6 * next() - 0.3).collect();
        let drift: f64 = x.iter().enumerate().map(|(k, x)| x * (k as f64 - 2.0)).sum();
        batch.positive.push(next() < 1.0 / (1.0 + (-drift).exp()));
        batch.numeric.extend(x.iter().map(|&x| x as f32));
    }
    let layout = Layout::new(Norm::Scale, 0.3, vec![0.3; NUMBERS], vec![]).unwrap();
    let rows = Rows::from(Matrix::of(layout, batch));
    let noises: Vec<Vec<f64>> =
        (0..10).map(|_| (0..=NUMBERS).map(|_| 1000.0 * (2.0 * next() - 1.0)).collect()).collect();
    let lambda = 1e-3;
    let oracle = Counted { rows: &rows, passes: AtomicUsize::new(0) };
    let problem = Problem::new(&oracle, &Logistic, lambda, 1e4);
    let mut warm = Warm::starts(&oracle, &Logistic, &[lambda]).unwrap().remove(0);
    let search = |warm: &Warm<'_>| {
        let before = oracle.passes.load(Ordering::Relaxed);
        let found = noises.iter().map(|b| newton::minimise_warm(&problem, b, warm).unwrap());
        let found: Vec<Vec<f64>> = found.map(|theta| theta.expect("a certificate")).collect();
        (found, oracle.passes.load(Ordering::Relaxed) - before)
    };
    let with = search(&warm);
    warm.sampled = None;
    let without = search(&warm);
    assert!(8 * with.1 < 7 * without.1, "{} passes with a sample, {} without", with.1, without.1);
    let tolerance = problem.accuracy().tolerance;
    for (one, other) in with.0.iter().zip(&without.0) {
        assert!(length(&moved(one, -1.0, other)) <= 2.0 * tolerance);
    }
}
