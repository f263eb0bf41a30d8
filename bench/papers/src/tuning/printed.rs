//! The paper's methods, as it prints them.
//!
//! They are here to be compared with and are **not private** as they stand: their vectors are
//! computed in doubles and leave without passing a gate, and "control" is not private on paper
//! either.

use super::failed;
use super::measures::{errors, margins, ramp_loss};
use crate::Failure;
use discretion::erm::Oracle;
use discretion::erm::matrix::{Matrix, Rows};
use discretion::erm::solver::{Problem, Start, Warm};
use discretion::noise::{Law, Seeded};
use discretion::outcome::{Logistic, Outcome};

/// A trained candidate: its position among the λ and its coefficients.
pub type TrainedCandidate = (usize, Vec<f64>);

/// The paper's methods on one fold: its candidates for λ, and for each a start of every search for
/// it. What is found does not depend on that.
pub struct PaperMethods<'f> {
    training: &'f Rows<'f>,
    validation: &'f Matrix,
    lambdas: &'f [f64],
    starts: Vec<Warm<'f>>,
}

impl<'f> PaperMethods<'f> {
    /// Candidates for λ on these rows.
    pub fn new(
        training: &'f Rows<'f>,
        validation: &'f Matrix,
        lambdas: &'f [f64],
    ) -> Result<Self, Failure> {
        let starts = Warm::starts(training, &Logistic, lambdas).map_err(failed)?;
        Ok(PaperMethods { training, validation, lambdas, starts })
    }

    /// `oplr`, Algorithm 3, "such that it yields α-differential privacy".
    ///
    /// The printed price of Algorithm 3 is α + 2 ln(1 + c/(λn)) with c = 1/4, so its noise is made
    /// for what is left of α. If nothing is left, λ is raised as in its source (Chaudhuri,
    /// Monteleoni & Sarwate 2011, Algorithm 2).
    fn train(
        &self,
        rows: &Rows<'_>,
        alpha: f64,
        i: usize,
        source: &mut Seeded,
    ) -> Result<Vec<f64>, Failure> {
        let (n, c) = (rows.units() as f64, Logistic.bounds().curvature);
        let left = alpha - 2.0 * (c / (n * self.lambdas[i])).ln_1p();
        let (lambda, left) = if left > 0.0 {
            (self.lambdas[i], left)
        } else {
            (c / (n * (alpha / 4.0).exp_m1()), alpha / 2.0)
        };
        let law = Law::Spherical { scale: 2.0 / left };
        let d = rows.facts().dimension;
        let problem = Problem::new(rows, &Logistic, lambda, law.ordinary_length(d));
        let noise =
            law.draw(d, 0.1 * n * problem.accuracy().gradient_error, source).map_err(failed)?;
        // Starts are for searches on the training rows; a part of them is another table.
        let is_all = std::ptr::eq(rows, self.training);
        let problem =
            problem.starting(if is_all { Start::Warm(&self.starts[i]) } else { Start::Unknown });
        let theta = problem.minimise(Some(&noise)).map_err(failed)?.not_private().into_inner();
        Ok(theta.iter().map(|x| x.to_f64().value()).collect())
    }

    fn train_all(&self, alpha: f64, source: &mut Seeded) -> Result<Vec<Vec<f64>>, Failure> {
        (0..self.lambdas.len()).map(|i| self.train(self.training, alpha, i, source)).collect()
    }

    /// "Stability": Algorithm 2 with ramp loss, the printed β₁ = 2/λ_min and β₂ = 1, and half of α
    /// for the choice.
    pub fn stability(&self, alpha: f64, source: &mut Seeded) -> Result<TrainedCandidate, Failure> {
        let (for_training, for_choice) = (alpha / 2.0, alpha / 2.0);
        let smallest = self.lambdas.iter().copied().fold(f64::INFINITY, f64::min);
        let beta1 = 2.0 / smallest / self.training.units() as f64;
        let beta = beta1.max(1.0 / self.validation.rows() as f64);
        let models = self.train_all(for_training, source)?;
        let noisy = |theta: &Vec<f64>| {
            let exponential = -source.unit().ln() / for_choice;
            -ramp_loss(&margins(self.validation, theta)) + 2.0 * beta * exponential
        };
        let pick = largest(models.iter().map(noisy));
        Ok((pick, self.train(self.training, for_training, pick, source)?))
    }

    /// "alphaSplit": each candidate gets α/k.
    pub fn alpha_split(
        &self,
        alpha: f64,
        source: &mut Seeded,
    ) -> Result<TrainedCandidate, Failure> {
        let models = self.train_all(alpha / self.lambdas.len() as f64, source)?;
        Ok(self.by_errors(models, alpha, source))
    }

