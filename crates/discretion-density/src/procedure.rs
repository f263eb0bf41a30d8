//! Histograms as something that can be tuned: the candidates are numbers of bins.

use super::fitted::{Fitted, MOST_CELLS};
use super::released::Density;
use super::{Axis, DensityError, Points};
use discretion_choose::{Procedure, Refused, Stability, Trainer};
use discretion_privacy::account::Event;
use discretion_privacy::noise::{IntegerNoise, NoiseError, Released, Sensitive, Source};
use discretion_privacy::{Pure, ROUNDING_SLACK};
use serde::{Deserialize, Serialize};

/// A candidate: the number of bins of each column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bins(pub Vec<usize>);

impl Bins {
    /// K.
    pub fn cells(&self) -> usize {
        self.0.iter().product()
    }

    pub(super) fn check(&self, axes: &[Axis]) -> Result<(), DensityError> {
        let fits = |(axis, &bins): (&Axis, &usize)| bins > 0 && axis.cells(bins) == bins;
        if self.0.len() != axes.len() || !axes.iter().zip(&self.0).all(fits) {
            return Err(DensityError::Bins { bins: self.0.clone() });
        }
        match self.0.iter().try_fold(1usize, |product, &bins| product.checked_mul(bins)) {
            Some(cells) if cells <= MOST_CELLS => Ok(()),
            _ => Err(DensityError::TooManyCells { bins: self.0.clone(), most: MOST_CELLS }),
        }
    }
}

/// Algorithm 5 of Chaudhuri & Vinterbo 2013 with a guarded normalisation, which makes it stable for
/// every draw.
pub struct Histograms {
    axes: Vec<Axis>,
    candidates: Vec<Bins>,
    noise: IntegerNoise,
    doubt: f64,
    ceiling: u32,
}

impl Histograms {
    /// Histograms of these columns, for candidates that fit them. `noise` is for Δ₁ = 2 or Δ₂² = 2.
    /// With probability 1 − `doubt` no candidate's normalisation needs its guard. Scores look at
    /// densities up to `ceiling` times the even one.
    pub fn new(
        axes: Vec<Axis>,
        candidates: Vec<Bins>,
        noise: IntegerNoise,
        doubt: f64,
        ceiling: u32,
    ) -> Result<Histograms, DensityError> {
        if axes.is_empty() {
            return Err(DensityError::NoAxes);
        }
        axes.iter().try_for_each(Axis::check)?;
        candidates.iter().try_for_each(|bins| bins.check(&axes))?;
        if candidates.is_empty() {
            return Err(Refused::NoCandidates.into());
        }
        if !(doubt > 0.0 && doubt < 1.0) {
            return Err(Refused::Doubt(doubt).into());
        }
        if ceiling == 0 {
            return Err(DensityError::Ceiling);
        }
        Ok(Histograms { axes, candidates, noise, doubt, ceiling })
    }

    /// The columns.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// What a release adds to the counts.
    pub fn noise(&self) -> IntegerNoise {
        self.noise
    }

    /// How far the sum of K noises falls below 0, but for a probability of δ₀/k: νn of `PROOF.md`,
    /// "Guard".
    pub(super) fn noise_below(&self, cells: usize) -> f64 {
        let k = self.candidates.len() as f64;
        let cells = cells as f64;
        match self.noise {
            IntegerNoise::Laplace { sensitivity, budget: Pure { epsilon } } => {
                f64::from(sensitivity) / epsilon * (4.0 * k / self.doubt).ln() * cells.sqrt()
            }
            IntegerNoise::Gaussian { .. } | IntegerNoise::Rounded { .. } => {
                self.noise.deviation() * (2.0 * cells * (k / self.doubt).ln()).sqrt()
            }
        }
    }

    /// M = ⌊(1 − ν)n⌋, at least 1: what counts are divided by if they sum to less.
    pub(super) fn guard(&self, cells: usize, rows: usize) -> u64 {
        (rows as f64 - self.noise_below(cells)).floor().max(1.0) as u64
    }

    /// The highest density that a score can see: no cell has one above K.
    fn highest(&self, bins: &Bins) -> f64 {
        (bins.cells() as f64).min(f64::from(self.ceiling))
    }
}

impl Procedure for Histograms {
    type Candidate = Bins;
    type Table = Points;
    type Randomness = Vec<i64>;
    type Model = (Bins, Fitted);
    type Error = NoiseError;

    fn candidates(&self) -> &[Bins] {
        &self.candidates
    }

    fn rows(&self, table: &Points) -> usize {
        table.rows()
    }

    fn draw(&self, bins: &Bins, source: &mut dyn Source) -> Result<Vec<i64>, NoiseError> {
        self.noise.draw(bins.cells(), source)
    }

    fn train(
        &self,
        training: &Points,
        bins: &Bins,
        randomness: &Vec<i64>,
    ) -> Result<(Bins, Fitted), NoiseError> {
        let counts = training.counts(&bins.0);
        let noisy =
            counts.into_iter().zip(randomness).map(|(count, noise)| count.saturating_add(*noise));
        Ok((bins.clone(), Fitted::new(noisy, self.guard(bins.cells(), training.rows()))))
    }

    fn score(
        &self,
        (bins, fitted): &(Bins, Fitted),
        validation: &Points,
    ) -> Result<f64, NoiseError> {
        Ok(fitted.score(&validation.counts(&bins.0), self.ceiling))
    }

    fn score_range(&self, bins: &Bins) -> (f64, f64) {
        let highest = self.highest(bins);
        (-highest, highest)
    }

    /// `PROOF.md`, "Stability": 4H/M and 2H/m for every draw, and the rounding of two scores.
    fn stability(&self, bins: &Bins, training_rows: usize, validation_rows: usize) -> Stability {
        let highest = self.highest(bins);
        let rounding = highest * f64::EPSILON;
        let enlarged = |x: f64| (x + rounding) * (1.0 + ROUNDING_SLACK);
        Stability {
            training: enlarged(4.0 * highest / self.guard(bins.cells(), training_rows) as f64),
            validation: enlarged(2.0 * highest / validation_rows as f64),
            failure: 0.0,
        }
    }
}

impl Trainer for Histograms {
    type Output = Density;

    fn price(&self, _: usize) -> Event {
        self.noise.event()
    }

    fn release(
        &self,
        table: &Points,
        bins: &Bins,
        source: &mut dyn Source,
    ) -> Result<Released<Density>, NoiseError> {
        let counts = Sensitive::new(table.counts(&bins.0));
        let guard = self.guard(bins.cells(), table.rows());
        let noisy = self.noise.release(counts, source)?;
        Ok(noisy.map(|counts| {
            let probabilities = Fitted::new(counts.into_iter(), guard).probabilities();
            Density::of(self.axes.clone(), bins.clone(), probabilities)
        }))
    }
}
