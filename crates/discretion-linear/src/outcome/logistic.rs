//! The logistic loss; at many margins at once with an exponential of our own, because the library's
//! takes one number at a time.

use super::logistic_weighted::weighted;
use super::{Bounds, Heads, Label, Loss, LossKind, LossSpec, Outcome};
use discretion_privacy::account::Curvature;
use discretion_privacy::noise::BigFloat;
use pulp::{Arch, NullaryFnOnce};

/// f(m) = ln(1 + e^{−m}); t = 1/4.
#[derive(Clone, Copy, Debug, Default)]
pub struct Logistic;

impl Outcome for Logistic {
    fn label(&self) -> Label {
        Label::Sign
    }

    fn heads(&self) -> Heads {
        Heads::One
    }

    fn bounds(&self) -> Bounds {
        Bounds { relation: Curvature::Logistic, ..Bounds::of_margin(0.25, self.value(0.0)) }
    }

    fn loss(&self) -> &dyn Loss {
        self
    }

    /// |f′| falls with the margin.
    fn inverse_slope(&self, length: f64) -> f64 {
        1.0 + (-length).exp()
    }
}

impl Loss for Logistic {
    fn value(&self, margin: f64) -> f64 {
        (-margin).max(0.0) + (-margin.abs()).exp().ln_1p()
    }

    fn slope(&self, margin: f64) -> f64 {
        -1.0 / (1.0 + margin.exp())
    }

    fn curvature(&self, margin: f64) -> f64 {
        let small = (-margin.abs()).exp();
        small / ((1.0 + small) * (1.0 + small))
    }

    fn big_slope(&self, margin: &BigFloat) -> BigFloat {
        // Past ±2²⁰ the slope is 0 or −1 to a million bits, more than anyone asks for.
        let far = BigFloat::from(1 << 20);
        let near = margin.clone().clamp(-far.clone(), far);
        let one = BigFloat::ONE.with_precision(margin.precision()).value();
        -(&one / (near.with_precision(margin.precision()).value().exp() + &one))
    }

    fn evaluate(&self, margins: &[f64], slopes: &mut [f64], curvatures: &mut [f64]) -> f64 {
        evaluate(margins, slopes, curvatures)
    }

    fn evaluate_weighted(
        &self,
        margins: &[f64],
        weights: &[f64],
        slopes: &mut [f64],
        curvatures: &mut [f64],
    ) -> f64 {
        weighted(margins, weights, slopes, curvatures)
    }

    fn spec(&self) -> Option<LossSpec> {
        Some(LossSpec::plain(LossKind::Logistic))
    }
}

/// Margins that are looked at side by side.
pub(super) const LANES: usize = 8;

/// Margins past this are as good as infinite: e^{−708} is the last power whose double is not
/// subnormal.
const FAR: f64 = 708.0;

/// A product of so many numbers up to 2 is far from the largest double.
const PRODUCT: usize = 64 * LANES;

/// Slopes and curvatures of ln(1 + e^{−m}), each to a few units in its last place; returns the sum
/// of the values.
pub(super) fn evaluate(margins: &[f64], slopes: &mut [f64], curvatures: &mut [f64]) -> f64 {
    Arch::new().dispatch(Evaluate { margins, slopes, curvatures })
}

struct Evaluate<'a> {
    margins: &'a [f64],
    slopes: &'a mut [f64],
    curvatures: &'a mut [f64],
}

impl NullaryFnOnce for Evaluate<'_> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let mut value = 0.0;
        let groups = self.margins.chunks(PRODUCT).zip(self.slopes.chunks_mut(PRODUCT));
        for ((margins, slopes), curvatures) in groups.zip(self.curvatures.chunks_mut(PRODUCT)) {
            let (mut below, mut products) = ([0.0; LANES], [1.0; LANES]);
            let (whole, rest) = margins.as_chunks();
            let (slopes, last_slopes) = slopes.as_chunks_mut();
            let (curvatures, last_curvatures) = curvatures.as_chunks_mut();
            for ((m, slopes), curvatures) in whole.iter().zip(slopes).zip(curvatures) {
                [*slopes, *curvatures] = expand(m, &mut below, &mut products);
            }
            if !rest.is_empty() {
                // Far margins add nothing to the value.
                let mut m = [2.0 * FAR; LANES];
                m[..rest.len()].copy_from_slice(rest);
                let [slopes, curvatures] = expand(&m, &mut below, &mut products);
                last_slopes.copy_from_slice(&slopes[..rest.len()]);
                last_curvatures.copy_from_slice(&curvatures[..rest.len()]);
            }
            // A logarithm of a product of numbers in (1, 2] instead of a logarithm for each.
            value += below.iter().sum::<f64>() + products.iter().product::<f64>().ln();
        }
        value
    }
}

