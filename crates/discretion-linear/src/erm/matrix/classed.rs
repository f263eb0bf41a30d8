//! Rows of several classes: the same compact rows, with the code of a class in the place of a sign.

use super::class_sums::ClassSum;
use super::parts::{Partial, combine_big, in_order};
use super::sums::View;
use super::{Batch, Layout, Matrix};
use crate::erm::{Answer, AskOracle, Facts, Oracle, OracleError, Order, Point, Question, Sums};
use crate::loss::{Loss, LossKind, LossSpec};
use discretion_privacy::noise::{BigFloat, Sensitive, exact};
use discretion_privacy::trusted::Open;
use rayon::prelude::*;
use std::ops::Range;

/// A table of encoded rows with ‖x‖₂ ≤ 1, each of one of K classes. θ has d coefficients for each class, one class after the other.
pub struct Classed {
    /// All of them with the sign +1.
    rows: Matrix,
    classes: Vec<u16>,
    count: usize,
}

impl Classed {
    /// An empty table of rows of so many classes.
    pub fn new(layout: Layout, count: usize) -> Classed {
        assert!((2..=usize::from(u16::MAX)).contains(&count), "there are at least two classes");
        Classed { rows: Matrix::new(layout), classes: Vec::new(), count }
    }

    /// Appends rows, as [`Matrix::of`] takes them, with the class of each.
    pub fn push(&mut self, mut batch: Batch, classes: &[u16]) {
        assert!(classes.iter().all(|&class| usize::from(class) < self.count), "every row has a class");
        batch.positive = vec![true; classes.len()];
        self.rows.push(batch);
        self.classes.extend_from_slice(classes);
    }

    /// Rows that are encoded already, with the class of each. They must have the sign +1.
    pub fn of(rows: Matrix, classes: Vec<u16>, count: usize) -> Classed {
        assert!(
            rows.rows() == classes.len() && rows.signed.iter().all(|&signed| signed >= 0.0),
            "one class per row, and no sign"
        );
        assert!(classes.iter().all(|&class| usize::from(class) < count), "every row has a class");
        Classed { rows, classes, count }
    }

    /// The rows, and the class of each.
    pub fn into_parts(self) -> (Matrix, Vec<u16>) {
        (self.rows, self.classes)
    }

    /// n.
    pub fn rows(&self) -> usize {
        self.classes.len()
    }

    /// K.
    pub fn count(&self) -> usize {
        self.count
    }

    fn all(&self) -> ClassView<'_> {
        ClassView { rows: &self.rows, view: self.rows.all(), classes: &self.classes, count: self.count }
    }
}

impl Facts {
    /// The facts of the same rows if each is of one of so many classes, with coefficients of their own.
    pub fn of_classes(self, classes: usize) -> Facts {
        assert!(self.classes.is_none(), "classes are counted once");
        Facts { dimension: classes * self.dimension, classes: Some(classes), ..self }
    }

    /// The number of coefficients of one class.
    pub fn row_dimension(&self) -> usize {
        self.dimension / self.classes.unwrap_or(1)
    }
}

/// Some blocks of such a table.
#[derive(Clone, Copy)]
pub(super) struct ClassView<'a> {
    pub(super) rows: &'a Matrix,
    pub(super) view: View<'a>,
    classes: &'a [u16],
    pub(super) count: usize,
}

impl Oracle for Classed {
    fn facts(&self) -> Facts {
        self.all().facts()
    }

    fn answer(&self, question: Question<'_>) -> Result<Answer, OracleError> {
        self.all().answer(question)
    }

    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        self.all().sampled().map(|rows| Box::new(rows) as Box<dyn Oracle>)
    }

    fn squares(&self) -> Result<Option<Sensitive<Vec<f64>>>, OracleError> {
        self.all().squares()
    }

    fn class_blocks(&self, theta: &[f64]) -> Result<Option<Sensitive<Vec<f64>>>, OracleError> {
        self.all().class_blocks(theta)
    }
}

impl Oracle for ClassView<'_> {
    fn facts(&self) -> Facts {
        self.view.facts().of_classes(self.count)
    }

    fn answer(&self, question: Question<'_>) -> Result<Answer, OracleError> {
        Ok(match question {
            Question::Sums { loss, points } => {
                self.check(loss)?;
                Answer::Sums(points.iter().map(|point| self.mean(point)).collect())
            }
            Question::BigGradient { loss, theta, precision } => {
                self.check(loss)?;
                Answer::BigGradient(self.big_mean(theta, precision))
            }
            Question::Products { .. } => return Err(OracleError::no_persons()),
        })
    }

    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        self.sampled().map(|rows| Box::new(rows) as Box<dyn Oracle>)
    }

    fn squares(&self) -> Result<Option<Sensitive<Vec<f64>>>, OracleError> {
        let rows = self.sampled().unwrap_or(*self).view;
        let theta = vec![0.0; self.rows.layout().dimension()];
        // At 0 the curvature of the logistic loss is ¼ everywhere.
        let sums = rows.sums(LossKind::Logistic.loss(), &theta, Order::Curvature)?;
        Ok(Some(Sensitive::new(sums.into_inner().hessian.into_iter().map(|x| 4.0 * x).collect())))
    }

    fn class_blocks(&self, theta: &[f64]) -> Result<Option<Sensitive<Vec<f64>>>, OracleError> {
        Ok(Some(self.sampled().unwrap_or(*self).own_blocks(theta)))
    }
}

