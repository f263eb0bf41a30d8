//! A page of a thousand codes, as a study of diagnoses has them: most of them say nothing, some do.

use super::invent::coefficients;
use super::patients::{category, number};
use discretion::privacy::Budget;
use discretion_report::Report;
use discretion_report::report::{Account, Coefficient, Effect, Estimate, Interval, Place, Target};
use discretion_table::Column;

/// How many codes there are.
const CODES: usize = 1000;

/// The page's data, with intervals.
pub fn report() -> Report {
    let codes: Vec<String> = (0..CODES).map(code).collect();
    let codes: Vec<&str> = codes.iter().map(String::as_str).collect();
    let columns = vec![
        number("age", 18.0, 100.0, false, 59.0),
        number("length_of_stay", 0.0, 90.0, true, 8.539),
        category("sex", &["female", "male"]),
        category("principal_diagnosis", &codes),
    ];
    let errors = |i: usize| [0.3 + 0.9 * pseudo(i, 1), 0.9];
    let value = |i: usize| match i {
        0..5 => [-2.0, 3.1, 2.2, 0.1, -0.2][i],
        // One code in sixty says something.
        _ if i % 60 == 7 => 7.0 * (pseudo(i, 2) - 0.5) + 5.0 * (pseudo(i, 3) - 0.5),
        _ => 2.6 * (pseudo(i, 2) + pseudo(i, 3) - 1.0),
    };
    let patients = super::patients::report();
    let coefficients = compared(&columns, coefficients(&columns, value, errors));
    Report {
        target: Target {
            column: "readmitted".to_owned(),
            positive: vec!["<30".to_owned(), ">30".to_owned()],
            negative: Some(vec!["NO".to_owned()]),
            label: Some("readmitted".to_owned()),
        },
        rows: 101_766,
        columns,
        curves: Vec::new(),
        crosses: Vec::new(),
        coefficients,
        guarantee: Some(Budget::Approximate { epsilon: 2.0, delta: 1e-6 }),
        account: Some(Account {
            name: "diabetes".to_owned(),
            symbol: "ε".to_owned(),
            run: 1.894,
            spent: 1.894,
            cap: 4.0,
            delta: Some(1e-5),
        }),
        ..patients
    }
}

/// The same without intervals, where what noise alone gives is known.
pub fn with_noise() -> Report {
    let mut report = super::without_intervals(report());
    for coefficient in &mut report.coefficients {
        coefficient.noise = coefficient.effect.as_ref().map(|effect| match effect.against {
            Some(_) => 1.1,
            None => 0.8,
        });
    }
    report
}

/// A made-up code such as E11.9.
fn code(i: usize) -> String {
    let letter = char::from(b'A' + (i / 120) as u8);
    format!("{letter}{:02}.{}", i % 120 / 2, if i.is_multiple_of(2) { "0" } else { "9" })
}

/// A number in [0, 1) that looks random and is the same on every machine.
fn pseudo(i: usize, stream: usize) -> f64 {
    let mut word = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (stream as u64) << 32;
    word = (word ^ (word >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((word ^ (word >> 32)) % 1_000_003) as f64 / 1_000_003.0
}

/// Effects: a category beside the first of its column, a number from the middle of its range to its
/// end.
fn compared(columns: &[Column], mut all: Vec<Coefficient>) -> Vec<Coefficient> {
    let c = 1.0 / ((columns.len() + 1) as f64).sqrt();
    let scaled = |estimate: Estimate| Estimate {
        value: c * estimate.value,
        interval: estimate.interval.map(
            |Interval { lower, upper, sampling_half_width, matrices_half_width, .. }| Interval {
                bound: None,
                lower: c * lower,
                upper: c * upper,
                sampling_half_width: sampling_half_width.map(|half| c * half),
                matrices_half_width: matrices_half_width.map(|half| c * half),
            },
        ),
    };
    let mut first: Option<(String, String)> = None;
    for coefficient in &mut all {
        let own = scaled(coefficient.encoded);
        coefficient.effect = match &coefficient.place {
            Place::Intercept => None,
            Place::Number { .. } => Some(Effect { against: None, estimate: own }),
            Place::Category { column, value } => match &first {
                Some((of, against)) if of == column => {
                    Some(Effect { against: Some(against.clone()), estimate: own })
                }
                _ => {
                    first = Some((column.clone(), value.clone()));
                    None
                }
            },
        };
    }
    all
}
