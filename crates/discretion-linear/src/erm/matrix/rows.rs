//! One table of rows: where its rows are, who counts as one, and which of them are meant.
//!
//! J(θ) = (1/N) Σ_u w_u Σ_{i∈u} f + … over units u. Where the unit is a row, w = 1. Where it is a
//! person of r rows, w is the largest double with r·w ≤ 1. So whatever a person's rows are, and
//! however many, their gradients add up to length 1 at most. How many there are is as private as
//! what is in them: everything public, how sums are cut and how they may be rounded too, follows
//! from N, the layout and [`Grouping::MOST_ROWS`]. Rows that are left out are not among the r; a
//! person who has no others keeps one of them.
//!
//! There are two orders of summation. Margins and heads are summed by blocks of 256 rows
//! ([`BlockSum`]), everything else unit by unit. Who computes which part changes no bit.

use super::block::{BLOCK, BlockSum, PartialSum};
use super::class_sums::{ClassSum, score_of};
use super::exact::zeros;
use super::labels::LabelledBatch;
use super::parts::{PartAnswer, Partial, hessian_numbers, sum_parts};
use super::row_weights::RowWeights;
use super::store::Store;
use super::{Cut, DealtRows, KeptKnots, Layout, Matrix};
use crate::erm::{Answer, Facts, Oracle, OracleError, Order, Point, Question};
use crate::loss::{Loss, LossKind};
use discretion_privacy::Unit;
use discretion_privacy::noise::{NotPrivate, Sensitive};
use std::ops::Range;
use std::sync::{Arc, LazyLock, OnceLock};

/// Rows that one worker holds at a time.
pub(super) const PIECE: usize = 16 * BLOCK;

/// Who counts as one in n.
#[derive(Clone, Debug)]
pub enum Grouping {
    /// Every row.
    Single,
    /// Every person. A person's rows are neighbours: this says where each one's begin, and where
    /// the last one's end.
    Persons(Arc<[usize]>),
}

impl Grouping {
    /// The most rows of a person that count. Public, and so large that it is rare to have more:
    /// what it bounds is rounding.
    pub const MOST_ROWS: usize = 1 << 16;

    /// The most roundings between slopes and any entry of a person's mean gradient: a sum over the
    /// person's rows, and four products.
    pub(crate) const GRADIENT_ROUNDINGS: usize = Grouping::MOST_ROWS + 4;
}

/// A range of the rows, or persons, of a table. Its sums are the same bits for every store and any
/// number of threads.
#[derive(Clone)]
pub struct Rows<'s> {
    store: Arc<dyn Store + 's>,
    grouping: Grouping,
    /// Of units.
    range: Range<usize>,
    /// Whether these are units of more on which a first guess is looked for: there is no sample of
    /// a sample.
    is_sample: bool,
    /// The rows of the sample, once they are asked for.
    sample: OnceLock<Option<Arc<Matrix>>>,
}

impl From<Matrix> for Rows<'static> {
    fn from(rows: Matrix) -> Rows<'static> {
        Rows::new(rows)
    }
}

impl Matrix {
    /// Returns all rows, each for itself, as an oracle.
    pub fn all(&self) -> Rows<'_> {
        Rows::new(self)
    }

    /// Returns a range of the rows, each for itself, as an oracle.
    pub fn view(&self, range: Range<usize>) -> Rows<'_> {
        self.all().view(range)
    }
}

impl Rows<'static> {
    /// Groups rows by the identifiers of the persons they belong to, one for each row. Persons come
    /// in the order of their identifiers, which must say nothing about rows, and each one's rows in
    /// the order that they had.
    pub fn group(rows: Matrix, identifiers: &[u128]) -> Rows<'static> {
        let mut dealt = DealtRows::new(rows.layout().clone(), rows.rows());
        dealt.append(&rows, identifiers);
        drop(rows);
        dealt.group()
    }
}

