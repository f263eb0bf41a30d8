//! The base rate: what its count costs by the exact law, and a penalty that is around it.

use super::*;
use crate::erm::Oracle;
use crate::erm::matrix::{Batch, Layout, Matrix, Norm, Rows};
use crate::loss::LossKind;
use crate::train::{Method, Training};
use discretion_privacy::account::Spend;
use discretion_privacy::noise::{NoiseVector, Seeded, exact};

/// Rows with an intercept and one number, of which every `each`-th is positive.
fn rows(count: usize, each: usize) -> Matrix {
    let layout = Layout::new(Norm::Scale, 0.5, vec![0.5], vec![]).unwrap();
    let numeric = (0..count).map(|row| ((row * 7) % 11) as f32 / 22.0 - 0.25).collect();
    let positive = (0..count).map(|row| row % each == 0).collect();
    Matrix::of(layout, Batch { numeric, codes: vec![], positive })
}

/// ln of the largest ratio of probabilities of the noisy count on two tables, P(k) ∝
/// e^(−|k|/scale).
fn largest_ratio(plan: &BaseRatePlan, one: &dyn Oracle, other: &dyn Oracle) -> f64 {
    let scale = plan.noise.deviation() / 2f64.sqrt();
    let [a, b] = [one, other].map(|rows| rows.positives().unwrap().not_private().into_inner()[0]);
    (-500..500)
        .map(|out: i64| ((out - b).abs() - (out - a).abs()) as f64 / scale)
        .fold(f64::MIN, f64::max)
}

/// A row, or all rows of a person, of the other class: the count is more likely by e^(sε), no more
/// and no less.
#[test]
fn the_count_costs_its_share() {
    let layout = || Layout::new(Norm::Scale, 0.5, vec![], vec![]).unwrap();
    let table = |positive: [bool; 4]| {
        Matrix::of(layout(), Batch { positive: positive.to_vec(), ..Batch::default() })
    };
    let (one, other) = (table([true, false, false, false]), table([true, true, false, false]));
    let plan = BaseRatePlan::new(Budget::Pure { epsilon: 2.0 }, Unit::Row, 4);
    let ratio = largest_ratio(&plan, &one.all(), &other.all());
    assert!((ratio - 2.0 * SHARE).abs() < 1e-9, "{ratio}");
    let persons = |positive| Rows::group(table(positive), &[1, 2, 2, 2]);
    let (one, other) = (persons([true, false, false, false]), persons([true, true, true, true]));
    let plan =
        BaseRatePlan::new(Budget::Approximate { epsilon: 2.0, delta: 1e-6 }, Unit::Person, 2);
    let ratio = largest_ratio(&plan, &one, &other);
    assert!((ratio - 2.0 * SHARE).abs() < 1e-9, "{ratio}");
    // ρ = Δ²/(2σ²).
    let plan = BaseRatePlan::new(Budget::Zcdp { rho: 0.5 }, Unit::Row, 4);
    let rho = 0.5 / plan.noise.deviation().powi(2);
    assert!(rho <= 0.5 * SHARE && rho > 0.5 * SHARE * (1.0 - 1e-6), "{rho}");
}

/// The two parts add up to the whole, and no less is charged than they cost.
#[test]
fn the_share_and_the_rest_are_the_budget() {
    let rows = rows(5000, 10);
    for budget in [
        Budget::Pure { epsilon: 1.0 },
        Budget::Approximate { epsilon: 1.0, delta: 1e-6 },
        Budget::Zcdp { rho: 0.1 },
    ] {
        let plan = BaseRatePlan::new(budget, Unit::Row, 5000);
        let training = Training {
            loss: LossKind::Logistic,
            lambda: None,
            method: Method::Objective,
            budget: plan.rest(),
        };
        let training = training
            .plan(rows.all().facts())
            .unwrap()
            .around_at_most(plan.furthest() / 0.5)
            .unwrap();
        let price = |event: &Event| Spend::of(event).unwrap().price(budget).unwrap().amount;
        let whole = Event::Composition { of: vec![plan.event(), training.event()] };
        let (all, alone) = (price(&whole), price(&training.event()));
        let amount = discretion_privacy::account::amount(budget);
        assert!(all <= amount, "{budget}: {all} of {amount}");
        assert!(
            all > 0.97 * amount && alone < 0.97 * amount,
            "{budget}: {all} and {alone} of {amount}"
        );
    }
}

/// With a λ that hardly lets anything else be learnt the model says the base rate, and without a
/// centre even odds.
#[test]
fn the_penalty_is_around_the_rate() {
    let rows = rows(5000, 10);
    let budget = Budget::Pure { epsilon: 50.0 };
    let plan = BaseRatePlan::new(budget, Unit::Row, 5000);
    let rate = *plan.run(&rows.all(), &mut Seeded::new(3)).unwrap();
    assert!((rate - 0.1).abs() < 6.0 * plan.deviation(), "{rate}");
    let training = Training {
        loss: LossKind::Logistic,
        lambda: Some(10.0),
        method: Method::Objective,
        budget: plan.rest(),
    };
    let around =
        training.plan(rows.all().facts()).unwrap().around_at_most(plan.furthest() / 0.5).unwrap();
    let intercept =
        |centre: f64| around.around(centre).fit(&rows.all(), &mut Seeded::new(4)).unwrap()[0] * 0.5;
    assert!((intercept(log_odds(rate) / 0.5) - log_odds(0.1)).abs() < 0.05);
    assert!(intercept(0.0).abs() < 0.05);
    // The law of the noise, and so the price, do not know the centre.
    assert_eq!(around.around(1.0).event(), training.plan(rows.all().facts()).unwrap().event());
}

/// A rate that noise carries beyond 0 or 1 is moved back, and is no further than was planned for.
#[test]
fn every_released_rate_is_one_that_was_planned_for() {
    for (each, seed) in [(1, 1), (5000, 2), (2, 3)] {
        let rows = rows(40, each);
        for epsilon in [0.001, 0.1, 10.0, 1e4] {
            let plan = BaseRatePlan::new(Budget::Pure { epsilon }, Unit::Row, 40);
            let rate = *plan.run(&rows.all(), &mut Seeded::new(seed)).unwrap();
            assert!(rate > 0.0 && rate < 1.0 && log_odds(rate).abs() <= plan.furthest(), "{rate}");
        }
    }
}

/// What is added to b is added without rounding, however far apart the two are.
#[test]
fn the_centre_moves_b_exactly() {
    for (x, by) in [(1e-300, 1e10), (3.0, -1e-200), (1.0, 0.0), (0.0, 2.5)] {
        let back = NoiseVector::fixed(vec![exact(x)]).moved(0, by).moved(0, -by);
        assert_eq!(back.coordinates()[0], exact(x), "{x} {by}");
    }
}
