//! Two classes: a score, its probability, and the class on its side of a threshold.

use super::{Prediction, Predictions, json_text};
use discretion::Refusal;
use discretion::erm::matrix::{Batch, Layout, margins};
use discretion::loss::LossKind;
use discretion::quality::Estimate;
use discretion_formats::Model;
use discretion_report::coefficients::field;
use discretion_report::numbers::{decimal, percent};

pub struct TwoClasses {
    layout: Layout,
    theta: Vec<f64>,
    json: bool,
    probability: bool,
    /// The score beyond which a row is called positive.
    threshold: f64,
    /// Labels, quoted for the format: negative, positive.
    labels: [String; 2],
}

impl TwoClasses {
    pub fn new(model: &Model, asked: &Prediction<'_>) -> Result<TwoClasses, Refusal> {
        let Some(labels) = model.schema.target().labels.two_names() else {
            return Err(Refusal::bad_file(
                asked.model_file,
                "it has neither two classes nor several",
            ));
        };
        let quote = if asked.json { json_text } else { field };
        Ok(TwoClasses {
            layout: model.schema.encoder().layout(),
            theta: model.theta(),
            json: asked.json,
            probability: has_probabilities(model),
            threshold: asked.threshold.map_or(Ok(0.0), |threshold| score(model, threshold))?,
            labels: labels.map(|label| quote(&label)),
        })
    }
}

fn has_probabilities(model: &Model) -> bool {
    model.training.loss == LossKind::Logistic
}

/// A threshold as a score.
fn score(model: &Model, threshold: f64) -> Result<f64, Refusal> {
    if !has_probabilities(model) {
        return match threshold.is_finite() {
            true => Ok(threshold),
            false => Err(Refusal::bad_input("a score is a finite number").about("threshold")),
        };
    }
    match threshold > 0.0 && threshold < 1.0 {
        true => Ok((threshold / (1.0 - threshold)).ln()),
        false => Err(Refusal::bad_input(format!(
            "{threshold} is no threshold: this model has probabilities, and a threshold is one between 0 and 1, such as 0.3"
        ))
        .about("threshold")),
    }
}

/// What was released about the nearest threshold.
pub fn about_threshold(model: &Model, threshold: f64) -> Option<String> {
    let wanted = score(model, threshold).ok()?;
    let nearest = model.quality.as_ref()?.two()?.figures.nearest(wanted)?;
    let at = nearest.probability.unwrap_or(nearest.score);
    let share = |estimate: &Estimate| {
        format!(
            "{} ({} to {})",
            percent(estimate.value),
            percent(estimate.lower),
            percent(estimate.upper)
        )
    };
    Some(format!(
        "at {}, the nearest threshold of which figures were released: recall {}, precision {}, false positives {}",
        decimal(at, 3),
        share(&nearest.recall),
        share(&nearest.precision),
        share(&nearest.false_positives)
    ))
}

impl Predictions for TwoClasses {
    fn columns(&self) -> Vec<String> {
        let names: &[&str] =
            if self.probability { &["score", "probability", "label"] } else { &["score", "label"] };
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn has_threshold(&self) -> bool {
        true
    }

    fn fields(&self, batch: Batch) -> Vec<String> {
        let fields = |score: f64| {
            let label = &self.labels[usize::from(score > self.threshold)];
            let probability = self.probability.then(|| 1.0 / (1.0 + (-score).exp()));
            if self.json {
                let probability =
                    probability.map(|p| format!("\"probability\":{p},")).unwrap_or_default();
                return format!("\"score\":{score},{probability}\"label\":{label}");
            }
            let probability = probability.map(|p| format!("{p},")).unwrap_or_default();
            format!("{score},{probability}{label}")
        };
        margins(&self.layout, batch, &self.theta).into_iter().map(fields).collect()
    }
}
