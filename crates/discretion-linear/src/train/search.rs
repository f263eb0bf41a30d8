//! A search for the tables where something is largest, for tests: random numbers and hill climbing.

use discretion_privacy::noise::{Seeded, Source};

/// Normal numbers from a seed.
pub(super) struct Numbers(Seeded);

impl Numbers {
    pub(super) fn new(seed: u64) -> Numbers {
        Numbers(Seeded::new(seed))
    }

    pub(super) fn uniform(&mut self) -> f64 {
        let mut word = [0];
        self.0.fill(&mut word).unwrap();
        (word[0] >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Nearly normal: twelve uniform numbers.
    pub(super) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    /// A step by which numbers of a size are moved: some of them, by little or by much.
    pub(super) fn step(&mut self) -> Step<'_> {
        let step = (-9.0 * self.uniform()).exp();
        let share = [0.1, 0.5, 1.0][(3.0 * self.uniform()) as usize];
        Step { numbers: self, step, share }
    }
}

/// How far numbers are moved.
pub(super) struct Step<'n> {
    numbers: &'n mut Numbers,
    step: f64,
    share: f64,
}

impl Step<'_> {
    /// Moves a number of about this size, or leaves it.
    pub(super) fn move_by(&mut self, size: f64, x: &mut f64) {
        if self.numbers.uniform() < self.share {
            *x += size * self.step * self.numbers.normal();
        }
    }
}

/// The largest value that hill climbing finds from the best of these starts.
pub(super) fn largest<T: Clone>(
    mut starts: Vec<T>,
    steps: usize,
    value: impl Fn(&T) -> f64,
    mut moved: impl FnMut(&T) -> T,
) -> f64 {
    const CLIMBS: usize = 8;
    starts.sort_by(|a, b| value(b).total_cmp(&value(a)));
    let climb = |start: &T| {
        let (mut here, mut at) = (start.clone(), value(start));
        for _ in 0..steps {
            let other = moved(&here);
            let found = value(&other);
            if found > at {
                (here, at) = (other, found);
            }
        }
        at
    };
    starts[..CLIMBS].iter().map(climb).fold(0.0, f64::max)
}
