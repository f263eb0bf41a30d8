//! What frequencies prove: exact binomial confidence limits (Clopper & Pearson 1934) and the bound
//! on ε made of two.
//!
//! For an event E that was fixed before the runs were made, (ε, δ)-privacy says P[E | one side] ≤
//! e^ε P[E | other] + δ. If p_low ≤ P[E | one side] and P[E | other] ≤ q_high, each but for a
//! probability of (1 − confidence)/2, then ε ≥ ln((p_low − δ)/q_high) and δ ≥ p_low − e^ε q_high
//! but for a probability of 1 − confidence.

/// The largest number that is below the success probability with probability 1 − `error`, when
/// `successes` of `trials` were seen; rounded down.
pub fn lower_limit(successes: usize, trials: usize, error: f64) -> f64 {
    assert!(successes <= trials, "no more successes than trials");
    if successes == 0 {
        return 0.0;
    }
    let (a, b) = (successes as f64, (trials - successes) as f64 + 1.0);
    limit(|x| incomplete_beta(a, b, x) <= error).0
}

/// The smallest number that is above the success probability with probability 1 − `error`; rounded
/// up.
pub fn upper_limit(successes: usize, trials: usize, error: f64) -> f64 {
    assert!(successes <= trials, "no more successes than trials");
    if successes == trials {
        return 1.0;
    }
    let (a, b) = (successes as f64 + 1.0, (trials - successes) as f64);
    limit(|x| incomplete_beta(b, a, 1.0 - x) > error).1
}

/// The two ends of the interval in which `is_below` turns from true to false, nearly equal.
fn limit(is_below: impl Fn(f64) -> bool) -> (f64, f64) {
    let (mut low, mut high) = (0.0, 1.0);
    while high - low > 1e-12 * high {
        let middle = 0.5 * (low + high);
        if is_below(middle) { low = middle } else { high = middle }
    }
    (low, high)
}

/// What two frequencies prove of ε at δ: ln((p_low − δ)/q_high), at least 0.
pub fn epsilon_at_least(happened: [usize; 2], trials: usize, delta: f64, confidence: f64) -> f64 {
    let error = 0.5 * (1.0 - confidence);
    let excess = lower_limit(happened[0], trials, error) - delta;
    if excess <= 0.0 {
        return 0.0;
    }
    (excess / upper_limit(happened[1], trials, error)).ln().max(0.0)
}

/// What two frequencies prove of δ at ε: p_low − e^ε q_high, at least 0.
pub fn delta_at_least(happened: [usize; 2], trials: usize, epsilon: f64, confidence: f64) -> f64 {
    let error = 0.5 * (1.0 - confidence);
    let (low, high) =
        (lower_limit(happened[0], trials, error), upper_limit(happened[1], trials, error));
    (low - epsilon.exp() * high).max(0.0)
}

/// A quick stand-in for [`epsilon_at_least`] that ranks events (Wilson 1927). Nothing is proved
/// with it.
pub(super) fn rough_epsilon(happened: [usize; 2], trials: usize, delta: f64, z: f64) -> f64 {
    let n = trials as f64;
    let wilson = |count: usize, sign: f64| {
        let p = count as f64 / n;
        let spread = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
        (p + z * z / (2.0 * n) + sign * spread) / (1.0 + z * z / n)
    };
    let excess = wilson(happened[0], -1.0) - delta;
    if excess <= 0.0 { f64::NEG_INFINITY } else { (excess / wilson(happened[1], 1.0)).ln() }
}

/// The z above which a standard normal lies with probability `error`.
pub(super) fn normal_quantile(error: f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if discretion_privacy::normal_cdf(-middle) > error { low = middle } else { high = middle }
    }
    high
}

/// The regularised incomplete beta function I_x(a, b), by its continued fraction.
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let ln_front =
        libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * x.ln() + b * (-x).ln_1p();
    // The fraction converges quickly on this side of the mean only.
    if x < (a + 1.0) / (a + b + 2.0) {
        (ln_front - a.ln()).exp() * fraction(a, b, x)
    } else {
        1.0 - (ln_front - b.ln()).exp() * fraction(b, a, 1.0 - x)
    }
}

/// Lentz's method for the continued fraction of the incomplete beta function.
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |x: f64| if x.abs() < TINY { TINY } else { x };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut result = d;
    // About √max(a, b) steps are enough; this bound is never reached.
    for m in 1..100_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut step = 1.0;
        for term in [even, odd] {
            d = 1.0 / away(1.0 + term * d);
            c = away(1.0 + term / c);
            step *= d * c;
        }
        result *= step;
        if (step - 1.0).abs() < 1e-15 {
            break;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// scipy.stats.beta.ppf, 1.11.
    #[test]
    fn limits_agree_with_published_ones() {
        // Clopper–Pearson for 10 of 100 at 95 %, in any table: 0.0490 to 0.1762.
        assert!((lower_limit(10, 100, 0.025) - 0.049_004_689).abs() < 1e-8);
        assert!((upper_limit(10, 100, 0.025) - 0.176_222_598).abs() < 1e-8);
        // With no success the limit is 1 − error^{1/n} exactly.
        assert!((upper_limit(0, 1000, 5e-4) - (1.0 - 5e-4f64.powf(1e-3))).abs() < 1e-12);
        assert_eq!((lower_limit(0, 10, 0.1), upper_limit(10, 10, 0.1)), (0.0, 1.0));
        assert!((lower_limit(10, 10, 0.05) - 0.05f64.powf(0.1)).abs() < 1e-11);
    }

    /// The limits' own definition: the chance of what was seen, or more, is the error. Summed term
    /// by term.
    #[test]
    fn limits_are_where_the_tail_has_the_chance_they_say() {
        for (successes, trials) in [(3usize, 50usize), (400, 1000), (990, 1000)] {
            for error in [0.05, 5e-4] {
                let tail = |p: f64, range: std::ops::RangeInclusive<usize>| {
                    let n = trials as f64;
                    let term = |k: usize| {
                        let k = k as f64;
                        let choose = libm::lgamma(n + 1.0)
                            - libm::lgamma(k + 1.0)
                            - libm::lgamma(n - k + 1.0);
                        (choose + k * p.ln() + (n - k) * (1.0 - p).ln()).exp()
                    };
                    range.map(term).sum::<f64>()
                };
                let above = tail(lower_limit(successes, trials, error), successes..=trials);
                let below = tail(upper_limit(successes, trials, error), 0..=successes);
                assert!((above / error - 1.0).abs() < 1e-6, "{successes} of {trials}: {above}");
                assert!((below / error - 1.0).abs() < 1e-6, "{successes} of {trials}: {below}");
            }
        }
    }

    #[test]
    fn many_trials_are_no_trouble() {
        let (low, high) =
            (lower_limit(250_000, 1_000_000, 5e-4), upper_limit(250_000, 1_000_000, 5e-4));
        let spread = 3.29 * (0.25 * 0.75 / 1e6f64).sqrt();
        assert!(
            (0.25 - low - spread).abs() < 1e-5 && (high - 0.25 - spread).abs() < 1e-5,
            "{low} {high}"
        );
    }
}
