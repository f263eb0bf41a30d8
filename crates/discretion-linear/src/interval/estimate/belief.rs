//! What is believed of a number above 0 that was seen with noise.

/// How finely the range is looked at, as far as noise can reach: a step is a few per cent, or less
/// than a tenth of the noise.
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

/// Halvings of where a tilt lies.
const ROUNDS: usize = 40;

/// `seen` is a number between `least` and `most` plus normal noise. Before, all its orders of
/// magnitude were equally likely.
pub(super) fn belief(seen: f64, deviation: f64, least: f64, most: f64) -> Belief {
    tilted(seen, deviation, least, most, 0.0)
}

/// The same of numbers (each as it was seen, and the deviation of its noise) that add up to `most`
/// together with one more, of which nothing was seen.
///
/// Given their sum, each is believed as before times e^(−tilt·x), up to what is small with many
/// numbers. The tilt is the one with which their means add up to the sum. It moves a number that
/// was seen clearly in proportion to the variance of its noise, and says of many that noise hides
/// that they cannot all be as large as the noise.
pub(super) fn shares(seen: &[(f64, f64)], least: f64, most: f64) -> Vec<Belief> {
    let noise =
        |&(_, deviation): &(f64, f64)| if deviation > 0.0 { deviation } else { f64::INFINITY };
    let smallest = seen.iter().map(noise).fold(f64::INFINITY, f64::min);
    let each =
        |tilt: f64| seen.iter().map(move |&(x, deviation)| tilted(x, deviation, least, most, tilt));
    let (mut low, mut high) = (-REACH / smallest, REACH / smallest);
    let rounds = if smallest < f64::INFINITY { ROUNDS } else { 0 };
    for _ in 0..rounds {
        let tilt = (low + high) / 2.0;
        let unseen = tilted(0.0, 1e3 * most, least, most, tilt).mean;
        let is_too_much = unseen + each(tilt).map(|belief| belief.mean).sum::<f64>() > most;
        (low, high) = if is_too_much { (tilt, high) } else { (low, tilt) };
    }
    each((low + high) / 2.0).collect()
}

/// Before, a number was e^(−tilt·x) times as likely as all orders of magnitude being alike would
/// have it.
fn tilted(seen: f64, deviation: f64, least: f64, most: f64, tilt: f64) -> Belief {
    if deviation <= 0.0 {
        let sure = seen.max(0.0);
        return Belief { typical: sure, mean: sure, variance: 0.0 };
    }
    let near = |x: f64| x.max(least).min(most);
    let (least, most) = (near(seen - REACH * deviation), near(seen + REACH * deviation));
    let step = (most / least).ln().max(0.0) / (POINTS - 1) as f64;
    let points = (0..POINTS).map(|i| least * (step * i as f64).exp());
    let likelihood = |x: f64| -0.5 * ((seen - x) / deviation).powi(2) - tilt * x;
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
    Belief {
        typical: (logs / weights).exp(),
        mean,
        variance: (squares / weights - mean * mean).max(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_noise_leaves_a_number_as_it_is_and_much_noise_leaves_the_middle_of_its_range() {
        let clear = belief(0.1, 1e-2, 1e-4, 1.0);
        assert!(
            (clear.typical / 0.1 - 1.0).abs() < 0.02 && clear.mean > clear.typical,
            "{clear:?}"
        );
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

    #[test]
    fn a_sum_that_is_known_moves_what_noise_hides() {
        // Two halves, both seen too large: the noise that they share is taken back.
        for share in shares(&[(0.52, 0.02), (0.52, 0.02)], 1e-4, 1.0) {
            assert!((share.typical - 0.5).abs() < 4e-3, "{share:?}");
        }
        // Less noise is moved less.
        let two = shares(&[(0.52, 0.02), (0.52, 0.01)], 1e-6, 1.0);
        assert!(((two[0].mean - 0.52) / (two[1].mean - 0.52) - 4.0).abs() < 0.1, "{two:?}");
        // One is most of it; of forty that noise hides each alone could be as large as its noise,
        // and all together cannot.
        let mut seen = vec![(0.95, 0.05)];
        seen.extend((0..40).map(|i| (if i % 2 == 0 { 0.04 } else { -0.04 }, 0.05)));
        let found = shares(&seen, 1e-4, 1.0);
        let sum: f64 = found.iter().map(|share| share.mean).sum();
        assert!(sum < 1.0 && sum > 0.98, "{sum}");
        assert!(found[0].typical > 0.8, "{:?}", found[0]);
        for (share, &(x, deviation)) in found.iter().zip(&seen).skip(1) {
            assert!(share.typical < 0.8 * belief(x, deviation, 1e-4, 1.0).typical, "{share:?}");
        }
        // What is known stays.
        let sure = shares(&[(0.25, 0.0), (0.5, 0.0)], 1e-4, 1.0);
        assert_eq!((sure[0].typical, sure[1].typical, sure[1].variance), (0.25, 0.5, 0.0));
    }
}