    /// "dataSplit": each candidate gets a k-th of the training rows.
    pub fn data_split(&self, alpha: f64, source: &mut Seeded) -> Result<TrainedCandidate, Failure> {
        let (k, n) = (self.lambdas.len(), self.training.units());
        let train = |i: usize| {
            self.train(&self.training.view(n * i / k..n * (i + 1) / k), alpha, i, source)
        };
        let models = (0..k).map(train).collect::<Result<_, _>>()?;
        Ok(self.by_errors(models, alpha, source))
    }

    /// "Random" and "Control", which is not private, from the same candidates at α each.
    pub fn random_and_control(
        &self,
        alpha: f64,
        source: &mut Seeded,
    ) -> Result<[TrainedCandidate; 2], Failure> {
        let models = self.train_all(alpha, source)?;
        let any = (source.unit() * models.len() as f64) as usize;
        let best = largest(models.iter().map(|theta| -ramp_loss(&margins(self.validation, theta))));
        Ok([any, best].map(|pick| (pick, models[pick].clone())))
    }

    /// With probability ∝ e^{−αe/2}, e the number of errors.
    fn by_errors(
        &self,
        models: Vec<Vec<f64>>,
        alpha: f64,
        source: &mut Seeded,
    ) -> TrainedCandidate {
        // argmax −αe/2 + Gumbel has that law.
        let noisy = |theta: &Vec<f64>| {
            let wrong = errors(&margins(self.validation, theta)) as f64;
            -0.5 * alpha * wrong - (-source.unit().ln()).ln()
        };
        let pick = largest(models.iter().map(noisy));
        (pick, models[pick].clone())
    }
}

/// The place of the largest number.
fn largest(numbers: impl Iterator<Item = f64>) -> usize {
    let best = numbers.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
    best.expect("there is at least one candidate").0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::made_up;

    const LAMBDAS: [f64; 3] = [1e-3, 0.1, 1.0];

    /// With a huge α nothing is random: every method that chooses by quality takes the best λ.
    #[test]
    fn without_noise_the_best_candidate_wins() {
        let (training, validation) = (made_up::census(4000, 1), made_up::census(1000, 2));
        let printed = PaperMethods::new(&training, &validation, &LAMBDAS).unwrap();
        let mut source = Seeded::new(5);
        let alpha = 1e7;
        assert_eq!(printed.stability(alpha, &mut source).unwrap().0, 0);
        assert_eq!(printed.alpha_split(alpha, &mut source).unwrap().0, 0);
        assert_eq!(printed.data_split(alpha, &mut source).unwrap().0, 0);
        let [(_, any), (best, control)] = printed.random_and_control(alpha, &mut source).unwrap();
        assert_eq!(best, 0);
        assert_eq!((any.len(), control.len()), (11, 11));
    }

    /// With next to no α every λ is as likely as any other: 300 draws of a third each, and the
    /// chance that a count is more than 45 away from 100 is below 1e-6.
    #[test]
    fn with_no_budget_the_choice_is_a_lottery() {
        let (training, validation) = (made_up::census(60, 1), made_up::census(20, 2));
        let printed = PaperMethods::new(&training, &validation, &LAMBDAS).unwrap();
        let mut source = Seeded::new(6);
        let mut counts = [0_i32; 3];
        for _ in 0..300 {
            counts[printed.stability(1e-6, &mut source).unwrap().0] += 1;
        }
        assert!(counts.iter().all(|count| (count - 100).abs() < 45), "{counts:?}");
    }

    /// A λ that α cannot pay for is raised and not refused.
    #[test]
    fn a_lambda_below_what_alpha_allows_is_raised() {
        let (training, validation) = (made_up::census(500, 1), made_up::census(100, 2));
        let lambdas = [1e-9];
        let printed = PaperMethods::new(&training, &validation, &lambdas).unwrap();
        let theta = printed.train(&training, 0.1, 0, &mut Seeded::new(7)).unwrap();
        let raised = 0.25 / (500.0 * 0.025_f64.exp_m1());
        let length = theta.iter().map(|x| x * x).sum::<f64>().sqrt();
        // ‖θ‖ ≤ (1 + ‖b‖/n)/λ, and ‖b‖ ~ Gamma(11, 40) is below 2000 with probability 1 − 1e-9.
        assert!(length <= (1.0 + 2000.0 / 500.0) / raised, "{length}");
    }
}
