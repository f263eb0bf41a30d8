//! A model of a number: sums of its residuals, and how far from its predictions outcomes are.
//!
//! Outcomes are on the scale of the fit, from −1 to 1.

mod figures;

#[cfg(test)]
mod tests;

pub use figures::{Coverage, NumberFigures};

use super::plan::{Moves, OF_COUNTS, checked, if_it_says_something, noises};
use super::{QualityError, normal_quantile};
use discretion_privacy::Budget;
use discretion_privacy::account::Event;
use discretion_privacy::noise::{IntegerNoise, Released, Sensitive, Source};
use serde::{Deserialize, Serialize};

/// The share of the budget that counts how far outcomes are from predictions; the rest pays for
/// sums.
const COUNTS_SHARE: f64 = 0.3;

/// Levels of prediction intervals that are looked at.
pub const LEVELS: [f64; 5] = [0.5, 0.8, 0.9, 0.95, 0.99];

/// Residuals are clipped at so many of their deviations.
pub const CLIPPED_AT: f64 = 4.0;

/// A sum counts in units of this part of what one row can add to it.
const UNIT: i64 = 1 << 14;

/// Sums of one group: residuals above 0, those below it, their squares, and squares of outcomes.
const SUMS: usize = 4;

/// Counts of one group: the intervals at [`LEVELS`], what is beyond the last of them but not
/// clipped, and what is; on both sides.
const CELLS: usize = 2 * (LEVELS.len() + 2);

/// What evaluation of a model of a number is wanted. Everything in it is public.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumberQuality {
    /// What this run may spend.
    pub budget: Budget,
    /// How many groups of rows are counted apart.
    pub groups: usize,
    /// The standard deviation that residuals are expected to have.
    pub deviation: f64,
    /// The mean that outcomes are expected to have.
    pub mean: f64,
    /// Whether the model only predicts, and neither is its own: then R² and prediction intervals
    /// cannot be told.
    pub predictions_alone: bool,
}

/// Everything public about a run.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberPlan {
    rows: usize,
    budget: Budget,
    groups: usize,
    scale: SumScale,
    predictions_alone: bool,
    /// For counts, and for sums.
    pub(super) noise: [IntegerNoise; 2],
}

/// What a row can add to sums: a residual counts up to `clip`, and the square of an outcome's
/// distance from `mean` up to `most`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SumScale {
    clip: f64,
    mean: f64,
    most: f64,
}

/// Sums and counts. They depend on rows, and nothing here prints them.
#[derive(Clone)]
pub struct NumberTally {
    scale: SumScale,
    /// Where cells end, on one side.
    edges: Vec<f64>,
    counts: Vec<i64>,
    sums: Vec<i64>,
}

/// Noisy sums and counts. All of it is public once it is released.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NumberSums {
    /// The public number of rows.
    pub rows: usize,
    /// What sums are in units of.
    pub scale: SumScale,
    /// For each group, how many rows are how many of their prediction's deviations off, the lowest
    /// first.
    pub counts: Vec<Vec<i64>>,
    /// The standard deviation of the noise in each of them.
    pub counts_deviation: f64,
    /// For each group, the sums of residuals above 0, of those below it, of their squares, and of
    /// squares of outcomes.
    pub sums: Vec<Vec<i64>>,
    /// The standard deviation of the noise in each of them.
    pub sums_deviation: f64,
    /// Whether all noise is discrete Laplace; Gaussian otherwise.
    pub laplace: bool,
    /// Whether the model only predicts: distances are then in units that were fixed beforehand, and
    /// its mean is not known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub predictions_alone: bool,
}

/// How far one replaced row can move all sums (`PROOF.md`, "Numbers").
fn moves(groups: usize) -> Moves {
    let unit = UNIT as u32;
    match groups {
        1 => Moves { l1: 3 * unit + unit / 4 + 1, l2_squared: 3 * unit * unit + 2 * unit + 1 },
        // Out of the sums of one group and into those of another.
        _ => Moves { l1: 6 * unit, l2_squared: 6 * unit * unit },
    }
}

impl NumberQuality {
    /// Checks the request and fixes every public number of a run.
    pub fn plan(&self, rows: usize) -> Result<NumberPlan, QualityError> {
        let plan = |rows: usize| self.plan_whatever_it_says(rows);
        if_it_says_something(plan, NumberPlan::says_something, rows, self.budget)
    }

