//! A page of the size that `discretion demo` makes: nine facts, twenty coefficients.

use super::invent::coefficients;
use discretion::erm::matrix::Norm;
use discretion::loss::LossKind;
use discretion::privacy::{Budget, Unit};
use discretion_report::Report;
use discretion_report::report::{Account, Charge, Lambda, Origin, Target};
use discretion_table::{Column, Kind, Scale};

const VALUES: [f64; 20] = [
    -1.408, 1.497, 1.776, 0.969, 1.733, -0.331, -0.150, 0.209, -0.693, 0.896, 1.853, 0.660, 0.707,
    -0.924, 0.069, 0.188, 0.140, 0.169, -0.990, 0.301,
];

/// The page's data.
pub fn report() -> Report {
    let columns = vec![
        Column::new("patient", Kind::Dropped),
        number("age", 18.0, 100.0, false, 59.0),
        number("prior_admissions", 0.0, 10.0, false, 5.0),
        number("length_of_stay", 0.0, 90.0, true, 8.539),
        number("medications", 0.0, 25.0, false, 12.5),
        category("sex", &["female", "male"]),
        category("ward", &["internal medicine", "surgery", "cardiology", "oncology", "geriatrics"]),
        category("admission", &["emergency", "planned"]),
        category("insurance", &["public", "private", "none"]),
        category("discharged_to", &["home", "rehabilitation", "care home"]),
    ];
    let errors = |i: usize| [0.14 + 0.05 * (i % 4) as f64, 0.24 + 0.03 * (i % 3) as f64];
    Report {
        not_private: None,
        target: Target {
            column: "readmitted".to_owned(),
            positive: vec!["yes".to_owned()],
            negative: Some(vec!["no".to_owned()]),
            label: None,
        },
        rows: 5000,
        curves: Vec::new(),
        crosses: Vec::new(),
        coefficients: coefficients(&columns, |i| VALUES[i], errors),
        columns,
        norm: Norm::Scale,
        from_rows: Vec::new(),
        cohort: None,
        weights: None,
        loss: LossKind::Logistic,
        lambda: Lambda {
            value: 0.002_020_038,
            chosen: vec!["Chosen from rows, coefficients and budget alone, before any row was read.".to_owned()],
            warning: Some(
                "For 3 of 20 coefficients the pull of λ towards 0 is more than a tenth of half their interval."
                    .to_owned(),
            ),
        },
        level: Some(0.95),
        steps: 0,
        ordinary: None,
        quality: None,
        guarantee: Some(Budget::Pure { epsilon: 1.0 }),
        several_classes: false,
        unit: Unit::Row,
        whom: None,
        account: Some(Account {
            name: "demo".to_owned(),
            symbol: "ε".to_owned(),
            run: 1.0,
            spent: 1.0,
            cap: 3.0,
            delta: Some(1e-6),
        }),
        run: [
            ("mechanism", "objective perturbation with spherical noise of scale 2.05"),
            ("randomness", "from the operating system"),
            ("budget split", "half for the coefficients, a quarter each for the two matrices of the intervals"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec(),
        origin: Origin {
            program: "discretion 0.1.0".to_owned(),
            model_file: "demo/model.json".to_owned(),
            sha256: Some("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".to_owned()),
            charge: Some(Charge {
                account: "demo".to_owned(),
                number: 2,
                ledger: Some("demo/demo-ledger.sqlite".to_owned()),
            }),
        },
    }
}

/// A column of numbers.
pub fn number(name: &str, min: f64, max: f64, log: bool, missing: f64) -> Column {
    let scale = if log { Scale::Log } else { Scale::Linear };
    Column::new(name, Kind::Number { min, max, scale, missing: Some(missing), integer: false })
}

/// A column of categories.
pub fn category(name: &str, values: &[&str]) -> Column {
    let values = values.iter().map(|value| (*value).to_owned()).collect();
    Column::new(name, Kind::category(values))
}
