//! A model trained on private answers, as a file.

use crate::promise::{promise, warning};
use discretion::erm::Facts;
use discretion::loss::LossKind;
use discretion::noise::Provenance;
use discretion_formats::{LambdaFrom, LedgerEntry, Model, Neighbours, TrainingFacts};
use discretion_report::words;
use discretion_table::{Protect, Study, VoteSettings};

/// What was trained on answers.
pub struct Student {
    /// Of the answers.
    pub facts: Facts,
    /// The loss.
    pub loss: LossKind,
    /// λ, and where it comes from.
    pub lambda: (f64, LambdaFrom),
    /// The coefficients; of several classes one after the other.
    pub theta: Vec<f64>,
    /// How such a student does beside a model fitted directly, on invented rows: a sentence, from
    /// public numbers alone.
    pub beside: Option<String>,
}

/// A model trained on private answers, which is as private as they are.
pub fn student(
    study: &Study,
    vote: &VoteSettings,
    student: &Student,
    provenance: Provenance,
    ledger: Option<LedgerEntry>,
) -> Model {
    let unit = study.schema.unit();
    let mut privacy = promise(provenance, study.spend, unit);
    if vote.protect == Protect::Labels {
        privacy.neighbours = Neighbours::ReplaceOneLabel;
    }
    if privacy.private {
        privacy.statement = words::voting_guarantee(study.spend, unit, vote.protect);
    }
    let warning = warning(&privacy);
    let beside = student.beside.as_deref().unwrap_or("A rehearsal shows both on invented rows");
    let why = format!(
        "trained on private answers, and what is made of them costs nothing more. A linear model that is fitted directly to \
         the rows for the same budget is usually better. {beside}"
    );
    let training =
        TrainingFacts::without_noise(student.facts.clone(), student.loss, student.lambda, why);
    // What several classes are called is the vote's to say.
    let schema = match vote.classes.count() {
        2 => study.schema.clone(),
        _ => study.schema.relabelled(&vote.classes),
    };
    let mut model = Model::new(warning, privacy, training, &student.theta, &schema);
    model.ledger = ledger;
    model
}
