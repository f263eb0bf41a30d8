//! Rows of several classes that are summed apart, and how their parts become one sum again: as
//! `parts.rs` has it for one margin.

use super::class_sums::ClassSum;
use super::parts::{Partial, combine};
use super::person_rows::PersonRecords;
use super::{BytesError, Classed, Matrix, PersonCut};
use crate::erm::{OracleError, Order, Point, Sums};
use crate::loss::{Loss, LossKind};
use discretion_privacy::noise::{BigFloat, NotPrivate, Sensitive};
use discretion_privacy::trusted::Open;

impl Classed {
    /// d, of all classes together.
    pub(crate) fn dimension(&self) -> usize {
        self.count() * self.all().layout().dimension()
    }

    /// The sums over all rows as one part of a table; of persons, of one that is cut like this.
    /// Hessians are those of pairs of the first K − 1 classes, one after the other.
    pub(crate) fn partial(
        &self,
        of: Option<PersonCut>,
        loss: &dyn Loss,
        points: &[Point],
    ) -> Result<Partial, OracleError> {
        let all = self.all();
        let (score, part) = (all.check(loss)?, all.units.as_one_part(of));
        let mut sums = Vec::new();
        for point in points {
            sums.extend(all.part(point, score, &part)?.0);
        }
        Ok(Partial(sums))
    }

    /// Their gradient in big floats.
    pub(crate) fn big_partial(
        &self,
        of: Option<PersonCut>,
        loss: &dyn Loss,
        theta: &[BigFloat],
        precision: usize,
    ) -> Result<Sensitive<Vec<BigFloat>>, OracleError> {
        let all = self.all();
        all.check(loss)?;
        Ok(Sensitive::new(all.big_sum(theta, precision, &all.units.as_one_part(of))?))
    }

    /// The rows of the first so many persons, as records and where each one's begin, and the class
    /// of each row: for whoever looks for a first guess on them. They are the rows. Nothing if rows
    /// are nobody's.
    pub fn first_persons(&self, count: usize) -> Option<NotPrivate<(PersonRecords, Vec<u16>)>> {
        let ((batch, classes), starts) = self.persons()?.rows_of(0..count).ok()?.into_inner();
        // Records of rows that have no classes: those travel beside them.
        let layout = self.all().layout().clone().without_classes();
        let rows = Matrix::of(layout, batch);
        let records = (rows.row_bytes(0..rows.rows()).into_inner(), starts);
        Some(Sensitive::new((records, classes)).not_private())
    }

    /// Σ ¼ xᵢ xᵢᵀ over all rows as one part: the sums of one margin at 0.
    pub(crate) fn partial_squares(&self, of: Option<PersonCut>) -> Result<Partial, OracleError> {
        let theta = vec![0.0; self.all().layout().dimension()];
        let (loss, points) =
            (LossKind::Logistic.loss(), [Point { theta, order: Order::Curvature }]);
        match self.persons() {
            None => Ok(self.own().partial(loss, &points)),
            Some(persons) => {
                let of = of.unwrap_or(PersonCut::of(persons.count(), persons.layout()));
                persons.partial(0..persons.count(), of, loss, &points)
            }
        }
    }

    /// Σ p(1 − p) xᵢ xᵢᵀ of each class over all rows as one part.
    pub(crate) fn partial_blocks(
        &self,
        of: Option<PersonCut>,
        theta: &[f64],
    ) -> Result<Vec<f64>, OracleError> {
        let all = self.all();
        all.blocks_of(theta, &all.units.as_one_part(of))
    }
}

impl Partial {
    /// The sums from bytes, if they are sums of so many classes in so many dimensions each.
    pub(crate) fn from_class_bytes(
        count: usize,
        d: usize,
        bytes: &[u8],
    ) -> Result<Partial, BytesError> {
        Partial::of_lengths([count * d, ClassSum::pairs(count) * d * d], bytes)
    }
}

/// The means over `rows` rows of so many classes from the partial sums of all parts, which come in
/// their order.
pub(crate) fn combine_classes(
    parts: impl IntoIterator<Item = Partial>,
    rows: usize,
    count: usize,
) -> Vec<Sensitive<Sums>> {
    let whole = |sums: Sensitive<Sums>| Sensitive::new(with_all_blocks(sums.into_inner(), count));
    combine(parts, rows).into_iter().map(whole).collect()
}

/// Sums whose Hessian, if there is one, is of pairs of classes, with the whole of it.
pub(super) fn with_all_blocks(mut sums: Sums, count: usize) -> Sums {
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
