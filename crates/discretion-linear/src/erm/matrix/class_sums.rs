//! One block of rows of several classes at a time: scores, probabilities, and the sums that they
//! are added to. A row that is left out has the factor 0, so its scores are all 0: it adds ln K to the
//! value and nothing to a gradient, as the vector 0 does.
//!
//! Eight classes are looked at side by side, as eight points of one margin are.

use super::block::BlockSum;
use super::group::{Group, LANES, ROWS, Shape};
use super::hessian::HessianSum;
use super::parts::Partial;
use super::points::{EightPoints, OnePoint, PerRow};
use super::{Layout, Matrix};
use crate::erm::{OracleError, Order, Point, Sums};
use crate::loss::{Bounded, Loss, LossKind, LossSpec};
use pulp::{Arch, Simd, WithSimd};
use std::ops::Range;

/// The sums of a part in the making.
pub(super) struct ClassSum<'a> {
    layout: &'a Layout,
    count: usize,
    /// Coefficients, gradient of this block and gradient of all blocks before, of eight classes
    /// each.
    eights: Vec<[EightPoints; 3]>,
    /// Of all blocks before, and of this one.
    value: [f64; 2],
    /// Of each pair (k, l) with l ≤ k < K − 1, or of none.
    hessians: Vec<HessianSum>,
    group: Group,
    /// Summed in the place of the loss: values alone.
    score: Option<Bounded>,
    // Room for one group, used again for the next.
    scores: Vec<PerRow>,
    weights: Vec<PerRow>,
}

impl<'a> ClassSum<'a> {
    pub fn new(layout: &'a Layout, count: usize, point: &Point) -> ClassSum<'a> {
        let (shape, d) = (Shape::of(layout), layout.dimension());
        assert_eq!(point.theta.len(), count * d, "one coefficient per class and dimension");
        let classes: Vec<OnePoint> =
            point.theta.chunks_exact(d).map(|class| OnePoint::of(class, layout)).collect();
        let eight = |some: &[OnePoint]| {
            [EightPoints::of(some, shape), EightPoints::zero(shape), EightPoints::zero(shape)]
        };
        let eights: Vec<_> = classes.chunks(LANES).map(eight).collect();
        let pairs = if point.order.has_hessian() { ClassSum::pairs(count) } else { 0 };
        let hessian = |_| HessianSum::new(layout, point.order).expect("a Hessian is asked for");
        let room = vec![PerRow([[0.0; ROWS]; LANES]); eights.len()];
        ClassSum {
            layout,
            count,
            eights,
            value: [0.0; 2],
            hessians: (0..pairs).map(hessian).collect(),
            group: Group::new(layout),
            score: None,
            scores: room.clone(),
            weights: room,
        }
    }

    /// Of a score if there is one, and else of the loss.
    pub fn of(
        layout: &'a Layout,
        count: usize,
        score: Option<Bounded>,
        point: &Point,
    ) -> ClassSum<'a> {
        match score {
            None => ClassSum::new(layout, count, point),
            Some(score) => ClassSum::of_score(layout, score, point),
        }
    }

    /// The same for a score in the place of the loss.
    fn of_score(layout: &'a Layout, score: Bounded, point: &Point) -> ClassSum<'a> {
        let count = score.classes.expect("a score of several classes");
        let point = Point { theta: point.theta.clone(), order: Order::Gradient };
        ClassSum { score: Some(score), ..ClassSum::new(layout, count, &point) }
    }

    /// How many pairs of the first K − 1 classes there are, a class with itself included.
    pub fn pairs(count: usize) -> usize {
        count * (count - 1) / 2
    }

    /// How many numbers the Hessians at these points hold.
    pub fn numbers(layout: &Layout, count: usize, points: &[Point]) -> usize {
        let hessians = points.iter().filter(|point| point.order.has_hessian()).count();
        hessians * ClassSum::pairs(count) * layout.dimension().pow(2)
    }

    #[inline(always)]
    fn add_group<S: Simd>(&mut self, simd: S, classes: &[u16], own: &[f64; ROWS]) {
        let rows = self.group.rows;
        for ([theta, ..], scores) in self.eights.iter().zip(&mut self.scores) {
            theta.margins(simd, &self.group, scores);
        }
        if let Some(score) = self.score {
            self.add_scores(score, classes, own);
            return;
        }
        self.value[1] += probabilities(&mut self.scores, self.count, classes, own);
        for (class, (scores, weights)) in
            lines(&mut self.scores, &mut self.weights, self.count).enumerate()
        {
            for (row, (weight, score)) in weights.iter_mut().zip(&scores[..rows]).enumerate() {
                let is_own = if usize::from(classes[row]) == class { 1.0 } else { 0.0 };
                *weight = (score - is_own) * self.group.signed[row] * own[row];
            }
            weights[rows..].fill(0.0);
        }
        for ([_, block, _], weights) in self.eights.iter_mut().zip(&self.weights) {
            block.add_rows(simd, &self.group, weights);
        }
        if !self.hessians.is_empty() {
            self.add_curvature(simd, own);
        }
    }

    fn add_scores(&mut self, score: Bounded, classes: &[u16], own: &[f64; ROWS]) {
        let mut scores = vec![0.0; self.count];
        for (row, &class) in classes.iter().enumerate() {
            for (k, score) in scores.iter_mut().enumerate() {
                *score = self.scores[k / LANES].0[k % LANES][row];
            }
            self.value[1] += own[row] * score.of_row(&scores, usize::from(class));
        }
    }

    #[inline(always)]
    fn add_curvature<S: Simd>(&mut self, simd: S, own: &[f64; ROWS]) {
        let rows = self.group.rows;
        let mut hessians = self.hessians.iter_mut();
        let mut weights = [0.0; ROWS];
        for k in 0..self.count - 1 {
            for l in 0..=k {
                let (p, q) =
                    (&self.scores[k / LANES].0[k % LANES], &self.scores[l / LANES].0[l % LANES]);
                for row in 0..rows {
                    let one = if k == l { 1.0 } else { 0.0 };
                    let signed = self.group.signed[row];
                    weights[row] = p[row] * (one - q[row]) * signed * signed * own[row];
                }
                if let Some(hessian) = hessians.next() {
                    hessian.add_rows(simd, &self.group, &weights);
                }
            }
        }
    }

    #[inline(always)]
    fn end_block(&mut self) {
        for [_, block, total] in &mut self.eights {
            block.drain_into(total);
        }
        let [before, block] = &mut self.value;
        *before += std::mem::take(block);
        for hessian in &mut self.hessians {
            hessian.end_block();
        }
    }

    /// Value, gradient of all classes, and the Hessians of all pairs one after the other.
    fn sums(self) -> Sums {
        let (layout, shape) = (self.layout, Shape::of(self.layout));
        let gradient = |class: usize| {
            let [.., total] = &self.eights[class / LANES];
            total.point(class % LANES, shape).gradient(layout)
        };
        Sums {
            value: self.value[0],
            gradient: (0..self.count).flat_map(gradient).collect(),
            hessian: self.hessians.into_iter().flat_map(|hessian| hessian.finish(layout)).collect(),
        }
    }
}

/// Returns the score that is summed over rows of so many classes, or nothing for their loss. Refuses
/// other losses: several classes have one.
pub(super) fn score_of(count: usize, loss: &dyn Loss) -> Result<Option<Bounded>, OracleError> {
    let spec = loss.spec();
    if let Some((score, bound)) = spec.and_then(LossSpec::as_score) {
        return Ok(Some(Bounded { score, bound, classes: Some(count) }));
    }
    match spec {
        Some(spec) if spec == LossSpec::plain(LossKind::Logistic) => Ok(None),
        _ => Err(OracleError(
            "rows of several classes are summed with the logistic loss alone".to_owned(),
        )),
    }
}

/// Sums at several points, in one pass.
impl BlockSum for Vec<ClassSum<'_>> {
    fn add_block(&mut self, rows: &Matrix, range: Range<usize>, weights: Option<&[f64]>) {
        self.iter_mut().for_each(|sum| sum.add_block(rows, range.clone(), weights));
    }

