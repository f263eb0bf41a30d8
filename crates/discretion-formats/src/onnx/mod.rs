//! A model as a file of ONNX, for programs that know nothing of this one: columns by their names
//! in, and out what `discretion predict` says of a row.
//!
//! The graph does what [`Encoder`](discretion_table::Encoder) and `margins` do, in the same
//! precision: a number is laid out in double precision, rounded to single and clipped; a category
//! becomes its place in the declared list, and that its coefficient. So scores are those of
//! `discretion predict` but for the order of a sum.

mod curves;
mod graph;
mod number;
mod protobuf;
mod scores;

use crate::model::Model;
use discretion::Refusal;
use discretion::loss::LossKind;
use graph::{Attribute, Graph, ML, Type, Value};
use scores::{Weights, graph_of, recipe_of, scores};

impl Model {
    /// The bytes of a file of ONNX.
    pub fn to_onnx(&self) -> Result<Vec<u8>, Refusal> {
        let recipe = recipe_of(&self.schema)?;
        let mut graph = graph_of(&recipe);
        let theta = self.theta();
        let mut facts = vec![("privacy", self.privacy.statement.clone())];
        facts.extend(self.warning.as_ref().map(|reason| ("NOT PRIVATE", reason.clone())));
        facts.push(("target", self.schema.target().column.clone()));
        match self.classes() {
            None => {
                let score = scores(&mut graph, &recipe, &Weights::of(&[theta]));
                self.two_classes(&mut graph, &score);
            }
            Some(classes) => {
                let dimension = theta.len() / classes.len();
                let vectors: Vec<Vec<f64>> =
                    theta.chunks_exact(dimension).map(<[f64]>::to_vec).collect();
                let scores = scores(&mut graph, &recipe, &Weights::of(&vectors));
                several_classes(&mut graph, &scores, &classes);
                facts.push(("classes", classes.join("\n")));
            }
        }
        Ok(graph.file(self.program(), &self.privacy.statement, &facts))
    }

    fn two_classes(&self, graph: &mut Graph, score: &Value) {
        let [negative, positive] =
            self.schema.target().labels.two_names().expect("there are two classes");
        let zero = graph.doubles(&[0.0]);
        let is_positive = graph.apply("Greater", &[score, &zero]);
        let [yes, no] = [positive.as_str(), &negative].map(|label| graph.text(label));
        let label = graph.apply("Where", &[&is_positive, &yes, &no]);
        let label = known(graph, score, &label);
        graph.output("label", (Type::Text, 1), &label);
        if self.training.loss == LossKind::Logistic {
            let probability = graph.apply("Sigmoid", &[score]);
            graph.output("probability", (Type::Double, 1), &probability);
        }
        graph.output("score", (Type::Double, 1), score);
    }
}

/// The likeliest class, and a probability for each, in the order of the classes.
fn several_classes(graph: &mut Graph, scores: &Value, classes: &[String]) {
    let axis = |axis| Attribute::Whole("axis", axis);
    let probabilities = graph.node("", "Softmax", &[scores], &[axis(1)]);
    let place = graph.node("", "ArgMax", &[scores], &[axis(1), Attribute::Whole("keepdims", 1)]);
    let attributes = [
        Attribute::Wholes("keys_int64s", (0..classes.len() as i64).collect()),
        Attribute::Texts("values_strings", classes),
    ];
    let label = graph.node(ML, "LabelEncoder", &[&place], &attributes);
    let first = graph.column(scores, 0);
    let label = known(graph, &first, &label);
    graph.output("label", (Type::Text, 1), &label);
    graph.output("probabilities", (Type::Double, classes.len()), &probabilities);
    graph.output("scores", (Type::Double, classes.len()), scores);
}

/// The label; nothing where a number is missing that may not be. `predict` refuses such a row; a
/// graph cannot.
fn known(graph: &mut Graph, score: &Value, label: &Value) -> Value {
    let (unknown, nothing) = (graph.apply("IsNaN", &[score]), graph.text(""));
    graph.apply("Where", &[&unknown, &nothing, label])
}
