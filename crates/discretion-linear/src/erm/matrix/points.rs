//! Margins and gradients of a group of rows, at one point along the rows' numbers, or at eight
//! points side by side.
//!
//! Both ways carry out the same operations in the same order for every point, so a point gets the
//! same bits in any company.

use super::Layout;
use super::aligned::Aligned;
use super::group::{Group, LANES, ROWS, Shape};
use pulp::Simd;

/// Rows that are added to a gradient together, so that its numbers are loaded and stored less
/// often. Divides [`ROWS`].
const TOGETHER: usize = 4;

/// One number for each row of a group and each of up to eight points.
#[repr(align(64))]
#[derive(Clone)]
pub(super) struct PerRow(pub [[f64; ROWS]; LANES]);

/// Coefficients, or a gradient in the making, of one point.
pub(super) struct OnePoint {
    dense: Aligned<f64>,
    /// By slot.
    hits: Vec<f64>,
}

impl OnePoint {
    pub fn zero(shape: Shape) -> OnePoint {
        OnePoint { dense: Aligned::new(0.0, shape.padded), hits: vec![0.0; shape.slots()] }
    }

    /// θ, each coefficient of a slot times the value of a hit.
    pub fn of(theta: &[f64], layout: &Layout) -> OnePoint {
        let shape = Shape::of(layout);
        let mut one = OnePoint::zero(shape);
        for place in 0..shape.width {
            one.dense[place] = theta[shape.coefficient(place)];
        }
        for ((hit, theta), value) in
            one.hits.iter_mut().zip(&theta[shape.width..]).zip(layout.slot_values())
        {
            *hit = value * theta;
        }
        one
    }

    /// The gradient that weights added up to.
    pub fn gradient(&self, layout: &Layout) -> Vec<f64> {
        let shape = Shape::of(layout);
        let mut gradient = vec![0.0; shape.width];
        for place in 0..shape.width {
            gradient[shape.coefficient(place)] = self.dense[place];
        }
        gradient.extend(
            self.hits.iter().zip(layout.slot_values()).map(|(weight, value)| weight * value),
        );
        gradient
    }

    /// yᵢ θ·xᵢ of every row.
    #[inline(always)]
    pub fn margins<S: Simd>(&self, simd: S, group: &Group, into: &mut PerRow) {
        let (registers, into) = (LANES / S::F64_LANES, &mut into.0[0]);
        let theta = S::as_simd_f64s(&self.dense).0;
        let dense = S::as_simd_f64s(&group.dense).0.chunks_exact(theta.len());
        for (margin, x) in into.iter_mut().zip(dense).take(group.rows) {
            let mut sums = [simd.splat_f64s(0.0); LANES];
            for (x, theta) in x.chunks_exact(registers).zip(theta.chunks_exact(registers)) {
                for k in 0..registers {
                    sums[k] = simd.add_f64s(sums[k], simd.mul_f64s(x[k], theta[k]));
                }
            }
            let mut lanes = [0.0; LANES];
            S::as_mut_simd_f64s(&mut lanes).0.copy_from_slice(&sums[..registers]);
            *margin = total(lanes, |a, b| a + b);
        }
        let hits = &self.hits[..];
        for slots in &group.slots {
            for (margin, &slot) in into.iter_mut().zip(slots).take(group.rows) {
                *margin += hits[slot as usize];
            }
        }
        for mixed in &group.mixed {
            let at = mixed.slots.iter().zip(&mixed.entries);
            for (margin, (&slot, entry)) in into.iter_mut().zip(at).take(group.rows) {
                *margin += entry * hits[slot as usize];
            }
        }
        for (margin, signed) in into.iter_mut().zip(&group.signed) {
            *margin *= signed;
        }
    }

