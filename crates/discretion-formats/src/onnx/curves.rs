//! Curves and crossed columns, as operators. Rows that have them are not divided by their length.

use super::graph::{Graph, Type, Value};
use discretion_table::{CurveRecipe, Recipe};

/// A position between two knots is cut to so many steps, as `discretion_linear`'s rows are.
const STEPS: f64 = 1_048_576.0;

/// What pairs of categories, curves and slopes add to the score. `theta` begins with the first pair. Categories come as their places,
/// and how many values they have.
pub(super) fn parts(
    graph: &mut Graph,
    recipe: &Recipe,
    (numbers, places): (&[Value], &[(Value, usize)]),
    theta: &[f64],
) -> Vec<Value> {
    let (constant, mut parts, mut first) = (f64::from(recipe.constant), Vec::new(), 0);
    for &[one, other] in &recipe.pairs {
        let [(one, rows), (other, columns)] = [&places[one], &places[other]];
        let own = &theta[first..][..rows * columns];
        first += own.len();
        // With one more row and column, for values that are not declared: they count nothing.
        let mut effects = Vec::with_capacity((rows + 1) * (columns + 1));
        for row in own.chunks_exact(*columns) {
            effects.extend(row.iter().map(|weight| constant * weight).chain([0.0]));
        }
        effects.resize((rows + 1) * (columns + 1), 0.0);
        let [row, column] = [one, other].map(|place| graph.cast(place, Type::Double));
        let width = graph.doubles(&[(columns + 1) as f64]);
        let before = graph.apply("Mul", &[&row, &width]);
        let place = graph.apply("Add", &[&before, &column]);
        let place = graph.cast(&place, Type::Whole);
        let effects = graph.doubles(&effects);
        parts.push(graph.apply("Gather", &[&effects, &place]));
    }
    for column in &recipe.curves {
        let own = &theta[first..][..column.knots.len() + usize::from(column.own_missing)];
        first += own.len();
        parts.push(curve(graph, column, constant, own));
    }
    for &(category, number) in &recipe.slopes {
        let (place, count) = &places[category];
        let own: Vec<f64> = theta[first..][..*count].iter().copied().chain([0.0]).collect();
        first += count;
        let own = graph.doubles(&own);
        let slope = graph.apply("Gather", &[&own, place]);
        parts.push(graph.apply("Mul", &[&slope, &numbers[number]]));
    }
    parts
}

/// The first knot's value, and a step for each piece of the way to the next knot that is behind a position.
fn curve(graph: &mut Graph, column: &CurveRecipe, constant: f64, theta: &[f64]) -> Value {
    let position = position(graph, column);
    let knots = column.knots.len();
    let mut value = graph.doubles(&[constant * theta[0]]);
    let steps = graph.doubles(&[STEPS]);
    for knot in 0..knots - 1 {
        let from = graph.doubles(&[knot as f64]);
        let way = graph.apply("Sub", &[&position, &from]);
        let way = between_0_and_1(graph, &way);
        let way = graph.apply("Mul", &[&way, &steps]);
        let way = graph.apply("Floor", &[&way]);
        let slope = graph.doubles(&[constant * (theta[knot + 1] - theta[knot]) / STEPS]);
        let part = graph.apply("Mul", &[&way, &slope]);
        value = graph.apply("Add", &[&value, &part]);
    }
    if !column.own_missing {
        return value;
    }
    let is_missing = graph.apply("IsNaN", &[&column.name]);
    let own = graph.doubles(&[constant * theta[knots]]);
    graph.apply("Where", &[&is_missing, &own, &value])
}

/// Where a value lies among the knots: how many pieces are behind it, and how much of the one that it is in.
fn position(graph: &mut Graph, column: &CurveRecipe) -> Value {
    let mut x = column.name.clone();
    if let Some(min) = column.log {
        let [min, zero, one] = [min, 0.0, 1.0].map(|number| graph.doubles(&[number]));
        x = graph.apply("Sub", &[&x, &min]);
        x = graph.apply("Max", &[&x, &zero]);
        x = graph.apply("Add", &[&x, &one]);
        x = graph.apply("Log", &[&x]);
    }
    let mut sum = graph.doubles(&[0.0]);
    for ends in column.knots.windows(2) {
        let [low, width] = [ends[0], ends[1] - ends[0]].map(|number| graph.doubles(&[number]));
        let way = graph.apply("Sub", &[&x, &low]);
        let way = graph.apply("Div", &[&way, &width]);
        let way = between_0_and_1(graph, &way);
        sum = graph.apply("Add", &[&sum, &way]);
    }
    let sum = graph.cast(&sum, Type::Float);
    let missing = graph.float(column.missing);
    let is_missing = graph.apply("IsNaN", &[&column.name]);
    let sum = graph.apply("Where", &[&is_missing, &missing, &sum]);
    graph.cast(&sum, Type::Double)
}

fn between_0_and_1(graph: &mut Graph, value: &Value) -> Value {
    let [zero, one] = [0.0, 1.0].map(|number| graph.doubles(&[number]));
    let value = graph.apply("Max", &[value, &zero]);
    graph.apply("Min", &[&value, &one])
}