impl<'s> Rows<'s> {
    /// All rows of a store, each for itself.
    pub fn new(store: impl Store + 's) -> Rows<'s> {
        let rows = store.rows();
        Rows::of(Arc::new(store), Grouping::Single, 0..rows)
    }

    /// All rows of a store, which belong to persons: where each one's rows begin, and where the
    /// last one's end. Persons must be in an order that says nothing about their rows, as
    /// [`Rows::group`] has them.
    pub fn of_persons(store: impl Store + 's, starts: Vec<usize>) -> Rows<'s> {
        assert!(
            starts.first() == Some(&0) && starts.last() == Some(&store.rows()),
            "every row is somebody's"
        );
        assert!(starts.windows(2).all(|pair| pair[0] < pair[1]), "every person has a row");
        let persons = starts.len() - 1;
        Rows::of(Arc::new(store), Grouping::Persons(starts.into()), 0..persons)
    }

    fn of(store: Arc<dyn Store + 's>, grouping: Grouping, range: Range<usize>) -> Rows<'s> {
        Rows { store, grouping, range, is_sample: false, sample: OnceLock::new() }
    }

    /// Returns a range of these units.
    pub fn view(&self, units: Range<usize>) -> Rows<'s> {
        assert!(units.start < units.end && units.end <= self.units(), "a view has units");
        let range = self.range.start + units.start..self.range.start + units.end;
        Rows::of(self.store.clone(), self.grouping.clone(), range)
    }

    /// Declares these units a sample of more.
    pub(crate) fn into_sample(self) -> Rows<'s> {
        Rows { is_sample: true, ..self }
    }

    /// n: the number of units.
    pub fn units(&self) -> usize {
        self.range.len()
    }

    /// Returns what the units are.
    pub fn unit(&self) -> Unit {
        match self.grouping {
            Grouping::Single => Unit::Row,
            Grouping::Persons(_) => Unit::Person,
        }
    }

    /// Returns the layout.
    pub fn layout(&self) -> &Layout {
        self.store.layout()
    }

    /// Returns the whole store's rows, if they are in memory.
    pub fn in_memory(&self) -> Option<&Matrix> {
        self.store.in_memory()
    }

    /// Returns how these units are cut for summing.
    pub fn cut(&self) -> Cut {
        Cut::new(self.unit(), self.units(), self.layout())
    }

    /// Brings all rows into this order. Persons keep theirs, which says nothing about their rows.
    pub fn permuted(self, order: &[usize]) -> Result<Rows<'s>, OracleError> {
        match self.grouping {
            Grouping::Persons(_) => Ok(self),
            Grouping::Single => {
                assert_eq!(order.len(), self.store.rows(), "all rows have a place");
                Ok(Rows::of(self.store.permuted(order)?, Grouping::Single, self.range))
            }
        }
    }