    /// Adds every row times its weight; rows that are not there have weight 0.
    #[inline(always)]
    pub fn add_rows<S: Simd>(&mut self, simd: S, group: &Group, weights: &PerRow) {
        let weights = &weights.0[0];
        let sums = S::as_mut_simd_f64s(&mut self.dense).0;
        let dense = S::as_simd_f64s(&group.dense).0.chunks_exact(TOGETHER * sums.len());
        for (weights, x) in
            weights.as_chunks::<TOGETHER>().0.iter().zip(dense).take(groups(group.rows))
        {
            let [a, b, c, d] = weights.map(|weight| simd.splat_f64s(weight));
            let [xa, xb, xc, xd] = quarters(x);
            for ((((sum, xa), xb), xc), xd) in sums.iter_mut().zip(xa).zip(xb).zip(xc).zip(xd) {
                let ab = simd.add_f64s(simd.mul_f64s(a, *xa), simd.mul_f64s(b, *xb));
                let cd = simd.add_f64s(simd.mul_f64s(c, *xc), simd.mul_f64s(d, *xd));
                *sum = simd.add_f64s(*sum, simd.add_f64s(ab, cd));
            }
        }
        // Row by row: neighbours that hit the same slot wait for each other, and then columns wait
        // together.
        let hits = &mut self.hits[..];
        for (row, weight) in weights.iter().enumerate().take(group.rows) {
            for slots in &group.slots {
                hits[slots[row] as usize] += weight;
            }
            for mixed in &group.mixed {
                hits[mixed.slots[row] as usize] += mixed.entries[row] * weight;
            }
        }
    }

    /// Adds this block's sums to those of all before, and is zero again.
    #[inline(always)]
    pub fn drain_into(&mut self, total: &mut OnePoint) {
        drain(&mut self.dense, &mut total.dense);
        drain(&mut self.hits, &mut total.hits);
    }
}

/// Coefficients, or gradients in the making, of eight points: [`OnePoint`] with eight numbers in the
/// place of each.
pub(super) struct EightPoints {
    dense: Aligned<f64>,
    hits: Aligned<f64>,
}

impl EightPoints {
    pub fn zero(shape: Shape) -> EightPoints {
        EightPoints {
            dense: Aligned::new(0.0, LANES * shape.padded),
            hits: Aligned::new(0.0, LANES * shape.slots()),
        }
    }

    /// Of at most eight points.
    pub fn of(points: &[OnePoint], shape: Shape) -> EightPoints {
        let mut eight = EightPoints::zero(shape);
        for (k, point) in points.iter().enumerate() {
            eight
                .dense
                .iter_mut()
                .skip(k)
                .step_by(LANES)
                .zip(&*point.dense)
                .for_each(|(to, x)| *to = *x);
            eight
                .hits
                .iter_mut()
                .skip(k)
                .step_by(LANES)
                .zip(&point.hits)
                .for_each(|(to, x)| *to = *x);
        }
        eight
    }

    /// One of the eight.
    pub fn point(&self, k: usize, shape: Shape) -> OnePoint {
        let mut point = OnePoint::zero(shape);
        point
            .dense
            .iter_mut()
            .zip(self.dense.iter().skip(k).step_by(LANES))
            .for_each(|(to, x)| *to = *x);
        point
            .hits
            .iter_mut()
            .zip(self.hits.iter().skip(k).step_by(LANES))
            .for_each(|(to, x)| *to = *x);
        point
    }

    /// yᵢ θ·xᵢ of every row at every point.
    #[inline(always)]
    pub fn margins<S: Simd>(&self, simd: S, group: &Group, into: &mut PerRow) {
        let registers = LANES / S::F64_LANES;
        let (theta, hits) = (S::as_simd_f64s(&self.dense).0, S::as_simd_f64s(&self.hits).0);
        for (row, x) in group.dense.chunks_exact(group.shape.padded).take(group.rows).enumerate() {
            let mut margins = [0.0; LANES];
            for k in 0..registers {
                let mut sums = [simd.splat_f64s(0.0); LANES];
                for (x, theta) in
                    x.as_chunks::<LANES>().0.iter().zip(theta.chunks_exact(LANES * registers))
                {
                    for lane in 0..LANES {
                        let product =
                            simd.mul_f64s(simd.splat_f64s(x[lane]), theta[lane * registers + k]);
                        sums[lane] = simd.add_f64s(sums[lane], product);
                    }
                }
                let mut margin = total(sums, |a, b| simd.add_f64s(a, b));
                for slots in &group.slots {
                    margin = simd.add_f64s(margin, hits[slots[row] as usize * registers + k]);
                }
                for mixed in &group.mixed {
                    let entry = simd.splat_f64s(mixed.entries[row]);
                    let hit = hits[mixed.slots[row] as usize * registers + k];
                    margin = simd.add_f64s(margin, simd.mul_f64s(entry, hit));
                }
                let margin = simd.mul_f64s(simd.splat_f64s(group.signed[row]), margin);
                S::as_mut_simd_f64s(&mut margins).0[k] = margin;
            }
            for (margin, into) in margins.iter().zip(&mut into.0) {
                into[row] = *margin;
            }
        }
    }

