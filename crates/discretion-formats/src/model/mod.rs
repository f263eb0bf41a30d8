//! The model file: self-contained, and everything in it public, unless its first line says otherwise.
//!
//! Coefficients come in only as `Released` or [`NotPrivate`], so no other way of training can end up in a
//! file that claims a guarantee.

mod facts;

pub use facts::{
    Coefficient, CoefficientEffect, CoefficientInterval, IntervalFacts, LambdaFrom, TrainingFacts,
    TuningFacts,
};

use crate::artefact::{Artefact, PROGRAM};
use crate::error::{Error, reason};
use crate::fit::Job;
use crate::joint::{self, JointFacts};
use crate::words;
use discretion::erm::Facts;
use discretion::fit::{Fitted, Plan};
use discretion::interval::{Evidence, IntervalError, Intervals};
use discretion::loss::LossKind;
use discretion::noise::{NotPrivate, Provenance};
use discretion::privacy::Budget;
use discretion::privacy::account::Cap;
use discretion_ledger::{Account, Charge};
use discretion_table::{Effect, IntervalSettings, Protect, Schema, Study};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A model file.
const FILE: Artefact =
    Artefact { format: "discretion-model/1", thing: "model", file: "model.json", command: "fit" };

/// A model file. The order of the fields is the order in the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// First, so that whoever opens the file sees it.
    #[serde(rename = "NOT PRIVATE", default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    format: String,
    program: String,
    /// What is promised.
    pub privacy: Privacy,
    /// The charge that paid for it; none where nothing is promised.
    pub ledger: Option<LedgerEntry>,
    /// How the coefficients came about.
    pub training: TrainingFacts,
    /// How λ was chosen from a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuning: Option<TuningFacts>,
    /// Who trained it together, if several holders did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<JointFacts>,
    /// What is true of all intervals, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervals: Option<IntervalFacts>,
    /// The coefficients, in the order of the encoder.
    pub coefficients: Vec<Coefficient>,
    /// What is declared about the table.
    pub schema: Schema,
    /// What intervals are computed from. Written last and on one line: it is long and for machines.
    #[serde(default, skip_serializing)]
    pub evidence: Option<Evidence>,
}

/// What is promised.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Privacy {
    /// Whether anything is.
    pub private: bool,
    /// What the training cost; nothing is promised without it.
    pub guarantee: Option<Budget>,
    /// What "one row" means.
    pub neighbours: Neighbours,
    /// The guarantee in plain words.
    pub statement: String,
    /// Where the noise came from.
    pub randomness: Option<Provenance>,
}

impl Privacy {
    /// Of something that left through the gate. A guarantee is claimed only if the noise was real.
    pub fn released(provenance: Provenance, budget: Budget) -> Privacy {
        let private = provenance == Provenance::OperatingSystem;
        Privacy {
            private,
            guarantee: private.then_some(budget),
            neighbours: Neighbours::ReplaceOne,
            statement: match private {
                true => words::guarantee(budget),
                false => format!("NOT PRIVATE: {}", words::UNDER_A_SEED),
            },
            randomness: Some(provenance),
        }
    }
}

/// The entry of a ledger that a model was charged with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// The account.
    pub account: String,
    /// The number of the charge.
    pub charge: u64,
    /// What the account may spend in all, as it was then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap: Option<Cap>,
    /// What this run cost the account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// How much of the cap was gone then, this run included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent: Option<f64>,
}

impl LedgerEntry {
    /// What a charge says.
    pub fn of(account: &Account<'_>, charge: &Charge<'_>) -> LedgerEntry {
        let quote = &charge.quote;
        LedgerEntry {
            account: account.name().to_owned(),
            charge: charge.number,
            cap: Some(quote.cap),
            cost: Some(quote.cost),
            spent: Some(quote.after.amount),
        }
    }
}

/// Between which tables the guarantee holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Neighbours {
    /// Same number of rows, one of them replaced.
    ReplaceOne,
    /// The same rows, one with another label.
    ReplaceOneLabel,
}

