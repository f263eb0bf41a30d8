//! What the proofs assume of a loss, checked numerically.

use super::Loss;
use discretion_privacy::noise::exact;
use std::slice;

/// Checks numerically what the proofs assume of a loss, and says what is violated.
pub fn check(loss: &dyn Loss) -> Result<(), String> {
    const STEP: f64 = 1e-5;
    let t = loss.curvature_bound();
    for i in -200_000..=200_000 {
        let m = f64::from(i) * 2e-4 + 1e-7;
        let (slope, curvature) = (loss.slope(m), loss.curvature(m));
        if loss.value(m) < 0.0 {
            return Err(format!("value {} at margin {m} is below 0", loss.value(m)));
        }
        let steepest = if loss.falls_and_rises() { 1.0 } else { 0.0 };
        if !(-1.0..=steepest).contains(&slope) {
            return Err(format!("slope {slope} at margin {m} is outside [−1, {steepest}]"));
        }
        let [mut block_slope, mut block_curvature] = [0.0; 2];
        let value = loss.evaluate(
            &[m],
            slice::from_mut(&mut block_slope),
            slice::from_mut(&mut block_curvature),
        );
        for curvature in [curvature, block_curvature] {
            if !(0.0..=t).contains(&curvature) {
                return Err(format!("curvature {curvature} at margin {m} is outside [0, t = {t}]"));
            }
        }
        let (left, right) = (loss.slope(m - STEP), loss.slope(m + STEP));
        let secant = (right - left) / (2.0 * STEP);
        if secant < -1e-9 || secant > t * (1.0 + 1e-9) + 1e-9 {
            return Err(format!(
                "the slope changes at rate {secant} near margin {m}, outside [0, t = {t}]"
            ));
        }
        let chord = (loss.value(m + STEP) - loss.value(m - STEP)) / (2.0 * STEP);
        if (chord - slope).abs() > t * STEP + 1e-9 {
            return Err(format!(
                "slope {slope} at margin {m} is not the derivative {chord} of the value"
            ));
        }
        let gap = (value - loss.value(m)).abs()
            + (block_slope - slope).abs()
            + (block_curvature - curvature).abs();
        if gap > 1e-14 * (1.0 + m.abs()) {
            return Err(format!("evaluate disagrees with value, slope or curvature at margin {m}"));
        }
        if i % 1000 == 0 {
            let big = loss.big_slope(&exact(m).with_precision(120).value()).to_f64().value();
            // 16 units, of which half of one is the rounding of `big`.
            if (big - slope).abs().max((big - block_slope).abs()) > 15.5 * f64::EPSILON / 2.0 {
                return Err(format!(
                    "slope {slope} or {block_slope} differs from big_slope {big} at margin {m}"
                ));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::{Huber, HuberisedHinge, Logistic};
    use discretion_privacy::noise::BigFloat;

    #[test]
    fn shipped_losses_are_what_the_proofs_assume() {
        check(&Logistic).unwrap();
        check(&HuberisedHinge::default()).unwrap();
        check(&Huber::default()).unwrap();
    }

    #[test]
    fn the_check_catches_a_wrong_curvature_bound() {
        struct TooFlat;
        impl Loss for TooFlat {
            fn value(&self, m: f64) -> f64 {
                Logistic.value(m)
            }
            fn slope(&self, m: f64) -> f64 {
                Logistic.slope(m)
            }
            fn curvature(&self, _: f64) -> f64 {
                0.0
            }
            fn curvature_bound(&self) -> f64 {
                0.2
            }
            fn big_slope(&self, m: &BigFloat) -> BigFloat {
                Logistic.big_slope(m)
            }
        }
        assert!(check(&TooFlat).unwrap_err().contains("changes at rate"));
    }
}
