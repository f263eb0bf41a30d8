//! Events whose loss bends as its slope says: what they cost, and what a ledger keeps of them.

use super::*;
use crate::account::{Column, Columns, ShapedLaw};
use crate::{Curve, JointPrice, LogisticRow, Term};

const ROWS: usize = 1000;

fn event(lambda: f64, noise: Law, unit: Unit, curvature: Curvature) -> Event {
    Event::ObjectivePerturbation {
        rows: ROWS,
        dimension: 3,
        lambda,
        curvature_bound: 0.25,
        noise,
        unit,
        curvature,
    }
}

fn amount_of(event: &Event, cap: Budget) -> f64 {
    Spend::of(event).unwrap().price(cap).unwrap().amount
}

/// Both prices of one event: of a loss whose curvature follows its slope, and of any.
fn both(lambda: f64, noise: Law, unit: Unit, cap: Budget) -> [f64; 2] {
    [Curvature::Logistic, Curvature::Bounded]
        .map(|curvature| amount_of(&event(lambda, noise, unit, curvature), cap))
}

#[test]
fn curvature_is_free_where_lambda_is_large_and_never_dearer_than_apart() {
    let cap = Budget::Pure { epsilon: 9.0 };
    for unit in [Unit::Row, Unit::Person] {
        for epsilon in [0.1, 0.5, 2.0] {
            for strength in [0.01, 0.1, 0.5, 1.0, 1.9, 2.0, 4.0, 100.0] {
                let lambda = strength / epsilon / ROWS as f64;
                let noise = Law::Spherical { scale: 2.0 / epsilon };
                let [together, apart] = both(lambda, noise, unit, cap);
                assert!(together <= apart, "{unit:?} {epsilon} {strength}: {together} {apart}");
                assert!(together >= epsilon);
                let is_free = together <= epsilon * (1.0 + 1e-11);
                assert_eq!(is_free, strength >= 2.0, "{unit:?} {epsilon} {strength}: {together}");
            }
        }
    }
}

#[test]
fn gaussian_noise_is_never_dearer_than_apart() {
    for unit in [Unit::Row, Unit::Person] {
        for sigma in [2.0, 8.0] {
            for strength in [0.05, 0.5, 2.0, 20.0] {
                let (lambda, noise) = (strength / ROWS as f64, Law::Gaussian { sigma });
                for cap in
                    [Budget::Approximate { epsilon: 1.0, delta: 1e-6 }, Budget::Zcdp { rho: 1.0 }]
                {
                    let [together, apart] = both(lambda, noise, unit, cap);
                    let case = format!("{unit:?} {sigma} {strength} {cap}: {together} {apart}");
                    assert!(together <= apart, "{case}");
                    // A person's trace is priced, where apart its logarithm is.
                    if unit.is_row() || strength > 1.0 {
                        assert!(together < 0.999 * apart, "{case}");
                    }
                }
            }
        }
    }
}

#[test]
fn columns_cost_what_rows_of_length_one_do() {
    let column = |coefficients, size| Column { coefficients, size };
    let columns = Columns::new(vec![column(1, 0.6), column(2, 0.8)]).unwrap();
    let shaped = |noise| Event::ShapedObjectivePerturbation {
        rows: ROWS,
        lambda: 1e-3,
        curvature_bound: 0.25,
        noise,
        unit: Unit::Row,
        curvature: Curvature::Logistic,
    };
    let round = |noise| event(1e-3, noise, Unit::Row, Curvature::Logistic);
    let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-8, "{a} {b}");
    let cap = Budget::Approximate { epsilon: 1.0, delta: 1e-6 };
    let deviations = vec![12.0, (0.64f64 / (0.01 - 0.36 / 144.0)).sqrt()];
    close(
        amount_of(&shaped(ShapedLaw::ColumnGaussian { columns: columns.clone(), deviations }), cap),
        amount_of(&round(Law::Gaussian { sigma: 10.0 }), cap),
    );
    let pure = Budget::Pure { epsilon: 9.0 };
    let spherical = amount_of(&round(Law::Spherical { scale: 4.0 }), pure);
    close(amount_of(&shaped(ShapedLaw::RowNorm { columns, epsilon: 0.5 }), pure), spherical);
    close(spherical, JointPrice::new(LogisticRow::MARGIN, Unit::Row, 3, ROWS, 1e-3).epsilon(0.5));
}

