//! All rounds of a cross-validation, on all cores.

use super::folds::{Fold, shuffled};
use super::measures::Estimate;
use super::methods::{self, Method, Outcome, Round, Setting};
use super::{failed, seed_of};
use crate::Failure;
use discretion::erm::matrix::Matrix;
use discretion::privacy::Budget;
use rayon::prelude::*;
use serde::Serialize;

/// What is run on one table with one list of λ.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The table's name.
    pub table: &'static str,
    /// The list's name.
    pub grid: &'static str,
    /// The candidates for λ.
    pub lambdas: Vec<f64>,
    /// The budgets.
    pub budgets: Vec<Budget>,
    /// How often all rows are shuffled and cut into folds.
    pub repeats: usize,
    /// How many folds.
    pub folds: usize,
    /// How many rounds of each cross-validation are run; all folds, except to see that it runs.
    pub rounds: usize,
    /// In how many repeats the family of rules that our default does not take is run as well.
    pub both_families: usize,
}

/// A method under a budget, over all rounds.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The table.
    pub table: &'static str,
    /// The list of λ.
    pub grid: &'static str,
    /// The method.
    pub method: Method,
    /// ε.
    pub epsilon: f64,
    /// δ, 0 if the budget is pure.
    pub delta: f64,
    /// How many models this is the mean of.
    pub models: usize,
    /// Area under the curve on test folds.
    pub auc: Estimate,
    /// Mean squared error of probabilities on test folds.
    pub mse: Estimate,
    /// The chosen λ's position from 1, if it was chosen from the list.
    pub index: Option<Estimate>,
}

/// An experiment's results.
pub struct ExperimentResults {
    /// What was run.
    pub experiment: Experiment,
    /// Each method under each budget.
    pub summaries: Vec<Summary>,
    /// Private classifiers trained.
    pub trained: usize,
}

impl Experiment {
    /// How many rounds that is.
    pub fn tasks(&self) -> usize {
        self.repeats * self.rounds
    }

    /// Runs it, calling `done` after each round.
    pub fn run(
        self,
        table: &Matrix,
        seed: u64,
        done: &(dyn Fn() + Sync),
    ) -> Result<ExperimentResults, Failure> {
        let one = |task: usize| -> Result<Round, Failure> {
            let (repeat, round) = (task / self.rounds, task % self.rounds);
            // Both lists of λ see the same folds.
            let order = shuffled(table.rows(), seed_of(&[seed, repeat as u64]));
            let fold = Fold::new(table, &order, self.folds, round);
            let setting = Setting {
                lambdas: &self.lambdas,
                budgets: &self.budgets,
                both_families: repeat < self.both_families,
                seed: seed_of(&[seed, task as u64, self.lambdas[0].to_bits()]),
            };
            let found = methods::run(&fold, &setting);
            done();
            found
        };
        let rounds: Vec<Round> =
            on_all_cores(|| (0..self.tasks()).into_par_iter().map(one).collect())?;
        let trained = rounds.iter().map(|round| round.trained).sum();
        let outcomes: Vec<Outcome> = rounds.into_iter().flat_map(|round| round.outcomes).collect();
        let summaries = (0..self.budgets.len())
            .flat_map(|budget| Method::ALL.map(|method| (budget, method)))
            .filter_map(|(budget, method)| self.summary(budget, method, &outcomes))
            .collect();
        Ok(ExperimentResults { experiment: self, summaries, trained })
    }

    fn summary(&self, budget: usize, method: Method, outcomes: &[Outcome]) -> Option<Summary> {
        let of: Vec<&Outcome> =
            outcomes.iter().filter(|one| one.budget == budget && one.method == method).collect();
        let estimate = |number: fn(&Outcome) -> f64| {
            Estimate::of(&of.iter().map(|one| number(one)).collect::<Vec<_>>())
        };
        let first = of.first()?;
        let (epsilon, delta) = match self.budgets[budget] {
            Budget::Pure { epsilon } => (epsilon, 0.0),
            Budget::Approximate { epsilon, delta } => (epsilon, delta),
            Budget::Zcdp { .. } => unreachable!("the experiments have no such budget"),
        };
        Some(Summary {
            table: self.table,
            grid: self.grid,
            method,
            epsilon,
            delta,
            models: of.len(),
            auc: estimate(|one| one.auc),
            mse: estimate(|one| one.mse),
            index: first.index.map(|_| estimate(|one| one.index.unwrap_or(f64::NAN))),
        })
    }
}

impl ExperimentResults {
    /// The summary of a method under a budget.
    pub fn find(&self, method: Method, epsilon: f64, delta: f64) -> Option<&Summary> {
        let is_it = |s: &&Summary| s.method == method && s.epsilon == epsilon && s.delta == delta;
        self.summaries.iter().find(is_it)
    }
}

/// Runs this with as many threads as there are cores, and not in the threads that sum rows: a round
/// waits for those, so it must not be one of them.
pub fn on_all_cores<T: Send>(
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    rayon::ThreadPoolBuilder::new().build().map_err(failed)?.install(work)
}
