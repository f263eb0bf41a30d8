//! A model trained on private answers, as a file.

use crate::promise::{promise, warning};
use discretion::erm::Facts;
use discretion::noise::Provenance;
use discretion_formats::{LambdaFrom, LedgerEntry, Model, Neighbours, TrainingFacts};
use discretion_report::words;
use discretion_table::{Protect, Study};

/// A model trained on private answers, which is as private as they are.
pub fn student(
    study: &Study,
    protect: Protect,
    answers: Facts,
    lambda: (f64, LambdaFrom),
    theta: &[f64],
    provenance: Provenance,
    ledger: Option<LedgerEntry>,
) -> Model {
    let mut privacy = promise(provenance, study.spend, study.schema.unit());
    if protect == Protect::Labels {
        privacy.neighbours = Neighbours::ReplaceOneLabel;
    }
    if privacy.private {
        privacy.statement = words::voting_guarantee(study.spend, study.schema.unit(), protect);
    }
    let warning = warning(&privacy);
    let why = "trained on private answers, and what is made of them costs nothing more".to_owned();
    let training = TrainingFacts::without_noise(answers, study.model.loss, lambda, why);
    let mut model = Model::new(warning, privacy, training, theta, &study.schema);
    model.ledger = ledger;
    model
}
