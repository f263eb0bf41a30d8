//! Counts of what a released model says of rows: whole numbers, unit by unit.

use super::{Layout, Matrix, Rows};
use crate::erm::OracleError;
use crate::quality::{AnyTally, RowLabel, Scoring};
use std::ops::Range;

impl Rows<'_> {
    pub(super) fn score_counts(
        &self,
        units: Range<usize>,
        scoring: &Scoring,
    ) -> Result<AnyTally, OracleError> {
        if !self.layout().is_scored_by(scoring) {
            return Err(OracleError::other_model());
        }
        let (mut tally, mut products, mut is_even) = (scoring.nothing(), Vec::new(), true);
        self.each_unit(units, |matrix, rows, _| {
            is_even &= rows.len() == 1 && matrix.weight(rows.start) == 1.0;
            rows.for_each(|row| {
                is_even &= !matrix.is_left_out(row);
                matrix.count_scores(row, scoring, &mut products, &mut tally);
            });
        })?;
        if is_even { Ok(tally) } else { Err(OracleError::uneven_rows()) }
    }
}

impl Layout {
    /// Returns true if this is a model of such rows.
    pub(crate) fn is_scored_by(&self, scoring: &Scoring) -> bool {
        scoring.fits(self.dimension(), self.categories().len(), self.classes())
    }
}

impl Matrix {
    fn count_scores(
        &self,
        row: usize,
        scoring: &Scoring,
        products: &mut Vec<f64>,
        tally: &mut AnyTally,
    ) {
        let (factor, columns) = (self.signed(row).abs(), self.layout.categories().len());
        let each = scoring.vectors.chunks_exact(self.layout.dimension());
        let product = |theta| factor * self.layout.dot(&self.numeric, &self.codes, row, theta);
        products.clear();
        products.extend(each.map(product));
        let label = match self.classes.get(row) {
            None => RowLabel::Sign(self.signed[row] > 0.0),
            Some(&class) => RowLabel::Class(class.into()),
        };
        scoring.count(products, label, &self.codes[row * columns..][..columns], tally);
    }
}
