//! One block of rows at a time: margins, losses, derivatives, and the sums that they are added to.
//!
//! Loops are compiled for the widest registers the machine has. Nothing in them is reordered, and
//! nothing contracted that is not written so: every instruction set gives the same bits. (The
//! logarithm in a value is the system's, and another system's may differ in its last bit.)

use super::group::{Group, LANES, ROWS, Shape};
use super::hessian::HessianSum;
use super::parts::Partial;
use super::points::{EightPoints, OnePoint, PerRow};
use super::{Layout, Matrix, OTHER};
use crate::erm::{Point, Sums};
use crate::loss::Loss;
use pulp::{Arch, Simd, WithSimd};
use std::ops::Range;

/// Rows whose sums are added to the sums before them as one.
pub(super) const BLOCK: usize = 256;

/// Fewer points than this are looked at one after the other.
const SEVERAL: usize = 4;

/// The sums of a part in the making, at one or several points.
pub(super) struct PartialSum<'a> {
    layout: &'a Layout,
    loss: &'a dyn Loss,
    company: Vec<PointGroup>,
    group: Group,
}

/// Points that are looked at together.
struct PointGroup {
    theta: Theta,
    points: Vec<Total>,
    // Room for one group, used again for the next. Behind the last row are zeros.
    margins: PerRow,
    slopes: PerRow,
    curvatures: PerRow,
}

/// Coefficients, gradient of this block, gradient of all blocks before.
enum Theta {
    One([OnePoint; 3]),
    Several([EightPoints; 3]),
}

struct Total {
    /// Of all blocks before, and of this one.
    value: [f64; 2],
    hessian: Option<HessianSum>,
}

impl<'a> PartialSum<'a> {
    pub(super) fn new(layout: &'a Layout, loss: &'a dyn Loss, points: &[Point]) -> PartialSum<'a> {
        assert!(
            points.iter().all(|point| point.theta.len() == layout.dimension()),
            "one coefficient per dimension"
        );
        let company = points
            .chunks(LANES)
            .flat_map(|points| points.chunks(if points.len() < SEVERAL { 1 } else { LANES }))
            .map(|points| PointGroup::new(layout, points))
            .collect();
        PartialSum { layout, loss, company, group: Group::new(layout) }
    }

    pub(super) fn sums(self) -> Partial {
        let layout = self.layout;
        Partial(self.company.into_iter().flat_map(|company| company.finish(layout)).collect())
    }
}

/// Sums of a part in the making, block by block.
pub(super) trait BlockSum {
    /// Returns what a row with this weight of its own is multiplied by.
    fn weight(&self, own: f64) -> f64 {
        own
    }

    /// Adds the rows of one block, each times its weight, or once.
    fn add_block(&mut self, matrix: &Matrix, rows: Range<usize>, weights: Option<&[f64]>);

    /// Returns the sums.
    fn finish(self) -> Partial;
}

impl BlockSum for PartialSum<'_> {
    fn weight(&self, own: f64) -> f64 {
        // The square of an f32 is a double.
        if self.loss.squares_weights() { own * own } else { own }
    }

    fn add_block(&mut self, matrix: &Matrix, rows: Range<usize>, weights: Option<&[f64]>) {
        Arch::new().dispatch(AddBlock { sum: self, matrix, rows, weights });
    }

    fn finish(self) -> Partial {
        self.sums()
    }
}

impl PointGroup {
    fn new(layout: &Layout, points: &[Point]) -> PointGroup {
        let shape = Shape::of(layout);
        let thetas: Vec<OnePoint> =
            points.iter().map(|point| OnePoint::of(&point.theta, layout)).collect();
        let theta = match <[OnePoint; 1]>::try_from(thetas) {
            Ok([theta]) => Theta::One([theta, OnePoint::zero(shape), OnePoint::zero(shape)]),
            Err(thetas) => Theta::Several([
                EightPoints::of(&thetas, shape),
                EightPoints::zero(shape),
                EightPoints::zero(shape),
            ]),
        };
        let total = |point: &Point| Total {
            value: [0.0; 2],
            hessian: HessianSum::new(layout, point.order),
        };
        let zeros = PerRow([[0.0; ROWS]; LANES]);
        PointGroup {
            theta,
            points: points.iter().map(total).collect(),
            margins: zeros.clone(),
            slopes: zeros.clone(),
            curvatures: zeros,
        }
    }

