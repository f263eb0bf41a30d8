//! What the noise does to the effects that people read off a model.

use super::Report;
use discretion::privacy::account::Event;
use discretion::train::Plan;
use discretion_table::Schema;
use serde::Serialize;
use std::iter::repeat_n;

/// How far the noise moves an effect: of a number from the middle of its range to its end, of a
/// category against the first one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EffectError {
    /// The coefficient's name.
    pub name: String,
    /// The category, or the value of a curve, it is compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    /// The expected deviation, on the scale of the margin (log odds of a logistic model).
    pub deviation: f64,
}

impl EffectError {
    /// From the deviations of the coefficients, whose noise is independent or, where it is a
    /// ball's, uncorrelated.
    pub(super) fn of(schema: &Schema, deviations: &[f64]) -> Vec<EffectError> {
        let encoder = schema.encoder();
        let named = encoder.names().into_iter().zip(encoder.effects());
        named
            .filter_map(|(name, effect)| {
                let effect = effect?;
                let parts =
                    effect.weights.iter().map(|&(place, weight)| weight * deviations[place]);
                let variance: f64 = parts.map(|part| part * part).sum();
                Some(EffectError { name, against: effect.against, deviation: variance.sqrt() })
            })
            .collect()
    }
}

/// How far the noise moves each coefficient: as far as any other of its column.
pub(super) fn deviations(plan: &Plan) -> Vec<f64> {
    let each = plan.chosen().coefficient_deviations();
    match &plan.facts().columns {
        Some(columns) => {
            let columns = columns.iter().zip(each);
            columns
                .flat_map(|(column, deviation)| repeat_n(*deviation, column.coefficients))
                .collect()
        }
        None => each.to_vec(),
    }
}

impl Report {
    /// How far the noise of the mechanism that is taken moves what people read off the model.
    pub fn effects(&self, schema: &Schema) -> Vec<EffectError> {
        EffectError::of(schema, &self.deviations)
    }

    /// What the ledger would be told.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// λ, or what "auto" would take where it is chosen from a list.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// The number of coefficients.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// What the noise does to the margin of a row, root mean square.
    pub fn expected_error(&self) -> f64 {
        self.mechanisms[0].expected_error
    }
}
