mod plans;
mod publishing;
mod stability;

use super::*;
use discretion_privacy::Pure;
use discretion_privacy::noise::{IntegerNoise, Seeded};

fn numbers() -> Vec<Axis> {
    vec![Axis::interval("x", 0.0, 1.0)]
}

/// Rows with density 2x.
fn ramp(rows: usize, seed: u64) -> Points {
    let mut source = Seeded::new(seed);
    let mut points = Points::new(numbers()).unwrap();
    (0..rows).for_each(|_| points.push(&[Value::Number(source.unit().sqrt())]));
    points
}

fn laplace(epsilon: f64) -> IntegerNoise {
    IntegerNoise::Laplace { sensitivity: 2, budget: Pure { epsilon } }
}

fn bins(all: &[usize]) -> Vec<Bins> {
    all.iter().map(|&bins| Bins(vec![bins])).collect()
}
