//! Curves in training: the solution is that of a dense design made by hand, and the noise is priced
//! as that of one column.

use super::*;
use crate::erm::Facts;
use crate::erm::matrix::{Batch, Curve, Layout, Matrix, Norm, Stored};
use crate::loss::LossKind;
use discretion_privacy::noise::Column;

const KNOTS: usize = 6;
const C: f32 = 0.25;

fn rows() -> (Vec<f32>, Vec<bool>) {
    let position = |i: usize| (i * 37 % 1000) as f32 / 1000.0 * (KNOTS - 1) as f32;
    let is_positive = |i: usize| (position(i) - 2.5).abs() + ((i * 7 % 11) as f32) / 5.0 > 2.0;
    (0..900).map(|i| (position(i), is_positive(i))).unzip()
}

/// One curve, or its hats as numbers: the same model, without noise, by the same λ.
#[test]
fn without_noise_a_curve_is_a_dense_design_of_hats() {
    let (positions, positive) = rows();
    let curve = vec![Stored::Curve(Curve { knots: KNOTS, missing: false, value: C })];
    let layout = Layout::with_curves(Norm::Scale, C, curve, vec![], &[]).unwrap();
    let curved = Matrix::of(
        layout,
        Batch { numeric: positions.clone(), positive: positive.clone(), ..Batch::default() },
    );
    let hat = |p: f32, k: usize| (1.0 - (p - k as f32).abs()).max(0.0) * C;
    let numeric = positions.iter().flat_map(|&p| (0..KNOTS).map(move |k| hat(p, k))).collect();
    let dense = Layout::new(Norm::Scale, C, vec![C; KNOTS], vec![]).unwrap();
    let dense = Matrix::of(dense, Batch { numeric, positive, ..Batch::default() });
    for loss in [LossKind::Logistic, LossKind::Hinge] {
        let [ours, theirs] = [&curved, &dense]
            .map(|rows| not_private(&rows.all(), loss, 1e-2).unwrap().into_inner());
        assert_eq!(ours.len(), KNOTS + 1);
        // u has 20 bits, and the dense entries 24.
        assert!(ours.iter().zip(&theirs).all(|(a, b)| (a - b).abs() < 1e-4), "{ours:?} {theirs:?}");
        assert!(ours[1] > ours[3] && ours[KNOTS] > ours[4], "it bends: {ours:?}");
    }
}

/// A curve of many knots is one column of its size for every law; noise for each of its knots apart
/// would be larger.
#[test]
fn a_curve_is_priced_as_one_column() {
    let facts = |knots: usize| {
        let curve = vec![Stored::Curve(Curve { knots, missing: false, value: C })];
        Facts::of_layout(10_000, &Layout::with_curves(Norm::Scale, C, curve, vec![], &[]).unwrap())
    };
    let columns = facts(40).columns.unwrap();
    let expected = [1, 40].map(|coefficients| Column { coefficients, size: f64::from(C) });
    assert_eq!(columns.iter().collect::<Vec<_>>(), expected);
    let budget = Budget::Pure { epsilon: 1.0 };
    let training =
        Training { loss: LossKind::Logistic, lambda: Some(1e-2), method: Method::Auto, budget };
    let dense =
        Facts::of_layout(10_000, &Layout::new(Norm::Scale, 0.15, vec![0.15; 40], vec![]).unwrap());
    let [curve, apart] =
        [facts(40), dense].map(|facts| training.plan(facts).unwrap().chosen().expected_error());
    assert!(curve < apart, "{curve} {apart}");
}