impl Model {
    /// A model that left through the gate. It claims a guarantee only if the noise was real.
    pub fn released(
        fitted: &Fitted,
        job: &Job,
        plan: &Plan,
        ledger: Option<LedgerEntry>,
    ) -> Result<Model, IntervalError> {
        let theta = &fitted.coefficients;
        let privacy = Privacy::released(theta.provenance(), plan.budget());
        let warning = (!privacy.private).then(|| words::UNDER_A_SEED.to_owned());
        let training = TrainingFacts::of(&fitted.training, job);
        let model = Model::new(warning, privacy, training, theta, &job.schema);
        let model = Model { ledger, tuning: TuningFacts::of(plan, job), ..model };
        match (&fitted.evidence, job.intervals) {
            (Some(evidence), Some(IntervalSettings { level, split, draws })) => {
                let split = [split.training(), split.hessian(), split.covariance()];
                model.with_intervals(evidence, level, draws, split)
            }
            _ => Ok(model),
        }
    }

    /// The same model with intervals at another level, from what it was released with.
    pub fn at_level(self, level: f64) -> Result<Model, IntervalError> {
        match (self.evidence.clone(), self.intervals.as_ref()) {
            (Some(evidence), Some(&IntervalFacts { draws, split, .. })) => {
                self.with_intervals(&evidence, level, draws, split)
            }
            _ => Ok(self),
        }
    }

    /// The same model with intervals; `split` is the budget's, between training, Hessian and covariance.
    pub(crate) fn with_intervals(
        mut self,
        evidence: &Evidence,
        level: f64,
        draws: usize,
        split: [f64; 3],
    ) -> Result<Model, IntervalError> {
        let theta = self.theta();
        let intervals = Intervals::new(evidence, &theta)?;
        let encoded = intervals.coefficients(level)?;
        let encoder = self.schema.encoder();
        // Column units are a linear map of the coefficients; its columns are the images of the unit vectors.
        let images: Option<Vec<Vec<f64>>> = (0..theta.len())
            .map(|j| {
                let unit: Vec<f64> = (0..theta.len()).map(|i| if i == j { 1.0 } else { 0.0 }).collect();
                Some(encoder.in_column_units(&unit)?.into_iter().map(|unit| unit.value).collect())
            })
            .collect();
        let mut pull: f64 = 0.0;
        let effects = encoder.effects();
        for (i, (coefficient, interval)) in self.coefficients.iter_mut().zip(&encoded).enumerate() {
            coefficient.interval = Some(interval.into());
            if let Some(images) = &images {
                let weights: Vec<f64> = images.iter().map(|image| image[i]).collect();
                let own = intervals.combination(&weights, level)?;
                coefficient.per_unit_interval = Some((&own).into());
            }
            match (&mut coefficient.effect, &effects[i]) {
                (Some(effect), Some(Effect { weights: sparse, .. })) => {
                    let mut weights = vec![0.0; theta.len()];
                    sparse.iter().for_each(|&(j, weight)| weights[j] = weight);
                    let interval = intervals.combination(&weights, level)?;
                    effect.interval = Some((&interval).into());
                    pull = pull.max(interval.shrinkage_share());
                }
                // Without effects, under rows of length 1, the coefficients stand for themselves.
                _ if images.is_none() && i > 0 => pull = pull.max(interval.shrinkage_share()),
                _ => {}
            }
        }
        let covers = if self.joint.is_some() { joint::words::COVERED } else { words::COVERED };
        self.intervals = Some(IntervalFacts {
            level,
            split,
            draws,
            all_at_once: intervals.all_at_once(level, draws)?,
            covers: covers.to_owned(),
            warning: (pull > words::PULL_THAT_MATTERS).then(|| words::pulled(self.training.lambda, pull)),
        });
        self.evidence = Some(evidence.clone());
        Ok(self)
    }