    fn plan_whatever_it_says(&self, rows: usize) -> Result<NumberPlan, QualityError> {
        let &NumberQuality { budget, groups, deviation, mean, predictions_alone } = self;
        checked(budget, groups)?;
        if !(deviation.is_finite() && deviation >= 0.0 && mean.is_finite()) {
            return Err(QualityError::Deviation(deviation));
        }
        let shares = [(COUNTS_SHARE, OF_COUNTS), (1.0 - COUNTS_SHARE, moves(groups))];
        let noise = noises(budget, &shares).try_into().expect("one for each share");
        let scale = SumScale::new(deviation, mean);
        Ok(NumberPlan { rows, budget, groups, scale, predictions_alone, noise })
    }
}

impl SumScale {
    fn new(deviation: f64, mean: f64) -> SumScale {
        let mean = mean.clamp(-1.0, 1.0);
        // A model that claims to err by nothing is not believed; no outcome is farther than 2 from
        // another.
        SumScale {
            clip: (CLIPPED_AT * deviation).clamp(1e-3, 2.0),
            mean,
            most: (1.0 + mean.abs()).powi(2),
        }
    }

    /// What one row adds to the sums: whole numbers from 0 to [`UNIT`], whatever the row is.
    fn sums(&self, residual: f64, outcome: f64) -> [i64; SUMS] {
        // Not `clamp`, which would let a NaN pass: what is no number is 0.
        let units = |share: f64| {
            if share > 0.0 { (share.min(1.0) * UNIT as f64).round() as i64 } else { 0 }
        };
        let [over, under] = [units(residual / self.clip), units(-residual / self.clip)];
        let size = over + under;
        let square = (size * size + UNIT / 2) / UNIT;
        [over, under, square, units((outcome - self.mean).powi(2) / self.most)]
    }

    /// Larger residuals count as this one.
    pub fn clip(&self) -> f64 {
        self.clip
    }

    fn is_possible(&self) -> bool {
        self.clip > 0.0 && self.most > 0.0 && (self.clip + self.most + self.mean).is_finite()
    }
}

impl NumberPlan {
    /// The public number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// What the run may spend.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// How many groups are counted apart.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// What running this plan does to the table, for an account.
    pub fn event(&self) -> Event {
        Event::Composition { of: self.noise.iter().map(IntegerNoise::event).collect() }
    }

    /// Half the width of a 95 % interval for an R² of one half, from sampling alone and with noise,
    /// if the deviation of outcomes is an eighth of their declared range.
    pub fn expected_half_width(&self) -> [f64; 2] {
        let (deviation, groups): (f64, f64) = (0.25, self.groups as f64);
        let half = 0.5 * deviation * deviation;
        let scale = SumScale::new(half.sqrt(), 0.0);
        let noise = groups * (self.noise[1].deviation() / UNIT as f64).powi(2);
        let spread = figures::Spread { square: half, fourth: 3.0 * half * half, explained: half };
        let sampling = spread.of_ratio(0.5) / (self.rows as f64 * (2.0 * half).powi(2));
        let of_noise = noise * (scale.clip.powi(4) + 0.25 * scale.most.powi(2))
            / (self.rows as f64 * 2.0 * half).powi(2);
        [sampling, sampling + of_noise].map(|variance| normal_quantile(0.975) * variance.sqrt())
    }

    /// Half the width of a 95 % interval for the root mean square of residuals, as a part of it,
    /// from sampling alone and with noise, if it is a tenth of the declared range and residuals are
    /// clipped where this plan does.
    pub fn expected_of_residuals(&self) -> [f64; 2] {
        let (square, rows): (f64, f64) = (0.2 * 0.2, self.rows as f64);
        let noise = self.groups as f64 * (self.noise[1].deviation() / UNIT as f64).powi(2);
        let sampling = 2.0 * square * square / rows;
        let of_noise = noise * self.scale.clip.powi(4) / (rows * rows);
        // Of a root, half as much as of what is under it.
        [sampling, sampling + of_noise]
            .map(|variance| normal_quantile(0.975) * variance.sqrt() / (2.0 * square))
    }

    /// Whether the model only predicts.
    pub fn predictions_alone(&self) -> bool {
        self.predictions_alone
    }

