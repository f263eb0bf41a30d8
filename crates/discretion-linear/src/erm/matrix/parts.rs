//! Sums in parts: how any table is cut for summing, and how the parts become one sum again.
//!
//! An oracle that does not hold all rows in one [`Matrix`] (a stream, a cluster) gets the bits that
//! `Matrix` gets by following the same cut:
//!
//! 1. [`Cut::of`] says, from n and the layout alone, which rows belong to which part.
//! 2. Whoever has the rows of a part, whole and in order, calls [`Matrix::partial`] on a matrix of
//!    just those rows.
//! 3. [`combine`] adds the parts in their order and divides by n.
//!
//! A first guess is looked for on the rows of [`Cut::sample`], gathered into a matrix of their own:
//! that is what [`Oracle::sample`](crate::erm::Oracle::sample) of a `Matrix` sums, bit for bit.
//! [`Matrix::big_partial`] and [`combine_big`] are the same in big floats. Rows travel as
//! [`Matrix::to_bytes`], partial sums as [`Partial::to_bytes`].

use super::block::{BLOCK, add};
use super::{BytesError, Layout, Matrix};
use crate::erm::{Facts, OracleError, Point, Sums};
use crate::loss::Loss;
use discretion_privacy::Unit;
use discretion_privacy::noise::{BigFloat, NotPrivate, Sensitive};
use discretion_privacy::trusted::Open;
use rayon::prelude::*;
use std::ops::Range;

/// A part has at least this many rows, so that summing them outweighs adding parts up.
const PART_ROWS: usize = 16 * BLOCK;
/// More parts than any machine we know has cores.
const PARTS: usize = 64;
/// Numbers that the Hessians of all parts of a pass at one point may hold together, and those of
/// the parts that are held at once at several points, unless there are more cores than that (256
/// MB).
const HESSIAN_NUMBERS: usize = 1 << 25;

/// A table of this many rows is worth solving on a sample first …
const SAMPLE_FROM: usize = 20_000;
/// … of one block in so many, or of fewer, …
const SAMPLE_EVERY: usize = 16;
/// … so that it has about this many rows at most.
const SAMPLE_ROWS: usize = 1 << 17;

/// How rows are cut into parts for summing, by their number and the layout's dimension alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    rows: usize,
    parts: usize,
}

impl Cut {
    /// The cut of a table of `rows` rows.
    pub fn of(rows: usize, layout: &Layout) -> Cut {
        Cut::new(rows, layout.dimension())
    }

    pub(super) fn new(rows: usize, dimension: usize) -> Cut {
        Cut { rows, parts: rows.div_ceil(PART_ROWS).clamp(1, most_parts(dimension)) }
    }

    /// How many parts there are.
    pub fn parts(self) -> usize {
        self.parts
    }

    /// The rows of a part. Parts are in order, leave nothing out, and only the last may end within
    /// a block.
    pub fn rows_of(self, part: usize) -> Range<usize> {
        let blocks = self.blocks_of(part);
        (blocks.start * BLOCK).min(self.rows)..(blocks.end * BLOCK).min(self.rows)
    }

    /// The part that a row belongs to.
    pub fn part_of(self, row: usize) -> usize {
        assert!(row < self.rows, "there are {} rows", self.rows);
        let blocks = self.rows.div_ceil(BLOCK);
        // Part p ends before block ⌊blocks·(p+1)/parts⌋: the first p for which that is beyond the
        // row's block.
        ((row / BLOCK + 1) * self.parts).div_ceil(blocks) - 1
    }

    /// The blocks of a part.
    pub(super) fn blocks_of(self, part: usize) -> Range<usize> {
        assert!(part < self.parts, "there are {} parts", self.parts);
        let blocks = self.rows.div_ceil(BLOCK);
        blocks * part / self.parts..blocks * (part + 1) / self.parts
    }

    /// The rows, in order, on which a first guess for a table of `rows` rows is looked for; nothing
    /// for a small table.
    pub fn sample(rows: usize) -> Option<impl Iterator<Item = Range<usize>>> {
        let every = Cut::sample_every(rows)?;
        Some((0..rows).step_by(every * BLOCK).map(move |start| start..rows.min(start + BLOCK)))
    }

