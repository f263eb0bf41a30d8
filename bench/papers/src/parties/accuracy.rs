//! How well models tell rows that nobody trained on.

use super::methods::{self, Method, Models};
use super::split::Split;
use crate::Failure;
use crate::tuning::folds::{Fold, shuffled};
use crate::tuning::measures::{auc, margins};
use crate::tuning::{on_all_cores, seed_of};
use discretion::erm::matrix::Matrix;
use discretion::joint::Sharing;
use discretion::privacy::Budget;
use rayon::prelude::*;
use serde::Serialize;

/// What is compared.
pub struct Setting {
    /// The splits.
    pub splits: Vec<Split>,
    /// The coefficient that sorted rows are sorted by.
    pub column: usize,
    /// The budgets.
    pub budgets: Vec<Budget>,
    /// Who adds the noise.
    pub sharing: Sharing,
    /// Folds of the cross-validation.
    pub folds: usize,
    /// Models with fresh noise for each fold.
    pub draws: usize,
}

/// A method under a budget on a split: areas under the curve of all folds and draws.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// The split; none of one holder.
    pub split: Option<Split>,
    /// ε.
    pub epsilon: f64,
    /// δ, 0 if the budget is pure.
    pub delta: f64,
    /// The method.
    pub method: Method,
    /// λ of the average, or of training.
    pub lambda: f64,
    /// λ of the step, if one was taken.
    pub step: Option<f64>,
    /// The mean over folds and draws.
    pub auc: f64,
    /// Their standard deviation.
    pub deviation: f64,
    /// How many there are.
    pub models: usize,
}

impl Setting {
    /// How many tasks there are to wait for.
    pub fn tasks(&self) -> usize {
        self.folds * (self.splits.len() + 1)
    }

    /// Trains and tests everything.
    pub fn run(
        &self,
        table: &Matrix,
        seed: u64,
        done: &(dyn Fn() + Sync),
    ) -> Result<Vec<Line>, Failure> {
        let order = shuffled(table.rows(), seed);
        let tasks: Vec<(usize, Option<Split>)> = (0..self.folds)
            .flat_map(|fold| {
                self.splits.iter().copied().map(Some).chain([None]).map(move |split| (fold, split))
            })
            .collect();
        let one = |&(fold, split): &(usize, Option<Split>)| {
            let found = self.task(table, &order, fold, split, seed);
            done();
            found
        };
        let found: Vec<Vec<Line>> = on_all_cores(|| tasks.par_iter().map(one).collect())?;
        Ok(self.pooled(&found.concat()))
    }

    fn task(
        &self,
        table: &Matrix,
        order: &[usize],
        fold: usize,
        split: Option<Split>,
        seed: u64,
    ) -> Result<Vec<Line>, Failure> {
        let Fold { both: training, test, .. } = Fold::new(table, order, self.folds, fold);
        let tables = split.map(|split| split.deal(&training, self.column));
        let mut lines = Vec::new();
        for (b, &budget) in self.budgets.iter().enumerate() {
            let of_holders: &[Method] =
                if split.is_some() { &Method::JOINT } else { &Method::ALONE };
            let mut is_taken = false;
            for &method in of_holders {
                // It would be the same model again.
                if method == Method::Always && is_taken {
                    continue;
                }
                // The same for all methods: an average that no step follows is the average.
                let draws = (self.draws, seed_of(&[seed, fold as u64, b as u64]));
                let models = match &tables {
                    Some(tables) => methods::joint(method, tables, (self.sharing, budget), draws)?,
                    None => methods::alone(method, &training, budget, draws)?,
                };
                is_taken |= models.step.is_some();
                lines.extend(lines_of(&models, &test, (split, budget, method)));
            }
        }
        Ok(lines)
    }

    /// The lines of all folds, put together.
    fn pooled(&self, found: &[Line]) -> Vec<Line> {
        let mut pooled: Vec<Line> = Vec::new();
        let key =
            |line: &Line| (line.split, line.delta.to_bits(), line.epsilon.to_bits(), line.method);
        for line in found {
            if pooled.iter().any(|known| key(known) == key(line)) {
                continue;
            }
            let same: Vec<f64> = found
                .iter()
                .filter(|other| key(other) == key(line))
                .map(|other| other.auc)
                .collect();
            let n = same.len() as f64;
            let mean = same.iter().sum::<f64>() / n;
            let variance =
                same.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
            pooled.push(Line {
                auc: mean,
                deviation: variance.sqrt(),
                models: same.len(),
                ..line.clone()
            });
        }
        pooled
    }
}

/// A line for each model.
fn lines_of(
    models: &Models,
    test: &Matrix,
    (split, budget, method): (Option<Split>, Budget, Method),
) -> Vec<Line> {
    let (epsilon, delta) = match budget {
        Budget::Pure { epsilon } => (epsilon, 0.0),
        Budget::Approximate { epsilon, delta } => (epsilon, delta),
        Budget::Zcdp { .. } => unreachable!("the experiment has no such budget"),
    };
    let &Models { lambda, step, .. } = models;
    let line = |auc: f64| Line {
        split,
        epsilon,
        delta,
        method,
        lambda,
        step,
        auc,
        deviation: 0.0,
        models: 1,
    };
    models.models.iter().map(|theta| line(auc(margins(test, theta)))).collect()
}
