//! Where the rows of persons are.

use super::labels::LabelledBatch;
use super::stream::{PIECE, Store};
use super::{Layout, Matrix, Persons};
use crate::erm::OracleError;
use discretion_privacy::noise::{NotPrivate, Sensitive};
use std::ops::Range;
use std::sync::Arc;

/// Where rows are: in memory, or where they are read again for every pass.
#[derive(Clone)]
pub(super) enum PersonRows {
    Here(Arc<Matrix>),
    Stored(Arc<dyn Store + Send>),
}

impl PersonRows {
    pub(super) fn layout(&self) -> &Layout {
        match self {
            PersonRows::Here(matrix) => matrix.layout(),
            PersonRows::Stored(store) => store.layout(),
        }
    }

    /// Hands out a matrix that has these rows, and where the first of them is in it.
    pub(super) fn with_rows<T>(
        &self,
        rows: Range<usize>,
        work: impl FnOnce(&Matrix, usize) -> T,
    ) -> Result<T, OracleError> {
        match self {
            PersonRows::Here(matrix) => Ok(work(matrix, rows.start)),
            PersonRows::Stored(store) => {
                let mut piece = Matrix::new(store.layout().clone());
                store.read(rows, &mut piece)?;
                Ok(work(&piece, 0))
            }
        }
    }
}

/// Rows as bytes, person after person, and where each person's rows begin, in rows.
pub type PersonRecords = (Vec<u8>, Vec<usize>);

impl Persons {
    /// Persons whose rows are kept elsewhere, in the order of [`Persons::group`]: where each one's
    /// rows begin, and where the last one's end. A few thousand rows are held at a time for each
    /// thread. Sums are those of rows in memory, bit for bit.
    pub fn stored(rows: impl Store + Send + 'static, starts: Vec<usize>) -> Persons {
        assert!(
            starts.first() == Some(&0) && starts.last() == Some(&rows.rows()),
            "every row is somebody's"
        );
        assert!(starts.windows(2).all(|pair| pair[0] < pair[1]), "every person has a row");
        Persons { rows: PersonRows::Stored(Arc::new(rows)), starts }
    }

    /// The rows as records, person after person, and where each person's begin: for a [`Store`].
    /// They are the rows.
    pub fn records(&self) -> Result<NotPrivate<PersonRecords>, OracleError> {
        let rows = self.starts[0]..self.starts[self.count()];
        let bytes = self
            .rows
            .with_rows(rows.clone(), |matrix, at| matrix.row_bytes(at..at + rows.len()))?;
        let starts = self.starts.iter().map(|start| start - rows.start).collect();
        Ok(Sensitive::new((bytes.into_inner(), starts)).not_private())
    }

    /// Some of the persons, in the same place.
    pub fn some(&self, persons: Range<usize>) -> Persons {
        Persons {
            rows: self.rows.clone(),
            starts: self.starts[persons.start..=persons.end].to_vec(),
        }
    }

    /// The rows of some persons, and where each one's begin among them: for whoever applies a
    /// released model to them.
    pub fn rows_of(
        &self,
        persons: Range<usize>,
    ) -> Result<NotPrivate<(LabelledBatch, Vec<usize>)>, OracleError> {
        let (first, end) = (self.starts[persons.start], self.starts[persons.end]);
        let starts =
            self.starts[persons.start..=persons.end].iter().map(|start| start - first).collect();
        let batch = self
            .rows
            .with_rows(first..end, |matrix, at| matrix.labelled_of(at..at + end - first))?;
        Ok(Sensitive::new((batch, starts)).not_private())
    }

    /// Some persons, whole, a few at a time: as many rows as are read at once, or the rows of one
    /// person.
    pub fn pieces(&self, persons: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut first = persons.start;
        std::iter::from_fn(move || {
            let some = first;
            let most = *self.starts[..persons.end].get(first)? + PIECE;
            let more = self.starts[first + 1..=persons.end].partition_point(|&end| end <= most);
            first += more.max(1);
            Some(some..first)
        })
    }

    /// Hands the rows of some persons to `each`, person after person: a matrix, where the person's
    /// rows are in it, and the person's weight of each of them.
    pub(super) fn each_person(
        &self,
        persons: Range<usize>,
        mut each: impl FnMut(&Matrix, Range<usize>, f64),
    ) -> Result<(), OracleError> {
        for some in self.pieces(persons) {
            let (first, end) = (self.starts[some.start], self.starts[some.end]);
            self.rows.with_rows(first..end, |matrix, at| {
                for (rows, weight) in self.weighted(some) {
                    each(matrix, at + rows.start - first..at + rows.end - first, weight);
                }
            })?;
        }
        Ok(())
    }
}
