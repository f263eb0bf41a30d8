//! The scores of a row: products with one vector of coefficients, or with several at once.

use super::curves;
use super::graph::{Attribute, Graph, ML, Type, Value};
use discretion::{Excerpt, Refusal};
use discretion_table::{NumberRecipe, Recipe, Schema};

/// Rows that are divided by their length are made so much shorter than 1, as `discretion_linear`'s
/// `Layout` does.
const SHRINK: f64 = 1.0 - 1.0 / 1_048_576.0;

/// How a schema encodes a row, if operators can.
pub fn recipe_of(schema: &Schema) -> Result<Recipe, Refusal> {
    schema.encoder().recipe().map_err(|(column, more)| {
        let column = Excerpt::of(column);
        Refusal::bad_input(format!(
            "column `{column}` {more}: ONNX has no words for that; use `discretion predict`, or fit a table in which the \
             column is prepared"
        ))
    })
}

/// A graph whose inputs are the columns.
pub fn graph_of(recipe: &Recipe) -> Graph {
    let lines = recipe.numbers.iter().map(|column| column.name.as_str());
    let bent = recipe.curves.iter().map(|column| column.name.as_str());
    let numbers = lines.chain(bent).map(|name| (name, Type::Double));
    let categories = recipe.categories.iter().map(|(name, _)| (name.as_str(), Type::Text));
    Graph::new(numbers.chain(categories))
}

/// What each coefficient is in every vector of them, as all have the same length.
pub struct Weights(Vec<Vec<f64>>);

impl Weights {
    /// Of these vectors.
    pub fn of(vectors: &[Vec<f64>]) -> Weights {
        let of = |place: usize| vectors.iter().map(|vector| vector[place]).collect();
        Weights((0..vectors[0].len()).map(of).collect())
    }
}

/// θ·x for every vector θ: as many columns as there are.
pub fn scores(graph: &mut Graph, recipe: &Recipe, Weights(theta): &Weights) -> Value {
    let constant = f64::from(recipe.constant);
    let mut score = graph.line(&scaled(constant, &theta[0]));
    // The squared length of a row, if it is divided by that; the intercept is always there.
    let mut squared = recipe.divided_by_length.then(|| graph.doubles(&[constant * constant]));
    let add_square = |graph: &mut Graph, squared: &mut Option<Value>, x: &Value| {
        if let Some(sum) = squared {
            let square = graph.apply("Mul", &[x, x]);
            *sum = graph.apply("Add", &[sum, &square]);
        }
    };
    let (mut numbers, mut places) = (Vec::new(), Vec::new());
    for (column, weights) in recipe.numbers.iter().zip(&theta[1..]) {
        let encoded = number(graph, column, recipe.constant);
        numbers.push(encoded.clone());
        let weights = graph.line(weights);
        let part = graph.apply("Mul", &[&encoded, &weights]);
        score = graph.apply("Add", &[&score, &part]);
        add_square(graph, &mut squared, &encoded);
    }
    let mut first = 1 + recipe.numbers.len();
    for (name, values) in &recipe.categories {
        let place = place(graph, name, values);
        places.push((place.clone(), values.len()));
        let own = &theta[first..][..values.len()];
        first += values.len();
        let parts: Vec<Vec<f64>> = own.iter().map(|weights| scaled(constant, weights)).collect();
        let part = graph.lookup(&with_nothing(parts, theta[0].len()), &place);
        score = graph.apply("Add", &[&score, &part]);
        if squared.is_some() {
            let mut hits = vec![constant; values.len()];
            hits.push(0.0);
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

/// Every number times a constant.
pub fn scaled(constant: f64, weights: &[f64]) -> Vec<f64> {
    weights.iter().map(|weight| constant * weight).collect()
}

/// Behind what declared values count comes what every other one counts: nothing.
pub fn with_nothing(mut lines: Vec<Vec<f64>>, columns: usize) -> Vec<Vec<f64>> {
    lines.push(vec![0.0; columns]);
    lines
}

/// A number as it is encoded. One that is missing is NaN in ONNX.
fn number(graph: &mut Graph, column: &NumberRecipe, constant: f32) -> Value {
    let value = column.name.clone();
    let [offset, factor] = [column.offset, column.factor].map(|number| graph.doubles(&[number]));
    let mut x = graph.apply("Sub", &[&value, &offset]);
    if column.log {
        let [zero, one, constant] =
            [0.0, 1.0, f64::from(constant)].map(|number| graph.doubles(&[number]));
        x = graph.apply("Max", &[&x, &zero]);
        x = graph.apply("Add", &[&x, &one]);
        x = graph.apply("Log", &[&x]);
        x = graph.apply("Mul", &[&x, &factor]);
        x = graph.apply("Sub", &[&x, &constant]);
    } else {
        x = graph.apply("Mul", &[&x, &factor]);
    }
    let x = graph.cast(&x, Type::Float);
    let [low, high, missing] =
        [-constant, constant, column.missing].map(|number| graph.float(number));
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