/// Slopes and curvatures; adds max(0, −m) to `below` and multiplies `products` by 1 + e^{−|m|}.
#[inline(always)]
fn expand(
    m: &[f64; LANES],
    below: &mut [f64; LANES],
    products: &mut [f64; LANES],
) -> [[f64; LANES]; 2] {
    let (mut slopes, mut curvatures) = ([0.0; LANES], [0.0; LANES]);
    for k in 0..LANES {
        let small;
        [slopes[k], curvatures[k], small] = at(m[k]);
        below[k] += (-m[k]).max(0.0);
        products[k] *= 1.0 + small;
    }
    [slopes, curvatures]
}

/// Slope, curvature and e^{−|m|}.
#[inline(always)]
pub(super) fn at(m: f64) -> [f64; 3] {
    // Not `min`, which would take NaN for far away.
    let distance = if m.abs() > FAR { FAR } else { m.abs() };
    let small = exponential_of_minus(distance);
    let inverse = 1.0 / (1.0 + small);
    let slope = if m >= 0.0 { -small * inverse } else { -inverse };
    [slope, (small * inverse * inverse).min(0.25), small]
}

/// e^{−a} for 0 ≤ a ≤ 708, with a relative error below 3 units in the last place (`PROOF.md` of the
/// solver).
#[inline(always)]
fn exponential_of_minus(a: f64) -> f64 {
    /// Adding this rounds to a whole number, which then stands in the last bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    /// ln 2 in two parts; the first has 32 bits, so that its product with a whole number below 2²¹
    /// is exact.
    const LN_2: [f64; 2] =
        [f64::from_bits(0x3FE6_2E42_FEE0_0000), f64::from_bits(0x3DEA_39EF_3579_3C76)];
    /// 1/k! from k = 13 down to 2.
    const TAYLOR: [f64; 12] = [
        1.0 / 6_227_020_800.0,
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        1.0 / 2.0,
    ];
    let shifted = a * -std::f64::consts::LOG2_E + ROUND;
    let whole = shifted - ROUND;
    let rest = (-a - whole * LN_2[0]) - whole * LN_2[1];
    let mut series = TAYLOR[0];
    for coefficient in &TAYLOR[1..] {
        series = series * rest + coefficient;
    }
    let near_one = 1.0 + (rest + rest * rest * series);
    near_one * f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use discretion_privacy::noise::exact;

    /// Over the whole range, and where rounding to a whole power changes its mind.
    #[test]
    fn the_exponential_is_good_to_three_units() {
        let edges = (0..1021u32).flat_map(|n| {
            let edge = (f64::from(n) + 0.5) * std::f64::consts::LN_2;
            [edge.next_down(), edge, edge.next_up()]
        });
        let grid = (0..14_160u32).map(|i| f64::from(i) * 0.05 + 1e-9);
        let mut worst = 0f64;
        for a in edges.chain(grid).chain([0.0, 1e-300, f64::EPSILON, FAR]) {
            let truth = (-exact(a).with_precision(100).value()).exp();
            let off = (exact(exponential_of_minus(a)) - &truth) / &truth;
            worst = worst.max(off.to_f64().value().abs());
        }
        assert!(worst < 3.0 * f64::EPSILON / 2.0, "{:.2} units", worst / (f64::EPSILON / 2.0));
    }

    #[test]
    fn what_is_not_a_number_stays_so() {
        let [mut slopes, mut curvatures] = [[0.0; 3]; 2];
        assert!(evaluate(&[1.0, f64::NAN, -1.0], &mut slopes, &mut curvatures).is_nan());
        assert!(slopes[1].is_nan() && slopes[0].is_finite() && slopes[2].is_finite());
    }

    /// Rows that are looked at together do not see each other, and none is left out at any length.
    #[test]
    fn a_margin_s_slope_is_the_same_in_any_company() {
        let margins: Vec<f64> = (0..1100).map(|i| f64::from(i) * 0.37 - 200.0).collect();
        for length in [1, 7, 8, 9, 31, 511, 512, 513, 1100] {
            let [mut slopes, mut curvatures] = [vec![f64::NAN; length], vec![f64::NAN; length]];
            let value = evaluate(&margins[..length], &mut slopes, &mut curvatures);
            let expected: f64 = margins[..length].iter().map(|&m| Logistic.value(m)).sum();
            assert!((value - expected).abs() <= 1e-14 * expected, "{length}: {value} {expected}");
            for (row, &m) in margins[..length].iter().enumerate() {
                let [mut slope, mut curvature] = [[f64::NAN]; 2];
                evaluate(&[m], &mut slope, &mut curvature);
                assert_eq!(([slopes[row]], [curvatures[row]]), (slope, curvature), "{m}");
            }
        }
    }

    #[test]
    fn far_margins_saturate_instead_of_overflowing() {
        for m in [-1e308, -1e4, 1e4, 1e308] {
            let [mut slopes, mut curvatures] = [[f64::NAN; 1]; 2];
            let value = Logistic.evaluate(&[m], &mut slopes, &mut curvatures);
            assert!(value.is_finite() && (-1.0..=0.0).contains(&slopes[0]), "{m} {slopes:?}");
            assert!((0.0..1e-300).contains(&curvatures[0]), "{m} {curvatures:?}");
            assert!(Logistic.slope(m) == if m > 0.0 { -0.0 } else { -1.0 });
        }
    }
}
