//! The heads of the model that a table is for.

use super::Facts;
use crate::outcome::Heads;

impl Facts {
    /// The heads that coefficients are of.
    pub fn heads(&self) -> Heads {
        self.classes.map_or(Heads::One, Heads::Each)
    }
}
