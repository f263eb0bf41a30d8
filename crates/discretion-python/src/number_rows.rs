//! Rows that get their outcomes, which are numbers, behind their own: here, or by a worker of a
//! cluster.

use crate::digest::RowsDigest;
use crate::table::unequal;
use discretion::Refusal;
use discretion::erm::matrix::{Batch, Layout, Matrix};
use discretion_table::{ColumnCounts, Counts, Lost, OutcomeScale, Schema, add_outcomes};

/// Rows that are being encoded with their outcomes.
pub struct NumberBuilder<'a> {
    schema: &'a Schema,
    /// Of the rows without their outcomes.
    plain: Layout,
    /// Of all rows, one behind the other, and how many were taken.
    outcomes: (&'a [f64], usize),
    /// Of each outcome: below its range, and above.
    clipped: Vec<[u64; 2]>,
    matrix: Matrix,
    digest: RowsDigest,
}

impl<'a> NumberBuilder<'a> {
    /// Of no row yet. The outcomes of this schema must be numbers.
    pub fn new(schema: &'a Schema, outcomes: &'a [f64]) -> Result<NumberBuilder<'a>, Refusal> {
        let count = schema.outcome_scales().len();
        if count == 0 {
            return Err(Refusal::bad_input("the outcome of this schema is no number".to_owned()));
        }
        Ok(NumberBuilder {
            schema,
            plain: schema.encoder().layout(),
            outcomes: (outcomes, 0),
            clipped: vec![[0; 2]; count],
            matrix: Matrix::new(schema.layout_with_outcome().0),
            digest: RowsDigest::default(),
        })
    }

    /// The next rows, encoded without their outcomes.
    pub fn take(&mut self, batch: Batch) -> Result<(), Refusal> {
        let (outcomes, done) = self.outcomes;
        let next = done + self.plain.rows_of(&batch) * self.clipped.len();
        let own = outcomes.get(done..next).ok_or_else(unequal)?;
        self.outcomes.1 = next;
        let batch = add_outcomes(self.schema, batch, own, &mut self.clipped);
        self.digest.update(&batch);
        self.matrix.push(batch);
        Ok(())
    }

    /// All of them, and their digest. What was counted gets what was clipped of each outcome.
    pub fn finish(self, counts: &mut Counts) -> Result<(Matrix, RowsDigest), Refusal> {
        if self.outcomes.1 != self.outcomes.0.len() {
            return Err(unequal());
        }
        count_outcomes(self.schema, &self.clipped, counts);
        Ok((self.matrix, self.digest))
    }
}

/// What there is to count of no rows, of outcomes that are numbers too.
pub fn nothing(schema: &Schema) -> Counts {
    let mut counts = Counts::nothing(schema);
    count_outcomes(schema, &vec![[0; 2]; schema.outcome_scales().len()], &mut counts);
    counts
}

fn count_outcomes(schema: &Schema, clipped: &[[u64; 2]], counts: &mut Counts) {
    let scales = schema.outcome_scales();
    let lost = |(scale, &[low, high]): (&OutcomeScale, &[u64; 2])| Lost::Number {
        range: scale.range(),
        low,
        high,
        missing: 0,
    };
    let each = schema.outcomes().zip(scales.iter().zip(clipped).map(lost));
    counts
        .columns
        .extend(each.map(|(target, lost)| ColumnCounts { name: target.column.clone(), lost }));
}
