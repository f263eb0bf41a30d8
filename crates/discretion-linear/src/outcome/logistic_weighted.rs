//! The logistic loss of rows that count in part, as a person's do: several margins at once here,
//! too.

use super::logistic::{LANES, at};
use pulp::{Arch, NullaryFnOnce};

/// Slopes and curvatures of ln(1 + e^{−m}) times their weights, the very products; returns the sum
/// of values times weights.
pub(super) fn weighted(
    margins: &[f64],
    weights: &[f64],
    slopes: &mut [f64],
    curvatures: &mut [f64],
) -> f64 {
    Arch::new().dispatch(EvaluateWeighted { margins, weights, slopes, curvatures })
}

struct EvaluateWeighted<'a> {
    margins: &'a [f64],
    weights: &'a [f64],
    slopes: &'a mut [f64],
    curvatures: &'a mut [f64],
}

impl NullaryFnOnce for EvaluateWeighted<'_> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let mut values = [0.0; LANES];
        let (margins, last_margins) = self.margins.as_chunks::<LANES>();
        let (weights, last_weights) = self.weights.as_chunks::<LANES>();
        let (slopes, last_slopes) = self.slopes.as_chunks_mut::<LANES>();
        let (curvatures, last_curvatures) = self.curvatures.as_chunks_mut::<LANES>();
        let whole = margins.iter().zip(weights).zip(slopes).zip(curvatures);
        for (((m, weights), slopes), curvatures) in whole {
            [*slopes, *curvatures] = expand(m, weights, &mut values);
        }
        let rest = last_margins.len();
        if rest > 0 {
            let [mut m, mut weights] = [[0.0; LANES]; 2];
            m[..rest].copy_from_slice(last_margins);
            weights[..rest].copy_from_slice(last_weights);
            let [slopes, curvatures] = expand(&m, &weights, &mut values);
            last_slopes.copy_from_slice(&slopes[..rest]);
            last_curvatures.copy_from_slice(&curvatures[..rest]);
        }
        values.iter().sum()
    }
}

/// Slopes and curvatures times weights; adds the values times weights, of rows that have any.
#[inline(always)]
fn expand(
    m: &[f64; LANES],
    weights: &[f64; LANES],
    values: &mut [f64; LANES],
) -> [[f64; LANES]; 2] {
    let (mut slopes, mut curvatures) = ([0.0; LANES], [0.0; LANES]);
    for k in 0..LANES {
        let [slope, curvature, small] = at(m[k]);
        // A logarithm for each: a product of numbers with different weights has none.
        let value = weights[k] * ((-m[k]).max(0.0) + logarithm_of_1_plus(small));
        values[k] += if weights[k] > 0.0 { value } else { 0.0 };
        (slopes[k], curvatures[k]) = (weights[k] * slope, weights[k] * curvature);
    }
    [slopes, curvatures]
}

/// ln(1 + x) for 0 ≤ x ≤ 1, to a few units in its last place: 2·artanh(s) for s = x/(2 + x) or,
/// from √2 − 1 on, ln 2 and that of half of 1 + x.
#[inline(always)]
fn logarithm_of_1_plus(x: f64) -> f64 {
    /// 2/(2k + 1) from k = 11 down to 0; s² is below 0.03.
    const SERIES: [f64; 12] = [
        2.0 / 23.0,
        2.0 / 21.0,
        2.0 / 19.0,
        2.0 / 17.0,
        2.0 / 15.0,
        2.0 / 13.0,
        2.0 / 11.0,
        2.0 / 9.0,
        2.0 / 7.0,
        2.0 / 5.0,
        2.0 / 3.0,
        2.0,
    ];
    let is_large = x > std::f64::consts::SQRT_2 - 1.0;
    let (above, below) = if is_large { (x - 1.0, x + 3.0) } else { (x, x + 2.0) };
    let s = above / below;
    let mut series = SERIES[0];
    for coefficient in &SERIES[1..] {
        series = series * (s * s) + coefficient;
    }
    s * series + if is_large { std::f64::consts::LN_2 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::super::logistic::evaluate;
    use super::*;
    use crate::loss::{Logistic, Loss};
    use discretion_privacy::noise::exact;

    #[test]
    fn the_logarithm_is_good_to_a_few_units() {
        let grid = (1..=20_000u32).map(|i| f64::from(i) / 20_000.0);
        let worst = grid.chain([1e-300, 1e-17, 0.414_213_562_373, 0.414_213_562_374]).map(|x| {
            let truth = (exact(x).with_precision(100).value() + exact(1.0))
                .with_precision(100)
                .value()
                .ln();
            match x < 1e-15 {
                // Here the sum above rounds, and ln(1 + x) is x.
                true => (logarithm_of_1_plus(x) / x - 1.0).abs(),
                false => ((exact(logarithm_of_1_plus(x)) - &truth) / &truth).to_f64().value().abs(),
            }
        });
        let worst = worst.fold(0.0, f64::max);
        assert!(worst < 4.0 * f64::EPSILON / 2.0, "{:.2} units", worst / (f64::EPSILON / 2.0));
        assert_eq!(logarithm_of_1_plus(0.0), 0.0);
    }

    /// At any length, and with weights that are nothing at margins that are everything.
    #[test]
    fn weighted_sums_are_those_of_one_row_after_the_other() {
        let margins: Vec<f64> =
            (0..530).map(|i| f64::from(i) * 0.37 - 100.0).chain([-f64::MAX; 3]).collect();
        let weights: Vec<f64> =
            (0..530u32).map(|i| 1.0 / f64::from(1 + i % 11)).chain([0.0; 3]).collect();
        for length in [1, 7, 8, 9, 533] {
            let [mut slopes, mut curvatures] = [vec![f64::NAN; length], vec![f64::NAN; length]];
            let (margins, weights) = (&margins[..length], &weights[..length]);
            let value = Logistic.evaluate_weighted(margins, weights, &mut slopes, &mut curvatures);
            let rows = margins.iter().zip(weights).filter(|row| *row.1 > 0.0);
            let expected: f64 = rows.map(|(&m, weight)| weight * Logistic.value(m)).sum();
            assert!((value - expected).abs() <= 1e-14 * expected, "{length}: {value} {expected}");
            let [mut plain, mut bent] = [vec![f64::NAN; length], vec![f64::NAN; length]];
            evaluate(margins, &mut plain, &mut bent);
            let times = |of: &[f64]| of.iter().zip(weights).map(|(x, w)| w * x).collect::<Vec<_>>();
            assert_eq!((slopes, curvatures), (times(&plain), times(&bent)));
        }
    }
}
