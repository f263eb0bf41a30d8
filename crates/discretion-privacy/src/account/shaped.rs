//! What a schema says about the shape of a row, and the laws of noise that follow it
//! (`noise/PROOF.md`, "Noise with the shape of the rows").

use super::event::Law;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// A column of the schema, as noise sees it: the absolute values of a row's entries at its
/// coefficients add up to `size` at most. A number or the intercept has one coefficient; a category
/// column has one for each value, of which a row hits one or none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// How many coefficients it has.
    pub coefficients: usize,
    /// The most that the absolute values of a row's entries add up to.
    pub size: f64,
}

/// The columns of a row, in the order of their coefficients. Whoever declares them promises two
/// things of every row x, with x_j its part in column j: ‖x_j‖₁ ≤ size, and √Σ‖x_j‖₁² ≤ 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Column>", into = "Vec<Column>")]
pub struct Columns(Arc<[Column]>);

/// A law of noise that no rows can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("noise with the shape of the rows: {0}")]
pub struct ShapeError(pub(crate) &'static str);

impl Columns {
    /// Checks that every column has coefficients and a size, and that coefficients can be counted.
    pub fn new(columns: Vec<Column>) -> Result<Columns, ShapeError> {
        if columns.is_empty() || columns.iter().any(|column| column.coefficients == 0) {
            return Err(ShapeError(
                "every column has at least one coefficient, and there is at least one column",
            ));
        }
        let sum = |sum: usize, column: &Column| sum.checked_add(column.coefficients);
        if columns.iter().try_fold(0, sum).is_none() {
            return Err(ShapeError("no model has so many coefficients"));
        }
        if !columns.iter().all(|column| column.size.is_finite() && column.size > 0.0) {
            return Err(ShapeError("the size of a column is a finite number above 0"));
        }
        Ok(Columns(columns.into()))
    }

    /// The columns.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Column> + Clone + '_ {
        self.0.iter().copied()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// d.
    pub fn dimension(&self) -> usize {
        self.0.iter().map(|column| column.coefficients).sum()
    }

    /// Which coefficients belong to each column.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.0.iter().scan(0, |first, column| {
            let range = *first..*first + column.coefficients;
            *first = range.end;
            Some(range)
        })
    }
}

impl TryFrom<Vec<Column>> for Columns {
    type Error = ShapeError;

    fn try_from(columns: Vec<Column>) -> Result<Columns, ShapeError> {
        Columns::new(columns)
    }
}

impl From<Columns> for Vec<Column> {
    fn from(columns: Columns) -> Vec<Column> {
        columns.0.to_vec()
    }
}

/// The law of a noise vector that follows the shape of the rows. b_j is its part in column j, c_j
/// the column's size. The names in the serialised form are those of ledgers already written: they
/// do not change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "law", rename_all = "kebab-case", try_from = "Written")]
pub enum ShapedLaw {
    /// Density ∝ exp(−Σ_G ε_G·max_{j∈G} ‖b_j‖₁/(2c_j)): groups of columns are independent of each
    /// other.
    Groups {
        /// The columns.
        columns: Columns,
        /// The group of each column.
        group_of: Vec<usize>,
        /// The ε that goes to each group.
        epsilons: Vec<f64>,
    },
    /// Density ∝ exp(−ε·½√Σ‖b_j‖₁²).
    RowNorm {
        /// The columns.
        columns: Columns,
        /// The ε of all of it.
        epsilon: f64,
    },
    /// Independent normal coordinates.
    ColumnGaussian {
        /// The columns.
        columns: Columns,
        /// The standard deviation in each column.
        deviations: Vec<f64>,
    },
}

/// A law as a file or a ledger has it, before it is checked.
#[derive(Deserialize)]
#[serde(tag = "law", rename_all = "kebab-case", deny_unknown_fields)]
enum Written {
    Groups { columns: Columns, group_of: Vec<usize>, epsilons: Vec<f64> },
    RowNorm { columns: Columns, epsilon: f64 },
    ColumnGaussian { columns: Columns, deviations: Vec<f64> },
}

impl TryFrom<Written> for ShapedLaw {
    type Error = ShapeError;

