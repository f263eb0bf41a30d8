//! A whole vote on invented rows, with each learner: what so few rows a chunk are worth, what is told of it, and what a model of
//! the answers is beside one that is fitted directly. No row of a table is read, so it costs nothing.

mod invented;
#[cfg(test)]
mod tests;

pub use invented::Truth;

use crate::{Balanced, Boosting, Learner, Logistic, Trees, train_all};
use discretion::erm::Oracle;
use discretion::erm::matrix::Matrix;
use discretion::loss::LossKind;
use discretion::noise::{Receipt, Seeded, Sensitive};
use discretion::privacy::Budget;
use discretion::train::{Method, Training, not_private};
use discretion::vote::{Answer, Ballot, Bins, Design, Recent, answer};
use discretion_table::{ClassWeights, Classes, PlainRows, Schema};
use invented::Inventor;
use serde::Serialize;

/// So many models stand for all of them: more would only take longer.
const MODELS: usize = 60;

/// So many queries are asked at most.
const QUERIES: usize = 400;

/// The most rows that a model is fitted to directly.
const ROWS: usize = 100_000;

/// What a vote would be. Everything in it is public.
#[derive(Clone, Copy)]
pub struct InventedVote<'s> {
    /// The columns.
    pub schema: &'s Schema,
    /// What is voted for.
    pub classes: &'s Classes,
    /// How models weigh classes.
    pub weights: ClassWeights,
    /// How queries are answered.
    pub design: Design,
    /// The number of models.
    pub chunks: usize,
    /// The number of rows that they share.
    pub rows: usize,
    /// How many queries may be asked.
    pub queries: usize,
    /// The share of the second of two classes.
    pub share: f64,
    /// For scores: their bins.
    pub bins: Option<Bins>,
    /// What the session may spend, and a model that is fitted directly.
    pub budget: Budget,
}

/// What came of it with one learner.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LearnerLine {
    /// Which one.
    pub learner: &'static str,
    /// What it had to find out.
    pub truth: Truth,
    /// The share of queries that one model has right.
    pub one_model: f64,
    /// The share that most models have right.
    pub majority: f64,
    /// The mean share of models that are for the winner.
    pub agreement: f64,
    /// The share of queries that are answered.
    pub answered: f64,
    /// Of those, the share that is told right; of scores, cut at a half.
    pub right: f64,
    /// Of scores: how well they rank, 0.5 for nothing and 1 for everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auc: Option<f64>,
    /// The share of other rows that a student of the answers has right; nothing for several classes, or if nothing was answered.
    pub student: Option<f64>,
}

/// The share of invented rows that a model fitted directly, at the budget of the vote, has right.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DirectLine {
    /// What it had to find out.
    pub truth: Truth,
    /// The share.
    pub right: f64,
    /// How many rows it was fitted to.
    pub rows: usize,
}

/// A comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Rows for each model.
    pub rows_per_model: usize,
    /// Learners, for each truth.
    pub learners: Vec<LearnerLine>,
    /// Logistic regression under the same budget, for each truth; nothing for several classes.
    pub direct: Vec<DirectLine>,
}

