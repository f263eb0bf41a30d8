//! What both readers deliver, whatever the rows are read for.

use super::Purpose;
use super::label::NO_CLASS;
use super::tally::Tally;
use discretion::erm::matrix::{Batch, Layout, Matrix};

/// Some rows as the encoder made them, row-major, with the class of each where labels are read.
#[derive(Default)]
pub(crate) struct EncodedRows {
    pub numeric: Vec<f32>,
    pub codes: Vec<u16>,
    pub classes: Vec<u16>,
    /// Whose rows they are, where that is read.
    pub persons: Vec<u128>,
    /// Which rows do not count, where that is read.
    pub left_out: Vec<bool>,
    /// How much each counts, from 0 to 1, where that is read.
    pub weights: Vec<f32>,
}

impl EncodedRows {
    /// With two classes, of which the second is the positive one.
    pub fn into_batch(self) -> Batch {
        let positive = self.classes.iter().map(|&class| class == 1).collect();
        Batch { numeric: self.numeric, codes: self.codes, positive }
    }

    /// Leaves out rows without a class too, and counts those that are left out, which are of no
    /// class.
    pub fn leave_out(&mut self, tally: &mut Tally) {
        for (class, left_out) in self.classes.iter_mut().zip(&mut self.left_out) {
            if *class == NO_CLASS {
                (*class, *left_out) = (0, true);
            } else if *left_out {
                tally.classes[usize::from(*class)] -= 1;
            }
            tally.left_out += u64::from(*left_out);
        }
    }

    /// A design matrix of rows that were read for this: of several classes if the layout says so,
    /// and else of two or, where the outcome is a column, of none.
    pub fn into_matrix(mut self, layout: &Layout, purpose: Purpose) -> Matrix {
        let (left_out, weights) =
            (std::mem::take(&mut self.left_out), std::mem::take(&mut self.weights));
        let mut matrix = match layout.classes() {
            Some(_) => {
                let (numeric, codes) = (self.numeric, self.codes);
                let batch = Batch { numeric, codes, positive: Vec::new() };
                Matrix::labelled(layout.clone(), batch, &self.classes)
            }
            None => {
                let mut batch = self.into_batch();
                if purpose == Purpose::Describe {
                    batch.positive = vec![false; layout.rows_of(&batch)];
                }
                Matrix::of(layout.clone(), batch)
            }
        };
        matrix.leave_out(&left_out);
        if !weights.is_empty() {
            matrix.weigh(&weights);
        }
        matrix
    }

    /// No rows, in the memory of others.
    pub fn in_memory_of(batch: Batch) -> EncodedRows {
        let Batch { mut numeric, mut codes, .. } = batch;
        numeric.clear();
        codes.clear();
        EncodedRows { numeric, codes, ..EncodedRows::default() }
    }
}