    fn finish(self) -> Partial {
        Partial(self.into_iter().map(ClassSum::sums).collect())
    }
}

impl BlockSum for ClassSum<'_> {
    fn add_block(&mut self, rows: &Matrix, range: Range<usize>, weights: Option<&[f64]>) {
        assert!(weights.is_none_or(|weights| weights.len() == range.len()), "one weight per row");
        Arch::new().dispatch(AddBlock { sum: self, rows, range, weights });
    }

    fn finish(self) -> Partial {
        Partial(vec![self.sums()])
    }
}

/// The lines of each class, of scores and of weights.
fn lines<'r>(
    scores: &'r mut [PerRow],
    weights: &'r mut [PerRow],
    count: usize,
) -> impl Iterator<Item = (&'r mut [f64; ROWS], &'r mut [f64; ROWS])> {
    let scores = scores.iter_mut().flat_map(|eight| &mut eight.0);
    scores.zip(weights.iter_mut().flat_map(|eight| &mut eight.0)).take(count)
}

/// Turns the scores of rows of these classes into probabilities; returns the sum of the losses,
/// each times its weight.
#[inline(always)]
fn probabilities(
    scores: &mut [PerRow],
    count: usize,
    classes: &[u16],
    weights: &[f64; ROWS],
) -> f64 {
    let rows = classes.len();
    let line = |class: usize| (class / LANES, class % LANES);
    let (mut most, mut sums) = ([f64::NEG_INFINITY; ROWS], [0.0; ROWS]);
    for (eight, lane) in (0..count).map(line) {
        for (most, &score) in most.iter_mut().zip(&scores[eight].0[lane]) {
            *most = if score > *most { score } else { *most };
        }
    }
    let mut value = 0.0;
    for (row, &class) in classes.iter().enumerate() {
        let (eight, lane) = line(usize::from(class));
        value += weights[row] * (most[row] - scores[eight].0[lane][row]);
    }
    for (eight, lane) in (0..count).map(line) {
        for ((score, most), sum) in
            scores[eight].0[lane].iter_mut().zip(&most).zip(&mut sums).take(rows)
        {
            *score = (*score - most).exp();
            *sum += *score;
        }
    }
    for (eight, lane) in (0..count).map(line) {
        for (score, sum) in scores[eight].0[lane].iter_mut().zip(&sums).take(rows) {
            *score /= sum;
        }
    }
    value + sums[..rows].iter().zip(weights).map(|(sum, weight)| weight * sum.ln()).sum::<f64>()
}

struct AddBlock<'s, 'a> {
    sum: &'s mut ClassSum<'a>,
    rows: &'s Matrix,
    range: Range<usize>,
    weights: Option<&'s [f64]>,
}

impl WithSimd for AddBlock<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for start in self.range.clone().step_by(ROWS) {
            let rows = start..self.range.end.min(start + ROWS);
            self.sum.group.load(self.rows, rows.clone());
            let mut own = [1.0; ROWS];
            if let Some(weights) = self.weights {
                let first = start - self.range.start;
                own[..rows.len()].copy_from_slice(&weights[first..first + rows.len()]);
            }
            self.sum.add_group(simd, &self.rows.classes[rows], &own);
        }
        self.sum.end_block();
    }
}
