//! Scores between 0 and 1 as two histograms, the second shifted by half a bin (Algorithms 7 and 8
//! of the paper).

/// The width γ of a score's bins, as its whole number of bins 1/γ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bins(u32);

/// The finest bins that are allowed.
pub const MOST_BINS: u32 = 1000;

/// A width that does not divide the unit interval.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "gamma must be 1 divided by a whole number from 2 to {MOST_BINS}, because its bins fill the scores from 0 to 1; \
     {gamma} is not, the nearest is {nearest}"
)]
pub struct NoBins {
    /// What was asked for.
    pub gamma: f64,
    /// The nearest width that would do.
    pub nearest: f64,
}

impl Bins {
    /// Bins of width `gamma`. Decimals stand for the fraction they mean: 0.3333 is a third.
    pub fn of_width(gamma: f64) -> Result<Bins, NoBins> {
        let clamped =
            if gamma > 0.0 { (1.0 / gamma).clamp(2.0, f64::from(MOST_BINS)) } else { 2.0 };
        let bins = clamped.round();
        let nearest = 1.0 / bins;
        let is_meant = (gamma * bins - 1.0).abs() < 5e-4;
        if is_meant { Ok(Bins(bins as u32)) } else { Err(NoBins { gamma, nearest }) }
    }

    /// 1/γ.
    pub fn count(self) -> u32 {
        self.0
    }

    /// γ.
    pub fn width(self) -> f64 {
        1.0 / f64::from(self.0)
    }

    /// How many scores are in each bin. A score that is not a number from 0 to 1 counts as 0.
    pub(crate) fn plain(self, scores: &[f32]) -> Vec<u32> {
        let mut counts = vec![0; self.0 as usize];
        for &score in scores {
            let bin = (in_range(score) * f64::from(self.0)) as usize;
            counts[bin.min(self.0 as usize - 1)] += 1;
        }
        counts
    }

    /// The same for bins shifted by half their width. The half bins at both ends are left out, with
    /// their scores.
    pub(crate) fn shifted(self, scores: &[f32]) -> Vec<u32> {
        let mut counts = vec![0; self.0 as usize - 1];
        for &score in scores {
            let place = in_range(score) * f64::from(self.0) - 0.5;
            if place >= 0.0
                && let Some(count) = counts.get_mut(place as usize)
            {
                *count += 1;
            }
        }
        counts
    }

    /// The middle of a bin.
    pub(crate) fn middle(self, bin: usize) -> f64 {
        (bin as f64 + 0.5) * self.width()
    }

    /// The middle of a shifted bin.
    pub(crate) fn shifted_middle(self, bin: usize) -> f64 {
        (bin as f64 + 1.0) * self.width()
    }
}

/// A learner's score, or 0 for what no learner should return.
pub(crate) fn in_range(score: f32) -> f64 {
    if (0.0..=1.0).contains(&score) { f64::from(score) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_widths_that_fill_the_unit_interval_are_taken() {
        for (gamma, bins) in
            [(0.5, 2), (0.1, 10), (0.3333, 3), (0.125, 8), (0.001, 1000), (1.0 / 7.0, 7)]
        {
            assert_eq!(Bins::of_width(gamma).unwrap().count(), bins, "{gamma}");
        }
        for (gamma, nearest) in
            [(0.3, 1.0 / 3.0), (0.11, 1.0 / 9.0), (0.9, 0.5), (1e-9, 0.001), (-1.0, 0.5)]
        {
            assert_eq!(Bins::of_width(gamma), Err(NoBins { gamma, nearest }));
        }
        assert!(Bins::of_width(f64::NAN).is_err());
    }

    #[test]
    fn every_score_has_one_bin_and_at_most_one_shifted_bin() {
        let bins = Bins::of_width(0.25).unwrap();
        let scores = [0.0, 0.1, 0.125, 0.25, 0.49, 0.5, 0.874, 0.875, 1.0, f32::NAN, 7.0];
        assert_eq!(bins.plain(&scores), [5, 2, 1, 3]);
        assert_eq!(bins.shifted(&scores), [2, 2, 1]);
        assert_eq!((bins.middle(0), bins.shifted_middle(0)), (0.125, 0.25));
        assert_eq!(bins.shifted_middle(2), 0.75);
    }
}
