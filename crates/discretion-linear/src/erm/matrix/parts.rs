//! Sums in parts, and how the parts become one answer again.
//!
//! An oracle that does not hold all rows (a cluster) gets the bits that [`Rows`](super::Rows) of
//! all of them give by following the same [`Cut`](super::Cut): whoever has the units of a part,
//! whole and in order, sums them with [`Rows::part`](super::Rows::part), and the parts are added in
//! their order and divided by n. A first guess is looked for on the units of
//! [`Cut::sample`](super::Cut::sample).

use super::BytesError;
use super::block::add;
use super::class_sums::ClassSum;
use super::cut::HESSIAN_NUMBERS;
use crate::erm::{Answer, OracleError, Point, Question, Sums};
use crate::quality::AnyTally;
use discretion_privacy::noise::{BigFloat, NotPrivate, Sensitive};
use rayon::prelude::*;

/// Returns how many numbers the Hessians at these points hold.
pub(super) fn hessian_numbers(points: &[Point]) -> usize {
    points
        .iter()
        .filter(|point| point.order.has_hessian())
        .map(|point| point.theta.len().pow(2))
        .sum()
}

/// Sums over the rows of one part, not divided by anything, at one or several points. Sensitive.
#[derive(Clone)]
pub(crate) struct Partial(pub(super) Vec<Sums>);

/// Answer of one part to a [`Question`], not divided by anything. Sensitive.
pub(crate) enum PartAnswer {
    /// To sums, products and squares. Hessians of several classes are those of pairs of the first
    /// K − 1, one after the other.
    Sums(Partial),
    /// To a gradient in big floats.
    BigGradient(Vec<BigFloat>),
    /// To the classes' own blocks.
    Numbers(Vec<f64>),
    /// To counts.
    Counts(Vec<i64>),
    /// To scores.
    Tally(AnyTally),
}

/// Sums all parts on all cores and adds them up in their order; only a few are held at a time,
/// fewer if each holds many `numbers`.
pub(super) fn sum_parts(
    all_parts: usize,
    numbers: usize,
    part: impl Fn(usize) -> Result<PartAnswer, OracleError> + Sync,
) -> Result<PartAnswer, OracleError> {
    let cores = rayon::current_num_threads();
    let at_once = (HESSIAN_NUMBERS / numbers.max(1)).clamp(cores, 4 * cores);
    let mut total: Option<PartAnswer> = None;
    for first in (0..all_parts).step_by(at_once) {
        let parts: Result<Vec<PartAnswer>, OracleError> =
            (first..all_parts.min(first + at_once)).into_par_iter().map(&part).collect();
        for part in parts? {
            match &mut total {
                None => total = Some(part),
                Some(total) => total.add(part)?,
            }
        }
    }
    Ok(total.expect("there is at least one part"))
}

impl PartAnswer {
    /// Adds the answer of the part that follows.
    pub fn add(&mut self, part: PartAnswer) -> Result<(), OracleError> {
        fn each<T>(total: &mut [T], part: Vec<T>, add: impl Fn(&mut T, T)) {
            assert_eq!(part.len(), total.len(), "all parts are asked one question");
            total.iter_mut().zip(part).for_each(|(total, part)| add(total, part));
        }
        match (self, part) {
            (PartAnswer::Sums(total), PartAnswer::Sums(part)) => total.add(part),
            (PartAnswer::BigGradient(total), PartAnswer::BigGradient(part)) => {
                each(total, part, |total, part| *total += part);
            }
            (PartAnswer::Numbers(total), PartAnswer::Numbers(part)) => {
                each(total, part, |total, part| *total += part);
            }
            (PartAnswer::Counts(total), PartAnswer::Counts(part)) => {
                each(total, part, |total, part| *total += part);
            }
            (PartAnswer::Tally(total), PartAnswer::Tally(part)) => total.add(part),
            _ => return Err(OracleError::another_question()),
        }
        Ok(())
    }