    /// Adds every row times its weights; rows that are not there have weight 0.
    #[inline(always)]
    pub fn add_rows<S: Simd>(&mut self, simd: S, group: &Group, weights: &PerRow) {
        let registers = LANES / S::F64_LANES;
        let mut by_row = PerPoint([[0.0; LANES]; ROWS]);
        for (row, lanes) in by_row.0.iter_mut().enumerate() {
            for (lane, weights) in lanes.iter_mut().zip(&weights.0) {
                *lane = weights[row];
            }
        }
        let by_row = &by_row.0;
        let sums = S::as_mut_simd_f64s(&mut self.dense).0;
        let dense = group.dense.chunks_exact(TOGETHER * group.shape.padded);
        for (weights, x) in
            by_row.as_chunks::<TOGETHER>().0.iter().zip(dense).take(groups(group.rows))
        {
            let [xa, xb, xc, xd] = quarters(x);
            for k in 0..registers {
                let [a, b, c, d] = [0, 1, 2, 3].map(|row| S::as_simd_f64s(&weights[row]).0[k]);
                let sums = sums.chunks_exact_mut(registers);
                for ((((sum, xa), xb), xc), xd) in sums.zip(xa).zip(xb).zip(xc).zip(xd) {
                    let times = |weights, x: &f64| simd.mul_f64s(weights, simd.splat_f64s(*x));
                    let ab = simd.add_f64s(times(a, xa), times(b, xb));
                    let cd = simd.add_f64s(times(c, xc), times(d, xd));
                    sum[k] = simd.add_f64s(sum[k], simd.add_f64s(ab, cd));
                }
            }
        }
        let hits = S::as_mut_simd_f64s(&mut self.hits).0;
        for (row, weights) in by_row.iter().enumerate().take(group.rows) {
            for slots in &group.slots {
                let hits = &mut hits[slots[row] as usize * registers..][..registers];
                for (hits, weights) in hits.iter_mut().zip(S::as_simd_f64s(weights).0) {
                    *hits = simd.add_f64s(*hits, *weights);
                }
            }
            for mixed in &group.mixed {
                let entry = simd.splat_f64s(mixed.entries[row]);
                let hits = &mut hits[mixed.slots[row] as usize * registers..][..registers];
                for (hits, weights) in hits.iter_mut().zip(S::as_simd_f64s(weights).0) {
                    *hits = simd.add_f64s(*hits, simd.mul_f64s(entry, *weights));
                }
            }
        }
    }

    /// Adds this block's sums to those of all before, and is zero again.
    #[inline(always)]
    pub fn drain_into(&mut self, total: &mut EightPoints) {
        drain(&mut self.dense, &mut total.dense);
        drain(&mut self.hits, &mut total.hits);
    }
}

/// One number for each of eight points and each row.
#[repr(align(64))]
struct PerPoint([[f64; LANES]; ROWS]);

#[inline(always)]
fn drain(block: &mut [f64], total: &mut [f64]) {
    for (block, total) in block.iter_mut().zip(total) {
        *total += *block;
        *block = 0.0;
    }
}

/// How many times [`TOGETHER`] rows these are, the last time with rows that are not there.
fn groups(rows: usize) -> usize {
    rows.div_ceil(TOGETHER)
}

#[inline(always)]
fn quarters<T>(rows: &[T]) -> [&[T]; TOGETHER] {
    let ((a, b), (c, d)) = {
        let (ab, cd) = rows.split_at(rows.len() / 2);
        (ab.split_at(ab.len() / 2), cd.split_at(cd.len() / 2))
    };
    [a, b, c, d]
}

/// The sum of eight lanes, halved until one is left.
#[inline(always)]
fn total<T: Copy>(lanes: [T; LANES], add: impl Fn(T, T) -> T) -> T {
    let [a, b, c, d, e, f, g, h] = lanes;
    let [a, b, c, d] = [add(a, e), add(b, f), add(c, g), add(d, h)];
    add(add(a, c), add(b, d))
}
