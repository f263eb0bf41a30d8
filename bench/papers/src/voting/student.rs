//! A model of the answers, beside a private model that was trained on the rows for the same budget.

use super::methods::{self, Method};
use super::poll::Poll;
use super::sessions::Setting;
use crate::Failure;
use discretion::erm::Oracle;
use discretion::erm::matrix::Rows;
use discretion::loss::LossKind;
use discretion::noise::Seeded;
use discretion::privacy::{Approximate, Budget};
use discretion::train::{Method as Perturbation, Training, not_private};
use discretion_learn::Logistic;
use discretion_table::PlainRows;
use serde::Serialize;

/// Shares of held-back rows that are told right.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    pub epsilon: f64,
    /// Answers that the student learned from.
    pub answers: usize,
    /// The student; none if nothing was answered.
    pub student: Option<f64>,
    /// Private training on the rows themselves, λ "auto".
    pub direct: f64,
    /// Training on all rows without noise.
    pub without_noise: f64,
}

/// Trains all three.
pub fn line(
    setting: &Setting,
    votes: &[Vec<u32>],
    poll: &Poll,
    seed: u64,
) -> Result<Line, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure(error.to_string());
    let told = methods::labels(Method::Ours, setting, votes, &mut Seeded::new(seed));
    let mut rows = PlainRows::new(&poll.schema);
    for (query, label) in told.iter().enumerate() {
        if let Some(label) = label {
            let (numbers, codes) = (poll.queries.numbers(query), poll.queries.codes(query));
            rows.append(numbers.to_vec(), codes.to_vec(), vec![*label as u16]);
        }
    }
    let student = match rows.count() {
        0 => None,
        _ => {
            let theta = not_private(&poll.encoded(&rows).all(), LossKind::Logistic, Logistic::LAMBDA);
            Some(poll.judged(&theta.map_err(|error| failed(&error))?.into_inner()))
        }
    };
    let matrix = Rows::from(poll.matrix());
    let Approximate { epsilon, delta } = setting.demand.budget;
    let budget = Budget::Approximate { epsilon, delta };
    let training =
        Training { loss: LossKind::Logistic, lambda: None, method: Perturbation::Auto, budget };
    let plan = training.plan(matrix.facts()).map_err(|error| failed(&error))?;
    let direct = plan.fit(&matrix, &mut Seeded::new(seed)).map_err(|error| failed(&error))?;
    let plain = not_private(&matrix, LossKind::Logistic, Logistic::LAMBDA)
        .map_err(|error| failed(&error))?;
    Ok(Line {
        epsilon,
        answers: rows.count(),
        student,
        direct: poll.judged(&direct),
        without_noise: poll.judged(&plain.into_inner()),
    })
}
