//! What a dossier says of a model, whatever its outcome is.

use crate::words;
use discretion::privacy::Unit;
use discretion::train::Mechanism;
use discretion_formats::{
    AnyModel, LedgerEntry, Model, ModelQuality, NumberModel, Origin, Origins, Privacy,
};
use discretion_table::{Kind, NumberLoss, Schema};
use serde::Serialize;

/// A model, as far as a board asks about it.
pub struct Subject<'m> {
    pub(super) warning: Option<&'m str>,
    pub(super) program: &'m str,
    pub(super) privacy: &'m Privacy,
    pub(super) ledger: Option<&'m LedgerEntry>,
    pub(super) schema: &'m Schema,
    pub(super) origins: Option<&'m Origins>,
    pub(super) quality: Option<ModelQuality>,
    /// Of the table, and of its part that trained: rows, or persons.
    pub(super) rows: usize,
    pub(super) training_rows: usize,
    pub(super) is_joint: bool,
    pub(super) loss: String,
    /// How λ was chosen: a sentence.
    pub(super) lambda: String,
    /// Mechanism and noise of training.
    pub(super) mechanism: String,
    /// Why these.
    pub(super) why: String,
    /// What was released of the rows that trained, under which control.
    pub(super) releases: Vec<Release>,
    /// Mechanisms by the names that `audit` knows.
    pub(super) audits: Vec<&'static str>,
    /// Where the mechanism is proved.
    pub(super) proof: &'static str,
}

/// What is in the file that comes from rows, and how it left.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Release {
    what: &'static str,
    control: &'static str,
    rows: usize,
}

impl Release {
    /// The release of a model that promises nothing.
    pub(super) fn without_control(&self) -> Release {
        Release { control: "none: NOT PRIVATE", ..self.clone() }
    }
}

const NOT_OF_ROWS: &str = "λ is no function of the rows.";
const THROUGH_THE_GATE: &str = "differential privacy, through the gate";
const WITHIN_THE_BUDGET: &str = "differential privacy, within the same budget";

