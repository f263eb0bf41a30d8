//! A whole vote on invented rows, with each learner: what so few rows a chunk are worth, what is
//! told of it, and what a model of the answers is beside one that is fitted directly. No row of a
//! table is read, so it costs nothing.

mod beside;
mod invented;
mod models;
#[cfg(test)]
mod tests;

pub use beside::Beside;
pub use invented::Truth;
pub use models::{Judged, auc, student_rows};

use crate::{Balanced, Boosting, Learner, Logistic, Trees, train_all};
use discretion::noise::{Receipt, Sensitive};
use discretion::privacy::Budget;
use discretion::vote::{Answer, Ballot, Bins, Design, Recent, answer};
use discretion_table::{ClassWeights, Classes, PlainRows, Schema};
use invented::Inventor;
use serde::Serialize;

/// So many models stand for all of them: more would only take longer.
const MODELS: usize = 60;

/// So many queries are asked at most.
const QUERIES: usize = 1000;

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
    /// From which score on the second class is named.
    pub threshold: f64,
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
    /// Of those, the share that is told right; of scores, cut at the threshold.
    pub right: f64,
    /// Of scores: how well they rank, 0.5 for nothing and 1 for everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auc: Option<f64>,
    /// The share of other rows that a student of the answers has right; nothing if nothing was
    /// answered.
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
    /// Logistic regression under the same budget, for each truth.
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

/// Invented rows of one truth.
struct Scene {
    truth: Truth,
    /// Those that voters learn from, and how many voters there are.
    rows: PlainRows,
    models: usize,
    queries: PlainRows,
    /// Those that models are judged by.
    judge: PlainRows,
    /// As many as the table has, for a model that is fitted directly.
    whole: PlainRows,
}

impl InventedVote<'_> {
    /// Runs it, with every learner that is built in.
    pub fn compare(&self) -> Comparison {
        let (mut learners, mut direct) = (Vec::new(), Vec::new());
        for truth in [Truth::Straight, Truth::Bent] {
            let scene = self.scene(truth);
            for (name, learner) in built_in(self.schema, self.classes) {
                let learner = match self.weights {
                    ClassWeights::Equal => learner,
                    ClassWeights::Balanced => Box::new(Balanced(learner)),
                };
                learners.push(self.line(name, &*learner, &scene));
            }
            let right =
                self.fitted(&scene.whole).map(|theta| self.judged(&theta, &scene.judge).right);
            direct.extend(right.map(|right| DirectLine {
                truth,
                right,
                rows: scene.whole.count(),
            }));
        }
        Comparison { rows_per_model: self.rows / self.chunks, learners, direct }
    }

    fn scene(&self, truth: Truth) -> Scene {
        let mut inventor = Inventor::new(self.schema, self.classes, truth, self.share, 1);
        let each = (self.rows / self.chunks).max(1);
        let models = MODELS.min(self.chunks);
        let (rows, queries) =
            (inventor.rows(each * models), inventor.rows(QUERIES.min(self.queries)));
        let (judge, whole) = (inventor.rows(2000), inventor.rows(self.rows.min(ROWS)));
        Scene { truth, rows, models, queries, judge, whole }
    }

    /// What models say of the queries, and what the session tells of that.
    fn voted(&self, learner: &dyn Learner, scene: &Scene) -> (Vec<Vec<u32>>, Vec<Option<Answer>>) {
        let models = scene.models;
        let trained = train_all(learner, &scene.rows.clone().into(), models, None, &|_| {});
        let asked = scene.queries.clone().without_classes();
        // What is invented is nobody's.
        let votes =
            trained.votes(learner, self.classes, &asked, &|_| {}).expect("queries are in memory");
        let counts: Vec<Vec<u32>> = (0..asked.count())
            .map(|query| votes.counts(query).not_private().into_inner())
            .collect();
        let scores = self
            .bins
            .map(|_| trained.scores(learner, &asked, &|_| {}).expect("queries are in memory"));
        let ballots = (0..asked.count()).map(|query| match (&scores, self.bins) {
            (Some(scores), Some(bins)) => {
                let scores = scores.scores(query).not_private().into_inner();
                let all = (0..self.chunks).map(|chunk| scores[chunk % models]).collect();
                Ballot::Scores(Sensitive::new(all), bins)
            }
            _ => {
                let all =
                    |count: &u32| (u64::from(*count) * self.chunks as u64 / models as u64) as u32;
                Ballot::Labels(Sensitive::new(counts[query].iter().map(all).collect()))
            }
        });
        let told = self.told(ballots);
        (counts, told)
    }

    fn line(&self, name: &'static str, learner: &dyn Learner, scene: &Scene) -> LearnerLine {
        let (counts, told) = self.voted(learner, scene);
        let (truths, models) = (scene.queries.classes(), scene.models);
        let share = |right: &dyn Fn(usize) -> f64| {
            (0..truths.len()).map(right).sum::<f64>() / truths.len() as f64
        };
        let of = |query: usize, class: usize| f64::from(counts[query][class]) / models as f64;
        let most = |query: usize| *counts[query].iter().max().expect("there are classes");
        let answered: Vec<(usize, u16)> = told
            .iter()
            .enumerate()
            .filter_map(|(query, answer)| Some((query, label(answer.as_ref()?, self.threshold)?)))
            .collect();
        let right = answered.iter().filter(|(query, label)| truths[*query] == *label).count();
        let ranks: Vec<f64> = told.iter().filter_map(|answer| score(answer.as_ref()?)).collect();
        LearnerLine {
            learner: name,
            truth: scene.truth,
            one_model: share(&|query| of(query, usize::from(truths[query]))),
            majority: share(&|query| {
                f64::from(u8::from(counts[query][usize::from(truths[query])] == most(query)))
            }),
            agreement: share(&|query| f64::from(most(query)) / models as f64),
            answered: answered.len() as f64 / truths.len() as f64,
            right: right as f64 / answered.len().max(1) as f64,
            auc: (ranks.len() == truths.len()).then(|| auc(&ranks, truths)),
            student: self
                .student(&scene.queries, &told)
                .map(|theta| self.judged(&theta, &scene.judge).right),
        }
    }

    /// What the session tells, under a seed.
    fn told(&self, ballots: impl Iterator<Item = Ballot>) -> Vec<Option<Answer>> {
        let mut receipt = Receipt::seeded(2);
        let mut memory = Recent::new(self.design, self.queries as u64, receipt.provenance());
        let named = ballots.enumerate().map(|(query, ballot)| (query.to_string(), ballot));
        let told =
            answer(named, &mut memory, receipt.noise()).expect("a seed has noise without end");
        told.answers.iter().map(|answer| answer.as_ref().map(|answer| **answer)).collect()
    }
}

fn label(answer: &Answer, threshold: f64) -> Option<u16> {
    match answer {
        Answer::Label(label) | Answer::Unsure(label) => Some(*label as u16),
        Answer::Score(score) => Some(u16::from(*score >= threshold)),
        Answer::Unstable => None,
    }
}

fn score(answer: &Answer) -> Option<f64> {
    match answer {
        Answer::Score(score) => Some(*score),
        _ => None,
    }
}
