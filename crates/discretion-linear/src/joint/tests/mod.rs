//! The law of shared noise, sensitivities, prices, the Newton step, refusals.

mod auto;
mod average;
mod classes;
mod counts;
mod coverage;
mod law;
mod moments;
mod persons;
mod plans;
mod step;

use super::*;
use crate::erm::matrix::{Batch, Layout, Matrix, Norm};
use crate::erm::{AskOracle, Oracle};
use crate::loss::LossKind;
use discretion_privacy::Budget;
use discretion_privacy::noise::Seeded;

/// Rows of one coefficient: x = 1 and a label.
fn labels(positive: impl Iterator<Item = bool>) -> Matrix {
    let mut matrix = Matrix::new(Layout::new(Norm::Scale, 1.0, vec![], vec![]).unwrap());
    matrix.push(Batch { positive: positive.collect(), ..Batch::default() });
    matrix
}

/// Rows of an intercept and two numbers, with labels that follow the numbers loosely.
fn rows(count: usize, source: &mut Seeded) -> Matrix {
    let entry = 0.577;
    let mut matrix = Matrix::new(Layout::new(Norm::Scale, entry, vec![entry; 2], vec![]).unwrap());
    let mut batch = Batch::default();
    for _ in 0..count {
        let numbers = [source.unit() - 0.5, source.unit() - 0.5].map(|x| (2.0 * x) as f32 * entry);
        let score = 6.0 * f64::from(numbers[0]) - 3.0 * f64::from(numbers[1]) + 0.5;
        batch.numeric.extend(numbers);
        batch.positive.push(source.unit() < 1.0 / (1.0 + (-score).exp()));
    }
    matrix.push(batch);
    matrix
}

fn holders(tables: &[Matrix]) -> Holders {
    let facts: Vec<_> = tables.iter().map(|table| table.all().facts()).collect();
    let sizes: Vec<usize> = facts.iter().map(|facts| facts.rows).collect();
    Holders::new(&sizes, facts[0].dimension, facts[0].row_terms).unwrap()
}

fn joint(lambda: f64, budget: Budget) -> Joint {
    Joint {
        loss: LossKind::Logistic,
        lambda,
        weighting: Weighting::BySize,
        sharing: Sharing::new(3, 1).unwrap(),
        budget,
        step: None,
    }
}

/// The sum of all contributions to the average, without noise.
fn average_in_the_clear(plan: &Plan, tables: &[Matrix]) -> Vec<f64> {
    let contributions: Vec<Contribution> = tables
        .iter()
        .enumerate()
        .map(|(j, table)| plan.contribute(j, &table.all()).unwrap())
        .collect();
    clear::open(plan.average(), &contributions, &[]).to_vec()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}
