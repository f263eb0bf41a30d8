//! What both readers deliver, whatever the rows are read for.

use discretion::erm::matrix::Batch;

/// Some rows as the encoder made them, row-major, with the class of each where labels are read.
#[derive(Default)]
pub(crate) struct EncodedRows {
    pub numeric: Vec<f32>,
    pub codes: Vec<u16>,
    pub classes: Vec<u16>,
    /// Whose rows they are, where that is read.
    pub persons: Vec<u128>,
}

impl EncodedRows {
    /// With two classes, of which the second is the positive one.
    pub fn into_batch(self) -> Batch {
        let positive = self.classes.iter().map(|&class| class == 1).collect();
        Batch { numeric: self.numeric, codes: self.codes, positive }
    }

    /// No rows, in the memory of others.
    pub fn in_memory_of(batch: Batch) -> EncodedRows {
        let Batch { mut numeric, mut codes, .. } = batch;
        numeric.clear();
        codes.clear();
        EncodedRows { numeric, codes, ..EncodedRows::default() }
    }
}
