//! Models of several classes.

use super::Model;
use discretion::erm::matrix::{Batch, class_margins};
use discretion::train::classes::probabilities;
use discretion_table::Schema;

impl Model {
    /// The names of its classes, if several have coefficients of their own.
    pub fn classes(&self) -> Option<Vec<String>> {
        let labels = &self.schema.target().labels;
        labels.several().map(|_| labels.names())
    }

    /// What it says of one class alone: its coefficients beside all that is true of the whole.
    pub fn of_class(&self, class: &str) -> Model {
        let is_its = |coefficient: &&super::Coefficient| coefficient.class.as_deref() == Some(class);
        let coefficients = self.coefficients.iter().filter(is_its).cloned().collect();
        Model { coefficients, ..self.clone() }
    }

    /// The probability of each class, row by row, in the order of the classes.
    pub fn class_probabilities(&self, batch: &Batch) -> Vec<Vec<f64>> {
        let schema: &Schema = &self.schema;
        let scores = class_margins(&schema.encoder().layout(), batch, &self.theta());
        scores.iter().map(|scores| probabilities(scores)).collect()
    }
}
