//! Invented estimates, the same on every machine.

use discretion_report::report::{Coefficient, Estimate, Interval, OwnUnit, Place};
use discretion_table::{Column, Kind, Scale};

/// The coefficients of these columns: `values` gives the encoded estimates, and `errors` the
/// standard deviations from sampling and from privacy, each by the number of the coefficient.
pub fn coefficients(
    columns: &[Column],
    values: impl Fn(usize) -> f64,
    errors: impl Fn(usize) -> [f64; 2],
) -> Vec<Coefficient> {
    let used = columns.iter().filter(|column| column.kind != Kind::Dropped).count();
    // The weight that keeps rows within length 1.
    let c = 1.0 / ((used + 1) as f64).sqrt();
    let mut list = vec![("(intercept)".to_owned(), Place::Intercept, "(intercept)".to_owned(), c)];
    for column in columns {
        if let Kind::Number { min, max, scale, .. } = column.kind {
            let (of, factor) = match scale {
                Scale::Log => (format!("ln(1 + {})", column.name), 2.0 * c / (max - min).ln_1p()),
                Scale::Linear => (column.name.clone(), 2.0 * c / (max - min)),
            };
            list.push((
                column.name.clone(),
                Place::Number { column: column.name.clone() },
                of,
                factor,
            ));
        }
    }
    for column in columns {
        if let Kind::Category { values, .. } = &column.kind {
            list.extend(values.iter().map(|value| {
                let name = format!("{}={value}", column.name);
                (
                    name.clone(),
                    Place::Category { column: column.name.clone(), value: value.clone() },
                    name,
                    c,
                )
            }));
        }
    }
    let estimate = |value: f64, [sampling, privacy]: [f64; 2]| {
        let half = 1.96 * both([sampling, privacy]);
        let interval = Interval {
            lower: value - half,
            upper: value + half,
            sampling_half_width: Some(1.96 * sampling),
            matrices_half_width: Some(0.1 * half),
            bound: None,
        };
        Estimate { value, interval: Some(interval) }
    };
    let made = list.into_iter().enumerate().map(|(i, (name, place, of, factor))| {
        let (value, errors) = (values(i), errors(i));
        let own = estimate(value * factor, errors.map(|error| error * factor));
        Coefficient {
            name,
            place,
            encoded: estimate(value, errors),
            own_unit: Some(OwnUnit { of, estimate: own }),
            effect: None,
            p_value: Some(two_sided(value / both(errors))),
            noise: None,
        }
    });
    made.collect()
}

/// The standard deviation of two independent errors together. Without `hypot`, whose last digit
/// differs between machines.
fn both([a, b]: [f64; 2]) -> f64 {
    (a * a + b * b).sqrt()
}

/// P(|Z| ≥ |z|) for a standard normal Z, to some 7 decimals (Abramowitz and Stegun 7.1.26).
fn two_sided(z: f64) -> f64 {
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let series = [0.254_829_592, -0.284_496_736, 1.421_413_741, -1.453_152_027, 1.061_405_429];
    series.iter().rev().fold(0.0, |sum, a| (sum + a) * t) * (-x * x).exp()
}
