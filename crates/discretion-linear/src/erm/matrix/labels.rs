//! Rows whose label is one of several classes: its code beside the row's numbers, and the sign +1.

use super::{Batch, Layout, Matrix};
use discretion_privacy::noise::{NotPrivate, Sensitive};
use std::ops::Range;

/// Rows as they came, and the class of each where there are several.
pub type LabelledBatch = (Batch, Vec<u16>);

impl Layout {
    /// How many weights are stored with a row.
    pub(super) fn weights(&self) -> usize {
        usize::from(self.is_weighted())
    }

    /// How many codes of classes are stored with a row.
    pub(super) fn labels(&self) -> usize {
        usize::from(self.classes().is_some())
    }
}

impl Matrix {
    /// As [`Matrix::of`], with the class of each row if the layout is one of several classes, and
    /// else with none.
    pub fn labelled(layout: Layout, mut batch: Batch, classes: &[u16]) -> Matrix {
        if let Some(count) = layout.classes() {
            assert!(
                classes.iter().all(|&class| usize::from(class) < count),
                "every row has a class"
            );
            batch.positive = vec![true; classes.len()];
        }
        let mut matrix = Matrix::of(layout, batch);
        assert_eq!(
            matrix.classes.len(),
            classes.len(),
            "as many classes as there are rows of several"
        );
        matrix.classes.copy_from_slice(classes);
        matrix
    }

    /// Appends rows as [`Matrix::labelled`] takes them.
    pub fn push_labelled(&mut self, batch: Batch, classes: &[u16]) {
        self.append(&Matrix::labelled(self.layout.clone(), batch, classes));
    }

    /// Gives each row its class, one of so many; nothing if these are no rows of so many classes.
    /// Rows must have the sign +1, or be left out.
    pub fn with_classes(self, classes: Vec<u16>, count: usize) -> Option<Matrix> {
        let are_of_classes = count >= 2
            && self.rows() == classes.len()
            && self.signed.iter().all(|&signed| signed >= 0.0)
            && classes.iter().all(|&class| usize::from(class) < count);
        are_of_classes.then(|| Matrix {
            layout: self.layout.of_classes(count),
            classes: classes.into(),
            ..self
        })
    }

    /// Takes the rows' classes from them, if they have any.
    pub fn into_unclassed(self) -> (Matrix, Vec<u16>) {
        let classes = self.classes.to_vec();
        let layout = self.layout.without_classes();
        (Matrix { layout, classes: Vec::new().into(), ..self }, classes)
    }

    /// [`Matrix::to_batch`] with the class of each row, where there are several.
    pub fn to_labelled(&self) -> NotPrivate<LabelledBatch> {
        Sensitive::new(self.labelled_of(0..self.rows())).not_private()
    }

    /// Some of the rows as they came.
    pub(super) fn labelled_of(&self, rows: Range<usize>) -> LabelledBatch {
        let classes = if self.classes.is_empty() { &[] } else { &self.classes[rows.clone()] };
        (self.batch_of(rows), classes.to_vec())
    }
}