    /// One block in how many is in the sample.
    pub(super) fn sample_every(rows: usize) -> Option<usize> {
        (rows >= SAMPLE_FROM).then(|| rows.div_ceil(SAMPLE_ROWS).max(SAMPLE_EVERY))
    }
}

/// How many parts a pass in so many dimensions may have.
pub(super) fn most_parts(dimension: usize) -> usize {
    PARTS.min((HESSIAN_NUMBERS / (dimension * dimension)).max(2))
}

impl Facts {
    /// The facts of `rows` rows in a [`Matrix`] with so many columns, of whose shape nothing is
    /// known.
    pub fn of_matrix(rows: usize, dimension: usize, row_terms: usize) -> Facts {
        let parts = Cut::new(rows, dimension).parts;
        let blocks = rows.div_ceil(BLOCK).div_ceil(parts);
        let summation_depth = BLOCK + blocks + parts;
        Facts {
            unit: Unit::Row,
            rows,
            dimension,
            classes: None,
            row_terms,
            summation_depth,
            columns: None,
            entries: Vec::new(),
        }
    }

    /// The facts of `rows` rows of this layout.
    pub fn of_layout(rows: usize, layout: &Layout) -> Facts {
        let (columns, entries) = (Some(layout.columns()), layout.column_entries());
        let facts = Facts::of_matrix(rows, layout.dimension(), layout.row_terms());
        // A product with a weight is one more rounding, and another one if rows are counted several
        // times.
        let summation_depth = facts.summation_depth + 2 * usize::from(layout.is_weighted());
        Facts { columns, entries, summation_depth, ..facts }
    }
}

/// How many numbers the Hessians at these points hold.
pub(super) fn hessian_numbers(points: &[Point]) -> usize {
    points
        .iter()
        .filter(|point| point.order.has_hessian())
        .map(|point| point.theta.len().pow(2))
        .sum()
}

/// Sums over the rows of one part, not divided by anything, at one or several points. Sensitive.
#[derive(Clone)]
pub struct Partial(pub(super) Vec<Sums>);

impl Matrix {
    /// The sums over all rows of this matrix as one part.
    pub fn partial(&self, loss: &dyn Loss, points: &[Point]) -> Partial {
        self.all().part(loss, points, 0..self.rows().div_ceil(BLOCK))
    }

    /// Σ f′ yᵢ xᵢ over all rows of this matrix as one part, every operation to `precision` bits.
    pub fn big_partial(
        &self,
        loss: &dyn Loss,
        theta: &[BigFloat],
        precision: usize,
    ) -> Sensitive<Vec<BigFloat>> {
        Sensitive::new(self.all().big_part(loss, theta, precision, 0..self.rows().div_ceil(BLOCK)))
    }
}

/// The means over `rows` rows from the partial sums of all parts, which come in the order of the
/// [`Cut`].
pub fn combine(parts: impl IntoIterator<Item = Partial>, rows: usize) -> Vec<Sensitive<Sums>> {
    let mut parts = parts.into_iter();
    let mut total = parts.next().expect("there is at least one part");
    parts.for_each(|part| total.add(part));
    total.finish(rows)
}

/// Sums all parts on all cores and adds them up in their order; only a few are held at a time,
/// fewer if each holds many `numbers`.
pub(super) fn sum_parts(
    all_parts: usize,
    numbers: usize,
    part: impl Fn(usize) -> Result<Partial, OracleError> + Sync,
) -> Result<Partial, OracleError> {
    let cores = rayon::current_num_threads();
    let at_once = (HESSIAN_NUMBERS / numbers.max(1)).clamp(cores, 4 * cores);
    let mut total: Option<Partial> = None;
    for first in (0..all_parts).step_by(at_once) {
        let parts: Result<Vec<Partial>, OracleError> =
            (first..all_parts.min(first + at_once)).into_par_iter().map(&part).collect();
        for part in parts? {
            match &mut total {
                None => total = Some(part),
                Some(total) => total.add(part),
            }
        }
    }
    Ok(total.expect("there is at least one part"))
}

