//! Whether the numbers of an event are numbers that it can have.

use super::event::EventError;

/// The ranges of an event's numbers.
pub(super) struct Check {
    pub(super) kind: &'static str,
}

impl Check {
    pub(super) fn within(
        &self,
        field: &'static str,
        value: f64,
        range: &'static str,
        ok: bool,
    ) -> Result<f64, EventError> {
        if ok {
            Ok(value)
        } else {
            Err(EventError::Number { kind: self.kind, field, range, value })
        }
    }

    pub(super) fn positive(&self, field: &'static str, value: f64) -> Result<f64, EventError> {
        self.within(field, value, "a finite number above 0", value.is_finite() && value > 0.0)
    }

    pub(super) fn not_negative(&self, field: &'static str, value: f64) -> Result<f64, EventError> {
        self.within(field, value, "a finite number, 0 or more", value.is_finite() && value >= 0.0)
    }

    pub(super) fn at_least_one(&self, field: &'static str, value: u64) -> Result<f64, EventError> {
        self.within(field, value as f64, "at least 1", value >= 1)
    }

    pub(super) fn bounded(&self, cost: f64) -> Result<f64, EventError> {
        if cost.is_finite() { Ok(cost) } else { Err(EventError::Boundless(self.kind)) }
    }

    pub(super) fn classes(&self, classes: usize) -> Result<(), EventError> {
        self.within("classes", classes as f64, "at least 2", classes >= 2).map(drop)
    }

    pub(super) fn rows(
        &self,
        rows: usize,
        dimension: usize,
        lambda: f64,
    ) -> Result<(), EventError> {
        self.at_least_one("rows", rows as u64)?;
        self.at_least_one("dimension", dimension as u64)?;
        self.positive("lambda", lambda).map(drop)
    }
}