    /// Returns these rows by fewer knots.
    pub fn keeping_knots(&self, kept: &KeptKnots) -> Rows<'s> {
        let store = super::regrid::keeping_knots(&self.store, kept);
        let rows = Rows::of(store, self.grouping.clone(), self.range.clone());
        Rows { is_sample: self.is_sample, ..rows }
    }

    /// Returns the rows as records, unit after unit, and where each unit's begin: for another
    /// [`Store`]. They are the rows.
    pub fn records(&self) -> Result<NotPrivate<RowRecords>, OracleError> {
        let (rows, mut bytes) = (self.rows_of(0..self.units()), Vec::new());
        self.store.with(rows.clone(), &mut |matrix, at| {
            bytes = matrix.row_bytes(at..at + rows.len()).into_inner();
        })?;
        Ok(Sensitive::new((bytes, self.starts(0..self.units()))).not_private())
    }

    /// Returns the rows of some units as they came, and where each unit's begin among them: for
    /// whoever applies a released model to them.
    pub fn labelled(
        &self,
        units: Range<usize>,
    ) -> Result<NotPrivate<(LabelledBatch, Vec<usize>)>, OracleError> {
        let (rows, mut batch) = (self.rows_of(units.clone()), LabelledBatch::default());
        self.store.with(rows.clone(), &mut |matrix, at| {
            batch = matrix.labelled_of(at..at + rows.len());
        })?;
        Ok(Sensitive::new((batch, self.starts(units))).not_private())
    }

    /// Splits some units into whole units, a few at a time: as many rows as are read at once, or
    /// the rows of one person.
    pub fn pieces(&self, units: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut first = units.start;
        std::iter::from_fn(move || {
            let some = first;
            if some == units.end {
                return None;
            }
            first = match &self.grouping {
                Grouping::Single => units.end.min(first + PIECE),
                Grouping::Persons(starts) => {
                    let own = &starts[self.range.start + first..=self.range.start + units.end];
                    first + own[1..].partition_point(|&end| end <= own[0] + PIECE).max(1)
                }
            };
            Some(some..first)
        })
    }

    /// Where some units' rows are in the store.
    fn rows_of(&self, units: Range<usize>) -> Range<usize> {
        let (start, end) = (self.range.start + units.start, self.range.start + units.end);
        match &self.grouping {
            Grouping::Single => start..end,
            Grouping::Persons(starts) => starts[start]..starts[end],
        }
    }

    /// Where each of some units' rows begin, and where the last one's end, among their rows.
    fn starts(&self, units: Range<usize>) -> Vec<usize> {
        match &self.grouping {
            Grouping::Single => (0..=units.len()).collect(),
            Grouping::Persons(starts) => {
                let own = &starts[self.range.start + units.start..=self.range.start + units.end];
                own.iter().map(|start| start - own[0]).collect()
            }
        }
    }

    /// Some persons' numbers of rows, and the weight of each row, in order.
    fn weighted<'r>(
        &self,
        starts: &'r [usize],
        units: Range<usize>,
    ) -> impl Iterator<Item = (usize, f64)> + use<'r> {
        let known: &[f64] = &*WEIGHTS;
        let own = &starts[self.range.start + units.start..=self.range.start + units.end];
        own.windows(2).map(|own| {
            let rows = own[1] - own[0];
            (rows, known.get(rows).copied().unwrap_or_else(|| weight(rows)))
        })
    }

    /// Hands the rows of some units to `each`, unit after unit: a matrix, where the unit's rows are
    /// in it, and the unit's weight of each of them.
    pub(super) fn each_unit(
        &self,
        units: Range<usize>,
        mut each: impl FnMut(&Matrix, Range<usize>, f64),
    ) -> Result<(), OracleError> {
        for some in self.pieces(units) {
            let rows = self.rows_of(some.clone());
            self.store.with(rows.clone(), &mut |matrix, at| match &self.grouping {
                Grouping::Single => {
                    (at..at + rows.len()).for_each(|row| each(matrix, row..row + 1, 1.0));
                }
                Grouping::Persons(starts) => {
                    let mut start = at;
                    for (own, weight) in self.weighted(starts, some.clone()) {
                        each(matrix, start..start + own, weight);
                        start += own;
                    }
                }
            })?;
        }
        Ok(())
    }

    /// Sums over the rows of some units by blocks. Each section has so many blocks and a sum of its
    /// own, which is added to those before.
    fn by_blocks<S: BlockSum>(
        &self,
        units: Range<usize>,
        section: usize,
        new: impl Fn() -> S,
    ) -> Result<Partial, OracleError> {
        let rows = self.rows_of(units.clone());
        let mut of_persons = match &self.grouping {
            Grouping::Single => None,
            Grouping::Persons(starts) => {
                Some(RowWeights::new(self.weighted(starts, units), rows.len()))
            }
        };
        let is_weighted = self.layout().is_weighted();
        let (section, mut total) = (section * BLOCK, None::<Partial>);
        for start in rows.clone().step_by(section) {
            let section = start..rows.end.min(start + section);
            let mut sum = new();
            for start in section.clone().step_by(PIECE) {
                let piece = start..section.end.min(start + PIECE);
                let mut weights = of_persons.as_mut().map(|weights| weights.next(piece.len()));
                self.store.with(piece.clone(), &mut |matrix, at| {
                    let mut own = Vec::new();
                    let weights = match &mut weights {
                        Some(weights) => {
                            if is_weighted {
                                let own = weights.iter_mut().zip(at..);
                                own.for_each(|(w, row)| *w = of_row(*w, matrix.weight(row)));
                            }
                            Some(&**weights)
                        }
                        None if is_weighted => {
                            let rows = at..at + piece.len();
                            own.extend(rows.map(|row| sum.weight(matrix.weight(row))));
                            Some(&own[..])
                        }
                        None => None,
                    };
                    for start in (0..piece.len()).step_by(BLOCK) {
                        let block = start..piece.len().min(start + BLOCK);
                        let weights = weights.map(|weights| &weights[block.clone()]);
                        sum.add_block(matrix, at + block.start..at + block.end, weights);
                    }
                })?;
            }
            match &mut total {
                None => total = Some(sum.finish()),
                Some(total) => total.add(sum.finish()),
            }
        }
        Ok(total.expect("every unit has a row"))
    }

    /// Answers about some units who are a part of a table that is cut like this.
    pub(crate) fn part(
        &self,
        units: Range<usize>,
        of: Cut,
        question: Question<'_>,
    ) -> Result<PartAnswer, OracleError> {
        let (layout, section) = (self.layout(), of.section());
        let margin_sums = |units: Range<usize>, loss: &dyn Loss, points: &[Point]| {
            self.by_blocks(units, section, || PartialSum::new(layout, loss, points))
        };
        Ok(match (question, layout.classes()) {
            (Question::Sums { loss, points }, None) => {
                PartAnswer::Sums(margin_sums(units, loss, points)?)
            }
            (Question::Sums { loss, points }, Some(classes)) => {
                let score = score_of(classes, loss)?;
                PartAnswer::Sums(self.by_blocks(units, section, || -> Vec<ClassSum<'_>> {
                    points.iter().map(|p| ClassSum::of(layout, classes, score, p)).collect()
                })?)
            }
            (Question::BigGradient { loss, theta, precision }, classes) => {
                if let Some(classes) = classes {
                    score_of(classes, loss)?;
                }
                let (at, mut sum) = ((theta, precision), zeros(theta.len(), precision));
                self.each_unit(units, |matrix, rows, weight| {
                    for row in rows {
                        let row = (row, of_row(weight, matrix.weight(row)));
                        match classes {
                            None => matrix.add_big_slope(loss, at, row, &mut sum),
                            Some(_) => matrix.add_big_class_slopes(at, row, &mut sum),
                        }
                    }
                })?;
                PartAnswer::BigGradient(sum)
            }
            (Question::Products { loss, theta, most }, None) if !self.unit().is_row() => {
                PartAnswer::Sums(self.product_sums(units, loss, theta, most)?)
            }
            (Question::Products { .. }, _) => return Err(OracleError::no_persons()),
            (Question::Squares, Some(_)) => {
                // At 0 the curvature of the logistic loss is ¼ everywhere.
                let theta = vec![0.0; layout.dimension()];
                let points = [Point { theta, order: Order::Curvature }];
                PartAnswer::Sums(margin_sums(units, LossKind::Logistic.loss(), &points)?)
            }
            (Question::ClassBlocks { theta }, Some(classes)) => {
                let mut blocks = vec![0.0; classes * layout.dimension().pow(2)];
                self.each_unit(units, |matrix, rows, weight| {
                    for row in rows {
                        let weight = of_row(weight, matrix.weight(row));
                        matrix.add_to_blocks((row, weight), theta, &mut blocks);
                    }
                })?;
                PartAnswer::Numbers(blocks)
            }
            (Question::Squares | Question::ClassBlocks { .. }, None) => {
                return Err(OracleError::no_classes());
            }
            (Question::Cells { place }, _) => PartAnswer::Counts(self.cell_counts(units, place)?),
            (Question::Positives, None) => PartAnswer::Counts(self.positive_counts(units)?),
            (Question::Positives, Some(_)) => return Err(OracleError::no_sign()),
            (Question::Scores(scoring), _) => PartAnswer::Tally(self.score_counts(units, scoring)?),
        })
    }

    /// Units on which a first guess is looked for, if these are many: whole blocks of rows,
    /// gathered in memory, or the first persons.
    fn sampled(&self) -> Option<Rows<'s>> {
        if self.is_sample {
            return None;
        }
        match self.grouping {
            Grouping::Persons(_) => {
                self.cut().sample_len().map(|first| self.view(0..first).into_sample())
            }
            Grouping::Single => {
                let sample = self.sample.get_or_init(|| self.gathered_sample()).clone()?;
                let rows = sample.rows();
                Some(Rows::of(sample, Grouping::Single, 0..rows).into_sample())
            }
        }
    }

    fn gathered_sample(&self) -> Option<Arc<Matrix>> {
        let mut sample = Matrix::new(self.layout().clone());
        let mut read = |rows: Range<usize>| {
            self.store.with(self.rows_of(rows.clone()), &mut |matrix, at| {
                sample.append_range(matrix, at..at + rows.len());
            })
        };
        // A store that fails here fails at the next pass too, and is reported then.
        self.cut().sample()?.try_for_each(&mut read).ok()?;
        Some(Arc::new(sample))
    }
}