/// Beside a mask, matrices and a pure part; as filters count it; and one more run is one more cost.
#[test]
fn every_rule_takes_the_joint_price() {
    let with = |curvature| {
        let training = event(2e-3, Law::Gaussian { sigma: 12.0 }, Unit::Row, curvature);
        let mask = Event::Mask { noise: MaskNoise::Gaussian { rho: 1e-5 } };
        let matrices = Event::Gaussian { sensitivity: 1.0, sigma: 20.0 };
        Event::Composition { of: vec![training, mask, matrices, pure(0.01)] }
    };
    let [together, apart] = [Curvature::Logistic, Curvature::Bounded].map(with);
    let prices = |event: &Event, cap| Spend::of(event).unwrap().prices(cap).unwrap();
    for cap in [AT_A_MILLIONTH, Budget::Zcdp { rho: 1.0 }] {
        for price in prices(&together, cap) {
            let other = prices(&apart, cap).into_iter().find(|other| other.rule == price.rule);
            let other = other.expect("both have the same rules");
            assert!(price.amount < 0.999 * other.amount, "{price:?} {other:?}");
        }
    }
    for cap in [AT_A_MILLIONTH, Budget::Zcdp { rho: 1.0 }] {
        let filter = Filter::opened_by(cap.into(), None, &apart);
        let [less, more] = [&together, &apart].map(|event| filter.cost(event).unwrap());
        assert!(less.curve < 0.999 * more.curve || less.epsilon < 0.999 * more.epsilon);
    }
    let twice = Event::Composition { of: vec![together.clone(), together.clone()] };
    assert!(amount_of(&twice, AT_A_MILLIONTH) > amount_of(&together, AT_A_MILLIONTH));
}

/// What fits beside a run makes it no dearer (`Spend::beside`).
#[test]
fn a_run_on_other_rows_costs_nothing_beside_it() {
    let noise = Law::Gaussian { sigma: 9.0 };
    let run = event(2e-3, noise, Unit::Row, Curvature::Logistic);
    let [Budget::Zcdp { rho }] = Spend::of(&run).unwrap().beside()[..] else {
        panic!("it is not pure")
    };
    assert!((rho * 81.0 / 2.0 - 1.0).abs() < 1e-9, "{rho}");
    let gaussian = Event::Gaussian { sensitivity: 1.0, sigma: 1.0 / (2.0 * rho).sqrt() };
    let parallel = Event::Parallel { of: vec![run.clone(), gaussian] };
    for cap in [AT_A_MILLIONTH, Budget::Zcdp { rho: 1.0 }] {
        assert!(amount_of(&parallel, cap) <= amount_of(&run, cap) * (1.0 + 1e-9), "{cap}");
    }
}

/// An event of a ledger that does not name the field parses, costs what it did, and is written as
/// it was.
#[test]
fn an_event_without_the_field_is_priced_and_written_as_ever() {
    let written = [
        (
            r#"{"event":"objective-perturbation","rows":1000,"dimension":3,"lambda":0.002,"curvature_bound":0.25,"noise":{"law":"spherical","scale":4.0}}"#,
            0.5 + 0.125f64.ln_1p(),
        ),
        (
            r#"{"event":"shaped-objective-perturbation","rows":1000,"lambda":0.002,"curvature_bound":0.25,"noise":{"law":"row-norm","columns":[{"coefficients":3,"size":0.5}],"epsilon":0.5},"unit":"person"}"#,
            0.5 + 3.0 * (0.125f64 / 3.0).ln_1p(),
        ),
    ];
    for (written, cost) in written {
        let event: Event = serde_json::from_str(written).unwrap();
        assert_eq!(serde_json::to_string(&event).unwrap(), written);
        let found = amount_of(&event, Budget::Pure { epsilon: 9.0 });
        assert!(found >= cost && found <= cost * (1.0 + 1e-11), "{found} {cost}");
    }
    // (ε, δ) and ρ as of the part that these events have had ever since.
    let written = r#"{"event":"objective-perturbation","rows":1000,"dimension":3,"lambda":0.002,"curvature_bound":0.25,"noise":{"law":"gaussian","sigma":9.5}}"#;
    let event: Event = serde_json::from_str(written).unwrap();
    let curvature = curvature_price(1, 1000, 0.002, 0.25);
    let term = Term::GaussianObjective { sigma: 9.5, curvature };
    assert_eq!(
        amount_of(&event, AT_A_MILLIONTH),
        crate::Losses::default().and_training(&term).unwrap().epsilon(1e-6)
    );
    let rho = amount_of(&event, Budget::Zcdp { rho: 1.0 });
    assert!((rho / Curve::of(term).as_zcdp().rho - 1.0).abs() < 1e-11);
}

