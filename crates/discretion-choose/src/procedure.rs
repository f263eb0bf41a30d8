//! What can be tuned: a training procedure with its randomness set apart, and a score with declared
//! stability.

use discretion_privacy::account::Event;
use discretion_privacy::noise::{NoiseError, Released, Source};
use rayon::prelude::*;

/// A training procedure (G, F) and a score q: randomness r ~ G is drawn first, and F(T, candidate,
/// r) is then a deterministic function, so that it can be asked how q moves when one row changes
/// *under the same r*.
///
/// A procedure is part of the mechanism, as a loss is: it is handed rows, and the proof in
/// `select/PROOF.md` trusts what it declares. [`checker`](super::checker) searches for rows that
/// break a declaration; a user's own procedure should be passed to it in a test.
///
/// What the proof uses, beside [`Stability`]:
/// * `draw` looks at no rows, and `train`, `train_all` and `score` are deterministic;
/// * an error of `train`, `train_all` or `score` is the machine's fault (no memory, a lost
///   connection). Whether the run fails must not depend on the values of rows, because a failure is
///   an answer too;
/// * nothing of a model or a score leaves except through [`Validation`](super::Validation).
pub trait Procedure: Sync {
    /// One of the things to choose from.
    type Candidate: PartialEq + Sync;
    /// Rows, training or validation.
    type Table: ?Sized + Sync;
    /// r.
    type Randomness: Send + Sync;
    /// h = F(T, candidate, r).
    type Model: Send;
    /// Why training or scoring failed.
    type Error: std::error::Error + Send;

    /// What to choose from; the same list every time.
    fn candidates(&self) -> &[Self::Candidate];

    /// The public number of rows of a table.
    fn rows(&self, table: &Self::Table) -> usize;

    /// r ~ G.
    fn draw(
        &self,
        candidate: &Self::Candidate,
        source: &mut dyn Source,
    ) -> Result<Self::Randomness, NoiseError>;

    /// F(T, candidate, r).
    fn train(
        &self,
        training: &Self::Table,
        candidate: &Self::Candidate,
        randomness: &Self::Randomness,
    ) -> Result<Self::Model, Self::Error>;

    /// [`train`](Procedure::train) for every candidate; `randomness[i]` belongs to candidate i. To
    /// be overwritten where one pass over the rows can serve all.
    fn train_all(
        &self,
        training: &Self::Table,
        randomness: &[Self::Randomness],
    ) -> Result<Vec<Self::Model>, Self::Error> {
        let each = self.candidates().par_iter().zip(randomness);
        each.map(|(candidate, r)| self.train(training, candidate, r)).collect()
    }

    /// q(h, V); higher is better. It is clamped to [`score_range`](Procedure::score_range); a score
    /// that is not a number breaks the contract and counts as the lowest.
    fn score(&self, model: &Self::Model, validation: &Self::Table) -> Result<f64, Self::Error>;

    /// [`score`](Procedure::score) for every model, of which `models[i]` is candidate i's. To be
    /// overwritten where one pass over the rows can serve all.
    fn score_all(
        &self,
        models: &[Self::Model],
        validation: &Self::Table,
    ) -> Result<Vec<f64>, Self::Error> {
        models.iter().map(|model| self.score(model, validation)).collect()
    }

    /// The public range of a candidate's score, (low, high), both finite. Clamping to it never
    /// moves two scores apart, and no score can move by more than its width.
    fn score_range(&self, candidate: &Self::Candidate) -> (f64, f64);

    /// How far one row can move the score, from public numbers.
    fn stability(
        &self,
        candidate: &Self::Candidate,
        training_rows: usize,
        validation_rows: usize,
    ) -> Stability;
}

/// How far q can move when one row is replaced and r stays the same. The numbers are about the
/// score *as it is computed*: solver tolerance and rounding are included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stability {
    /// The replaced row trains: β₁/n.
    pub training: f64,
    /// The replaced row validates: β₂/m.
    pub validation: f64,
    /// The probability over r, for one candidate, that the two bounds do not hold for all tables. 0
    /// makes selection pure.
    pub failure: f64,
}

/// A procedure whose winner can be trained anew and released.
pub trait Trainer: Procedure {
    /// What is released.
    type Output;

    /// What [`release`](Trainer::release) costs on a table of `rows` rows, **whichever** candidate
    /// it is.
    fn price(&self, rows: usize) -> Event;

    /// Trains with fresh randomness and releases; costs no more than [`price`](Trainer::price).
    fn release(
        &self,
        table: &Self::Table,
        candidate: &Self::Candidate,
        source: &mut dyn Source,
    ) -> Result<Released<Self::Output>, Self::Error>;
}
