//! Scores of candidates on validation rows, with bounds on their rounding.

use crate::erm::{AskOracle, Facts, Oracle, OracleError, Order, Point};
use crate::loss::Bounded;
use crate::rounding::{UNIT, roundings};
use discretion_privacy::noise::Sensitive;
use discretion_privacy::trusted::Open;

impl Bounded {
    /// Bound on the distance between a computed mean and the mean of the computed g.
    pub(super) fn summation_error(&self, validation: &Facts) -> f64 {
        roundings(validation.summation_depth + 4) * self.range().1 * 1.01
    }

    /// Bound on the distance between a computed mean and the exact one, for ‖θ‖ ≤ `radius`.
    pub(super) fn rounding(&self, validation: &Facts, radius: f64) -> f64 {
        let (more, operations) = self.roundings();
        let margin_error = roundings(validation.row_terms + more) * radius;
        let from_margins =
            self.lipschitz().map_or(f64::INFINITY, |lipschitz| lipschitz * margin_error);
        // Each g is a few operations from its margin.
        1.01 * (from_margins + operations as f64 * UNIT * self.range().1)
            + self.summation_error(validation)
    }

    /// −(1/m) Σ g for every θ, in one pass.
    pub(super) fn of_all(
        scores: &[Bounded],
        thetas: Vec<Vec<f64>>,
        validation: &dyn Oracle,
    ) -> Result<Vec<Sensitive<f64>>, OracleError> {
        let mut found = Vec::with_capacity(thetas.len());
        let points: Vec<Point> =
            thetas.into_iter().map(|theta| Point { theta, order: Order::Gradient }).collect();
        // Neighbours with the same g share a pass.
        let mut start = 0;
        for group in scores.chunk_by(|a, b| a.is_summed_like(b)) {
            let points = &points[start..start + group.len()];
            start += group.len();
            for sums in validation.sums_at(&group[0], points)? {
                found.push(Sensitive::new(-sums.into_inner().value));
            }
        }
        Ok(found)
    }
}
