//! Rows in the units that a guarantee is about.

use super::PlainRows;
use discretion::erm::matrix::Grouping;
use discretion::privacy::Unit;

/// Rows to learn from: each for itself, or those of a person together.
#[derive(Clone)]
pub struct UnitRows {
    rows: PlainRows,
    /// Where each person's rows begin, and where the last one's end; nothing if every row is for
    /// itself.
    starts: Option<Vec<usize>>,
}

/// The rows of the persons at these places, person after person in the order of places, and where
/// each one's begin in that list and the last one's end. Of very many rows of a person the first
/// are left, as in [`Grouping`].
pub fn rows_by_person(places: &[u128]) -> (Vec<usize>, Vec<usize>) {
    Grouping::order(places, |_| true)
}

impl From<PlainRows> for UnitRows {
    fn from(rows: PlainRows) -> UnitRows {
        UnitRows { rows, starts: None }
    }
}

impl UnitRows {
    /// Rows of the persons at these places, one for each row. Persons come in the order of their
    /// places, which must say nothing about rows, and each one's rows in the order that they had;
    /// of very many the first count, as in [`Grouping`].
    pub fn of_persons(rows: &PlainRows, places: &[u128]) -> UnitRows {
        assert_eq!(places.len(), rows.count(), "every row has a person");
        let (kept, starts) = rows_by_person(places);
        UnitRows { rows: rows.gather(kept), starts: Some(starts) }
    }

    /// How many units there are: the public number of rows, or that of persons. How many rows
    /// persons have is nowhere to be had.
    pub fn count(&self) -> usize {
        self.starts.as_ref().map_or(self.rows.count(), |starts| starts.len() - 1)
    }

    /// What they are.
    pub fn unit(&self) -> Unit {
        if self.starts.is_some() { Unit::Person } else { Unit::Row }
    }

    /// The rows of the units at these positions, whole persons in this order.
    pub fn gather(&self, units: impl IntoIterator<Item = usize>) -> PlainRows {
        match &self.starts {
            None => self.rows.gather(units),
            Some(starts) => {
                self.rows.gather(units.into_iter().flat_map(|unit| starts[unit]..starts[unit + 1]))
            }
        }
    }

    /// Whether every row has a class.
    pub fn have_classes(&self) -> bool {
        self.rows.classes().len() == self.rows.count()
    }
}
