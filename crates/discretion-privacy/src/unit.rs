//! Whom a guarantee is about.

use serde::{Deserialize, Serialize};

/// What neighbouring tables differ in: one row, or all rows of one person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// One row is replaced by any other.
    #[default]
    Row,
    /// One person's rows, however many, are replaced by any others. The number of persons is
    /// public, and who they are; how many rows each has is not.
    Person,
}

impl Unit {
    /// Whether it is a row: what files of before there were persons do not say.
    pub fn is_row(&self) -> bool {
        *self == Unit::Row
    }

    /// One of them.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Row => "row",
            Unit::Person => "person",
        }
    }

    /// Several of them.
    pub fn plural(self) -> &'static str {
        match self {
            Unit::Row => "rows",
            Unit::Person => "persons",
        }
    }

    /// The largest rank of one unit's part of a Hessian in so many dimensions: a row's is f″xxᵀ, a
    /// person's is a mean of such.
    pub fn curvature_rank(self, dimension: usize) -> usize {
        match self {
            Unit::Row => 1,
            Unit::Person => dimension,
        }
    }

    /// The same for a softmax of several classes with so many coefficients each: a row's part is S
    /// ⊗ xxᵀ, where S has one dimension less than there are classes.
    pub fn classes_curvature_rank(self, classes: usize, dimension: usize) -> usize {
        classes.saturating_sub(1).saturating_mul(self.curvature_rank(dimension))
    }
}
