//! Rows that are not in memory: read again for every pass, a few at a time. Of several classes:
//! `class_stream.rs`.

use super::block::{BLOCK, PartialSum};
use super::parts::{Cut, combine_big, hessian_numbers, sum_parts};
use super::{ClassView, Layout, Matrix};
use crate::erm::{Answer, Facts, Oracle, OracleError, Point, Question, Sums};
use crate::loss::Loss;
use discretion_privacy::noise::{BigFloat, Sensitive};
use std::ops::Range;
use std::sync::OnceLock;

/// Rows that one worker holds at a time.
pub(super) const PIECE: usize = 16 * BLOCK;

/// Where rows are kept. It is asked from several threads at once.
pub trait Store: Sync {
    /// The layout of the rows.
    fn layout(&self) -> &Layout;

    /// How many there are.
    fn rows(&self) -> usize;

    /// Appends some of the rows, in their order, to a matrix of the same layout.
    fn read(&self, rows: Range<usize>, into: &mut Matrix) -> Result<(), OracleError>;
}

/// An oracle over a range of stored rows that holds a few thousand of them for each thread, and a
/// sample of bounded size. Its sums are those of a [`Matrix`] of the same rows, bit for bit.
pub struct Streamed<'a> {
    pub(super) store: &'a dyn Store,
    pub(super) range: Range<usize>,
    sample: OnceLock<Option<Matrix>>,
}

impl<'a> Streamed<'a> {
    /// Some rows of a store.
    pub fn new(store: &'a dyn Store, range: Range<usize>) -> Streamed<'a> {
        assert!(range.start < range.end, "a range has rows");
        Streamed { store, range, sample: OnceLock::new() }
    }

    /// Hands all rows to `each`, some at a time.
    pub(super) fn each_piece(&self, each: impl FnMut(&Matrix)) -> Result<(), OracleError> {
        self.pieces(0..self.range.len(), each)
    }

    pub(super) fn cut(&self) -> Cut {
        Cut::of(self.range.len(), self.store.layout())
    }

    /// Rows of the store, by their place in the range.
    pub(super) fn read(&self, rows: Range<usize>, into: &mut Matrix) -> Result<(), OracleError> {
        self.store.read(self.range.start + rows.start..self.range.start + rows.end, into)
    }

    /// Hands the rows of a part to `each`, some whole blocks at a time.
    pub(super) fn pieces(
        &self,
        rows: Range<usize>,
        mut each: impl FnMut(&Matrix),
    ) -> Result<(), OracleError> {
        let mut piece = Matrix::new(self.store.layout().clone());
        for start in rows.clone().step_by(PIECE) {
            piece.clear();
            self.read(start..rows.end.min(start + PIECE), &mut piece)?;
            each(&piece);
        }
        Ok(())
    }

    /// Means at every point, in one pass.
    fn means(
        &self,
        loss: &dyn Loss,
        points: &[Point],
    ) -> Result<Vec<Sensitive<Sums>>, OracleError> {
        let cut = self.cut();
        let summed = sum_parts(cut.parts(), hessian_numbers(points), |part| {
            let mut sum = PartialSum::new(self.store.layout(), loss, points);
            self.pieces(cut.rows_of(part), |piece| sum.add_rows(piece))?;
            Ok(sum.sums())
        });
        Ok(summed?.finish(self.range.len()))
    }

    /// The mean gradient in big floats.
    fn big_mean(
        &self,
        loss: &dyn Loss,
        theta: &[BigFloat],
        precision: usize,
    ) -> Result<Sensitive<Vec<BigFloat>>, OracleError> {
        let cut = self.cut();
        // Once in a lifetime, if at all: the rows of a part are held together.
        let part = |part| {
            let mut rows = Matrix::new(self.store.layout().clone());
            self.read(cut.rows_of(part), &mut rows)?;
            Ok(rows.big_partial(loss, theta, precision))
        };
        let parts: Result<Vec<_>, OracleError> = (0..cut.parts()).map(part).collect();
        Ok(combine_big(parts?, self.range.len(), precision))
    }

    /// The rows of the sample, which are read once.
    pub(super) fn gathered(&self) -> Option<&Matrix> {
        self.sample.get_or_init(|| self.gathered_sample()).as_ref()
    }

    fn gathered_sample(&self) -> Option<Matrix> {
        let mut sample = Matrix::new(self.store.layout().clone());
        // A store that fails here fails at the next pass too, and is reported then.
        Cut::sample(self.range.len())?.try_for_each(|rows| self.read(rows, &mut sample)).ok()?;
        Some(sample)
    }
}

impl Oracle for Streamed<'_> {
    fn facts(&self) -> Facts {
        let layout = self.store.layout();
        let facts = Facts::of_layout(self.range.len(), layout);
        layout.classes().map_or(facts.clone(), |count| facts.of_classes(count))
    }

    fn answer(&self, question: Question<'_>) -> Result<Answer, OracleError> {
        if let Some(count) = self.store.layout().classes() {
            return self.answer_of_classes(count, question);
        }
        match question {
            Question::Sums { loss, points } => self.means(loss, points).map(Answer::Sums),
            Question::BigGradient { loss, theta, precision } => {
                self.big_mean(loss, theta, precision).map(Answer::BigGradient)
            }
            Question::Products { .. } => Err(OracleError::no_persons()),
        }
    }

    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        let sample = self.gathered()?;
        Some(match sample.layout().classes() {
            None => Box::new(sample.as_sample()),
            Some(_) => Box::new(ClassView::of_sample(sample)),
        })
    }

    fn squares(&self) -> Result<Option<Sensitive<Vec<f64>>>, OracleError> {
        self.squares_of_classes()
    }

    fn class_blocks(&self, theta: &[f64]) -> Result<Option<Sensitive<Vec<f64>>>, OracleError> {
        self.blocks_of_classes(theta)
    }
}
