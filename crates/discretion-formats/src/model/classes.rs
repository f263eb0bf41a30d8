//! Models of several classes.

use super::Model;

impl Model {
    /// The names of its classes, if several have coefficients of their own.
    pub fn classes(&self) -> Option<Vec<String>> {
        let labels = &self.schema.target().labels;
        labels.several().map(|_| labels.names())
    }

    /// What it says of one class alone: its coefficients beside all that is true of the whole.
    pub fn of_class(&self, class: &str) -> Model {
        let is_its =
            |coefficient: &&super::Coefficient| coefficient.class.as_deref() == Some(class);
        let coefficients = self.coefficients.iter().filter(is_its).cloned().collect();
        Model { coefficients, ..self.clone() }
    }
}
