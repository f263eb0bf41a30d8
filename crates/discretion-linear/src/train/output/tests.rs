use super::*;
use crate::erm::Oracle;
use crate::erm::matrix::{Batch, Layout, Matrix, Norm};
use crate::erm::solver::Problem;
use crate::loss::LossKind;
use crate::train::{Method, Training};
use discretion_privacy::account::minimiser_sensitivity as sensitivity;
use discretion_privacy::noise::Receipt;
use discretion_privacy::trusted::Open;
use discretion_privacy::{Budget, analytic_gaussian_delta, normal_cdf};

/// n copies of x = 1 with the given number of positive labels, and nothing else.
fn coin_table(n: usize, positives: usize) -> Matrix {
    let mut matrix = Matrix::new(Layout::new(Norm::Scale, 1.0, vec![], vec![]).unwrap());
    matrix.push(Batch { positive: (0..n).map(|i| i < positives).collect(), ..Batch::default() });
    matrix
}

fn minimiser(matrix: &Matrix, kind: LossKind, lambda: f64) -> f64 {
    Problem::new(&matrix.all(), kind.of_margin(), lambda, 0.0).minimise(None).unwrap().into_inner()
        [0]
    .to_f64()
    .value()
}

/// For the hinge with |θ̂| ≤ 1 − h every slope is 1, and flipping one label moves θ̂ by exactly
/// 2/(nλ).
#[test]
fn the_sensitivity_is_reached_and_never_exceeded() {
    let mut largest: f64 = 0.0;
    for kind in [LossKind::Logistic, LossKind::Hinge] {
        for (n, lambda) in [(4, 2.0), (10, 0.3), (40, 4.0)] {
            for positives in 0..n {
                let moved = minimiser(&coin_table(n, positives + 1), kind, lambda)
                    - minimiser(&coin_table(n, positives), kind, lambda);
                let share = moved.abs() / sensitivity(n, lambda);
                assert!(share <= 1.0, "{kind:?} n={n} λ={lambda}: {share} of the sensitivity");
                largest = largest.max(share);
            }
        }
    }
    assert!(largest > 0.999, "a smaller constant would pass too: only {largest} was reached");
}

/// Exact log-density ratio of spherical noise at the two extreme minimisers, on a grid; half of it
/// fails.
#[test]
fn spherical_noise_keeps_the_density_ratio_within_epsilon() {
    let (n, lambda, epsilon) = (10, 4.0, 0.7);
    let centres = [4, 5].map(|k| minimiser(&coin_table(n, k), LossKind::Hinge, lambda));
    let Law::Spherical { scale } = spherical(sensitivity(n, lambda), Pure { epsilon }) else {
        unreachable!()
    };
    for share in [1.0, 0.5] {
        let worst = (-1000..=1000)
            .map(|k| f64::from(k) * 0.01)
            .map(|x| ((x - centres[0]).abs() - (x - centres[1]).abs()) / (share * scale))
            .fold(f64::MIN, f64::max);
        assert_eq!(worst <= epsilon, share == 1.0, "share {share}: {worst}");
        assert!(worst > 0.99 * epsilon / share);
    }
}

#[test]
fn gaussian_noise_meets_its_budgets_and_half_of_it_does_not() {
    let delta2 = sensitivity(1000, 0.01);
    let target = Approximate { epsilon: 1.0, delta: 1e-6 };
    let Law::Gaussian { sigma } = gaussian_within(delta2, target) else { unreachable!() };
    assert!(analytic_gaussian_delta(delta2, sigma, 1.0) <= 1e-6);
    assert!(analytic_gaussian_delta(delta2, 0.5 * sigma, 1.0) > 1e-6);
    let Law::Gaussian { sigma } = gaussian_zcdp(delta2, Zcdp { rho: 0.1 }) else { unreachable!() };
    let rho = |sigma: f64| 0.5 * (delta2 / sigma).powi(2);
    assert!(rho(sigma) <= 0.1 && rho(0.5 * sigma) > 0.1);
}

/// The program's output against the law the proof is about; false-alarm rate 1e-6 per case.
#[test]
fn the_program_s_output_has_the_density_that_the_proof_is_about() {
    let (n, lambda) = (10, 0.5);
    let matrix = coin_table(n, 7);
    let centre = minimiser(&matrix, LossKind::Logistic, lambda);
    let delta2 = 2.0 / (n as f64 * lambda);
    let laplace = |x: f64| if x < 0.0 { 0.5 * x.exp() } else { 1.0 - 0.5 * (-x).exp() };
    type Cdf<'a> = Box<dyn Fn(f64) -> f64 + 'a>;
    let cases: [(Budget, Cdf<'_>); 2] = [
        (Budget::Pure { epsilon: 1.0 }, Box::new(|x| laplace(x * 0.999 / delta2))),
        (
            Budget::Zcdp { rho: 0.5 },
            Box::new(|x| normal_cdf(x * (2.0f64 * 0.5 * 0.999).sqrt() / delta2)),
        ),
    ];
    for (budget, cdf) in cases {
        let training = Training {
            loss: LossKind::Logistic,
            lambda: Some(lambda),
            method: Method::Output,
            budget,
        };
        let plan = training.plan(matrix.all().facts()).unwrap();
        let runs = 4000;
        let mut sample: Vec<f64> = (0..runs)
            .map(|_| {
                plan.fit(&matrix.all(), Receipt::nobody_remembers().noise()).unwrap()[0] - centre
            })
            .collect();
        sample.sort_by(f64::total_cmp);
        let limit = ((2.0f64 / 1e-6).ln() / (2.0 * f64::from(runs))).sqrt() + 1e-3;
        for (i, &x) in sample.iter().enumerate() {
            let gap = (cdf(x) - (i as f64 + 0.5) / f64::from(runs)).abs();
            assert!(gap < limit, "{budget}: distance {gap} from the exact law at {x}");
        }
    }
}
