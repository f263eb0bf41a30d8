//! Student's law with a whole number of degrees of freedom, in closed form (Abramowitz & Stegun
//! 26.7.3 and 26.7.4).

/// P(|T| ≤ t).
pub(super) fn within(t: f64, freedom: usize) -> f64 {
    assert!(freedom >= 1, "there is at least one degree of freedom");
    let angle = (t / (freedom as f64).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    // cos θ (1 + 2/3 cos²θ + …) or 1 + 1/2 cos²θ + …, up to the power ν − 2.
    let is_odd = freedom % 2 == 1;
    let (mut term, mut sum) = if is_odd { (cosine, 0.0) } else { (1.0, 0.0) };
    let first = if is_odd { 1 } else { 0 };
    for power in (first..freedom.saturating_sub(1)).step_by(2) {
        sum += term;
        term *= cosine * cosine * (power + 1) as f64 / (power + 2) as f64;
    }
    let inside =
        if is_odd { (angle + sine * sum) * std::f64::consts::FRAC_2_PI } else { sine * sum };
    inside.clamp(0.0, 1.0)
}

/// t with P(|T| ≤ t) = level.
pub(super) fn quantile(level: f64, freedom: usize) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while within(high, freedom) < level && high < 1e300 {
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if within(middle, freedom) < level { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_every_table() {
        for (freedom, level, expected) in [
            (1, 0.95, 12.706_204_7),
            (2, 0.95, 4.302_652_7),
            (3, 0.95, 3.182_446_3),
            (7, 0.95, 2.364_624_3),
            (7, 0.99, 3.499_483_3),
            (8, 0.9, 1.859_548),
            (100, 0.95, 1.983_971_5),
        ] {
            let found = quantile(level, freedom);
            assert!((found - expected).abs() < 1e-6, "{freedom} {level}: {found}");
        }
    }
}
