//! How much of the budget and of the rows should choosing the bins get? Prints the integrated
//! squared error of published densities, as a multiple of the error of the best number of bins
//! known beforehand and given the whole budget: `cargo run --release -p discretion --example
//! density_shares`

use discretion::choose::Rule;
use discretion::density::{
    Axis, Bins, CEILING, Density, DensityError, Histogram, Points, SELECTION_SHARE,
    VALIDATION_SHARE, Value,
};
use discretion::noise::Seeded;
use discretion::privacy::Budget;

/// A density on [0, 1] as a mixture of (weight, low, high) intervals and bumps.
enum Part {
    Even {
        weight: f64,
        low: f64,
        high: f64,
    },
    /// Triangular.
    Bump {
        weight: f64,
        centre: f64,
        width: f64,
    },
}

fn shapes() -> Vec<(&'static str, Vec<Part>)> {
    let even = |weight, low, high| Part::Even { weight, low, high };
    let bump = |weight, centre, width| Part::Bump { weight, centre, width };
    vec![
        ("smooth", vec![even(0.1, 0.0, 1.0), bump(0.9, 0.4, 0.35)]),
        ("two peaks", vec![even(0.2, 0.0, 1.0), bump(0.4, 0.2, 0.06), bump(0.4, 0.7, 0.1)]),
        ("one narrow", vec![even(0.5, 0.0, 1.0), bump(0.5, 0.3, 0.015)]),
        ("steps", vec![even(0.6, 0.0, 0.25), even(0.3, 0.25, 0.7), even(0.1, 0.7, 1.0)]),
    ]
}

fn draw(parts: &[Part], source: &mut Seeded) -> f64 {
    let mut pick = source.unit();
    for part in parts {
        let (Part::Even { weight, .. } | Part::Bump { weight, .. }) = *part;
        if pick < weight {
            return match *part {
                Part::Even { low, high, .. } => low + (high - low) * source.unit(),
                Part::Bump { centre, width, .. } => {
                    centre + width * (source.unit() - source.unit())
                }
            };
        }
        pick -= weight;
    }
    0.5
}

fn density(parts: &[Part], x: f64) -> f64 {
    let one = |part: &Part| match *part {
        Part::Even { weight, low, high } if (low..high).contains(&x) => weight / (high - low),
        Part::Bump { weight, centre, width } => {
            weight * (1.0 - (x - centre).abs() / width).max(0.0) / width
        }
        Part::Even { .. } => 0.0,
    };
    parts.iter().map(one).sum()
}

fn squared_error(parts: &[Part], found: &Density) -> f64 {
    const GRID: u32 = 8192;
    let at = |i: u32| (f64::from(i) + 0.5) / f64::from(GRID);
    (0..GRID)
        .map(|i| (density(parts, at(i)) - found.density_at(&[Value::Number(at(i))])).powi(2))
        .sum::<f64>()
        / f64::from(GRID)
}

fn mean_error(
    wanted: &Histogram,
    parts: &[Part],
    rows: usize,
    repeats: u64,
) -> Result<f64, DensityError> {
    let plan = wanted.plan(rows)?;
    let mut total = 0.0;
    for seed in 0..repeats {
        let mut source = Seeded::new(seed);
        let mut points = Points::new(wanted.axes.clone())?;
        (0..rows).for_each(|_| points.push(&[Value::Number(draw(parts, &mut source))]));
        let found = plan.run(&points, &mut source)?;
        total += squared_error(parts, &found);
    }
    Ok(total / repeats as f64)
}

#[allow(clippy::print_stdout)] // a measuring program
fn main() -> Result<(), DensityError> {
    const REPEATS: u64 = 20;
    let axes = vec![Axis::interval("x", 0.0, 1.0)];
    let cases = [(1000, 1.0), (10_000, 0.1), (10_000, 1.0), (100_000, 0.1), (100_000, 1.0)];
    println!(
        "{:<58} {:>5}  each (rows, ε): {cases:?}",
        "rule, ceiling, share of the budget, share of the rows", "mean"
    );
    let mut best = Vec::new();
    for (rows, epsilon) in cases {
        let budget = Budget::Pure { epsilon };
        for (_, parts) in shapes() {
            let mut lowest = f64::INFINITY;
            for bins in [4, 8, 16, 32, 64, 128, 256].map(|bins| Bins(vec![bins])) {
                let fixed = Histogram {
                    candidates: Some(vec![bins]),
                    ..Histogram::new(axes.clone(), budget)
                };
                // Too many bins for so few rows are no rival.
                if let Ok(error) = mean_error(&fixed, &parts, rows, REPEATS) {
                    lowest = lowest.min(error);
                }
            }
            best.push(lowest);
        }
    }
    let report = |name: String, wanted: &dyn Fn(Budget) -> Histogram| -> Result<(), DensityError> {
        let mut best = best.iter();
        let mut each = Vec::new();
        for (rows, epsilon) in cases {
            let mut logs = 0.0;
            for (_, parts) in shapes() {
                let error = mean_error(&wanted(Budget::Pure { epsilon }), &parts, rows, REPEATS)?;
                logs += (error / best.next().expect("one for each")).ln() / shapes().len() as f64;
            }
            each.push(logs);
        }
        let mean = (each.iter().sum::<f64>() / each.len() as f64).exp();
        let each: Vec<String> = each.iter().map(|log| format!("{:.2}", log.exp())).collect();
        println!("{name:<58} {mean:>5.2}  {}", each.join("  "));
        Ok(())
    };
    for bins in [8, 16, 32, 64] {
        report(format!("always {bins} bins"), &|budget| Histogram {
            candidates: Some(vec![Bins(vec![bins])]),
            ..Histogram::new(axes.clone(), budget)
        })?;
    }
    // The paper's score sees all densities; then ceilings, and shares around the default.
    let defaults = (SELECTION_SHARE, VALIDATION_SHARE);
    let (generalised, uniform) = (Rule::Generalised { doubt: 0.05 }, Rule::Uniform { doubt: 0.05 });
    let mut tried = vec![(generalised, u32::MAX, defaults), (uniform, u32::MAX, defaults)];
    tried.extend([8, 16, 32, 64].map(|ceiling| (uniform, ceiling, defaults)));
    tried.push((generalised, CEILING, defaults));
    for selection in [0.2, 0.3, 0.4, 0.5, 0.6] {
        tried.extend([0.2, 0.3, 0.4].map(|validation| (uniform, CEILING, (selection, validation))));
    }
    for (rule, ceiling, (selection_share, validation_share)) in tried {
        let name = format!("{rule:?}, {ceiling}, {selection_share}, {validation_share}");
        report(name, &|budget| Histogram {
            rule,
            ceiling,
            selection_share,
            validation_share,
            ..Histogram::new(axes.clone(), budget)
        })?;
    }
    Ok(())
}
