//! A stored row under its layout: within its bounds, no longer than 1, and multiplied by
//! coefficients.

use super::blend::Stored;
use super::{Layout, OTHER};

impl Layout {
    /// Makes rows obey the layout's bounds, whatever they hold.
    pub(super) fn enforce(&self, numeric: &mut [f32], codes: &mut [u16]) {
        if self.numeric().len() < self.stored().len() {
            for row in numeric.chunks_exact_mut(self.stored().len()) {
                for (value, stored) in row.iter_mut().zip(self.stored()) {
                    *value = match stored {
                        Stored::Number(bound) => bounded(*value, *bound),
                        Stored::Curve(curve) => curve.enforce(*value),
                    };
                }
            }
        } else if !self.numeric().is_empty() {
            for row in numeric.chunks_exact_mut(self.numeric().len()) {
                for (value, &bound) in row.iter_mut().zip(self.numeric()) {
                    *value = bounded(*value, bound);
                }
            }
        }
        if !self.categories().is_empty() {
            for row in codes.chunks_exact_mut(self.categories().len()) {
                for (code, category) in row.iter_mut().zip(self.categories()) {
                    if usize::from(*code) >= category.count {
                        *code = OTHER;
                    }
                }
            }
        }
    }

    /// 1, or under [`Norm::Row`] a number slightly below 1/‖x‖ (the intercept keeps ‖x‖ above 0).
    pub(super) fn factor(&self, numbers: &[f32], codes: &[u16]) -> f32 {
        if !self.is_divided_by_row() {
            return 1.0;
        }
        let hits = codes
            .iter()
            .zip(self.categories())
            .filter(|(code, _)| **code != OTHER)
            .map(|(_, c)| c.value);
        let pairs =
            self.pairs().iter().filter(|pair| pair.hit(codes).is_some()).map(|pair| pair.value);
        let squared: f64 = std::iter::once(self.intercept() as f32)
            .chain(self.places().iter().map(|&place| numbers[place]))
            .chain(hits)
            .chain(pairs)
            .map(f64::from)
            // Not the length of a column's part but ‖x_j‖₁, which is what the noise of such rows
            // knows.
            .chain(self.mixed().iter().map(|mixed| mixed.length(numbers, codes)))
            .map(|x| x * x)
            .sum();
        // The shrink is far larger than the rounding of this line, so the product stays inside the
        // ball.
        ((1.0 - 1.0 / f64::from(1u32 << 20)) / squared.sqrt()) as f32
    }

    /// θ·x before the row's factor.
    #[inline(always)]
    pub(super) fn dot(&self, numeric: &[f32], codes: &[u16], row: usize, theta: &[f64]) -> f64 {
        let (width, columns) = (self.stored().len(), self.categories().len());
        let (numbers, codes) =
            (&numeric[row * width..][..width], &codes[row * columns..][..columns]);
        let (weights, dense) = (&theta[1..=self.numeric().len()], self.numeric().len());
        let mut margin = self.intercept() * theta[0];
        if dense == width {
            margin = lanes_dot(margin, numbers, weights);
        } else {
            margin += self
                .places()
                .iter()
                .zip(weights)
                .map(|(&at, t)| f64::from(numbers[at]) * t)
                .sum::<f64>();
        }
        for (&code, category) in codes.iter().zip(self.categories()) {
            if code != OTHER {
                margin += f64::from(category.value) * theta[category.first + usize::from(code)];
            }
        }
        for pair in self.pairs() {
            if let Some(hit) = pair.hit(codes) {
                margin += f64::from(pair.value) * theta[hit];
            }
        }
        for mixed in self.mixed() {
            if let Some((at, [one, other])) = mixed.hit(numbers, codes) {
                margin += one * theta[at];
                if other != 0.0 {
                    margin += other * theta[at + 1];
                }
            }
        }
        margin
    }
}

/// A number within ±bound, whatever it was. Not `clamp`, whose check of its own bounds would keep
/// the loop from being vectorised, nor `max` and `min`, which would look for NaN again.
#[inline(always)]
fn bounded(value: f32, bound: f32) -> f32 {
    let number = if value.is_nan() { 0.0 } else { value };
    let number = if number < -bound { -bound } else { number };
    if number > bound { bound } else { number }
}

/// `start` and a dot product in eight partial sums: additions that do not wait for each other.
#[inline(always)]
fn lanes_dot(start: f64, numbers: &[f32], weights: &[f64]) -> f64 {
    let dense = numbers.len() - numbers.len() % LANES;
    let mut lanes = [0.0; LANES];
    for (x, t) in numbers[..dense].chunks_exact(LANES).zip(weights.chunks_exact(LANES)) {
        for k in 0..LANES {
            lanes[k] += f64::from(x[k]) * t[k];
        }
    }
    let mut sum = start + lanes.iter().sum::<f64>();
    for (&x, &t) in numbers[dense..].iter().zip(&weights[dense..]) {
        sum += f64::from(x) * t;
    }
    sum
}

const LANES: usize = 8;
