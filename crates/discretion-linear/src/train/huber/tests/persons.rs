//! Persons: a person's residuals are averaged, and bend the objective in as many directions as
//! there are coefficients.

use super::*;
use crate::erm::matrix::Rows;
use crate::train::objective::curvature_price;
use discretion_privacy::Unit;

type Person = Vec<Row>;

/// b(θ) and ln|b′|, with a person's rows weighted by 1 over their number.
fn noise_of(persons: &[&Person], lambda: f64, theta: f64) -> (f64, f64) {
    let n = persons.len() as f64;
    let (mut b, mut h) = (-n * lambda * theta, n * lambda);
    for person in persons {
        let means = person.iter().map(|row| noise_at(&[*row], 0.0, theta));
        for (slope, ln_curvature) in means {
            b += slope / person.len() as f64;
            h += ln_curvature.exp() / person.len() as f64;
        }
    }
    (b, h.ln())
}

fn persons_to_try() -> Vec<Person> {
    let mut persons: Vec<Person> = rows_to_try().into_iter().map(|row| vec![row]).collect();
    let fifty = |kinds: &[Row]| kinds.iter().copied().cycle().take(50).collect();
    persons.extend([
        fifty(&[(1.0, 1.0)]),
        fifty(&[(1.0, 1.0), (1.0, -1.0)]),
        fifty(&rows_to_try()),
    ]);
    persons.push(vec![(1.0, 0.7), (-1.0, 0.7)]);
    persons
}

#[test]
fn densities_and_divergences_of_persons_are_within_their_price_and_half_the_noise_is_not() {
    let (n, lambda, epsilon, sigma) = (4, 4.0, 1.0, 3.0);
    let training = Training {
        loss: LossKind::Huber,
        lambda: Some(lambda),
        method: Method::Objective,
        budget: Budget::Pure { epsilon },
    };
    let facts = Facts { columns: None, unit: Unit::Person, ..Facts::of_matrix(n, 1, 2) };
    let plan = training.plan(facts).unwrap();
    let TrainingLaw::Round(Law::Spherical { scale }) = *plan.chosen().law() else {
        panic!("one dimension")
    };
    let worst = |scale: f64| {
        let law = TrainingLaw::Round(Law::Spherical { scale });
        let mut worst: f64 = 0.0;
        for other in [vec![(0.0, 0.0)], vec![(1.0, 1.0), (-0.5, 0.3)]] {
            for theta in (-30..=30).map(|i| 0.1 * f64::from(i) + 0.001) {
                let at = |person: &Person| {
                    let (b, jacobian) = noise_of(&[person, &other, &other, &other], lambda, theta);
                    ln_density(&law, b) + jacobian
                };
                let all: Vec<f64> = persons_to_try().iter().map(at).collect();
                let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                worst = worst.max(most - all.iter().copied().fold(f64::INFINITY, f64::min));
            }
        }
        worst
    };
    assert!(
        worst(scale) <= epsilon && worst(0.5 * scale) > epsilon,
        "{} {}",
        worst(scale),
        worst(0.5 * scale)
    );

    let t = LossKind::Huber.of_margin().bounds().curvature;
    let curvature = curvature_price(1, n, lambda, t);
    let curve = Curve::of(Term::GaussianResiduals { sigma, curvature });
    let divergence = |p: &Person, q: &Person, sigma: f64, alpha: f64| {
        let law = TrainingLaw::Round(Law::Gaussian { sigma });
        let other = vec![(1.0, 0.0), (1.0, 1.0)];
        let reach = (12.0 * sigma + n as f64) / (n as f64 * lambda);
        let (steps, mut sum) = (4_000, 0.0);
        let step = 2.0 * reach / f64::from(steps);
        for theta in (0..steps).map(|i| -reach + (f64::from(i) + 0.5) * step) {
            let ln = |person: &Person| {
                let (b, jacobian) = noise_of(&[person, &other, &other, &other], lambda, theta);
                ln_density(&law, b) + jacobian - (sigma * std::f64::consts::TAU.sqrt()).ln()
            };
            sum += step * (alpha * ln(p) + (1.0 - alpha) * ln(q)).exp();
        }
        sum.ln() / (alpha - 1.0)
    };
    let (one, other) = (vec![(1.0, 1.0); 50], vec![(1.0, -1.0), (-1.0, 1.0)]);
    let mut caught = false;
    for (p, q, alpha) in
        [(&one, &other, 2.0), (&other, &one, 2.0), (&one, &other, 8.0), (&other, &one, 8.0)]
    {
        assert!(divergence(p, q, sigma, alpha) <= curve.epsilon(alpha), "α = {alpha}");
        caught |= divergence(p, q, 0.5 * sigma, alpha) > curve.epsilon(alpha);
    }
    assert!(caught, "half the noise was not caught");
}

/// The Hessian that the program sums, of a person with two rows at right angles and an outcome in
/// the middle: the price of a row is too little, and that of a person is reached.
#[test]
fn the_price_of_a_row_s_curvature_is_too_little_for_a_person() {
    let size = 0.707;
    let layout = Layout::new(Norm::Scale, size, vec![size, 0.01], vec![]).unwrap();
    let mut rows = Matrix::new(layout);
    let numeric = vec![size, 0.0, -size, 0.0, 0.0, 0.0];
    rows.push(Batch { numeric, codes: vec![], positive: vec![false; 3] });
    rows.leave_out(&[false, false, true]);
    let persons = Rows::group(rows, &[0, 0, 1]);
    let residuals = Residuals::new(&persons, 2);
    let facts = residuals.facts();
    assert_eq!((facts.rows, facts.unit, facts.dimension), (2, Unit::Person, 2));
    let lambda = 0.5;
    let sums = residuals.sums(loss(), &[0.0; 2], Order::Hessian).unwrap().into_inner();
    let h = |i: usize| 2.0 * (sums.hessian[3 * i] + lambda);
    let off = 2.0 * sums.hessian[2];
    let ratio = (h(0) * h(1) - off * off).ln() - 2.0 * (2.0 * lambda).ln();
    let t = LossKind::Huber.of_margin().bounds().curvature;
    let price = |unit: Unit| curvature_price(unit.curvature_rank(2), 2, lambda, t);
    assert!(ratio <= price(Unit::Person) && ratio > 0.999 * price(Unit::Person));
    assert!(ratio > 1.1 * price(Unit::Row), "{ratio} {}", price(Unit::Row));

    let budget = Budget::Pure { epsilon: 3.0 };
    let training =
        Training { loss: LossKind::Huber, lambda: Some(9.0), method: Method::Objective, budget };
    let plan = training.plan(facts).unwrap();
    assert!(serde_json::to_string(&plan.event()).unwrap().contains("\"unit\":\"person\""));
    assert!(Spend::of(&plan.event()).unwrap().price(budget).unwrap().within(budget));
    assert!(plan.fit_outcome(&persons, 2, &mut Seeded::new(3)).is_ok());
}