    /// Turns the sums of all parts into the answer about a table of so many units, whose rows are
    /// of `classes` classes, if of several.
    pub fn finish(
        self,
        question: Question<'_>,
        units: usize,
        classes: Option<usize>,
    ) -> Result<Answer, OracleError> {
        let hessian = |sums: Partial| {
            let [sums] = <[Sums; 1]>::try_from(sums.finish(units)).expect("one point was asked");
            sums.hessian
        };
        Ok(match (question, self) {
            (Question::Sums { .. }, PartAnswer::Sums(sums)) => {
                let whole = |sums: Sums| match classes {
                    None => sums,
                    Some(classes) => with_all_blocks(sums, classes),
                };
                let sums = sums.finish(units).into_iter().map(whole);
                Answer::Sums(sums.map(Sensitive::new).collect())
            }
            (Question::BigGradient { precision, .. }, PartAnswer::BigGradient(sum)) => {
                let n = BigFloat::from(units).with_precision(precision).value();
                Answer::BigGradient(Sensitive::new(sum.into_iter().map(|x| x / &n).collect()))
            }
            (Question::Products { .. }, PartAnswer::Sums(sums)) => {
                Answer::Matrix(Sensitive::new(hessian(sums)))
            }
            (Question::Squares, PartAnswer::Sums(sums)) => {
                let quarter = hessian(sums);
                Answer::Matrix(Sensitive::new(quarter.into_iter().map(|x| 4.0 * x).collect()))
            }
            (Question::ClassBlocks { .. }, PartAnswer::Numbers(sum)) => {
                let n = units as f64;
                Answer::Matrix(Sensitive::new(sum.into_iter().map(|x| x / n).collect()))
            }
            (Question::Cells { .. } | Question::Positives, PartAnswer::Counts(counts)) => {
                Answer::Counts(Sensitive::new(counts))
            }
            (Question::Scores(_), PartAnswer::Tally(tally)) => Answer::Tally(tally),
            _ => return Err(OracleError::another_question()),
        })
    }

    /// Returns the answer as bytes, for whoever adds it to those of other parts. They are as
    /// sensitive as the rows.
    pub fn to_bytes(&self) -> NotPrivate<Vec<u8>> {
        let bytes = match self {
            PartAnswer::Sums(sums) => return sums.to_bytes(),
            PartAnswer::BigGradient(gradient) => super::super::remote::big_to_bytes(gradient),
            PartAnswer::Numbers(numbers) => numbers.iter().flat_map(|x| x.to_le_bytes()).collect(),
            PartAnswer::Counts(counts) => counts.iter().flat_map(|x| x.to_le_bytes()).collect(),
            PartAnswer::Tally(tally) => {
                tally.to_numbers().iter().flat_map(|x| x.to_le_bytes()).collect()
            }
        };
        Sensitive::new(bytes).not_private()
    }

