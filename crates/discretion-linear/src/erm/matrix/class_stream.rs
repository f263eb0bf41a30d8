//! Sums over rows of several classes that are not in memory: those of rows that are, bit for bit.

use super::block::BlockSum;
use super::class_parts::with_all_blocks;
use super::class_sums::ClassSum;
use super::classed::{mean_squares, score_of};
use super::parts::{Partial, combine_big, sum_parts};
use super::{Classed, Matrix, Streamed};
use crate::erm::{Answer, Oracle, OracleError, Question};
use discretion_privacy::noise::{BigFloat, Sensitive};
use discretion_privacy::trusted::Open;

impl Streamed<'_> {
    /// [`Oracle::answer`] of rows of so many classes: at all points in one pass.
    pub(super) fn answer_of_classes(
        &self,
        count: usize,
        question: Question<'_>,
    ) -> Result<Answer, OracleError> {
        let (layout, cut, rows) = (self.store.layout(), self.cut(), self.range.len());
        match question {
            Question::Sums { loss, points } => {
                let score = score_of(layout, count, loss)?;
                let summed =
                    sum_parts(cut.parts(), ClassSum::numbers(layout, count, points), |part| {
                        let new = |point| ClassSum::of(layout, count, score, point);
                        let mut sums: Vec<ClassSum<'_>> = points.iter().map(new).collect();
                        self.pieces(cut.rows_of(part), |piece| {
                            sums.iter_mut().for_each(|sum| sum.add_rows(piece));
                        })?;
                        let parts: Result<Vec<Partial>, OracleError> =
                            sums.into_iter().map(BlockSum::finish).collect();
                        Ok(Partial(parts?.into_iter().flat_map(|part| part.0).collect()))
                    })?;
                let whole =
                    |sums: Sensitive<_>| Sensitive::new(with_all_blocks(sums.into_inner(), count));
                Ok(Answer::Sums(summed.finish(rows).into_iter().map(whole).collect()))
            }
            Question::BigGradient { loss, theta, precision } => {
                score_of(layout, count, loss)?;
                // Once in a lifetime, if at all: the rows of a part are held together.
                let part =
                    |part| self.part_in_memory(part)?.big_partial(None, loss, theta, precision);
                let parts: Result<Vec<Sensitive<Vec<BigFloat>>>, OracleError> =
                    (0..cut.parts()).map(part).collect();
                Ok(Answer::BigGradient(combine_big(parts?, rows, precision)))
            }
            Question::Products { .. } => Err(OracleError::no_persons()),
        }
    }

    /// [`Oracle::squares`], if rows are of several classes.
    pub(super) fn squares_of_classes(&self) -> Result<Option<Sensitive<Vec<f64>>>, OracleError> {
        if self.store.layout().classes().is_none() {
            return Ok(None);
        }
        match self.gathered() {
            Some(sample) => mean_squares(&sample.as_sample()).map(Some),
            None => mean_squares(&self.all_in_memory()?).map(Some),
        }
    }

    /// [`Oracle::class_blocks`], if rows are of several classes.
    pub(super) fn blocks_of_classes(
        &self,
        theta: &[f64],
    ) -> Result<Option<Sensitive<Vec<f64>>>, OracleError> {
        if self.store.layout().classes().is_none() {
            return Ok(None);
        }
        match self.sample() {
            Some(sample) => sample.class_blocks(theta),
            None => Classed::of_rows(self.all_in_memory()?).class_blocks(theta),
        }
    }

    /// All rows of a table that has no sample: they are few.
    fn all_in_memory(&self) -> Result<Matrix, OracleError> {
        let mut rows = Matrix::new(self.store.layout().clone());
        self.read(0..self.range.len(), &mut rows)?;
        Ok(rows)
    }

    fn part_in_memory(&self, part: usize) -> Result<Classed, OracleError> {
        let mut rows = Matrix::new(self.store.layout().clone());
        self.read(self.cut().rows_of(part), &mut rows)?;
        Ok(Classed::of_rows(rows))
    }
}
