//! Rates, an outcome that only tests know: λ, plans, prices, noise and the solver take it by its
//! numbers alone. Exact densities say that these are right.

use super::{Method, Plan, Training};
use crate::erm::solver::Problem;
use crate::erm::{Answer, Facts, Oracle, OracleError, Point, Question, Sums};
use crate::outcome::{LossKind, Outcome, Rates, Slopes};
use discretion_privacy::Budget;
use discretion_privacy::account::{Event, Law, Spend, TrainingLaw};
use discretion_privacy::noise::{BigFloat, NoiseVector, Seeded, Sensitive, exact, norm};
use discretion_privacy::trusted::Open;

const OUTCOME: Rates = Rates::USUAL;

/// x, and the label: a count and an exposure.
type Row = (Vec<f64>, [f32; 2]);

fn slopes(margin: f64, label: &[f32]) -> (f64, f64, f64) {
    let mut slopes = Slopes::zero(1);
    let value = OUTCOME.row(&[margin], label, &mut slopes);
    (value, slopes.slopes[0], slopes.hessian[0])
}

/// Rows that are summed one after the other.
struct Rows(Vec<Row>);

impl Rows {
    /// So many rows whose rate is e^{1 − 2x}.
    fn new(count: usize) -> Rows {
        let row = |i: usize| {
            let x = ((i * 37) % 101) as f64 / 101.0 - 0.5;
            let exposure = [0.125, 0.5, 1.0][i % 3];
            let rate = f64::from(exposure) * (1.0 - 2.0 * x).exp();
            let count = (rate + ((i * 53) % 89) as f64 / 89.0).floor().min(OUTCOME.most);
            (vec![0.7, x], [count as f32, exposure])
        };
        Rows((0..count).map(row).collect())
    }

    fn sums(&self, Point { theta, .. }: &Point) -> Sensitive<Sums> {
        let (n, d) = (self.0.len() as f64, theta.len());
        let mut sums = Sums { value: 0.0, gradient: vec![0.0; d], hessian: vec![0.0; d * d] };
        for (x, label) in &self.0 {
            let margin = x.iter().zip(theta).map(|(x, t)| x * t).sum();
            let (value, slope, curvature) = slopes(margin, label);
            sums.value += value / n;
            for i in 0..d {
                sums.gradient[i] += slope * x[i] / n;
                (0..=i).for_each(|j| sums.hessian[i * d + j] += curvature * x[i] * x[j] / n);
            }
        }
        Sensitive::new(sums)
    }

    fn big_gradient(&self, theta: &[BigFloat], precision: usize) -> Vec<BigFloat> {
        let zero = BigFloat::ZERO.with_precision(precision).value();
        let n = BigFloat::from(self.0.len()).with_precision(precision).value();
        let mut gradient = vec![zero.clone(); theta.len()];
        for (x, label) in &self.0 {
            let terms = x.iter().zip(theta).map(|(&x, t)| exact(x) * t);
            let margin = terms.fold(zero.clone(), |sum, term| sum + term);
            let slope = OUTCOME.exact(&[margin], label).remove(0) / &n;
            gradient.iter_mut().zip(x).for_each(|(sum, &x)| *sum += &slope * exact(x));
        }
        gradient
    }
}

impl Oracle for Rows {
    fn facts(&self) -> Facts {
        let rows = self.0.len();
        Facts { summation_depth: rows, ..Facts::of_matrix(rows, 2, 2) }
    }

    fn answer(&self, question: Question<'_>) -> Result<Answer, OracleError> {
        match question {
            Question::Sums { points, .. } => {
                Ok(Answer::Sums(points.iter().map(|point| self.sums(point)).collect()))
            }
            Question::BigGradient { theta, precision, .. } => {
                Ok(Answer::BigGradient(Sensitive::new(self.big_gradient(theta, precision))))
            }
            _ => Err(OracleError::another_question()),
        }
    }
}

fn plan(facts: Facts, lambda: Option<f64>, method: Method, budget: Budget) -> Plan {
    Training { loss: LossKind::Rates, lambda, method, budget }.plan(facts).unwrap()
}

#[test]
fn every_event_costs_what_its_plan_says() {
    for budget in [
        Budget::Pure { epsilon: 1.0 },
        Budget::Approximate { epsilon: 0.8, delta: 1e-6 },
        Budget::Zcdp { rho: 0.05 },
    ] {
        for method in [Method::Objective, Method::Output] {
            let plan = plan(Facts::of_matrix(5000, 3, 3), None, method, budget);
            let price = Spend::of(&plan.event()).unwrap().price(budget).unwrap();
            assert!(price.within(budget), "{budget} {:?}", plan.event());
            let Event::Composition { of } = plan.event() else { panic!("noise and a mask") };
            if let Event::ResidualObjectivePerturbation { curvature_bound, .. } = of[0] {
                assert_eq!(curvature_bound, 3.0);
            } else {
                assert_eq!(method, Method::Output);
            }
        }
    }
}

