//! (1/n)Σ xxᵀ over the rows, released once: neither the outcome nor coefficients are in it.

use super::super::matrices::{MatrixNoise, Scheme, Symmetric, add_noise, products_of_rows};
use super::super::{IntervalError, estimate::Noisy};
use crate::erm::{Entries, Facts, Oracle};
use crate::loss::MomentsLoss;
use discretion_privacy::noise::{Columns, Released, Sensitive, Source};
use discretion_privacy::trusted::Open;
use serde::{Deserialize, Serialize};

/// The rows' second moments as they were released, and how exact each of them is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowMoments {
    columns: Columns,
    /// Nothing if all columns are numbers and categories.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    entries: Vec<Entries>,
    matrix: Symmetric,
    /// The standard deviation of the noise at the entries of each pair of columns.
    deviations: Symmetric,
    /// And between neighbours within each column; nothing if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    neighbours: Vec<f64>,
}

/// Releases the rows' second moments.
///
/// Postcondition: they cost `noise.event(..)`, whatever was released before.
pub(in crate::interval) fn release(
    oracle: &dyn Oracle,
    noise: MatrixNoise,
    source: &mut dyn Source,
) -> Result<Released<RowMoments>, IntervalError> {
    let facts = oracle.facts();
    let scheme = Scheme::new(noise, &facts);
    let square = products_of_rows(oracle)?.into_inner();
    let computed = Sensitive::new(scheme.coordinates(&square));
    let released = add_noise(computed, &scheme, MomentsLoss::MOST, &facts, source)?;
    Ok(released.map(|coordinates| RowMoments::of_coordinates(&scheme, &facts, &coordinates)))
}

impl RowMoments {
    /// From released coordinates of a scheme for rows whose columns are known.
    pub(crate) fn of_coordinates(
        scheme: &Scheme,
        facts: &Facts,
        coordinates: &[f64],
    ) -> RowMoments {
        let deviations = scheme.block_deviations(MomentsLoss::MOST, facts);
        let (columns, deviations, mut neighbours) = deviations.expect("columns are known");
        if neighbours.iter().all(|x| *x == 0.0) {
            neighbours.clear();
        }
        let entries = match facts.entries.iter().all(|entry| *entry == Entries::Constant) {
            true => Vec::new(),
            false => facts.entries.clone(),
        };
        let matrix = scheme.matrix(coordinates);
        RowMoments { columns, entries, matrix, deviations, neighbours }
    }

    /// The columns of the rows, the constant first.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// What a row has in each of them; nothing if all are numbers and categories.
    pub fn entries(&self) -> &[Entries] {
        &self.entries
    }

    /// (1/n)Σ xxᵀ with its noise.
    pub fn matrix(&self) -> &Symmetric {
        &self.matrix
    }

    /// Whether these are the moments of rows of so many coefficients.
    pub(in crate::interval) fn is_of(&self, dimension: usize) -> bool {
        let count = self.columns.count();
        let first = self.columns.iter().next();
        let are_known = self.neighbours.iter().all(|x| x.is_finite() && *x >= 0.0);
        first.is_some_and(|constant| constant.coefficients == 1)
            && self.columns.dimension() == dimension
            && self.matrix.is_of(dimension)
            && self.deviations.is_of(count)
            && self.deviations.is_nowhere_negative()
            && (self.entries.is_empty() || self.entries.len() == count)
            && (self.neighbours.is_empty() || self.neighbours.len() == count)
            && are_known
    }

    /// The mean variance of the noise of Σ over j of entry (i, j)·v_j, over all i.
    pub(super) fn variance_along(&self, v: &[f64]) -> f64 {
        let noisy = self.noisy();
        let d = v.len();
        let of = |i: usize| (0..d).map(|j| (noisy.deviations[(i, j)] * v[j]).powi(2)).sum::<f64>();
        (0..d).map(of).sum::<f64>() / d as f64
    }

    /// The matrix with the noise of each of its entries.
    pub(super) fn noisy(&self) -> Noisy {
        Noisy::of_columns(&self.columns, &self.matrix, &self.deviations, &self.neighbours)
    }
}

#[cfg(test)]
impl RowMoments {
    /// Moments without noise.
    pub(in crate::interval) fn exact(columns: Columns, matrix: Symmetric) -> RowMoments {
        let deviations = Symmetric::zero(columns.count());
        RowMoments { columns, entries: Vec::new(), matrix, deviations, neighbours: Vec::new() }
    }
}
