//! The law of s·Z + v·b where b has no mixture of normals: from draws of b, which are made once and serve every v
//! (`PROOF.md`, "Noise with the shape of the rows").

use super::draws::Stream;
use discretion_privacy::account::ShapedLaw;
use std::f64::consts::SQRT_2;

/// Draws, as many as make this many numbers …
const NUMBERS: usize = 1 << 23;
/// … but no fewer than this and no more than that.
const FEWEST: usize = 1 << 13;
const MOST: usize = 1 << 14;

/// Fixed, so that a report says the same whenever it is made.
const SEED: u64 = 25;

/// Tails below this rest on few draws; the law is log-concave, which bounds them by a line through two larger ones.
const SMALL: f64 = 0.01;
const LESS_SMALL: f64 = 0.05;

/// Draws of the training's noise.
pub(super) struct Drawn {
    /// Vectors, one after the other.
    numbers: Vec<f64>,
    dimension: usize,
    /// The variance of each coordinate.
    variances: Vec<f64>,
}

impl Drawn {
    pub(super) fn of(law: &ShapedLaw) -> Drawn {
        let columns = law.columns();
        let dimension = columns.dimension();
        let count = (NUMBERS / dimension).clamp(FEWEST, MOST);
        let mut stream = Stream::new(SEED, 0);
        let numbers = (0..count).flat_map(|_| stream.shaped(law)).collect();
        let variances = columns.ranges().zip(law.variances());
        let variances = variances.flat_map(|(range, variance)| range.map(move |_| variance)).collect();
        Drawn { numbers, dimension, variances }
    }

    /// The variance of v·b.
    pub(super) fn variance(&self, v: &[f64]) -> f64 {
        self.variances.iter().zip(v).map(|(variance, v)| variance * v * v).sum()
    }

    /// The law of √(normal)·Z + v·b.
    pub(super) fn along(&self, v: &[f64], normal: f64) -> DrawnSum {
        let on = |b: &[f64]| b.iter().zip(v).map(|(b, v)| b * v).sum::<f64>().abs();
        let shifts: Vec<f64> = self.numbers.chunks_exact(self.dimension).map(on).collect();
        DrawnSum { shifts, deviation: normal.sqrt(), typical: (normal + self.variance(v)).sqrt() }
    }
}

/// A symmetric law: normal around each of some shifts and their opposites.
pub(super) struct DrawnSum {
    shifts: Vec<f64>,
    deviation: f64,
    /// The standard deviation of the whole.
    typical: f64,
}

impl DrawnSum {
    /// P(|sum| > x).
    pub(super) fn tail(&self, x: f64) -> f64 {
        if x <= 0.0 {
            return 1.0;
        }
        let tail = self.tail_of_draws(x);
        if tail >= SMALL {
            return tail;
        }
        let (far, near) = (self.solve(SMALL), self.solve(LESS_SMALL));
        SMALL * (SMALL / LESS_SMALL).powf((x - far).max(0.0) / (far - near))
    }

    /// The x that is exceeded with probability 1 − level.
    pub(super) fn half_width(&self, level: f64) -> f64 {
        let tail = 1.0 - level;
        if tail >= SMALL {
            return self.solve(tail);
        }
        let (far, near) = (self.solve(SMALL), self.solve(LESS_SMALL));
        far + (far - near) * (tail / SMALL).ln() / (SMALL / LESS_SMALL).ln()
    }

    fn tail_of_draws(&self, x: f64) -> f64 {
        let unit = SQRT_2 * self.deviation;
        let beyond = |shift: &f64| {
            let (above, below) = (x - shift, x + shift);
            // Nine deviations away erfc is 0 or 2 to the last digit that counts; no deviation at all is as far as that.
            if above.abs() > 9.0 * self.deviation {
                return if above < 0.0 { 1.0 } else { 0.0 };
            }
            0.5 * (libm::erfc(above / unit) + libm::erfc(below / unit))
        };
        self.shifts.iter().map(beyond).sum::<f64>() / self.shifts.len() as f64
    }

    /// Where the tail is this, for a tail of at least [`SMALL`]: by halving between 0 and where Chebyshev has it smaller.
    fn solve(&self, tail: f64) -> f64 {
        let (mut low, mut high) = (0.0, self.typical / tail.sqrt());
        while self.tail_of_draws(high) > tail {
            high *= 2.0;
        }
        while high - low > 1e-5 * high && high > 0.0 {
            let middle = 0.5 * (low + high);
            if self.tail_of_draws(middle) > tail {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }
}
