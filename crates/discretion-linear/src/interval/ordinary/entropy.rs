//! The law of largest entropy on [−1, 1] that has a mean and a variance.

/// Points of the range that the law is on.
const POINTS: usize = 65;

/// Newton's steps; each is halved until it helps.
const STEPS: usize = 60;

/// Means and variances this near to the ends of what is possible are moved inside.
const INSIDE: f64 = 1e-3;

/// Weights of points that are evenly spread over [−1, 1], proportional to e^(ax + bx²).
pub(super) struct LargestEntropy {
    weights: [f64; POINTS],
}

impl LargestEntropy {
    /// The law with this mean and variance, or with the nearest that a law in the range can have.
    pub(super) fn of(mean: f64, variance: f64) -> LargestEntropy {
        let mean = mean.clamp(-1.0 + INSIDE, 1.0 - INSIDE);
        let most = 1.0 - mean * mean;
        let variance = variance.clamp(INSIDE * most, (1.0 - INSIDE) * most);
        let wanted = [mean, variance + mean * mean];
        // A normal law without the ends of the range is where to begin.
        let mut now = Tilted::of([mean / variance, -0.5 / variance], wanted);
        for _ in 0..STEPS {
            let [first, second] = now.off;
            if first.abs().max(second.abs()) < 1e-10 {
                break;
            }
            let [[p, q], [_, r]] = now.spread;
            let determinant = p * r - q * q;
            if determinant <= 0.0 {
                break;
            }
            let step =
                [(r * first - q * second) / determinant, (p * second - q * first) / determinant];
            let halves = std::iter::successors(Some(1.0), |length| Some(0.5 * length));
            let next = halves
                .take(40)
                .map(|length| {
                    let by = [now.by[0] + length * step[0], now.by[1] + length * step[1]];
                    Tilted::of(by, wanted)
                })
                .find(|next| next.value < now.value);
            match next {
                Some(next) => now = next,
                None => break,
            }
        }
        LargestEntropy { weights: now.weights }
    }

    /// Points and their probabilities.
    pub(super) fn points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        (0..POINTS).map(point).zip(self.weights)
    }
}

fn point(i: usize) -> f64 {
    2.0 * i as f64 / (POINTS - 1) as f64 - 1.0
}

/// The law proportional to e^(ax + bx²), and how far its moments are from those that are wanted.
struct Tilted {
    by: [f64; 2],
    weights: [f64; POINTS],
    /// Wanted less found: of x, and of x².
    off: [f64; 2],
    /// The covariance of x and x².
    spread: [[f64; 2]; 2],
    /// ln Σ e^(ax + bx²) less a and b times what is wanted: convex, and least at the law wanted.
    value: f64,
}

impl Tilted {
    fn of(by: [f64; 2], wanted: [f64; 2]) -> Tilted {
        let exponent = |i: usize| by[0] * point(i) + by[1] * point(i) * point(i);
        let most = (0..POINTS).map(exponent).fold(f64::NEG_INFINITY, f64::max);
        let mut weights = std::array::from_fn(|i| (exponent(i) - most).exp());
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);
        let moment = |k: i32| -> f64 {
            weights.iter().enumerate().map(|(i, weight)| weight * point(i).powi(k)).sum()
        };
        let [first, second, third, fourth] = [1, 2, 3, 4].map(moment);
        let mixed = third - first * second;
        Tilted {
            by,
            weights,
            off: [wanted[0] - first, wanted[1] - second],
            spread: [[second - first * first, mixed], [mixed, fourth - second * second]],
            value: most + sum.ln() - by[0] * wanted[0] - by[1] * wanted[1],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_law_has_the_moments_that_are_wanted() {
        for mean in [-0.999, -0.98, -0.5, 0.0, 0.3, 0.95] {
            for share in [0.002, 0.01, 0.1, 1.0 / 3.0, 0.6, 0.95] {
                let variance = share * (1.0 - mean * mean);
                let law = LargestEntropy::of(mean, variance);
                let moment = |k: i32| law.points().map(|(x, w)| w * x.powi(k)).sum::<f64>();
                let found = moment(2) - moment(1).powi(2);
                let is_near = (moment(1) - mean).abs() < 2e-3
                    && (found - variance).abs() < 1e-3 + 0.02 * variance;
                assert!(is_near, "{mean} {variance}: {} {found}", moment(1));
            }
        }
    }

    /// With mean 0 and variance ⅓ it is the uniform law, up to the ends of the grid.
    #[test]
    fn the_uniform_law_is_one_of_them() {
        let even = LargestEntropy::of(
            0.0,
            (0..POINTS).map(|i| point(i).powi(2)).sum::<f64>() / POINTS as f64,
        );
        assert!(even.points().all(|(_, weight)| (weight * POINTS as f64 - 1.0).abs() < 1e-6));
    }
}