    fn says_something(&self) -> bool {
        let [_, half] = match self.predictions_alone {
            true => self.expected_of_residuals(),
            false => self.expected_half_width(),
        };
        half < 0.25
    }

    /// Returns what sums are in units of.
    pub fn scale(&self) -> SumScale {
        self.scale
    }

    /// No row yet.
    pub fn tally(&self) -> NumberTally {
        NumberTally::new(self.scale, self.groups)
    }

    /// Releases counts and sums.
    ///
    /// Postcondition: what is released satisfies [`NumberPlan::budget`] for replace-one neighbours,
    /// if `source` is the operating system.
    pub fn run(
        &self,
        tally: &NumberTally,
        source: &mut dyn Source,
    ) -> Result<Released<NumberSums>, QualityError> {
        if tally.rows() != self.rows
            || tally.scale != self.scale
            || tally.counts.len() != self.groups * CELLS
        {
            return Err(QualityError::OtherTable { planned: self.rows, found: tally.rows() });
        }
        let [for_counts, for_sums] = self.noise;
        let counts = for_counts.release(Sensitive::new(tally.counts.clone()), source)?;
        let sums = for_sums.release(Sensitive::new(tally.sums.clone()), source)?;
        let groups =
            |flat: &[i64], each: usize| flat.chunks_exact(each).map(<[i64]>::to_vec).collect();
        Ok(counts.map(|counts| NumberSums {
            rows: self.rows,
            scale: self.scale,
            counts: groups(&counts, CELLS),
            counts_deviation: for_counts.deviation(),
            sums: groups(&sums, SUMS),
            sums_deviation: for_sums.deviation(),
            laplace: matches!(for_counts, IntegerNoise::Laplace { .. }),
            predictions_alone: self.predictions_alone,
        }))
    }
}

/// How many deviations from a prediction cells end, on one side.
fn edges() -> impl DoubleEndedIterator<Item = f64> + ExactSizeIterator + Clone {
    const EDGES: usize = LEVELS.len() + 1;
    (0..EDGES).map(|k| LEVELS.get(k).map_or(CLIPPED_AT, |level| normal_quantile(0.5 + 0.5 * level)))
}

impl NumberTally {
    pub(super) fn new(scale: SumScale, groups: usize) -> NumberTally {
        let [counts, sums] = [CELLS, SUMS].map(|each| vec![0; groups * each]);
        NumberTally { scale, edges: edges().collect(), counts, sums }
    }

    pub(super) fn counts_mut(&mut self) -> impl Iterator<Item = &mut i64> {
        self.counts.iter_mut().chain(&mut self.sums)
    }

    /// The public number of rows.
    fn rows(&self) -> usize {
        self.counts.iter().sum::<i64>().try_into().unwrap_or(0)
    }

    /// Counts a row: what its prediction is off, the deviation that the model gives this
    /// prediction, its outcome, and its group if there are several.
    pub fn add(&mut self, residual: f64, deviation: f64, outcome: f64, group: usize) {
        let away = (residual / deviation).abs();
        let cell = self.edges.iter().take_while(|&&edge| away > edge).count();
        let middle = CELLS / 2;
        let place = if residual < 0.0 { middle - 1 - cell } else { middle + cell };
        self.counts[group * CELLS + place] += 1;
        let sums = &mut self.sums[group * SUMS..][..SUMS];
        sums.iter_mut()
            .zip(self.scale.sums(residual, outcome))
            .for_each(|(sum, part)| *sum += part);
    }
}

impl NumberSums {
    /// The standard deviation of the noise in each sum, in units of what one row can add to it.
    pub fn sums_deviation_in_rows(&self) -> f64 {
        self.sums_deviation / UNIT as f64
    }

    /// Whether its parts belong together; a sentence if not.
    pub fn checked(&self) -> Result<(), &'static str> {
        let full =
            |groups: &[Vec<i64>], each: usize| groups.iter().all(|group| group.len() == each);
        let alike = self.counts.len() == self.sums.len() && !self.counts.is_empty();
        if !(alike && full(&self.counts, CELLS) && full(&self.sums, SUMS)) {
            return Err("its counts and sums do not belong together");
        }
        let deviations = [self.counts_deviation, self.sums_deviation];
        match deviations.iter().all(|d| d.is_finite() && *d >= 0.0) && self.scale.is_possible() {
            true => Ok(()),
            false => Err("its noise has no deviation, or its sums no unit"),
        }
    }
}