impl<'m> Subject<'m> {
    /// A model file of either kind.
    pub fn of(model: &'m AnyModel) -> Subject<'m> {
        let mut subject = match model {
            AnyModel::Classes(model) => Subject::of_classes(model),
            AnyModel::Number(model) => Subject::of_number(model),
        };
        if subject.has_private_knots() {
            let rows = subject.training_rows;
            let what = "counts behind the knots of curves";
            subject.releases.push(Release { what, control: WITHIN_THE_BUDGET, rows });
            subject.audits.push("knots");
        }
        if let AnyModel::Classes(model) = model
            && model.training.base_rate.is_some()
        {
            let what = "how frequent the positive class is";
            subject.releases.push(Release {
                what,
                control: WITHIN_THE_BUDGET,
                rows: subject.training_rows,
            });
        }
        if let Some(quality) = &subject.quality {
            subject.releases.push(Release {
                what: "counts of what the model says of held-out rows",
                control: "differential privacy, exact discrete noise on other rows than those that trained",
                rows: quality.rows(),
            });
            subject.audits.push(match quality {
                ModelQuality::Two(_) if subject.is_joint => "quality-joint",
                ModelQuality::Two(_) => "quality",
                ModelQuality::Several(_) => "quality-classes",
                ModelQuality::Number(_) => "quality-numbers",
            });
        }
        subject
    }

    fn of_classes(model: &'m Model) -> Subject<'m> {
        let training = &model.training;
        let several = model.classes().is_some();
        let mut releases =
            vec![Release { what: "coefficients", control: THROUGH_THE_GATE, rows: training.rows }];
        if model.intervals.is_some() {
            releases.push(Release {
                what: "matrices behind intervals",
                control: WITHIN_THE_BUDGET,
                rows: training.rows,
            });
        }
        let mut audits = vec![training_audit(model)];
        audits.extend(model.tuning.as_ref().map(|tuning| match tuning.on_all_rows {
            true => "tuning",
            false => "random-stopping",
        }));
        audits.extend(model.schema.cohort().weight.as_ref().map(|_| "weights"));
        Subject {
            warning: model.warning.as_deref(),
            program: model.program(),
            privacy: &model.privacy,
            ledger: model.ledger.as_ref(),
            schema: &model.schema,
            origins: model.origins.as_ref(),
            quality: model.quality.clone(),
            rows: model.rows(),
            training_rows: training.rows,
            is_joint: model.joint.is_some(),
            loss: words::loss(training.loss, several),
            lambda: model.tuning.as_ref().map_or_else(
                || NOT_OF_ROWS.to_owned(),
                |tuning| format!("λ was chosen privately within the same budget: {}.", tuning.rule),
            ),
            mechanism: match (training.mechanism, &training.noise) {
                (Some(mechanism), Some(noise)) => {
                    format!(
                        "{}; {}.",
                        words::mechanism(mechanism),
                        words::noise(noise, training.dimension)
                    )
                }
                _ => training.why.clone(),
            },
            why: training.why.clone(),
            releases,
            audits,
            proof: match (model.joint.is_some(), several) {
                (true, _) => "crates/discretion-linear/src/joint/PROOF.md",
                (false, true) => "crates/discretion-linear/src/train/classes/PROOF.md",
                (false, false) => "crates/discretion-linear/src/train, PROOF.md of the mechanism",
            },
        }
    }

    fn of_number(model: &'m NumberModel) -> Subject<'m> {
        let training = &model.training;
        let (what, control, audit, proof, why) = match training.loss {
            NumberLoss::Squares => (
                "mean products of columns and outcome",
                "differential privacy, noise on every product",
                "squares",
                "crates/discretion-linear/src/squares/PROOF.md",
                "Least squares: one release serves coefficients for every λ, their intervals and R².",
            ),
            NumberLoss::Huber => (
                "coefficients",
                THROUGH_THE_GATE,
                "huber",
                "crates/discretion-linear/src/train/huber/PROOF.md",
                "Huber's loss: rows with an outcome far from the rest count by their distance, not by its square.",
            ),
        };
        Subject {
            warning: model.warning.as_deref(),
            program: model.program(),
            privacy: &model.privacy,
            ledger: model.ledger.as_ref(),
            schema: &model.schema,
            origins: model.origins.as_ref(),
            quality: model.quality.clone().map(ModelQuality::Number),
            rows: model.rows(),
            training_rows: training.rows,
            is_joint: false,
            loss: words::number_loss(training.loss).to_owned(),
            lambda: match training.loss {
                NumberLoss::Squares => {
                    "λ follows from released numbers, or is the study's.".to_owned()
                }
                NumberLoss::Huber => NOT_OF_ROWS.to_owned(),
            },
            mechanism: match training.loss {
                NumberLoss::Squares => {
                    format!("Noise on mean products of columns and outcome: {}.", training.noise)
                }
                NumberLoss::Huber => format!("{}.", training.noise),
            },
            why: why.to_owned(),
            releases: vec![Release { what, control, rows: training.rows }],
            audits: vec![audit],
            proof,
        }
    }

    /// Why nothing is promised, if nothing is.
    pub fn warning(&self) -> Option<&'m str> {
        self.warning
    }

    /// The charge that paid for it.
    pub fn ledger(&self) -> Option<&'m LedgerEntry> {
        self.ledger
    }

    /// Whether knots of a curve were released, and not declared.
    pub(super) fn has_private_knots(&self) -> bool {
        let columns = self.origins.map_or(&[][..], |origins| &origins.columns);
        columns.iter().any(|column| column.knots == Some(Origin::ReleasedPrivately))
    }

    pub(super) fn used_columns(&self) -> usize {
        self.schema.columns().iter().filter(|column| !matches!(column.kind, Kind::Dropped)).count()
    }
}

/// What `audit` calls the mechanism that trained.
fn training_audit(model: &Model) -> &'static str {
    let several = model.classes().is_some();
    match (&model.joint, model.training.mechanism) {
        (Some(_), Some(_)) => "joint",
        (Some(_), None) => "joint-step",
        (None, _) if several => "classes",
        (None, _) if model.intervals.is_some() => "fit",
        (None, Some(Mechanism::Output)) if model.privacy.unit == Unit::Person => "persons-output",
        (None, _) if model.privacy.unit == Unit::Person => "persons-objective",
        (None, Some(Mechanism::Output)) => "output",
        (None, _) => "objective",
    }
}
