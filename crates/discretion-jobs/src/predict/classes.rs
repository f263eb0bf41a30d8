//! Several classes: a probability for each, and the most probable one.

use super::{Predictions, json_text};
use discretion::erm::matrix::{Batch, Layout, all_margins};
use discretion::outcome::probabilities;
use discretion_formats::Model;
use discretion_report::coefficients::field;

pub struct Classes {
    layout: Layout,
    theta: Vec<f64>,
    json: bool,
    /// Names, quoted for the format.
    names: Vec<String>,
    columns: Vec<String>,
}

impl Classes {
    pub fn new(model: &Model, names: &[String], json: bool) -> Classes {
        let quote = if json { json_text } else { field };
        let columns = names.iter().map(|name| format!("probability_{name}"));
        Classes {
            layout: model.schema.encoder().layout(),
            theta: model.theta(),
            json,
            names: names.iter().map(|name| quote(name)).collect(),
            columns: columns.chain(["label".to_owned()]).collect(),
        }
    }
}

impl Predictions for Classes {
    fn columns(&self) -> Vec<String> {
        self.columns.clone()
    }

    fn fields(&self, batch: Batch) -> Vec<String> {
        let fields = |probabilities: Vec<f64>| {
            // Of several that are equally likely, the first.
            let most = probabilities.iter().copied().fold(0.0, f64::max);
            let label = probabilities
                .iter()
                .position(|&p| p >= most)
                .map_or("", |class| &self.names[class]);
            if self.json {
                let named = self.names.iter().zip(&probabilities);
                let each: Vec<String> = named.map(|(name, p)| format!("{name}:{p}")).collect();
                return format!("\"probabilities\":{{{}}},\"label\":{label}", each.join(","));
            }
            let each: Vec<String> = probabilities.iter().map(f64::to_string).collect();
            format!("{},{label}", each.join(","))
        };
        let scores = all_margins(&self.layout, batch, &self.theta);
        scores.iter().map(|scores| fields(probabilities(scores))).collect()
    }
}