    /// A model trained without noise, for the custodian.
    pub fn not_private(
        facts: Facts,
        loss: LossKind,
        lambda: f64,
        lambda_from: LambdaFrom,
        theta: NotPrivate<Vec<f64>>,
        schema: &Schema,
    ) -> Model {
        let privacy = Privacy {
            private: false,
            guarantee: None,
            neighbours: Neighbours::ReplaceOne,
            statement: format!("NOT PRIVATE: {}", words::WITHOUT_NOISE),
            randomness: None,
        };
        let why = "no noise was asked for (--not-private)".to_owned();
        let training = TrainingFacts::without_noise(facts, loss, (lambda, lambda_from), why);
        Model::new(Some(words::WITHOUT_NOISE.to_owned()), privacy, training, &theta.into_inner(), schema)
    }

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
        let mut privacy = Privacy::released(provenance, study.spend);
        if protect == Protect::Labels {
            privacy.neighbours = Neighbours::ReplaceOneLabel;
        }
        if privacy.private {
            privacy.statement = words::voting_guarantee(study.spend, protect);
        }
        let warning = (!privacy.private).then(|| words::UNDER_A_SEED.to_owned());
        let why = "trained on private answers, and what is made of them costs nothing more".to_owned();
        let training = TrainingFacts::without_noise(answers, study.model.loss, lambda, why);
        Model { ledger, ..Model::new(warning, privacy, training, theta, &study.schema) }
    }

    pub(crate) fn new(
        warning: Option<String>,
        privacy: Privacy,
        training: TrainingFacts,
        theta: &[f64],
        schema: &Schema,
    ) -> Model {
        let encoder = schema.encoder();
        let mut units = encoder.in_column_units(theta).map(Vec::into_iter);
        let effects = encoder.effects().into_iter().map(|effect| {
            effect.map(|Effect { against, weights }| CoefficientEffect {
                against,
                value: weights.iter().map(|&(j, weight)| weight * theta[j]).sum(),
                interval: None,
            })
        });
        let named = encoder.names().into_iter().zip(theta).zip(effects);
        let coefficients = named.map(|((name, &encoded), effect)| {
            let unit = units.as_mut().and_then(Iterator::next);
            let (of, per_unit) = unit.map(|unit| (unit.of, unit.value)).unzip();
            Coefficient { name, encoded, interval: None, of, per_unit, per_unit_interval: None, effect }
        });
        Model {
            warning,
            format: FILE.format.to_owned(),
            program: PROGRAM.to_owned(),
            privacy,
            ledger: None,
            training,
            tuning: None,
            joint: None,
            intervals: None,
            coefficients: coefficients.collect(),
            schema: schema.clone(),
            evidence: None,
        }
    }

    /// The text of the file.
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self).expect("a model is plain data");
        if let Some(evidence) = &self.evidence {
            let line = serde_json::to_string(evidence).expect("evidence is plain data");
            json.truncate(json.len() - "\n}".len());
            json.push_str(&format!(",\n  \"evidence\": {line}\n}}"));
        }
        Artefact::text(json, self.warning.is_some())
    }

    /// Reads a model file.
    pub fn read(path: &Path) -> Result<Model, Error> {
        let json = std::fs::read_to_string(path).map_err(|error| {
            Error::bad_file(path, format!("this model file cannot be read ({})", reason(&error)))
        })?;
        Model::from_json(&json).map_err(|sentence| Error::bad_file(path, sentence))
    }

    /// Reads the text of one, or says in a sentence why not.
    pub fn from_json(json: &str) -> Result<Model, String> {
        let model: Model = FILE.parse(json)?;
        let names = model.schema.encoder().names();
        if !model.coefficients.iter().map(|coefficient| &coefficient.name).eq(&names) {
            return Err(
                "the coefficients of this model do not belong to its schema; was it edited?".to_owned()
            );
        }
        Ok(model)
    }

    /// The program that made it.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// The rows of the table: those that trained and those that only validated.
    pub fn rows(&self) -> usize {
        match &self.tuning {
            // Trained anew on all of them, unless the best run's own model was released.
            Some(tuning) if !tuning.on_all_rows => self.training.rows + tuning.validation_rows,
            _ => self.training.rows,
        }
    }

    /// The encoded coefficients.
    pub fn theta(&self) -> Vec<f64> {
        self.coefficients.iter().map(|coefficient| coefficient.encoded).collect()
    }
}
