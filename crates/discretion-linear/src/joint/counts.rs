//! The last round: counts of the released model's scores on rows that holders held out.

use super::lattice::Contribution;
use super::noise::{SharedNoise, UnitNoise};
use super::{Holders, JointError, Round, Sharing};
use crate::quality::joint::{Cells, bins, half_width};
use crate::quality::{ScoreCounts, Tally};
use dashu_ratio::RBig;
use discretion_privacy::account::Event;
use discretion_privacy::noise::{Released, Sensitive, exact};
use discretion_privacy::{Budget, ROUNDING_SLACK};

/// An interval of the AUC that is expected to reach farther than this says nothing.
const FARTHEST: f64 = 0.25;

pub(super) const COUNTS: &str = "counts of scores on rows that holders held out";

/// Everything public about an evaluation by several holders.
#[derive(Clone, Debug, PartialEq)]
pub struct CountsPlan {
    /// The rows, or persons, that each holder holds out.
    rows: Vec<usize>,
    groups: usize,
    bins: usize,
    unit: UnitNoise,
    round: Round,
}

impl CountsPlan {
    pub(super) fn new(
        holders: &Holders,
        (budget, sharing): (Budget, Sharing),
        training: &[UnitNoise],
        rows: &[usize],
        groups: usize,
    ) -> Result<CountsPlan, JointError> {
        assert_eq!(rows.len(), holders.count(), "a number for each holder");
        let all: usize = rows.iter().sum();
        let with = |bins: usize| {
            let dimension = 2 * groups * bins;
            let unit = UnitNoise::beside(training, sharing, dimension);
            // One row leaves a count and enters another: √2, in whole numbers that the lattice has
            // exactly.
            let moved = 2f64.sqrt() * (1.0 + 4.0 * ROUNDING_SLACK);
            let most = rows.iter().copied().max().unwrap_or(0) as f64;
            let noise = SharedNoise::new(unit, sharing, dimension, moved, most)?;
            let round = Round::new(COUNTS, holders.count(), noise);
            Ok::<CountsPlan, JointError>(CountsPlan {
                rows: rows.to_vec(),
                groups,
                bins,
                unit,
                round,
            })
        };
        // Spherical noise grows with the number of counts, so the number of bins is found twice.
        let deviation = with(bins(0.0, 1.0))?.round.noise().deviation();
        let plan = with(bins(all as f64 / groups as f64, deviation))?;
        let half =
            half_width(all, plan.bins, plan.round.noise().deviation() * (groups as f64).sqrt());
        match half.is_some_and(|half| half < FARTHEST) {
            true => Ok(plan),
            false => Err(JointError::FewHeldOut { rows: all, budget }),
        }
    }

    /// The rows of each holder, groups, bins and the noise.
    pub(super) fn numbers(&self) -> (&[usize], usize, usize, UnitNoise) {
        (&self.rows, self.groups, self.bins, self.unit)
    }

    /// The rows that are held out, of all holders together.
    pub fn rows(&self) -> usize {
        self.rows.iter().sum()
    }

    /// How many groups are counted apart.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// The round.
    pub fn round(&self) -> &Round {
        &self.round
    }

    /// Half the width of a 95 % interval that is to be expected for an AUC of 0.8, a quarter of the
    /// rows being positive.
    pub fn expected_half_width(&self) -> Option<f64> {
        let deviation = self.round.noise().deviation() * (self.groups as f64).sqrt();
        half_width(self.rows(), self.bins, deviation)
    }

    /// What the round does to a holder's rows.
    pub(super) fn event(&self) -> Event {
        self.unit.event(COUNTS)
    }

    /// No row yet. Scores are counted in bins of equal width between these ends, which follow from
    /// what was released.
    pub fn tally(&self, range: (f64, f64)) -> Tally {
        Cells::new(range, self.bins).tally(self.groups)
    }

    /// One holder's contribution.
    pub fn contribute(&self, holder: usize, tally: &Tally) -> Result<Contribution, JointError> {
        if tally.rows() != self.rows[holder] {
            let words = |rows: usize| format!("{rows} rows held out");
            return Err(JointError::OtherTable {
                holder,
                found: words(tally.rows()),
                expected: words(self.rows[holder]),
            });
        }
        let counts = Cells::counts(tally).into_iter().map(|count| exact(count as f64)).collect();
        Ok(self.round.lattice().encode(&RBig::ONE, Sensitive::new(counts)))
    }

    /// What was released, as counts: nothing but post-processing.
    pub fn counts(&self, range: (f64, f64), sum: &Released<Vec<f64>>) -> Released<ScoreCounts> {
        let deviation = self.round.noise().deviation();
        sum.clone().map(|sum| {
            Cells::new(range, self.bins).released(self.rows(), self.groups, &sum, deviation)
        })
    }
}
