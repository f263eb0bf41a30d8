//! A model as a file of ONNX, for programs that know nothing of this one: columns by their names in, score, probability and
//! label out.
//!
//! The graph does what [`Encoder`](discretion_table::Encoder) and `margins` do, in the same precision: a number is laid out in
//! double precision, rounded to single and clipped; a category becomes its place in the declared list, and that its coefficient.
//! So scores are those of `discretion predict` but for the order of a sum.

mod curves;
mod graph;
mod protobuf;

use crate::model::Model;
use discretion::Refusal;
use discretion::loss::LossKind;
use discretion_table::{NumberRecipe, Recipe};
use graph::{Attribute, Graph, ML, Type, Value};

/// Rows that are divided by their length are made so much shorter than 1, as `discretion_linear`'s `Layout` does.
const SHRINK: f64 = 1.0 - 1.0 / 1_048_576.0;

impl Model {
    /// The bytes of a file of ONNX.
    pub fn to_onnx(&self) -> Result<Vec<u8>, Refusal> {
        let Some([negative, positive]) = self.schema.target().labels.two_names() else {
            return Err(Refusal::bad_input("only models with two classes can be written as ONNX"));
        };
        let recipe = self.schema.encoder().recipe().map_err(|(column, more)| {
            Refusal::bad_input(format!(
                "column `{column}` {more}: ONNX has no words for that; use `discretion predict`, or fit a table in which the \
                 column is prepared"
            ))
        })?;
        let lines = recipe.numbers.iter().map(|column| column.name.as_str());
        let bent = recipe.curves.iter().map(|column| column.name.as_str());
        let numbers = lines.chain(bent).map(|name| (name, Type::Double));
        let categories = recipe.categories.iter().map(|(name, _)| (name.as_str(), Type::Text));
        let mut graph = Graph::new(numbers.chain(categories));
        let score = score(&mut graph, &recipe, &self.theta());
        let zero = graph.doubles(&[0.0]);
        let is_positive = graph.apply("Greater", &[&score, &zero]);
        let [yes, no, nothing] = [positive.as_str(), &negative, ""].map(|label| graph.text(label));
        let label = graph.apply("Where", &[&is_positive, &yes, &no]);
        // Where a number is missing that may not be. `predict` refuses such a row; a graph cannot.
        let unknown = graph.apply("IsNaN", &[&score]);
        let label = graph.apply("Where", &[&unknown, &nothing, &label]);
        graph.output("label", Type::Text, &label);
        if self.training.loss == LossKind::Logistic {
            let probability = graph.apply("Sigmoid", &[&score]);
            graph.output("probability", Type::Double, &probability);
        }
        graph.output("score", Type::Double, &score);
        let mut facts = vec![("privacy", self.privacy.statement.clone())];
        facts.extend(self.warning.as_ref().map(|reason| ("NOT PRIVATE", reason.clone())));
        facts.push(("target", self.schema.target().column.clone()));
        Ok(graph.file(self.program(), &self.privacy.statement, &facts))
    }
}

/// θ·x.
fn score(graph: &mut Graph, recipe: &Recipe, theta: &[f64]) -> Value {
    let constant = f64::from(recipe.constant);
    let mut score = graph.doubles(&[constant * theta[0]]);
    // The squared length of a row, if it is divided by that; the intercept is always there.
    let mut squared = recipe.divided_by_length.then(|| graph.doubles(&[constant * constant]));
    let add_square = |graph: &mut Graph, squared: &mut Option<Value>, x: &Value| {
        if let Some(sum) = squared {
            let square = graph.apply("Mul", &[x, x]);
            *sum = graph.apply("Add", &[sum, &square]);
        }
    };
    let (mut numbers, mut places) = (Vec::new(), Vec::new());
    for (column, &weight) in recipe.numbers.iter().zip(&theta[1..]) {
        let encoded = number(graph, column, recipe.constant);
        numbers.push(encoded.clone());
        let weight = graph.doubles(&[weight]);
        let part = graph.apply("Mul", &[&encoded, &weight]);
        score = graph.apply("Add", &[&score, &part]);
        add_square(graph, &mut squared, &encoded);
    }
    let mut first = 1 + recipe.numbers.len();
    for (name, values) in &recipe.categories {
        let place = place(graph, name, values);
        places.push((place.clone(), values.len()));
        // Behind the declared values comes what every other one counts: nothing.
        let mut parts: Vec<f64> =
            theta[first..][..values.len()].iter().map(|weight| constant * weight).collect();
        parts.push(0.0);
        let mut hits = vec![constant; values.len()];
        hits.push(0.0);
        first += values.len();
        let parts = graph.doubles(&parts);
        let part = graph.apply("Gather", &[&parts, &place]);
        score = graph.apply("Add", &[&score, &part]);
        if squared.is_some() {
            let hits = graph.doubles(&hits);
            let hit = graph.apply("Gather", &[&hits, &place]);
            add_square(graph, &mut squared, &hit);
        }
    }
    for part in curves::parts(graph, recipe, (&numbers, &places), &theta[first..]) {
        score = graph.apply("Add", &[&score, &part]);
    }
    match squared {
        None => score,
        Some(squared) => {
            let length = graph.apply("Sqrt", &[&squared]);
            let shrink = graph.doubles(&[SHRINK]);
            let factor = graph.apply("Div", &[&shrink, &length]);
            let factor = graph.cast(&factor, Type::Float);
            let factor = graph.cast(&factor, Type::Double);
            graph.apply("Mul", &[&score, &factor])
        }
    }
}

/// A number as it is encoded. One that is missing is NaN in ONNX.
fn number(graph: &mut Graph, column: &NumberRecipe, constant: f32) -> Value {
    let value = column.name.clone();
    let [offset, factor] = [column.offset, column.factor].map(|number| graph.doubles(&[number]));
    let mut x = graph.apply("Sub", &[&value, &offset]);
    if column.log {
        let [zero, one, constant] = [0.0, 1.0, f64::from(constant)].map(|number| graph.doubles(&[number]));
        x = graph.apply("Max", &[&x, &zero]);
        x = graph.apply("Add", &[&x, &one]);
        x = graph.apply("Log", &[&x]);
        x = graph.apply("Mul", &[&x, &factor]);
        x = graph.apply("Sub", &[&x, &constant]);
    } else {
        x = graph.apply("Mul", &[&x, &factor]);
    }
    let x = graph.cast(&x, Type::Float);
    let [low, high, missing] = [-constant, constant, column.missing].map(|number| graph.float(number));
    let x = graph.apply("Min", &[&x, &high]);
    let x = graph.apply("Max", &[&x, &low]);
    let is_missing = graph.apply("IsNaN", &[&value]);
    let x = graph.apply("Where", &[&is_missing, &missing, &x]);
    graph.cast(&x, Type::Double)
}

/// Where a text stands in the list of declared values; behind the last if it is none of them.
fn place(graph: &mut Graph, column: &str, values: &[String]) -> Value {
    let attributes = [
        Attribute::Texts("keys_strings", values),
        Attribute::Wholes("values_int64s", (0..values.len() as i64).collect()),
        Attribute::Whole("default_int64", values.len() as i64),
    ];
    graph.node(ML, "LabelEncoder", &[&column.to_owned()], &attributes)
}