/// The learners that are built in, by their names in a study.
fn built_in(schema: &Schema, classes: &Classes) -> [(&'static str, Box<dyn Learner>); 3] {
    [
        ("logistic", Box::new(Logistic::new(schema, classes, Logistic::LAMBDA))),
        ("trees", Box::new(Trees::new(schema, classes, Trees::TREES))),
        ("boosting", Box::new(Boosting::new(schema, classes, Boosting::TREES))),
    ]
}

impl InventedVote<'_> {
    /// Runs it, with every learner that is built in.
    pub fn compare(&self) -> Comparison {
        let (mut learners, mut direct) = (Vec::new(), Vec::new());
        for truth in [Truth::Straight, Truth::Bent] {
            let mut inventor = Inventor::new(self.schema, self.classes, truth, self.share, 1);
            let each = (self.rows / self.chunks).max(1);
            let models = MODELS.min(self.chunks);
            let (rows, queries) = (inventor.rows(each * models), inventor.rows(QUERIES.min(self.queries)));
            let judge = inventor.rows(2000);
            for (name, learner) in built_in(self.schema, self.classes) {
                let learner = match self.weights {
                    ClassWeights::Equal => learner,
                    ClassWeights::Balanced => Box::new(Balanced(learner)),
                };
                learners.push(self.line((name, &*learner), truth, &rows, models, &queries, &judge));
            }
            let count = self.rows.min(ROWS);
            let right = self.fitted(&inventor.rows(count)).map(|theta| self.judged(&theta, &judge));
            direct.extend(right.map(|right| DirectLine { truth, right, rows: count }));
        }
        Comparison { rows_per_model: self.rows / self.chunks, learners, direct }
    }

    fn line(
        &self,
        (name, learner): (&'static str, &dyn Learner),
        truth: Truth,
        rows: &PlainRows,
        models: usize,
        queries: &PlainRows,
        judge: &PlainRows,
    ) -> LearnerLine {
        let trained = train_all(learner, &rows.clone().into(), models, None, &|_| {});
        let asked = queries.clone().without_classes();
        // What is invented is nobody's.
        let votes = trained.votes(learner, self.classes, &asked, &|_| {}).expect("queries are in memory");
        let counts: Vec<Vec<u32>> =
            (0..asked.count()).map(|query| votes.counts(query).not_private().into_inner()).collect();
        let scores =
            self.bins.map(|_| trained.scores(learner, &asked, &|_| {}).expect("queries are in memory"));
        let ballots = (0..asked.count()).map(|query| match (&scores, self.bins) {
            (Some(scores), Some(bins)) => {
                let scores = scores.scores(query).not_private().into_inner();
                let all = (0..self.chunks).map(|chunk| scores[chunk % models]).collect();
                Ballot::Scores(Sensitive::new(all), bins)
            }
            _ => {
                let all = |count: &u32| (u64::from(*count) * self.chunks as u64 / models as u64) as u32;
                Ballot::Labels(Sensitive::new(counts[query].iter().map(all).collect()))
            }
        });
        let told = self.told(ballots);
        let truths = queries.classes();
        let share =
            |right: &dyn Fn(usize) -> f64| (0..truths.len()).map(right).sum::<f64>() / truths.len() as f64;
        let of = |query: usize, class: usize| f64::from(counts[query][class]) / models as f64;
        let most = |query: usize| *counts[query].iter().max().expect("there are classes");
        let answered: Vec<(usize, u16)> = told
            .iter()
            .enumerate()
            .filter_map(|(query, answer)| Some((query, label(answer.as_ref()?)?)))
            .collect();
        let right = answered.iter().filter(|(query, label)| truths[*query] == *label).count();
        let ranks: Vec<f64> = told.iter().filter_map(|answer| score(answer.as_ref()?)).collect();
        LearnerLine {
            learner: name,
            truth,
            one_model: share(&|query| of(query, usize::from(truths[query]))),
            majority: share(&|query| {
                f64::from(u8::from(counts[query][usize::from(truths[query])] == most(query)))
            }),
            agreement: share(&|query| f64::from(most(query)) / models as f64),
            answered: answered.len() as f64 / truths.len() as f64,
            right: right as f64 / answered.len().max(1) as f64,
            auc: (ranks.len() == truths.len()).then(|| auc(&ranks, truths)),
            student: self.student(&asked, &told).map(|theta| self.judged(&theta, judge)),
        }
    }

    /// What the session tells, under a seed.
    fn told(&self, ballots: impl Iterator<Item = Ballot>) -> Vec<Option<Answer>> {
        let mut receipt = Receipt::seeded(2);
        let mut memory = Recent::new(self.design, self.queries as u64, receipt.provenance());
        let named = ballots.enumerate().map(|(query, ballot)| (query.to_string(), ballot));
        let told = answer(named, &mut memory, receipt.noise()).expect("a seed has noise without end");
        told.answers.iter().map(|answer| answer.as_ref().map(|answer| **answer)).collect()
    }

    fn matrix(&self, rows: &PlainRows) -> Matrix {
        let encoder = self.schema.encoder();
        let mut matrix = Matrix::new(encoder.layout());
        matrix.push(encoder.batch(rows, 1));
        matrix
    }

    /// Logistic regression on the answers.
    fn student(&self, queries: &PlainRows, told: &[Option<Answer>]) -> Option<Vec<f64>> {
        if self.classes.count() != 2 {
            return None;
        }
        let rows = student_rows(self.schema, queries, told);
        if rows.count() == 0 {
            return None;
        }
        let theta = not_private(&self.matrix(&rows), LossKind::Logistic, Logistic::LAMBDA);
        theta.ok().map(|theta| theta.into_inner())
    }

    /// Logistic regression under the budget, on rows.
    fn fitted(&self, rows: &PlainRows) -> Option<Vec<f64>> {
        if self.classes.count() != 2 {
            return None;
        }
        let matrix = self.matrix(rows);
        let training =
            Training { loss: LossKind::Logistic, lambda: None, method: Method::Auto, budget: self.budget };
        let plan = training.plan(matrix.facts()).ok()?;
        plan.fit(&matrix, &mut Seeded::new(3)).ok().map(|theta| theta.to_vec())
    }

    /// The share of rows that coefficients have right.
    fn judged(&self, theta: &[f64], rows: &PlainRows) -> f64 {
        let margins = self.matrix(rows).margins(theta).into_inner();
        let right = margins.iter().filter(|&&(margin, positive)| (margin > 0.0) == positive).count();
        right as f64 / margins.len() as f64
    }
}

/// The rows that a student of answers learns from. A score becomes [`SOFT`] rows, as many of the second class as it says: a logistic
/// loss on them is that of a label which is the second with this probability.
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
            rows.append(queries.numbers(query).to_vec(), queries.codes(query).to_vec(), vec![class]);
        }
    }
    rows
}

/// The rows that a score becomes.
const SOFT: u32 = 20;

fn label(answer: &Answer) -> Option<u16> {
    match answer {
        Answer::Label(label) | Answer::Unsure(label) => Some(*label as u16),
        Answer::Score(score) => Some(u16::from(*score > 0.5)),
        Answer::Unstable => None,
    }
}

fn score(answer: &Answer) -> Option<f64> {
    match answer {
        Answer::Score(score) => Some(*score),
        _ => None,
    }
}

/// How probably a row of the second class has a higher score than one of the first, equal ones counting half.
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