/// The mean gradient from the big partial sums of all parts, which come in the order of the
/// [`Cut`].
pub fn combine_big(
    parts: impl IntoIterator<Item = Sensitive<Vec<BigFloat>>>,
    rows: usize,
    precision: usize,
) -> Sensitive<Vec<BigFloat>> {
    let mut parts = parts.into_iter().map(Sensitive::into_inner);
    let mut total = parts.next().expect("there is at least one part");
    for part in parts {
        assert_eq!(part.len(), total.len(), "all parts are summed at the same point");
        for (total, part) in total.iter_mut().zip(part) {
            *total += part;
        }
    }
    let n = BigFloat::from(rows).with_precision(precision).value();
    Sensitive::new(total.into_iter().map(|x| x / &n).collect())
}

impl Partial {
    /// Adds the part that follows.
    pub(super) fn add(&mut self, Partial(part): Partial) {
        assert_eq!(part.len(), self.0.len(), "all parts are summed at the same points");
        for (total, part) in self.0.iter_mut().zip(part) {
            total.value += part.value;
            add(&mut total.gradient, &part.gradient);
            add(&mut total.hessian, &part.hessian);
        }
    }

    /// Means over so many rows.
    pub(super) fn finish(self, rows: usize) -> Vec<Sensitive<Sums>> {
        let n = rows as f64;
        let mean = |mut total: Sums| {
            total.value /= n;
            total.gradient.iter_mut().chain(&mut total.hessian).for_each(|x| *x /= n);
            Sensitive::new(total)
        };
        self.0.into_iter().map(mean).collect()
    }

    /// Whether these are the sums that are asked for at these points.
    pub fn is_at(&self, points: &[Point]) -> bool {
        let asked = points.iter().map(|point| point.order.has_hessian());
        self.0.len() == points.len() && self.0.iter().map(|sums| !sums.hessian.is_empty()).eq(asked)
    }

    /// Whether it is one matrix of products.
    pub(crate) fn is_product(&self) -> bool {
        self.0.len() == 1 && !self.0[0].hessian.is_empty()
    }

    /// The sums as bytes, for whoever combines them. They are as sensitive as the rows.
    pub fn to_bytes(&self) -> NotPrivate<Vec<u8>> {
        let mut bytes = Vec::new();
        for sums in &self.0 {
            for part in [&[sums.value][..], &sums.gradient, &sums.hessian] {
                bytes.extend((part.len() as u64).to_le_bytes());
                part.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
            }
        }
        Sensitive::new(bytes).not_private()
    }

    /// The sums from bytes, if they are sums in so many dimensions.
    pub fn from_bytes(dimension: usize, bytes: &[u8]) -> Result<Partial, BytesError> {
        Partial::of_lengths([dimension, dimension * dimension], bytes)
    }

    /// The same of sums with gradients and Hessians of these lengths.
    pub(super) fn of_lengths(lengths: [usize; 2], mut bytes: &[u8]) -> Result<Partial, BytesError> {
        let mut sums = Vec::new();
        while !bytes.is_empty() {
            let [value, gradient, hessian] =
                [numbers(&mut bytes)?, numbers(&mut bytes)?, numbers(&mut bytes)?];
            let is_whole = value.len() == 1
                && gradient.len() == lengths[0]
                && (hessian.is_empty() || hessian.len() == lengths[1]);
            if !is_whole {
                return Err(BytesError::OtherLayout);
            }
            sums.push(Sums { value: value[0], gradient, hessian });
        }
        Ok(Partial(sums))
    }
}

/// Takes a length and so many doubles from the front.
fn numbers(bytes: &mut &[u8]) -> Result<Vec<f64>, BytesError> {
    let (length, rest) = bytes.split_first_chunk().ok_or(BytesError::Length)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok().and_then(|n| n.checked_mul(8));
    let (taken, rest) =
        length.and_then(|length| rest.split_at_checked(length)).ok_or(BytesError::Length)?;
    *bytes = rest;
    Ok(taken.as_chunks().0.iter().map(|x| f64::from_le_bytes(*x)).collect())
}
