//! Models of a number: its prediction, and what a new row's outcome lies between, as `discretion
//! predict` has them.

use super::graph::{Graph, Type, Value};
use super::scores::{Weights, graph_of, recipe_of, scores};
use crate::number::NumberModel;
use crate::prediction::PredictionParts;
use discretion::Refusal;
use discretion_table::OutcomeScale;

impl NumberModel {
    /// The bytes of a file of ONNX. `times` says how many deviations an interval of a level
    /// reaches.
    pub fn to_onnx(&self, times: impl Fn(f64) -> f64) -> Result<Vec<u8>, Refusal> {
        let recipe = recipe_of(&self.schema)?;
        let mut graph = graph_of(&recipe);
        for (model, names) in self.each().iter().zip(self.said()) {
            let parts = model.prediction_parts().map_err(Refusal::bad_input)?;
            let scores = scores(&mut graph, &recipe, &Weights::of(&parts.vectors));
            let place = graph.column(&scores, 0);
            let mut places = vec![place.clone()];
            if let Some(fit) = &model.fit.squares {
                let half = half_width(&mut graph, &scores, &parts, times(fit.level));
                places
                    .extend(["Sub", "Add"].map(|operator| graph.apply(operator, &[&place, &half])));
            }
            for (name, end) in names.iter().zip(&places) {
                let value = value(&mut graph, model.scale(), end);
                graph.output(name, (Type::Double, 1), &value);
            }
        }
        let mut facts = vec![("privacy", self.privacy.statement.clone())];
        facts.extend(self.warning.as_ref().map(|reason| ("NOT PRIVATE", reason.clone())));
        facts.push(("target", self.predicted()));
        Ok(graph.file(self.program(), &self.privacy.statement, &facts))
    }
}

/// How far an interval reaches: deviations times √(residual + Σ (axis·x)²).
fn half_width(graph: &mut Graph, scores: &Value, parts: &PredictionParts, times: f64) -> Value {
    let squares = graph.apply("Mul", &[scores, scores]);
    // All but the first, which is the prediction.
    let each = (0..parts.vectors.len()).map(|place| vec![f64::from(u8::from(place > 0))]);
    let each = graph.table(&each.collect::<Vec<_>>());
    let sum = graph.apply("MatMul", &[&squares, &each]);
    let [residual, times] = [parts.residual, times].map(|number| graph.doubles(&[number]));
    let variance = graph.apply("Add", &[&sum, &residual]);
    let deviation = graph.apply("Sqrt", &[&variance]);
    graph.apply("Mul", &[&deviation, &times])
}

/// The outcome at a place of its scale; beyond its ends, the end. As `OutcomeScale::value` has it.
fn value(graph: &mut Graph, scale: OutcomeScale, place: &Value) -> Value {
    let between = |graph: &mut Graph, value: &Value, low: f64, high: f64| {
        let [low, high] = [low, high].map(|end| graph.doubles(&[end]));
        let value = graph.apply("Max", &[value, &low]);
        graph.apply("Min", &[&value, &high])
    };
    let (min, max) = scale.range();
    let [unit, offset, one, least] =
        [scale.unit(), scale.offset(), 1.0, min].map(|number| graph.doubles(&[number]));
    let inside = between(graph, place, -1.0, 1.0);
    let step = graph.apply("Mul", &[&inside, &unit]);
    let mut value = graph.apply("Add", &[&step, &offset]);
    if scale.is_log() {
        value = graph.apply("Exp", &[&value]);
        value = graph.apply("Sub", &[&value, &one]);
        value = graph.apply("Add", &[&value, &least]);
    }
    let value = between(graph, &value, min, max);
    // What is not known stays unknown, whatever a runtime says of its minimum.
    let unknown = graph.apply("IsNaN", &[place]);
    graph.apply("Where", &[&unknown, place, &value])
}
