//! Noise with the shape of the rows: what it costs, and what a ledger keeps of it.

use super::*;
use crate::account::{Column, Columns, ShapedLaw, TrainingLaw};

fn cost(event: &Event, budget: Budget) -> f64 {
    Spend::of(event).unwrap().price(budget).unwrap().amount
}

fn close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-8, "{found} is not {expected}");
}

fn columns() -> Columns {
    let column = |coefficients, size| Column { coefficients, size };
    Columns::new(vec![column(1, 0.5), column(7, 0.5), column(3, 0.25)]).unwrap()
}

fn event(noise: ShapedLaw) -> Event {
    Event::ShapedObjectivePerturbation {
        rows: 1000,
        lambda: 0.01,
        curvature_bound: 0.25,
        noise,
        unit: Unit::Row,
        curvature: Curvature::Bounded,
    }
}

fn groups(group_of: Vec<usize>, epsilons: Vec<f64>) -> ShapedLaw {
    ShapedLaw::Groups { columns: columns(), group_of, epsilons }
}

#[test]
fn groups_cost_their_sum_and_the_curvature() {
    let curvature = 1.025f64.ln();
    let cap = Budget::Pure { epsilon: 9.0 };
    close(cost(&event(groups(vec![0, 1, 0], vec![0.3, 0.45])), cap), 0.75 + curvature);
    close(cost(&event(groups(vec![0, 0, 0], vec![0.75])), cap), 0.75 + curvature);
    close(
        cost(&event(ShapedLaw::RowNorm { columns: columns(), epsilon: 0.75 }), cap),
        0.75 + curvature,
    );
}

/// Σ c²/σ² = 1/σ² with the same σ everywhere if the sizes are those of a row of length 1.
#[test]
fn deviations_for_each_column_cost_what_one_for_all_does() {
    let column = |coefficients, size| Column { coefficients, size };
    let columns = Columns::new(vec![column(1, 0.6), column(4, 0.8)]).unwrap();
    let law =
        |deviations| event(ShapedLaw::ColumnGaussian { columns: columns.clone(), deviations });
    let round = Event::ObjectivePerturbation {
        rows: 1000,
        dimension: 5,
        lambda: 0.01,
        curvature_bound: 0.25,
        noise: Law::Gaussian { sigma: 10.0 },
        unit: Unit::Row,
        curvature: Curvature::Bounded,
    };
    let cap = Budget::Approximate { epsilon: 9.0, delta: 1e-6 };
    let same = cost(&round, cap);
    close(cost(&law(vec![10.0, 10.0]), cap), same);
    // 0.36/144 + 0.64/σ² = 1/100.
    close(cost(&law(vec![12.0, (0.64f64 / (0.01 - 0.36 / 144.0)).sqrt()]), cap), same);
    assert!(cost(&law(vec![12.0, 9.0]), cap) > same);
    assert!(
        Spend::of(&law(vec![12.0, 9.0])).unwrap().price(Budget::Pure { epsilon: 9.0 }).is_err()
    );
}

#[test]
fn refuses_laws_that_do_not_exist() {
    let bad = [
        groups(vec![0, 1], vec![0.3, 0.45]),
        groups(vec![0, 1, 2], vec![0.3, 0.45]),
        groups(vec![0, 0, 0], vec![0.3, 0.45]),
        groups(vec![0, 1, 0], vec![0.3, 0.0]),
        groups(vec![0, 1, 0], vec![0.3, f64::NAN]),
        ShapedLaw::RowNorm { columns: columns(), epsilon: -1.0 },
        ShapedLaw::ColumnGaussian { columns: columns(), deviations: vec![1.0, 1.0] },
        ShapedLaw::ColumnGaussian { columns: columns(), deviations: vec![1.0, 1.0, 0.0] },
        ShapedLaw::ColumnGaussian { columns: columns(), deviations: vec![1.0, 1.0, 1e-300] },
    ];
    for law in bad {
        assert!(Spend::of(&event(law.clone())).is_err(), "{law:?}");
    }
    let column = |coefficients, size| Column { coefficients, size };
    for columns in
        [vec![], vec![column(0, 1.0)], vec![column(1, 0.0)], vec![column(2, f64::INFINITY)]]
    {
        assert!(Columns::new(columns).is_err());
    }
}

/// The bytes that ledgers hold: they are read for ever.
#[test]
fn the_written_form_does_not_change() {
    let written = [
        (
            event(groups(vec![0, 1, 0], vec![0.3, 0.45])),
            r#"{"event":"shaped-objective-perturbation","rows":1000,"lambda":0.01,"curvature_bound":0.25,"noise":{"law":"groups","columns":[{"coefficients":1,"size":0.5},{"coefficients":7,"size":0.5},{"coefficients":3,"size":0.25}],"group_of":[0,1,0],"epsilons":[0.3,0.45]}}"#,
        ),
        (
            event(ShapedLaw::ColumnGaussian {
                columns: columns(),
                deviations: vec![1.0, 2.5, 3.0],
            }),
            r#"{"event":"shaped-objective-perturbation","rows":1000,"lambda":0.01,"curvature_bound":0.25,"noise":{"law":"column-gaussian","columns":[{"coefficients":1,"size":0.5},{"coefficients":7,"size":0.5},{"coefficients":3,"size":0.25}],"deviations":[1.0,2.5,3.0]}}"#,
        ),
    ];
    for (event, json) in written {
        assert_eq!(serde_json::to_string(&event).unwrap(), json);
        assert_eq!(serde_json::from_str::<Event>(json).unwrap(), event);
    }
    let damaged = r#"{"event":"shaped-objective-perturbation","rows":1000,"lambda":0.01,"curvature_bound":0.25,"noise":{"law":"row-norm","columns":[],"epsilon":0.3}}"#;
    assert!(serde_json::from_str::<Event>(damaged).is_err());
}

/// A training's law is written as it always was, or with its columns.
#[test]
fn laws_of_both_kinds_share_a_field() {
    let round = TrainingLaw::from(Law::Spherical { scale: 3.0 });
    assert_eq!(serde_json::to_string(&round).unwrap(), r#"{"law":"spherical","scale":3.0}"#);
    for law in [round, ShapedLaw::RowNorm { columns: columns(), epsilon: 0.5 }.into()] {
        let json = serde_json::to_string(&law).unwrap();
        assert_eq!(serde_json::from_str::<TrainingLaw>(&json).unwrap(), law);
    }
}
