//! Estimates that are taken back from the penalty, as files of earlier versions have them.

use crate::interval::{Evidence, Intervals, Split};
use crate::loss::LossKind;
use discretion_privacy::Budget;
use serde_json::json;

/// Two coefficients with curvatures 0.2 and 0.05 that have nothing to do with each other.
fn evidence(mechanism: &str, steps: usize) -> Evidence {
    let written = json!({
        "rows": 1000, "dimension": 2, "lambda": 0.05, "mechanism": mechanism,
        "noise": { "law": "gaussian", "sigma": 3.0 }, "mask_deviation": 0.01, "hessian": [0.2, 0.0, 0.05],
        "covariance": [0.1, 0.0, 0.1], "steps": steps,
    });
    serde_json::from_value(written).unwrap()
}

/// λ/(h + λ) is 1/5 and 1/2: two steps multiply an estimate by 1 + 1/5 + 1/25, and leave a third
/// power of the pull.
#[test]
fn two_steps_leave_the_third_power_of_the_pull() {
    for mechanism in ["objective", "output"] {
        let theta = [3.0, -1.0];
        let of = |steps| {
            Intervals::new(&evidence(mechanism, steps), &theta).unwrap().coefficients(0.9).unwrap()
        };
        let (trained, back) = (of(0), of(2));
        for (j, pull) in [0.2, 0.5f64].into_iter().enumerate() {
            let times = 1.0 + pull + pull * pull;
            let is =
                |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-9, "{mechanism} {j}: {a} {b}");
            is(trained[j].estimate, theta[j]);
            is(trained[j].shrinkage, pull * theta[j]);
            is(back[j].estimate, times * theta[j]);
            is(back[j].shrinkage, pull.powi(3) * times * theta[j]);
            // Everything that moved the estimate moves it so much more.
            is(back[j].sampling_deviation, times * trained[j].sampling_deviation);
            is(back[j].privacy_deviation, times * trained[j].privacy_deviation);
            is(back[j].half_width(), times * trained[j].half_width());
            assert!((back[j].p_value - trained[j].p_value).abs() < 1e-9, "{mechanism} {j}");
        }
    }
}

#[test]
fn draws_have_the_law_of_the_estimates() {
    for mechanism in ["objective", "output"] {
        let intervals = Intervals::new(&evidence(mechanism, 2), &[3.0, -1.0]).unwrap();
        let draws = intervals.draws(50_000, 5);
        for (j, interval) in intervals.coefficients(0.9).unwrap().iter().enumerate() {
            let variance = draws.iter().map(|z| z[j] * z[j]).sum::<f64>() / 50_000.0;
            let stated = interval.sampling_deviation.powi(2) + interval.privacy_deviation.powi(2);
            // Seven standard deviations of a mean of squares of normal variables.
            assert!(
                (variance / stated - 1.0).abs() < 7.0 * (2.0f64 / 50_000.0).sqrt(),
                "{mechanism} {j}"
            );
        }
    }
}

/// A band of one knot holds with its level beside what λ left there, which an interval alone does
/// not.
#[test]
fn a_band_holds_beside_what_the_penalty_left() {
    let (combination, count) = ([vec![(1, 1.0)]], 100_000);
    let intervals = Intervals::new(&evidence("objective", 2), &[3.0, -1.0]).unwrap();
    let interval = intervals.coefficients(0.9).unwrap()[1];
    let deviation = interval.sampling_deviation.hypot(interval.privacy_deviation);
    let holds = |factor: f64| {
        let below =
            |end: f64| 0.5 * libm::erfc((interval.shrinkage - end) / (deviation * 2f64.sqrt()));
        below(factor * interval.half_width()) - below(-factor * interval.half_width())
    };
    let band = intervals.band_of(&combination, 0.9, count).unwrap();
    // Seven standard deviations of the share of draws within.
    assert!(
        (holds(band) - 0.9).abs() < 7.0 * (0.09 / count as f64).sqrt(),
        "{band}: {}",
        holds(band)
    );
    let without = intervals.all_at_once_of(&combination, 0.9, count).unwrap();
    assert!(holds(without) < 0.8, "{without}: {}", holds(without));
    // What is not taken back from the penalty is about what the penalty leaves.
    let trained = Intervals::new(&evidence("objective", 0), &[3.0, -1.0]).unwrap();
    let both = [
        trained.band_of(&combination, 0.9, count),
        trained.all_at_once_of(&combination, 0.9, count),
    ];
    assert_eq!(both[0].as_ref().unwrap(), both[1].as_ref().unwrap());
}

/// Where every column says the same as another, no effect has an interval.
#[test]
fn nothing_is_widened_for_no_effects() {
    let intervals = Intervals::new(&evidence("objective", 0), &[3.0, -1.0]).unwrap();
    assert_eq!(intervals.all_at_once_of(&[], 0.9, 10_000).unwrap(), 1.0);
    assert_eq!(intervals.band_of(&[vec![]], 0.9, 10_000).unwrap(), 1.0, "of no coefficient");
}

#[test]
fn files_without_steps_have_none_and_nobody_takes_many() {
    let mut written = serde_json::to_value(evidence("objective", 2)).unwrap();
    assert_eq!(written["steps"], 2);
    written["steps"] = json!(9);
    assert!(
        serde_json::from_value::<Evidence>(written.clone())
            .unwrap_err()
            .to_string()
            .contains("steps")
    );
    written.as_object_mut().unwrap().remove("steps");
    let evidence: Evidence = serde_json::from_value(written).unwrap();
    assert_eq!(evidence.steps(), 0);
    assert!(!serde_json::to_string(&evidence).unwrap().contains("steps"));
}

/// Only logistic regression does with the moments of the rows.
#[test]
fn the_usual_split_depends_on_what_is_known() {
    let [pure, rho] = [Budget::Pure { epsilon: 1.0 }, Budget::Zcdp { rho: 0.1 }];
    let split = |training, hessian, covariance| Split::new(training, hessian, covariance).unwrap();
    assert_eq!(Split::usual(LossKind::Logistic, true, rho), split(0.88, 0.09, 0.03));
    assert_eq!(Split::usual(LossKind::Logistic, true, pure), split(0.75, 0.2, 0.05));
    assert_eq!(Split::usual(LossKind::Logistic, false, rho), Split::DEFAULT);
    assert_eq!(Split::usual(LossKind::Hinge, true, pure), Split::DEFAULT);
}