    #[inline(always)]
    fn add_group<S: Simd>(
        &mut self,
        simd: S,
        group: &Group,
        loss: &dyn Loss,
        weights: Option<&[f64]>,
    ) {
        let rows = group.rows;
        match &self.theta {
            Theta::One([theta, ..]) => theta.margins(simd, group, &mut self.margins),
            Theta::Several([theta, ..]) => theta.margins(simd, group, &mut self.margins),
        }
        for (k, point) in self.points.iter_mut().enumerate() {
            let (margins, slopes) = (&self.margins.0[k][..rows], &mut self.slopes.0[k]);
            let curvatures = &mut self.curvatures.0[k];
            point.value[1] += match weights {
                None => loss.evaluate(margins, &mut slopes[..rows], &mut curvatures[..rows]),
                Some(weights) => loss.evaluate_weighted(
                    margins,
                    weights,
                    &mut slopes[..rows],
                    &mut curvatures[..rows],
                ),
            };
            for (slope, signed) in slopes.iter_mut().zip(&group.signed) {
                *slope *= signed;
            }
            slopes[rows..].fill(0.0);
            if let Some(hessian) = &mut point.hessian {
                for (curvature, signed) in curvatures.iter_mut().zip(&group.signed) {
                    *curvature *= signed * signed;
                }
                hessian.add_rows(simd, group, curvatures);
            }
        }
        match &mut self.theta {
            Theta::One([_, block, _]) => block.add_rows(simd, group, &self.slopes),
            Theta::Several([_, block, _]) => block.add_rows(simd, group, &self.slopes),
        }
    }

    #[inline(always)]
    fn end_block(&mut self) {
        match &mut self.theta {
            Theta::One([_, block, total]) => block.drain_into(total),
            Theta::Several([_, block, total]) => block.drain_into(total),
        }
        for point in &mut self.points {
            let [before, block] = &mut point.value;
            *before += std::mem::take(block);
            if let Some(hessian) = &mut point.hessian {
                hessian.end_block();
            }
        }
    }

    fn finish(self, layout: &Layout) -> Vec<Sums> {
        let shape = Shape::of(layout);
        let gradient = |k: usize| match &self.theta {
            Theta::One([.., total]) => total.gradient(layout),
            Theta::Several([.., total]) => total.point(k, shape).gradient(layout),
        };
        let gradients: Vec<Vec<f64>> = (0..self.points.len()).map(gradient).collect();
        let finish = |(point, gradient): (Total, Vec<f64>)| Sums {
            value: point.value[0],
            gradient,
            hessian: point.hessian.map(|hessian| hessian.finish(layout)).unwrap_or_default(),
        };
        self.points.into_iter().zip(gradients).map(finish).collect()
    }
}

impl Matrix {
    /// The non-zero entries of a row, before its factor.
    pub(super) fn terms(&self, row: usize) -> Vec<(usize, f64)> {
        let layout = &self.layout;
        let (width, columns) = (layout.stored().len(), layout.categories().len());
        let (numbers, codes) =
            (&self.numeric[row * width..][..width], &self.codes[row * columns..][..columns]);
        let dense = layout.places().iter().map(|&place| f64::from(numbers[place]));
        let hits = codes
            .iter()
            .zip(layout.categories())
            .filter(|(code, _)| **code != OTHER)
            .map(|(&code, c)| (c.first + usize::from(code), f64::from(c.value)));
        let pairs = layout
            .pairs()
            .iter()
            .filter_map(|pair| Some((pair.hit(codes)?, f64::from(pair.value))));
        let mixed = layout.mixed().iter().filter_map(|mixed| mixed.hit(numbers, codes));
        let mixed = mixed.flat_map(|(at, [one, other])| [(at, one), (at + 1, other)]);
        let mixed = mixed.filter(|(_, entry)| *entry != 0.0);
        let single = std::iter::once((0, layout.intercept())).chain((1..).zip(dense));
        single.chain(hits).chain(pairs).chain(mixed).collect()
    }
}

/// See [`BlockSum::add_block`].
pub(super) struct AddBlock<'s, 'a> {
    pub sum: &'s mut PartialSum<'a>,
    pub matrix: &'s Matrix,
    pub rows: Range<usize>,
    pub weights: Option<&'s [f64]>,
}

impl WithSimd for AddBlock<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let PartialSum { loss, company, group, .. } = self.sum;
        for start in self.rows.clone().step_by(ROWS) {
            let rows = start..self.rows.end.min(start + ROWS);
            let weights =
                self.weights.map(|weights| &weights[start - self.rows.start..][..rows.len()]);
            group.load(self.matrix, rows);
            // Loops, not closures: a closure would be compiled for the registers that all machines
            // have.
            for company in &mut *company {
                company.add_group(simd, group, *loss, weights);
            }
        }
        for company in company {
            company.end_block();
        }
    }
}

pub(super) fn add(into: &mut [f64], from: &[f64]) {
    for (a, b) in into.iter_mut().zip(from) {
        *a += b;
    }
}
