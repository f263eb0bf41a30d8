//! The law of s·Z + v·b where b has no mixture of normals: from draws of b, which are made once and
//! serve every v (`PROOF.md`, "Noise with the shape of the rows").

use super::draws::Stream;
use discretion_privacy::account::ShapedLaw;
use std::cell::OnceCell;
use std::f64::consts::SQRT_2;

/// Draws, as many as make this many numbers …
const NUMBERS: usize = 1 << 23;
/// … but no fewer than this and no more than that.
const FEWEST: usize = 1 << 13;
const MOST: usize = 1 << 14;

/// Fixed, so that a report says the same whenever it is made.
const SEED: u64 = 25;

/// Tails below this rest on few draws; the law is log-concave, which bounds them by a line through
/// two larger ones.
const SMALL: f64 = 0.01;
const LESS_SMALL: f64 = 0.05;

/// Places a deviation of the normal part apart, to which draws are moved. Sharing a draw between
/// its two neighbours keeps the mean and adds at most a 1,024th of that part's variance, so
/// intervals are longer by less than 0.05 %.
const PLACES: f64 = 16.0;

/// How near a solution is, as a share of it.
const PRECISION: f64 = 1e-12;

/// Steps by secants before halving begins.
const SECANTS: u32 = 40;

/// Which end of a bracket stayed where it was.
#[derive(PartialEq)]
enum End {
    Low,
    High,
}

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
        let variances =
            variances.flat_map(|(range, variance)| range.map(move |_| variance)).collect();
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
        let deviation = normal.sqrt();
        DrawnSum {
            shifts: gathered(&shifts, deviation),
            deviation,
            typical: (normal + self.variance(v)).sqrt(),
        }
    }
}

/// Shifts with their probabilities: on a grid that is fine beside the normal part, or as they are
/// where that would be no fewer.
fn gathered(shifts: &[f64], deviation: f64) -> Vec<(f64, f64)> {
    let each = 1.0 / shifts.len() as f64;
    let step = deviation / PLACES;
    let largest = shifts.iter().fold(0.0, |a: f64, b| a.max(*b));
    // A step of 0 too.
    if largest >= (shifts.len() - 2) as f64 * step {
        return shifts.iter().map(|&shift| (shift, each)).collect();
    }
    let mut grid: Vec<(f64, f64)> =
        (0..(largest / step) as usize + 2).map(|i| (i as f64 * step, 0.0)).collect();
    for shift in shifts {
        let place = shift / step;
        let above = place.fract();
        grid[place as usize].1 += (1.0 - above) * each;
        grid[place as usize + 1].1 += above * each;
    }
    grid
}

/// A symmetric law: normal around each of some shifts and their opposites.
pub(super) struct DrawnSum {
    /// With their probabilities.
    shifts: Vec<(f64, f64)>,
    deviation: f64,
    /// The standard deviation of the whole.
    typical: f64,
}

impl DrawnSum {
    /// x ↦ P(|sum| > x).
    pub(super) fn tails(&self) -> impl Fn(f64) -> f64 {
        let ends = OnceCell::new();
        move |x| {
            if x <= 0.0 {
                return 1.0;
            }
            let tail = self.tail_of_draws(x);
            if tail >= SMALL {
                return tail;
            }
            let (far, near) = *ends.get_or_init(|| (self.solve(SMALL), self.solve(LESS_SMALL)));
            SMALL * (SMALL / LESS_SMALL).powf((x - far).max(0.0) / (far - near))
        }
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
        let beyond = |&(shift, probability): &(f64, f64)| {
            let (above, below) = (x - shift, x + shift);
            // Nine deviations away erfc is 0 or 2 to the last digit that counts; no deviation at
            // all is as far as that.
            if above.abs() > 9.0 * self.deviation {
                return if above < 0.0 { probability } else { 0.0 };
            }
            0.5 * probability * (libm::erfc(above / unit) + libm::erfc(below / unit))
        };
        self.shifts.iter().map(beyond).sum()
    }

    /// Where the tail is this, for a tail of at least [`SMALL`]: between 0 and where Chebyshev has
    /// it smaller, by secants of its logarithm, which is nearly a line. The end that stays is
    /// pulled in, so that both ends come near (the Illinois rule).
    fn solve(&self, tail: f64) -> f64 {
        let excess = |x: f64| (self.tail_of_draws(x) / tail).ln();
        let (mut low, mut high) = (0.0, self.typical / tail.sqrt());
        let (mut at_low, mut at_high) = (-tail.ln(), excess(high));
        while at_high > 0.0 {
            high *= 2.0;
            at_high = excess(high);
        }
        let mut stayed = None;
        for step in 0.. {
            if high - low <= PRECISION * high {
                break;
            }
            // Without a normal part the tail is a stair, on which secants may creep.
            let is_smooth = at_high.is_finite() && step < SECANTS;
            let share = if is_smooth { at_low / (at_low - at_high) } else { 0.5 };
            let middle = low + share * (high - low);
            let at = excess(middle);
            if at > 0.0 {
                (low, at_low) = (middle, at);
                at_high *= if stayed == Some(End::High) { 0.5 } else { 1.0 };
                stayed = Some(End::High);
            } else {
                (high, at_high) = (middle, at);
                at_low *= if stayed == Some(End::Low) { 0.5 } else { 1.0 };
                stayed = Some(End::Low);
            }
        }
        high
    }
}
