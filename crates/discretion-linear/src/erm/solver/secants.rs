//! What gradients along the way say about curvature: the two-loop recursion of L-BFGS (Nocedal
//! 1980).

use super::{dot, moved};
use std::collections::VecDeque;

const MEMORY: usize = 20;

/// The last steps, the changes of gradient along them, and 1/(their products).
#[derive(Default)]
pub(super) struct Secants(VecDeque<(Vec<f64>, Vec<f64>, f64)>);

impl Secants {
    /// Remembers a step and how the gradient changed along it.
    pub fn push(&mut self, step: Vec<f64>, change: Vec<f64>) {
        let product = dot(&step, &change);
        if product > 0.0 {
            if self.0.len() == MEMORY {
                self.0.pop_front();
            }
            self.0.push_back((step, change, 1.0 / product));
        }
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The length of a step for each unit of gradient, as the last step saw it.
    pub fn scale(&self) -> Option<f64> {
        self.0.back().map(|(_, change, inverse)| 1.0 / (inverse * dot(change, change)))
    }

    /// −H⁻¹·gradient, where `solve` multiplies by H⁻¹ as it was before all secants; nothing if it
    /// fails.
    pub fn direction(
        &self,
        gradient: &[f64],
        solve: impl FnOnce(Vec<f64>) -> Option<Vec<f64>>,
    ) -> Option<Vec<f64>> {
        let mut direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut weights = Vec::with_capacity(self.0.len());
        for (step, change, inverse) in self.0.iter().rev() {
            let weight = inverse * dot(step, &direction);
            direction = moved(&direction, -weight, change);
            weights.push(weight);
        }
        direction = solve(direction)?;
        for ((step, change, inverse), weight) in self.0.iter().zip(weights.into_iter().rev()) {
            let correction = weight - inverse * dot(change, &direction);
            direction = moved(&direction, correction, step);
        }
        direction.iter().all(|x| x.is_finite()).then_some(direction)
    }
}