/// Rows as bytes, unit after unit, and where each unit's rows begin, in rows.
pub type RowRecords = (Vec<u8>, Vec<usize>);

impl Oracle for Rows<'_> {
    fn facts(&self) -> Facts {
        let facts = Facts::of_units(self.unit(), self.units(), self.layout());
        match self.layout().classes() {
            None => facts,
            Some(classes) => facts.of_classes(classes),
        }
    }

    fn answer(&self, question: Question<'_>) -> Result<Answer, OracleError> {
        if question.is_guidance()
            && let Some(sample) = self.sampled()
        {
            return sample.answer(question);
        }
        let (layout, cut) = (self.layout(), self.cut());
        let numbers = match (question, layout.classes()) {
            (Question::Sums { points, .. }, None) => hessian_numbers(points),
            (Question::Sums { points, .. }, Some(classes)) => {
                ClassSum::numbers(layout, classes, points)
            }
            (Question::Products { .. } | Question::Squares, _) => layout.dimension().pow(2),
            (Question::ClassBlocks { theta }, _) => theta.len() * layout.dimension(),
            _ => 0,
        };
        let part = |part| self.part(cut.units_of(part), cut, question);
        sum_parts(cut.parts(), numbers, part)?.finish(question, self.units(), layout.classes())
    }

    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        self.sampled().map(|rows| Box::new(rows) as Box<dyn Oracle>)
    }
}

/// Weight of a row: its part of the person's weight, times its own, which is at most 1. Rounding
/// keeps the order, so what a person's rows weigh adds up to 1 at most.
pub(super) fn of_row(of_person: f64, own: f64) -> f64 {
    of_person * own
}

/// The largest double w with r·w ≤ 1, exactly.
pub(super) fn weight(rows: usize) -> f64 {
    let (r, nearest) = (rows as f64, 1.0 / rows as f64);
    // One rounding, so the sign is that of the exact difference.
    if r.mul_add(nearest, -1.0) > 0.0 { nearest.next_down() } else { nearest }
}

/// The weights of persons with few rows, as most have: a fused product is slow where the machine is
/// not known to have one.
static WEIGHTS: LazyLock<[f64; 64]> =
    LazyLock::new(|| std::array::from_fn(|rows| if rows == 0 { 0.0 } else { weight(rows) }));
