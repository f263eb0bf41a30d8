//! Curves and crossed columns, as operators. Rows that have them are not divided by their length.

use super::graph::{Graph, Type, Value};
use super::scores::{scaled, with_nothing};
use discretion_table::{CurveRecipe, Recipe};

/// A position between two knots is cut to so many steps, as `discretion_linear`'s rows are.
const STEPS: f64 = 1_048_576.0;

/// What pairs of categories, curves and slopes add to the scores. `theta` has the weights of each
/// coefficient, and begins with the first pair. Categories come as their places, and how many
/// values they have.
pub(super) fn parts(
    graph: &mut Graph,
    recipe: &Recipe,
    (numbers, places): (&[Value], &[(Value, usize)]),
    theta: &[Vec<f64>],
) -> Vec<Value> {
    let (constant, mut parts, mut first) = (f64::from(recipe.constant), Vec::new(), 0);
    let width = theta.first().map_or(0, Vec::len);
    for &[one, other] in &recipe.pairs {
        let [(one, rows), (other, columns)] = [&places[one], &places[other]];
        let own = &theta[first..][..rows * columns];
        first += own.len();
        // With one more row and column, for values that are not declared: they count nothing.
        let mut effects = Vec::with_capacity((rows + 1) * (columns + 1));
        for row in own.chunks_exact(*columns) {
            let row = row.iter().map(|weights| scaled(constant, weights)).collect();
            effects.extend(with_nothing(row, width));
        }
        effects.resize((rows + 1) * (columns + 1), vec![0.0; width]);
        let [row, column] = [one, other].map(|place| graph.cast(place, Type::Double));
        let length = graph.doubles(&[(columns + 1) as f64]);
        let before = graph.apply("Mul", &[&row, &length]);
        let place = graph.apply("Add", &[&before, &column]);
        let place = graph.cast(&place, Type::Whole);
        parts.push(graph.lookup(&effects, &place));
    }
    for column in &recipe.curves {
        let own = &theta[first..][..column.knots.len() + usize::from(column.own_missing)];
        first += own.len();
        parts.push(curve(graph, column, constant, own));
    }
    for &(category, number) in &recipe.slopes {
        let (place, count) = &places[category];
        let own = with_nothing(theta[first..][..*count].to_vec(), width);
        first += count;
        let slope = graph.lookup(&own, place);
        parts.push(graph.apply("Mul", &[&slope, &numbers[number]]));
    }
    parts
}

/// The first knot's value, and a step for each piece of the way to the next knot that is behind a
/// position.
fn curve(graph: &mut Graph, column: &CurveRecipe, constant: f64, theta: &[Vec<f64>]) -> Value {
    let position = position(graph, column);
    let knots = column.knots.len();
    let mut value = graph.line(&scaled(constant, &theta[0]));
    let steps = graph.doubles(&[STEPS]);
    for knot in 0..knots - 1 {
        let from = graph.doubles(&[knot as f64]);
        let way = graph.apply("Sub", &[&position, &from]);
        let way = between_0_and_1(graph, &way);
        let way = graph.apply("Mul", &[&way, &steps]);
        let way = graph.apply("Floor", &[&way]);
        let ends = theta[knot].iter().zip(&theta[knot + 1]);
        let slope: Vec<f64> = ends.map(|(from, to)| constant * (to - from) / STEPS).collect();
        let slope = graph.line(&slope);
        let part = graph.apply("Mul", &[&way, &slope]);
        value = graph.apply("Add", &[&value, &part]);
    }
    if !column.own_missing {
        return value;
    }
    let is_missing = graph.apply("IsNaN", &[&column.name]);
    let own = graph.line(&scaled(constant, &theta[knots]));
    graph.apply("Where", &[&is_missing, &own, &value])
}

/// Where a value lies among the knots: how many pieces are behind it, and how much of the one that
/// it is in.
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
