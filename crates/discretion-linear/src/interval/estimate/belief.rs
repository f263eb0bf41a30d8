//! What is believed of a number above 0 that was seen with noise.

/// How finely the range is looked at, as far as noise can reach: a step is a few per cent, or less than a tenth of the noise.
const POINTS: usize = 201;

/// Noise is not larger than this many deviations.
const REACH: f64 = 8.0;

/// What is believed of a number after it was seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Belief {
    /// The geometric mean: as likely to be too large as too small by a factor.
    pub(super) typical: f64,
    pub(super) mean: f64,
    pub(super) variance: f64,
}

/// `seen` is a number between `least` and `most` plus normal noise. Before, all its orders of magnitude were equally likely.
pub(super) fn belief(seen: f64, deviation: f64, least: f64, most: f64) -> Belief {
    if deviation <= 0.0 {
        let sure = seen.max(0.0);
        return Belief { typical: sure, mean: sure, variance: 0.0 };
    }
    let near = |x: f64| x.max(least).min(most);
    let (least, most) = (near(seen - REACH * deviation), near(seen + REACH * deviation));
    let step = (most / least).ln().max(0.0) / (POINTS - 1) as f64;
    let points = (0..POINTS).map(|i| least * (step * i as f64).exp());
    let likelihood = |x: f64| -0.5 * ((seen - x) / deviation).powi(2);
    let best = points.clone().map(likelihood).fold(f64::NEG_INFINITY, f64::max);
    let [mut weights, mut logs, mut sums, mut squares] = [0.0; 4];
    for x in points {
        let weight = (likelihood(x) - best).exp();
        weights += weight;
        logs += weight * x.ln();
        sums += weight * x;
        squares += weight * x * x;
    }
    let mean = sums / weights;
    Belief { typical: (logs / weights).exp(), mean, variance: (squares / weights - mean * mean).max(0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_noise_leaves_a_number_as_it_is_and_much_noise_leaves_the_middle_of_its_range() {
        let clear = belief(0.1, 1e-2, 1e-4, 1.0);
        assert!((clear.typical / 0.1 - 1.0).abs() < 0.02 && clear.mean > clear.typical, "{clear:?}");
        assert!((clear.variance.sqrt() / 1e-2 - 1.0).abs() < 0.05, "{clear:?}");
        let clearer = belief(0.1, 1e-6, 1e-4, 1.0);
        assert!((clearer.typical / 0.1 - 1.0).abs() < 1e-5, "{clearer:?}");
        let unseen = belief(0.0, 1e3, 1e-4, 1.0);
        assert!((unseen.typical / 1e-2 - 1.0).abs() < 0.01, "{unseen:?}");
        // A number below its noise is believed to be well below it.
        let hidden = belief(-1e-3, 1e-2, 1e-5, 1.0);
        assert!(hidden.typical > 1e-5 && hidden.typical < 2e-3, "{hidden:?}");
        assert_eq!(belief(-1.0, 0.0, 1e-4, 1.0).typical, 0.0);
    }
}