    /// Reads the answer to a question about rows with `dimension` coefficients for each class, or
    /// for all; nothing if it is the answer to another one. `cells` is the number of counts.
    pub fn from_bytes(
        question: Question<'_>,
        (dimension, classes, cells): (usize, Option<usize>, usize),
        bytes: &[u8],
    ) -> Option<PartAnswer> {
        let square = dimension * dimension;
        let words = |expected: usize| {
            let (words, rest) = bytes.as_chunks::<8>();
            (rest.is_empty() && words.len() == expected).then_some(words)
        };
        Some(match question {
            Question::Sums { points, .. } => {
                let lengths = match classes {
                    None => [dimension, square],
                    Some(count) => [count * dimension, ClassSum::pairs(count) * square],
                };
                let sums = Partial::of_lengths(lengths, bytes).ok()?;
                PartAnswer::Sums(Some(sums).filter(|sums| sums.is_at(points))?)
            }
            Question::BigGradient { theta, .. } => {
                let gradient = super::super::remote::big_from_bytes(bytes)?;
                PartAnswer::BigGradient(Some(gradient).filter(|own| own.len() == theta.len())?)
            }
            Question::Products { .. } | Question::Squares => {
                let sums = Partial::of_lengths([dimension, square], bytes).ok()?;
                PartAnswer::Sums(Some(sums).filter(Partial::is_matrix)?)
            }
            Question::ClassBlocks { .. } => {
                let words = words(classes? * square)?;
                PartAnswer::Numbers(words.iter().map(|word| f64::from_le_bytes(*word)).collect())
            }
            Question::Cells { .. } | Question::Positives => {
                let words = words(cells)?;
                PartAnswer::Counts(words.iter().map(|word| i64::from_le_bytes(*word)).collect())
            }
            Question::Scores(scoring) => {
                let (words, rest) = bytes.as_chunks::<8>();
                let numbers: Vec<i64> =
                    words.iter().map(|word| i64::from_le_bytes(*word)).collect();
                let nothing = rest.is_empty().then(|| scoring.nothing())?;
                PartAnswer::Tally(nothing.with_numbers(&numbers)?)
            }
        })
    }
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

    /// Means over so many units.
    fn finish(self, units: usize) -> Vec<Sums> {
        let n = units as f64;
        let mean = |mut total: Sums| {
            total.value /= n;
            total.gradient.iter_mut().chain(&mut total.hessian).for_each(|x| *x /= n);
            total
        };
        self.0.into_iter().map(mean).collect()
    }

    /// Returns true if these are the sums that are asked for at these points.
    fn is_at(&self, points: &[Point]) -> bool {
        let asked = points.iter().map(|point| point.order.has_hessian());
        self.0.len() == points.len() && self.0.iter().map(|sums| !sums.hessian.is_empty()).eq(asked)
    }

    /// Returns true if it is one matrix.
    fn is_matrix(&self) -> bool {
        self.0.len() == 1 && !self.0[0].hessian.is_empty()
    }

    fn to_bytes(&self) -> NotPrivate<Vec<u8>> {
        let mut bytes = Vec::new();
        for sums in &self.0 {
            for part in [&[sums.value][..], &sums.gradient, &sums.hessian] {
                bytes.extend((part.len() as u64).to_le_bytes());
                part.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
            }
        }
        Sensitive::new(bytes).not_private()
    }

    /// Reads sums whose gradients and Hessians have these lengths.
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

/// Replaces a Hessian of pairs of classes, if there is one, by the whole of it.
fn with_all_blocks(mut sums: Sums, count: usize) -> Sums {
    if !sums.hessian.is_empty() {
        sums.hessian = assembled(&sums.hessian, count, sums.gradient.len() / count);
    }
    sums
}

/// The lower triangle of the whole Hessian from the blocks of pairs of the first K − 1 classes: in
/// every line of blocks all add up to 0.
fn assembled(blocks: &[f64], count: usize, d: usize) -> Vec<f64> {
    let all = count * d;
    let mut whole = vec![0.0; all * all];
    let mut pairs = blocks.chunks_exact(d * d);
    for k in 0..count - 1 {
        for l in 0..=k {
            let block = pairs.next().expect("there is a block for each pair");
            for i in 0..d {
                for j in 0..=i {
                    let x = block[i * d + j];
                    for (a, b) in [(i, j), (j, i)] {
                        whole[(k * d + a) * all + l * d + b] = x;
                        // The last class has what the others lack.
                        whole[((count - 1) * d + a) * all + l * d + b] -= x;
                        if k != l {
                            whole[((count - 1) * d + a) * all + k * d + b] -= x;
                        }
                        if i == j {
                            break;
                        }
                    }
                }
            }
        }
    }
    for a in 0..d {
        for b in 0..=a {
            let line = ((count - 1) * d + a) * all;
            whole[line + (count - 1) * d + b] =
                -(0..count - 1).map(|l| whole[line + l * d + b]).sum::<f64>();
        }
    }
    whole
}