#[test]
fn rates_are_fitted_to_the_public_tolerance() {
    let (rows, precision) = (Rows::new(40), 200);
    // Gradient descent alone is left to a push far out in its tail: at a small λ it is slow.
    for (lambda, push) in [(1.0, 0.0), (1.0, 3.0), (1.0, 1e30), (1e-3, 0.0), (1e-3, 3.0)] {
        let problem = Problem::new(&rows, &OUTCOME, lambda, 50.0);
        let b = [exact(push), exact(-0.5 * push)];
        let noise = NoiseVector::fixed(b.to_vec());
        let theta = problem.minimise(Some(&noise)).unwrap().into_inner();
        let big = |x: &BigFloat| x.clone().with_precision(precision).value();
        let theta: Vec<BigFloat> = theta.iter().map(big).collect();
        let n = big(&exact(40.0));
        let sums = rows.big_gradient(&theta, precision).into_iter().zip(&theta).zip(&b);
        let gradient: Vec<BigFloat> =
            sums.map(|((g, t), b)| g + t * exact(lambda) + big(b) / &n).collect();
        let distance = norm(&gradient, precision).to_f64().value() / lambda;
        assert!(distance <= problem.accuracy().tolerance, "{lambda} {push}: {distance}");
    }
    let rows = Rows::new(3000);
    let plan = plan(rows.facts(), None, Method::Objective, Budget::Pure { epsilon: 20.0 });
    let theta = plan.fit(&rows, &mut Seeded::new(1)).unwrap().to_vec();
    assert!(theta[0] > 0.5 && theta[1] < -0.5, "{theta:?}");
}

/// b(θ) = −Σf′x − nλθ and ln|b′| in one dimension.
fn noise_at(rows: &[(f64, [f32; 2])], lambda: f64, theta: f64) -> (f64, f64) {
    let n = rows.len() as f64;
    let (mut b, mut jacobian) = (-n * lambda * theta, n * lambda);
    for (x, label) in rows {
        let (_, slope, curvature) = slopes(x * theta, label);
        (b, jacobian) = (b - slope * x, jacobian + curvature * x * x);
    }
    (b, jacobian.ln())
}

#[test]
fn densities_of_neighbours_differ_by_epsilon_at_most_and_half_the_noise_is_caught() {
    let labels = OUTCOME.labels();
    let tried = |x: f64| labels.iter().map(move |label| (x, [label[0], label[1]]));
    let candidates: Vec<_> = [-1.0, -0.5, 0.0, 1.0].into_iter().flat_map(tried).collect();
    for (n, lambda, epsilon) in [(3, 8.0, 1.0), (10, 3.0, 0.7), (4, 2.0, 3.0)] {
        let facts = Facts::of_matrix(n, 1, 1);
        let plan = plan(facts, Some(lambda), Method::Objective, Budget::Pure { epsilon });
        let TrainingLaw::Round(Law::Spherical { scale }) = *plan.chosen().law() else {
            panic!("one dimension")
        };
        let worst = |scale: f64| {
            let mut worst = f64::NEG_INFINITY;
            for other in [(0.0, [0.0, 1.0]), (1.0, [2.0, 0.5]), (-0.5, [4.0, 1.0])] {
                for theta in (-80..=80).map(|i| 0.05 * f64::from(i) + 0.001) {
                    let at = |first: &(f64, [f32; 2])| {
                        let mut rows = vec![other; n];
                        rows[0] = *first;
                        let (b, jacobian) = noise_at(&rows, lambda, theta);
                        jacobian - b.abs() / scale
                    };
                    let each: Vec<f64> = candidates.iter().map(at).collect();
                    let most = each.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    let least = each.iter().copied().fold(f64::INFINITY, f64::min);
                    worst = worst.max(most - least);
                }
            }
            worst
        };
        assert!(worst(scale) <= epsilon, "{} {epsilon}", worst(scale));
        assert!(worst(0.5 * scale) > epsilon);
        // All of ε for the noise, nothing for the curvature.
        assert!(worst(2.0 / epsilon) > epsilon, "{}", worst(2.0 / epsilon));
    }
}
