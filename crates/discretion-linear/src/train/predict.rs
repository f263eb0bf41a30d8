//! What the noise of a training does to margins θ·x, expected from public numbers alone.
//! docs/noise.md compares it with what is measured.

use crate::erm::Facts;
use crate::outcome::{Bounds, Heads};
use discretion_privacy::noise::{Columns, TrainingLaw};

/// The mean of f″ where margins are small, as a share of [`Bounds::mean_curvature`].
const TYPICAL_CURVATURE: f64 = 0.6;

/// The smaller λ is, the larger margins are where a model fits, and losses are flat there: f″ is
/// divided by 1 + this/√λ.
const MARGIN_GROWTH: f64 = 0.004;

/// Columns go together and values are not equally frequent, so some directions have much less of a
/// row in them than others. A third of the directions each has this share of the mean square that
/// the schema alone suggests.
const SHARES: [f64; 3] = [1.0 / 64.0, 1.0 / 8.0, 1.0];

/// Rows as the schema describes them: a number fills its range evenly, the values of a category are
/// equally frequent.
pub(super) struct TypicalRows {
    /// How many coefficients each column has, and the mean square of a row's entry at one of them.
    columns: Vec<(usize, f64)>,
    /// n.
    rows: f64,
    /// λ.
    lambda: f64,
    /// The mean of f″ without noise.
    curvature: f64,
    heads: Heads,
}

impl TypicalRows {
    pub(super) fn new(facts: &Facts, bounds: &Bounds, lambda: f64) -> TypicalRows {
        let columns = match &facts.columns {
            Some(columns) => mean_squares(columns),
            // Rows of length 1 fill the space evenly.
            None => vec![(1, 1.0 / facts.row_dimension() as f64); facts.row_dimension()],
        };
        let most = TYPICAL_CURVATURE * bounds.mean_curvature;
        let curvature = most / (1.0 + MARGIN_GROWTH / lambda.sqrt());
        TypicalRows { columns, rows: facts.rows as f64, lambda, curvature, heads: facts.heads() }
    }

    /// Σ over the coefficients of a column of what one unit of variance of the noise does to the
    /// variance of a margin.
    pub(super) fn weights(&self) -> Vec<f64> {
        self.columns
            .iter()
            .map(|&(k, square)| k as f64 * self.weight(square, self.curvature))
            .collect()
    }

    fn weight(&self, square: f64, curvature: f64) -> f64 {
        // Beside a λ without bound curvature does not count, and a common factor is left out.
        if self.lambda.is_infinite() {
            return square;
        }
        let weight = |share: f64| {
            let square = share * square;
            square / (self.rows * (curvature * square + self.lambda)).powi(2)
        };
        SHARES.iter().map(|&share| weight(share)).sum::<f64>() / SHARES.len() as f64
    }

    /// The standard deviation of a margin under noise b·θ/n in the objective.
    pub(super) fn objective_error(&self, law: &TrainingLaw) -> f64 {
        let variances = self.variances(law);
        self.margin_deviation(&variances, |deviation| self.flattened(deviation))
    }

    /// The same if rows said nothing: f″ is 0 wherever they are.
    pub(super) fn worst_objective_error(&self, law: &TrainingLaw) -> f64 {
        self.margin_deviation(&self.variances(law), |_| 0.0)
    }

    /// The standard deviation of a margin under noise on the coefficients themselves.
    pub(super) fn output_error(&self, law: &TrainingLaw) -> f64 {
        let columns = self.columns.iter().zip(self.variances(law));
        let share = SHARES.iter().sum::<f64>() / SHARES.len() as f64;
        columns
            .map(|(&(k, square), variance)| k as f64 * share * square * variance)
            .sum::<f64>()
            .sqrt()
    }

    /// The standard deviation of a coefficient of each column under noise in the objective.
    pub(super) fn coefficient_deviations(&self, law: &TrainingLaw) -> Vec<f64> {
        let curvature = self.flattened(self.objective_error(law));
        let columns = self.columns.iter().zip(self.variances(law));
        let deviation = |(&(_, square), variance): (&(usize, f64), f64)| {
            let moved = |share: f64| {
                variance / (self.rows * (curvature * share * square + self.lambda)).powi(2)
            };
            (SHARES.iter().map(|&share| moved(share)).sum::<f64>() / SHARES.len() as f64).sqrt()
        };
        columns.map(deviation).collect()
    }

    /// The variance of the noise at a coefficient of each column.
    pub(super) fn variances(&self, law: &TrainingLaw) -> Vec<f64> {
        let dimension = self.columns.iter().map(|&(k, _)| k).sum();
        let variances = self.heads.noise(law, dimension).variances();
        match law {
            TrainingLaw::Shaped(_) => variances,
            TrainingLaw::Round(_) => vec![variances[0]; self.columns.len()],
        }
    }

    /// Margins that noise has moved far are where losses are flat: the mean of f″ over margins that
    /// vary by this much more.
    fn flattened(&self, deviation: f64) -> f64 {
        self.curvature / (1.0 + std::f64::consts::FRAC_PI_8 * deviation * deviation).sqrt()
    }

    /// The deviation s with s² = Σ k·square·variance/(n(f̄″(s)·square + λ))². It grows from step to
    /// step, up to that of f̄″ = 0.
    fn margin_deviation(&self, variances: &[f64], curvature: impl Fn(f64) -> f64) -> f64 {
        let mut deviation = 0.0;
        for _ in 0..100 {
            let curvature = curvature(deviation);
            let columns = self.columns.iter().zip(variances);
            let of = |(&(k, square), variance): (&(usize, f64), &f64)| {
                k as f64 * self.weight(square, curvature) * variance
            };
            let next = columns.map(of).sum::<f64>().sqrt();
            let is_settled = next <= deviation * (1.0 + 1e-6);
            deviation = next;
            if is_settled {
                break;
            }
        }
        deviation
    }
}

/// The mean square of a row's entry at a coefficient of each column. The first column is the
/// intercept.
fn mean_squares(columns: &Columns) -> Vec<(usize, f64)> {
    // Sizes that do not fit into a row of length 1 together are shrunk until they do.
    let shrink = columns.iter().map(|column| column.size * column.size).sum::<f64>().max(1.0);
    let square = |(index, column): (usize, discretion_privacy::noise::Column)| {
        let (k, full) = (column.coefficients, column.size * column.size / shrink);
        let square = match (index, k) {
            (0, 1) => full,
            (_, 1) => full / 3.0,
            _ => full / k as f64,
        };
        (k, square)
    };
    columns.iter().enumerate().map(square).collect()
}
