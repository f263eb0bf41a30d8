//! How certain effects are: by their intervals or, without any, by what noise alone makes of them.

use super::{Coefficient, Estimate, Place, Report};

/// More effects than this are too many to take in: pictures have no more, and tables begin with the
/// most certain.
pub const MANY: usize = 40;

impl Report {
    /// Whether there are many effects.
    pub(super) fn is_long(&self) -> bool {
        self.effects().count() > MANY
    }

    /// The coefficients of a table, by their positions: in the order of the model, or the most
    /// certain effects first if there are many. The intercept comes before them, and what others
    /// are compared with behind.
    pub(super) fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.coefficients.len()).collect();
        if self.is_long() {
            let rank = |&position: &usize| match &self.coefficients[position] {
                coefficient if coefficient.place == Place::Intercept => (0, 0.0),
                _ if self.is_compared_with(position) => (2, 0.0),
                coefficient => (1, -coefficient.certainty()),
            };
            order.sort_by(|a, b| {
                let ((kind, size), (other_kind, other)) = (rank(a), rank(b));
                kind.cmp(&other_kind).then(size.total_cmp(&other))
            });
        }
        order
    }

    /// The effects that are more than chance, were each the luckiest of all, the most certain
    /// first: their p-value times the number of effects is within what the level leaves out or,
    /// without intervals, noise alone would not make any as large.
    pub(super) fn certain(&self) -> Vec<&Coefficient> {
        let level = self.level.filter(|_| self.has_intervals());
        let count = self.effects().count() as f64;
        let is_certain = |coefficient: &&Coefficient| match (level, coefficient.p_value) {
            (Some(level), Some(p)) => p * count <= 1.0 - level,
            (Some(_), None) => false,
            (None, _) => coefficient.is_beyond_noise(),
        };
        let mut certain: Vec<&Coefficient> = self.effects().filter(is_certain).collect();
        certain.sort_by(|a, b| b.certainty().total_cmp(&a.certainty()));
        certain
    }

    /// Whether it is known what noise alone does.
    pub(super) fn has_noise(&self) -> bool {
        !self.has_intervals()
            && self.coefficients.iter().any(|coefficient| coefficient.noise.is_some())
    }
}

impl Coefficient {
    /// Leaves out the estimate of an effect of which only the declared bound speaks.
    pub(super) fn without_estimate(mut self) -> Coefficient {
        self.encoded.value = f64::NAN;
        if let Some(own) = &mut self.own_unit {
            own.estimate.value = f64::NAN;
        }
        if let Some(effect) = &mut self.effect {
            effect.estimate.value = f64::NAN;
        }
        self
    }

    /// How far an estimate is from 0, in units of half its interval, or of what noise alone makes
    /// of it.
    pub(super) fn certainty(&self) -> f64 {
        let Estimate { value, interval } = self.estimate();
        let size = if value.is_nan() { 0.0 } else { value.abs() };
        match (interval, self.noise) {
            (Some(interval), _) if interval.half_width() > 0.0 => size / interval.half_width(),
            (None, Some(noise)) if noise > 0.0 => size / noise,
            _ => size,
        }
    }

    /// Whether noise alone would not make it as large.
    pub(super) fn is_beyond_noise(&self) -> bool {
        self.noise.is_some_and(|noise| self.estimate().value.abs() > noise)
    }

    /// What noise alone makes of the estimate in the column's own unit.
    pub(super) fn noise_in_own_unit(&self) -> Option<f64> {
        let (effect, own) = (self.estimate().value, self.in_own_unit()?.value);
        let noise = self.noise? * (own / effect).abs();
        noise.is_finite().then_some(noise)
    }
}
