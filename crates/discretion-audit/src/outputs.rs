//! Many outputs of a mechanism in one piece of memory.

use super::AuditError;

/// Outputs of equal length, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outputs {
    width: usize,
    numbers: Vec<f64>,
}

impl Outputs {
    /// Adds one.
    pub fn push(&mut self, output: &[f64]) -> Result<(), AuditError> {
        if output.is_empty() {
            return Err(AuditError::Empty);
        }
        if let Some(&bad) = output.iter().find(|x| !x.is_finite()) {
            return Err(AuditError::NotFinite(bad));
        }
        if self.width == 0 {
            self.width = output.len();
        } else if self.width != output.len() {
            return Err(AuditError::Width { expected: self.width, found: output.len() });
        }
        self.numbers.extend_from_slice(output);
        Ok(())
    }

    /// Adds all of another.
    pub fn append(&mut self, other: &Outputs) -> Result<(), AuditError> {
        if self.width != 0 && other.width != 0 && self.width != other.width {
            return Err(AuditError::Width { expected: self.width, found: other.width });
        }
        self.width = self.width.max(other.width);
        self.numbers.extend_from_slice(&other.numbers);
        Ok(())
    }

    /// How many numbers an output has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many outputs there are.
    pub fn len(&self) -> usize {
        self.numbers.len().checked_div(self.width).unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Each output.
    pub fn iter(&self) -> impl Iterator<Item = &[f64]> {
        self.numbers.chunks_exact(self.width.max(1))
    }

    /// The outputs before this one, and the rest.
    pub(super) fn split_at(&self, count: usize) -> (Outputs, Outputs) {
        let (first, rest) = self.numbers.split_at(count * self.width);
        let part = |numbers: &[f64]| Outputs { width: self.width, numbers: numbers.to_vec() };
        (part(first), part(rest))
    }
}
