//! The number of runs of random stopping, drawn exactly.

use super::{NoiseError, Source, below};
use crate::Stopping;

impl Stopping {
    /// Draws K.
    pub fn draw(&self, source: &mut dyn Source) -> Result<u32, NoiseError> {
        let mut left = below(self.weights().sum(), source)?;
        for (k, weight) in (1..).zip(self.weights()) {
            if left < weight {
                return Ok(k);
            }
            left -= weight;
        }
        unreachable!("what was drawn is below the sum of the weights")
    }
}
