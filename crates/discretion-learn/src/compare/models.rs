//! Models of answers, models of rows, and how good they are.

use super::InventedVote;
use crate::Logistic;
use discretion::erm::Oracle;
use discretion::erm::matrix::{Matrix, Rows};
use discretion::loss::LossKind;
use discretion::noise::Seeded;
use discretion::train::{Method, Training, not_private};
use discretion::vote::Answer;
use discretion_table::{PlainRows, Schema};

/// How good a model is on rows that it did not see.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// The share that it has right.
    pub right: f64,
    /// How well it ranks, of two classes.
    pub auc: Option<f64>,
}

impl InventedVote<'_> {
    fn matrix(&self, rows: &PlainRows) -> Matrix {
        let encoder = self.schema.encoder();
        let mut matrix = Matrix::new(encoder.layout());
        matrix.push(encoder.batch(rows, 1));
        matrix
    }

    /// Encodes rows as a model of two classes, or of several, is trained on them.
    fn oracle(&self, rows: &PlainRows) -> Rows<'static> {
        let count = self.classes.count();
        if count == 2 {
            return self.matrix(rows).into();
        }
        let encoder = self.schema.encoder();
        let mut matrix = Matrix::new(encoder.layout().of_classes(count));
        matrix.push_labelled(encoder.batch(rows, 0), rows.classes());
        matrix.into()
    }

    /// Logistic regression on the answers.
    pub(super) fn student(&self, queries: &PlainRows, told: &[Option<Answer>]) -> Option<Vec<f64>> {
        let rows = student_rows(self.schema, queries, told);
        if rows.count() == 0 {
            return None;
        }
        let theta = not_private(&self.oracle(&rows), LossKind::Logistic, Logistic::LAMBDA);
        theta.ok().map(|theta| theta.into_inner())
    }

    /// Logistic regression under the budget, on rows.
    pub(super) fn fitted(&self, rows: &PlainRows) -> Option<Vec<f64>> {
        let oracle = self.oracle(rows);
        let training = Training {
            loss: LossKind::Logistic,
            lambda: None,
            method: Method::Auto,
            budget: self.budget,
        };
        let plan = training.plan(oracle.facts()).ok()?;
        plan.fit(&oracle, &mut Seeded::new(3)).ok().map(|theta| theta.to_vec())
    }

    /// How good coefficients are on rows.
    pub(super) fn judged(&self, theta: &[f64], rows: &PlainRows) -> Judged {
        let (matrix, classes) = (self.matrix(rows), rows.classes());
        let of = |theta: &[f64]| -> Vec<f64> {
            // What is invented is nobody's.
            matrix.margins(theta).into_inner().into_iter().map(|(margin, _)| margin).collect()
        };
        let share = |right: &dyn Fn(usize) -> bool| {
            (0..classes.len()).filter(|&row| right(row)).count() as f64 / classes.len() as f64
        };
        let count = self.classes.count();
        if count == 2 {
            let margins = of(theta);
            let right = share(&|row| (margins[row] > 0.0) == (classes[row] == 1));
            return Judged { right, auc: Some(auc(&margins, classes)) };
        }
        let margins: Vec<Vec<f64>> = theta.chunks(theta.len() / count).map(of).collect();
        let largest = |row: usize| {
            (0..count)
                .max_by(|&a, &b| margins[a][row].total_cmp(&margins[b][row]))
                .expect("there are classes")
        };
        Judged { right: share(&|row| largest(row) == usize::from(classes[row])), auc: None }
    }
}

/// The rows that a student of answers learns from. A score becomes [`SOFT`] rows, as many of the
/// second class as it says: a logistic loss on them is that of a label which is the second with
/// this probability.
pub fn student_rows(schema: &Schema, queries: &PlainRows, told: &[Option<Answer>]) -> PlainRows {
    let mut rows = PlainRows::new(schema);
    for (query, answer) in told.iter().enumerate() {
        let classes: Vec<u16> = match answer {
            Some(Answer::Label(label) | Answer::Unsure(label)) => vec![*label as u16],
            Some(Answer::Score(score)) => {
                let ones = (score * f64::from(SOFT)).round() as u32;
                (0..SOFT).map(|row| u16::from(row < ones)).collect()
            }
            Some(Answer::Unstable) | None => continue,
        };
        for class in classes {
            rows.append(
                queries.numbers(query).to_vec(),
                queries.codes(query).to_vec(),
                vec![class],
            );
        }
    }
    rows
}

/// The rows that a score becomes.
const SOFT: u32 = 20;

/// How probably a row of the second class has a higher score than one of the first, equal ones
/// counting half.
pub fn auc(scores: &[f64], classes: &[u16]) -> f64 {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
    let (mut below, mut pairs, mut of_second) = (0.0, 0.0, 0.0);
    for equal in order.chunk_by(|&a, &b| scores[a] == scores[b]) {
        let second = equal.iter().filter(|&&row| classes[row] == 1).count() as f64;
        let first = equal.len() as f64 - second;
        pairs += second * (below + 0.5 * first);
        below += first;
        of_second += second;
    }
    pairs / (below * of_second)
}