#[test]
fn the_field_is_written_and_read_back() {
    let noise = Law::Gaussian { sigma: 9.0 };
    let event = event(2e-3, noise, Unit::Person, Curvature::Logistic);
    let written = serde_json::to_string(&event).unwrap();
    assert!(written.ends_with(r#""unit":"person","curvature":"logistic"}"#), "{written}");
    assert_eq!(serde_json::from_str::<Event>(&written).unwrap(), event);
    assert!(serde_json::from_str::<Event>(&written.replace("logistic", "flat")).is_err());
}

fn classes_event(lambda: f64, noise: Law, unit: Unit, curvature: Curvature) -> Event {
    Event::ClassesObjectivePerturbation {
        classes: 3,
        rows: ROWS,
        dimension: 4,
        lambda,
        noise: noise.into(),
        unit,
        curvature,
    }
}

/// ε′/2 + max_q [ε′q/2 + r·ln(1 + (2q − 3q²/2)/(r·nλ))], r = 2 for rows and 8 for persons; and never
/// free, as two classes are, nor dearer than apart.
#[test]
fn several_classes_pay_for_slope_and_curvature_together() {
    let pure = Budget::Pure { epsilon: 9.0 };
    for (unit, rank) in [(Unit::Row, 2.0), (Unit::Person, 8.0)] {
        for strength in [0.3, 2.0, 4.0, 40.0] {
            for epsilon in [0.1, 1.0, 4.0] {
                let noise = Law::Spherical { scale: 8f64.sqrt() / epsilon };
                let [together, apart] = [Curvature::Logistic, Curvature::Bounded].map(|known| {
                    amount_of(&classes_event(strength / ROWS as f64, noise, unit, known), pure)
                });
                let at = |q: f64| {
                    let trace = 2.0 * q - 1.5 * q * q;
                    0.5 * epsilon * (1.0 + q) + rank * (trace / (rank * strength)).ln_1p()
                };
                let most = (0..=20_000).map(|i| at(f64::from(i) / 20_000.0)).fold(0.0, f64::max);
                let case = format!("{unit:?} {strength} {epsilon}: {together} {most} {apart}");
                assert!(together >= most && together <= most * (1.0 + 1e-8), "{case}");
                assert!(together < apart && together > epsilon + 0.2 / strength.max(1.0), "{case}");
            }
        }
        for cap in [AT_A_MILLIONTH, Budget::Zcdp { rho: 1.0 }] {
            let noise = Law::Gaussian { sigma: 14.0 };
            let [together, apart] = [Curvature::Logistic, Curvature::Bounded]
                .map(|known| amount_of(&classes_event(4e-3, noise, unit, known), cap));
            assert!(together <= apart, "{unit:?} {cap}: {together} {apart}");
            // Orders near 1 decide over ρ, and there curvature counts for each direction.
            let is_less = together < 0.999 * apart;
            assert!(is_less || cap != AT_A_MILLIONTH, "{unit:?}: {together} {apart}");
        }
    }
}

/// Softmax of two classes is one margin with half of λ.
#[test]
fn two_classes_of_a_softmax_cost_what_one_margin_does() {
    let two = |noise: Law| Event::ClassesObjectivePerturbation {
        classes: 2,
        rows: ROWS,
        dimension: 3,
        lambda: 2e-3,
        noise: noise.into(),
        unit: Unit::Row,
        curvature: Curvature::Logistic,
    };
    let one = |noise| event(1e-3, noise, Unit::Row, Curvature::Logistic);
    let root = 2f64.sqrt();
    let cases = [
        (Law::Spherical { scale: 4.0 }, Law::Spherical { scale: 4.0 * root }),
        (Law::Gaussian { sigma: 9.0 }, Law::Gaussian { sigma: 9.0 * root }),
    ];
    for ((margin, classes), cap) in
        cases.into_iter().zip([Budget::Pure { epsilon: 9.0 }, AT_A_MILLIONTH])
    {
        let [a, b] = [amount_of(&one(margin), cap), amount_of(&two(classes), cap)];
        assert!((a / b - 1.0).abs() < 1e-8, "{cap}: {a} {b}");
    }
}

/// Events of classes of before parse, cost what they did, and are written as they were.
#[test]
fn the_field_of_classes_is_written_only_where_it_says_something() {
    let noise = Law::Spherical { scale: 4.0 };
    let known = classes_event(2e-3, noise, Unit::Row, Curvature::Logistic);
    let written = serde_json::to_string(&known).unwrap();
    assert!(written.ends_with(r#","curvature":"logistic"}"#), "{written}");
    assert_eq!(serde_json::from_str::<Event>(&written).unwrap(), known);
    let before = written.replace(r#","curvature":"logistic""#, "");
    let event: Event = serde_json::from_str(&before).unwrap();
    assert_eq!(event, classes_event(2e-3, noise, Unit::Row, Curvature::Bounded));
    assert_eq!(serde_json::to_string(&event).unwrap(), before);
    let cost = 8f64.sqrt() / 4.0 + 2.0 * (1.0f64 / 6.0).ln_1p();
    let found = amount_of(&event, Budget::Pure { epsilon: 9.0 });
    assert!(found >= cost && found <= cost * (1.0 + 1e-11), "{found} {cost}");
}
