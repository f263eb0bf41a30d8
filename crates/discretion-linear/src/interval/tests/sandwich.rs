//! With hardly any noise and hardly any λ, what is left is the sandwich of ordinary logistic
//! regression.

use super::logistic_table;
use crate::erm::{AskOracle, Oracle, Order};
use crate::interval::{Intervals, Plan, Split};
use crate::loss::{Logistic, LossKind};
use crate::loss::{Weight, Weighted};
use crate::train::{Method, Training};
use discretion_privacy::Budget;
use discretion_privacy::noise::Seeded;
use discretion_privacy::trusted::Open;
use faer::linalg::solvers::{Llt, Solve};
use faer::{Mat, Side};

fn symmetric(lower: &[f64], d: usize) -> Mat<f64> {
    Mat::from_fn(d, d, |i, j| lower[i.max(j) * d + i.min(j)])
}

/// Half-widths 1.96·√diag(A⁻¹BA⁻¹/n) at the unpenalised maximum-likelihood estimate (HC0), as far as
/// curvature follows from the rows' moments: their margins are uniform here and not normal.
#[test]
fn intervals_become_the_sandwich_of_an_unpenalised_regression() {
    let truth = [0.5, -2.0, 1.0, 3.0, 0.0];
    let (n, d) = (20_000, truth.len());
    let mut source = Seeded::new(8);
    let table = logistic_table(n, &truth, &mut source);

    let mut theta = vec![0.0; d];
    for _ in 0..30 {
        let sums = table.all().sums(&Logistic, &theta, Order::Hessian).unwrap().into_inner();
        let factor: Llt<f64> = symmetric(&sums.hessian, d).llt(Side::Lower).unwrap();
        let step = factor.solve(Mat::from_fn(d, 1, |i, _| sums.gradient[i]));
        theta.iter_mut().enumerate().for_each(|(i, t)| *t -= step[(i, 0)]);
    }
    let bread = symmetric(
        &table.all().sums(&Logistic, &theta, Order::Hessian).unwrap().into_inner().hessian,
        d,
    );
    let slopes = Weighted::new(LossKind::Logistic, Weight::SquaredSlope, 1.0);
    let meat = symmetric(
        &table.all().sums(&slopes, &theta, Order::Hessian).unwrap().into_inner().hessian,
        d,
    );
    let inverse = bread.llt(Side::Lower).unwrap().solve(Mat::<f64>::identity(d, d));
    let sandwich = &inverse * meat * &inverse;

    // Objective perturbation: the noise of output perturbation grows as λ falls.
    for budget in [Budget::Pure { epsilon: 1000.0 }, Budget::Zcdp { rho: 1e5 }] {
        let training = Training {
            loss: LossKind::Logistic,
            lambda: Some(1e-6),
            method: Method::Objective,
            budget,
        };
        let plan = Plan::new(&training, Split::DEFAULT, table.all().facts()).unwrap();
        let released = plan.training().fit(&table.all(), &mut source).unwrap();
        let evidence = plan.run(&table.all(), &released, &mut source).unwrap();
        let intervals = Intervals::new(&evidence, &released).unwrap().coefficients(0.95).unwrap();
        for (j, interval) in intervals.iter().enumerate() {
            let deviation = (sandwich[(j, j)] / n as f64).sqrt();
            let expected = 1.959_963_985 * deviation;
            let ratio = interval.half_width() / expected;
            assert!((ratio - 1.0).abs() < 0.05, "{budget} θ{j}: {ratio} times the sandwich");
            assert!((interval.estimate - theta[j]).abs() < 0.1 * deviation, "{budget} θ{j}");
            assert!(
                interval.shrinkage_share() < 0.05,
                "{budget} θ{j}: {}",
                interval.shrinkage_share()
            );
        }
    }
}