    fn try_from(written: Written) -> Result<ShapedLaw, ShapeError> {
        let law = match written {
            Written::Groups { columns, group_of, epsilons } => {
                ShapedLaw::Groups { columns, group_of, epsilons }
            }
            Written::RowNorm { columns, epsilon } => ShapedLaw::RowNorm { columns, epsilon },
            Written::ColumnGaussian { columns, deviations } => {
                ShapedLaw::ColumnGaussian { columns, deviations }
            }
        };
        law.check().map(|()| law)
    }
}

impl ShapedLaw {
    /// The columns that it follows.
    pub fn columns(&self) -> &Columns {
        match self {
            ShapedLaw::Groups { columns, .. }
            | ShapedLaw::RowNorm { columns, .. }
            | ShapedLaw::ColumnGaussian { columns, .. } => columns,
        }
    }

    /// Refuses numbers that are no law.
    pub fn check(&self) -> Result<(), ShapeError> {
        let are_positive = |numbers: &[f64]| numbers.iter().all(|&x| x.is_finite() && x > 0.0);
        match self {
            ShapedLaw::Groups { columns, group_of, epsilons } => {
                if group_of.len() != columns.count()
                    || group_of.iter().any(|&group| group >= epsilons.len())
                {
                    return Err(ShapeError("every column belongs to one of the groups"));
                }
                let mut is_used = vec![false; epsilons.len()];
                group_of.iter().for_each(|&group| is_used[group] = true);
                if is_used.contains(&false) {
                    return Err(ShapeError("every group has a column"));
                }
                if !are_positive(epsilons) {
                    return Err(ShapeError("the epsilon of a group is a finite number above 0"));
                }
            }
            ShapedLaw::RowNorm { epsilon, .. } => {
                if !are_positive(&[*epsilon]) {
                    return Err(ShapeError("epsilon is a finite number above 0"));
                }
            }
            ShapedLaw::ColumnGaussian { columns, deviations } => {
                if deviations.len() != columns.count() || !are_positive(deviations) {
                    return Err(ShapeError(
                        "every column has a deviation, a finite number above 0",
                    ));
                }
            }
        }
        Ok(())
    }

    /// The number of coefficients in each group of [`ShapedLaw::Groups`].
    pub(crate) fn group_dimensions(
        columns: &Columns,
        group_of: &[usize],
        groups: usize,
    ) -> Vec<usize> {
        let mut dimensions = vec![0; groups];
        columns
            .iter()
            .zip(group_of)
            .for_each(|(column, &group)| dimensions[group] += column.coefficients);
        dimensions
    }

    /// The variance of a coordinate in each column.
    pub fn variances(&self) -> Vec<f64> {
        match self {
            ShapedLaw::Groups { columns, group_of, epsilons } => {
                let dimensions = ShapedLaw::group_dimensions(columns, group_of, epsilons.len());
                let variance = |(column, &group): (Column, &usize)| {
                    let (d, k) = (dimensions[group] as f64, column.coefficients as f64);
                    let radius = 2.0 * column.size / epsilons[group];
                    radius * radius * 2.0 * (d + 1.0) * (d + 2.0) / ((k + 1.0) * (k + 2.0))
                };
                columns.iter().zip(group_of).map(variance).collect()
            }
            ShapedLaw::RowNorm { columns, epsilon } => {
                let d = columns.dimension() as f64;
                let of = |column: Column| {
                    8.0 * (d + 1.0) / ((column.coefficients as f64 + 1.0) * epsilon * epsilon)
                };
                columns.iter().map(of).collect()
            }
            ShapedLaw::ColumnGaussian { deviations, .. } => {
                deviations.iter().map(|s| s * s).collect()
            }
        }
    }
}

/// The law of the noise of a training: one that knows only how long a row is, or one that follows
/// its shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TrainingLaw {
    /// The same in all directions.
    Round(Law),
    /// With the shape of the rows.
    Shaped(ShapedLaw),
}

impl From<Law> for TrainingLaw {
    fn from(law: Law) -> TrainingLaw {
        TrainingLaw::Round(law)
    }
}

impl From<ShapedLaw> for TrainingLaw {
    fn from(law: ShapedLaw) -> TrainingLaw {
        TrainingLaw::Shaped(law)
    }
}
