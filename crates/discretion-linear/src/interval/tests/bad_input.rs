//! What is refused, and that the refusal says what to do.

use super::logistic_table;
use crate::erm::{Facts, Oracle};
use crate::interval::{Evidence, IntervalError, Intervals, Plan, Split};
use crate::loss::LossKind;
use crate::train::{Method, TrainError, Training};
use discretion_privacy::Budget;
use discretion_privacy::noise::{Provenance, Receipt, Released, Seeded};

const PURE: Training = Training {
    loss: LossKind::Logistic,
    lambda: Some(1e-3),
    method: Method::Auto,
    budget: Budget::Pure { epsilon: 1.0 },
};

fn evidence() -> (Released<Evidence>, Released<Vec<f64>>) {
    let mut source = Seeded::new(3);
    let table = logistic_table(5000, &[0.0, 1.0], &mut source);
    let plan = Plan::new(&PURE, Split::DEFAULT, table.all().facts()).unwrap();
    let theta = plan.training().fit(&table.all(), &mut source).unwrap();
    (plan.run(&table.all(), &theta, &mut source).unwrap(), theta)
}

#[test]
fn a_level_outside_0_and_1_is_refused() {
    let (evidence, theta) = evidence();
    let intervals = Intervals::new(&evidence, &theta).unwrap();
    for level in [0.0, 1.0, 95.0, -0.1, f64::NAN] {
        let refusal = intervals.coefficients(level).unwrap_err();
        assert!(matches!(refusal, IntervalError::Level(_)), "{refusal}");
        assert!(refusal.to_string().contains("0.95"));
    }
    assert!(intervals.coefficients(0.999_999).is_ok());
}

#[test]
fn more_coefficients_than_the_budget_can_serve_are_refused_with_a_way_out() {
    let facts = Facts::of_matrix(30_000, 105, 14);
    for budget in [
        Budget::Pure { epsilon: 1.0 },
        Budget::Approximate { epsilon: 0.1, delta: 1e-6 },
        Budget::Zcdp { rho: 1e-3 },
    ] {
        let training = Training { budget, ..PURE };
        let refusal = Plan::new(&training, Split::DEFAULT, facts.clone()).unwrap_err();
        let IntervalError::TooManyCoefficients {
            enough,
            rows_needed,
            noise,
            resolvable,
            ref with_delta,
            fewer,
            ..
        } = refusal
        else {
            panic!("{budget}: {refusal}")
        };
        assert!(noise > resolvable);
        assert!(refusal.to_string().contains(&format!("{rows_needed} rows")), "{refusal}");
        assert!(refusal.to_string().contains(&enough.to_string()), "{refusal}");
        // Both ways out are ways out, and hardly more than needed.
        let with = |budget, rows| {
            let training = Training { budget, ..PURE };
            Plan::new(&training, Split::DEFAULT, Facts::of_matrix(rows, 105, 14))
        };
        assert!(with(enough, 30_000).is_ok(), "{budget}: {enough}");
        assert!(with(budget, rows_needed).is_ok(), "{budget}: {rows_needed}");
        assert_eq!(with_delta.0.is_some(), matches!(budget, Budget::Pure { .. }));
        if let Some(with_delta) = &with_delta.0 {
            assert!(refusal.to_string().contains(&with_delta.to_string()), "{refusal}");
            assert!(with(**with_delta, 30_000).is_ok(), "{budget}: {with_delta}");
        }
        assert!(with(budget, rows_needed * 8 / 10).is_err(), "{budget}: {rows_needed}");
        // So are fewer coefficients.
        let count = fewer.0.expect("some number of them is few enough");
        assert!(refusal.to_string().contains(&format!("about {count} coefficients")), "{refusal}");
        let narrow = |dimension| {
            Plan::new(&training, Split::DEFAULT, Facts::of_matrix(30_000, dimension, 14))
        };
        assert!(narrow(count).is_ok(), "{budget}: {count}");
        assert!(narrow(count * 5 / 4).is_err(), "{budget}: {count}");
    }
}

#[test]
fn too_wide_a_model_and_a_bad_budget_are_refused() {
    let wide =
        Plan::new(&PURE, Split::DEFAULT, Facts::of_matrix(1_000_000_000, 2001, 20)).unwrap_err();
    assert!(matches!(wide, IntervalError::TooWide { dimension: 2001, most: 2000 }), "{wide}");
    let training = Training { budget: Budget::Pure { epsilon: -1.0 }, ..PURE };
    let refusal = Plan::new(&training, Split::DEFAULT, Facts::of_matrix(1000, 2, 2)).unwrap_err();
    assert!(matches!(refusal, IntervalError::Train(TrainError::Budget(_))), "{refusal}");
    let training = Training { lambda: Some(1e-8), method: Method::Objective, ..PURE };
    let refusal = Plan::new(&training, Split::DEFAULT, Facts::of_matrix(1000, 2, 2)).unwrap_err();
    assert!(
        matches!(refusal, IntervalError::Train(TrainError::LambdaTooSmall { .. })),
        "{refusal}"
    );
}

#[test]
fn evidence_survives_a_file_and_damaged_evidence_is_refused() {
    let (evidence, theta) = evidence();
    let json = serde_json::to_value(&*evidence).unwrap();
    let back: Evidence = serde_json::from_str(&json.to_string()).unwrap();
    let intervals =
        |evidence: &Evidence| Intervals::new(evidence, &theta).unwrap().coefficients(0.9).unwrap();
    for (a, b) in intervals(&evidence).iter().zip(intervals(&back)) {
        assert!((a.lower - b.lower).abs() < 1e-12 && (a.p_value - b.p_value).abs() < 1e-12);
    }
    let damaged = [
        ("hessian", serde_json::json!([1.0, 2.0])),
        ("covariance", serde_json::json!([1.0, 2.0, 3.0, 4.0])),
        ("lambda", serde_json::json!(0.0)),
        ("rows", serde_json::json!(0)),
        ("mask_deviation", serde_json::json!(-1.0)),
    ];
    for (field, value) in damaged {
        let mut json = json.clone();
        json[field] = value;
        let refusal = serde_json::from_value::<Evidence>(json).unwrap_err();
        assert!(refusal.to_string().contains("damaged"), "{field}: {refusal}");
    }
    assert!(matches!(Intervals::new(&evidence, &[1.0]), Err(IntervalError::Evidence(_))));
}

#[test]
fn evidence_around_seeded_coefficients_is_never_called_private() {
    let (evidence, _) = evidence();
    assert_eq!(evidence.provenance(), Provenance::TestSeed);
    let mut source = Seeded::new(4);
    let table = logistic_table(5000, &[0.0, 1.0], &mut source);
    let plan = Plan::new(&PURE, Split::DEFAULT, table.all().facts()).unwrap();
    let theta = plan.training().fit(&table.all(), &mut source).unwrap();
    let evidence = plan.run(&table.all(), &theta, Receipt::nobody_remembers().noise()).unwrap();
    assert_eq!(evidence.provenance(), Provenance::TestSeed);
}
