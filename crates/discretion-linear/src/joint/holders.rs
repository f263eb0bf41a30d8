//! Who takes part: the holders' public numbers of rows, and the aggregators.

use super::JointError;
use crate::erm::{Entries, Facts, Oracle};
use crate::outcome::Heads;
use dashu_ratio::RBig;
use discretion_privacy::Unit;
use discretion_privacy::noise::Columns;

/// The holders of rows, in the order of the study. How many rows, or persons, each has is public,
/// as n is elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Holders {
    facts: Vec<Facts>,
}

impl Holders {
    /// Holders with so many rows each, in a matrix of this shape.
    pub fn new(rows: &[usize], dimension: usize, row_terms: usize) -> Result<Holders, JointError> {
        if rows.is_empty() {
            return Err(JointError::NoHolders);
        }
        if dimension == 0 {
            return Err(JointError::NoCoefficients);
        }
        if let Some(holder) = rows.iter().position(|&rows| rows == 0) {
            return Err(JointError::EmptyHolder { holder });
        }
        Ok(Holders {
            facts: rows.iter().map(|&n| Facts::of_matrix(n, dimension, row_terms)).collect(),
        })
    }

    /// The same holders, with so many persons each, of whom a holder's table may have several rows.
    pub fn of_persons(self) -> Holders {
        let of_persons =
            |facts: Facts| Facts::of_persons(facts.rows, facts.dimension, facts.row_terms);
        Holders { facts: self.facts.into_iter().map(of_persons).collect() }
    }

    /// The same holders, whose rows are of so many classes.
    pub fn of_classes(self, classes: usize) -> Holders {
        Holders { facts: self.facts.into_iter().map(|facts| facts.of_classes(classes)).collect() }
    }

    /// The same holders, of the shape of whose rows this is known (the constant first).
    pub fn of_columns(self, columns: &Columns, entries: &[Entries]) -> Holders {
        let known = |facts: Facts| Facts {
            columns: Some(columns.clone()),
            entries: entries.to_vec(),
            ..facts
        };
        Holders { facts: self.facts.into_iter().map(known).collect() }
    }

    /// The facts of all rows in one place.
    pub(super) fn together(&self) -> Facts {
        let Facts { unit, dimension, row_terms, classes, columns, entries, .. } =
            self.facts[0].clone();
        let facts = match unit {
            Unit::Row => Facts::of_matrix(self.rows(), dimension, row_terms),
            Unit::Person => Facts::of_persons(self.rows(), dimension, row_terms),
        };
        Facts { classes, columns, entries, ..facts }
    }

    /// The heads that coefficients are of.
    pub fn heads(&self) -> Heads {
        self.facts[0].heads()
    }

    /// Whom the guarantee is about.
    pub fn unit(&self) -> Unit {
        self.facts[0].unit
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.facts.len()
    }

    /// n, all rows together.
    pub fn rows(&self) -> usize {
        self.facts.iter().map(|facts| facts.rows).sum()
    }

    /// The rows of the smallest.
    pub fn fewest_rows(&self) -> usize {
        self.facts.iter().map(|facts| facts.rows).min().expect("there is a holder")
    }

    /// d.
    pub fn dimension(&self) -> usize {
        self.facts[0].dimension
    }

    /// The public facts of each.
    pub fn facts(&self) -> &[Facts] {
        &self.facts
    }

    /// Whether a holder's table is the one that the study speaks of.
    pub fn check(&self, holder: usize, oracle: &dyn Oracle) -> Result<(), JointError> {
        let (found, expected) = (oracle.facts(), &self.facts[holder]);
        // Most sums over holders need not know the shape of a row.
        let found = match expected.columns {
            Some(_) => found,
            None => Facts { columns: None, entries: Vec::new(), ..found },
        };
        let words = |facts: &Facts| {
            format!("{} {} of {} coefficients", facts.rows, facts.unit.plural(), facts.dimension)
        };
        if found == *expected {
            return Ok(());
        }
        Err(JointError::OtherTable { holder, found: words(&found), expected: words(expected) })
    }

    /// The largest of a number per holder.
    pub(super) fn largest(&self, number: impl Fn(usize, &Facts) -> f64) -> f64 {
        self.facts
            .iter()
            .enumerate()
            .map(|(holder, facts)| number(holder, facts))
            .fold(0.0, f64::max)
    }
}

/// How the holders' models are averaged, and whose sensitivity pays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weighting {
    /// By n_j/n, with the noise of one holder that has all rows.
    #[default]
    BySize,
    /// Equally, with the noise of the smallest holder: Pathak, Rane & Raj 2010 with their norm
    /// corrected. For comparison.
    Printed,
}

impl Weighting {
    /// The weight of a holder, exactly.
    pub(super) fn weight(self, holders: &Holders, holder: usize) -> RBig {
        let (over, under) = match self {
            Weighting::BySize => (holders.facts[holder].rows, holders.rows()),
            Weighting::Printed => (1, holders.count()),
        };
        RBig::from(over) / RBig::from(under)
    }
}

/// Who adds noise: A aggregators, of which up to t may tell each other everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sharing {
    aggregators: usize,
    colluders: usize,
}

impl Sharing {
    /// t of A, with t < A.
    pub fn new(aggregators: usize, colluders: usize) -> Result<Sharing, JointError> {
        if colluders < aggregators {
            Ok(Sharing { aggregators, colluders })
        } else {
            Err(JointError::Sharing { aggregators, colluders })
        }
    }

    /// A.
    pub fn aggregators(self) -> usize {
        self.aggregators
    }

    /// t.
    pub fn colluders(self) -> usize {
        self.colluders
    }

    /// A − t: so many shares of noise must be enough.
    pub fn honest(self) -> usize {
        self.aggregators - self.colluders
    }
}