/// Several classes have one loss.
impl<'a> ClassView<'a> {
    /// Refuses what is not summed here.
    fn check(&self, loss: &dyn Loss) -> Result<(), OracleError> {
        let error = |text: &str| Err(OracleError(text.to_owned()));
        if self.rows.layout.is_weighted() || (0..self.rows.rows()).any(|row| self.rows.is_left_out(row)) {
            return error(
                "rows of several classes all count the same: none has a weight, and none is left out",
            );
        }
        match loss.spec() {
            Some(spec) if spec == LossSpec::plain(LossKind::Logistic) => Ok(()),
            _ => error("rows of several classes are summed with the logistic loss alone"),
        }
    }

    fn sampled(&self) -> Option<ClassView<'a>> {
        Some(ClassView { view: self.view.sampled()?, ..*self })
    }

    fn mean(&self, point: &Point) -> Sensitive<Sums> {
        let (d, cut) = (self.rows.layout().dimension(), self.view.cut());
        let numbers = if point.order.has_hessian() { ClassSum::pairs(self.count) * d * d } else { 0 };
        let part = |part| Ok(self.part(point, cut.blocks_of(part)));
        let summed = in_order(cut.parts(), numbers, part).expect("rows in memory can be read");
        let mut sums = summed.finish(self.view.total()).remove(0).into_inner();
        if point.order.has_hessian() {
            sums.hessian = assembled(&sums.hessian, self.count, d);
        }
        Sensitive::new(sums)
    }

    fn part(&self, point: &Point, blocks: Range<usize>) -> Partial {
        let mut sum = ClassSum::new(self.rows.layout(), self.count, point);
        for rows in blocks.map(|block| self.view.block(block)) {
            sum.add_block(self.rows, self.classes, rows);
        }
        Partial(vec![sum.finish()])
    }

    fn big_mean(&self, theta: &[BigFloat], precision: usize) -> Sensitive<Vec<BigFloat>> {
        let cut = self.view.cut();
        let part = |part| {
            let rows = cut.blocks_of(part).flat_map(|block| self.view.block(block));
            Sensitive::new(self.big_sum(theta, precision, rows))
        };
        let parts: Vec<_> = (0..cut.parts()).into_par_iter().map(part).collect();
        combine_big(parts, self.view.total(), precision)
    }

    /// Σ (p − e_y) ⊗ x in big floats.
    fn big_sum(
        &self,
        theta: &[BigFloat],
        precision: usize,
        rows: impl Iterator<Item = usize>,
    ) -> Vec<BigFloat> {
        let zero = BigFloat::ZERO.with_precision(precision).value();
        let d = theta.len() / self.count;
        let mut gradient = vec![zero.clone(); theta.len()];
        for row in rows {
            let factor = exact(f64::from(self.rows.signed[row]));
            let terms = self.rows.terms(row);
            let score = |class: &[BigFloat]| {
                terms.iter().fold(zero.clone(), |sum, &(j, x)| sum + &class[j] * exact(x)) * &factor
            };
            let scores: Vec<BigFloat> = theta.chunks_exact(d).map(score).collect();
            let slopes = big_slopes(scores, usize::from(self.classes[row]));
            for (class, slope) in gradient.chunks_exact_mut(d).zip(slopes) {
                let slope = slope * &factor;
                for &(j, x) in &terms {
                    class[j] += &slope * exact(x);
                }
            }
        }
        gradient
    }
}

/// p − e_y to the precision of the scores.
fn big_slopes(scores: Vec<BigFloat>, own: usize) -> Vec<BigFloat> {
    let precision = scores[0].precision();
    let most = scores.iter().max().expect("there are classes").clone();
    // Below −2²⁰ a probability is 0 to a million bits, more than anyone asks for.
    let far = -BigFloat::from(1 << 20);
    let power = |score: &BigFloat| {
        let below = score - &most;
        let near = if below < far { far.clone() } else { below };
        near.with_precision(precision).value().exp()
    };
    let powers: Vec<BigFloat> = scores.iter().map(power).collect();
    let sum = powers.iter().fold(BigFloat::ZERO.with_precision(precision).value(), |sum, x| sum + x);
    let one = BigFloat::ONE.with_precision(precision).value();
    let slope = |(class, power): (usize, BigFloat)| {
        let share = power / &sum;
        if class == own { share - &one } else { share }
    };
    powers.into_iter().enumerate().map(slope).collect()
}

/// The lower triangle of the whole Hessian from the blocks of pairs of the first K − 1 classes: in every line of blocks all add up
/// to 0.
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
            whole[line + (count - 1) * d + b] = -(0..count - 1).map(|l| whole[line + l * d + b]).sum::<f64>();
        }
    }
    whole
}
