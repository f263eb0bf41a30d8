//! The model file: self-contained, and everything in it public, unless its first line says otherwise.
//!
//! Coefficients come in only as [`Released`] or [`NotPrivate`], so no other way of training can end up in a
//! file that claims a guarantee.

use crate::exit::{Failure, reason};
use crate::words;
use discretion::erm::{Facts, LossKind};
use discretion::noise::{NotPrivate, Provenance, Released};
use discretion::privacy::Budget;
use discretion::privacy::account::Noise;
use discretion::train::{Mechanism, Method, Plan};
use discretion_table::Schema;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The format this program writes and reads.
const FORMAT: &str = "discretion-model/1";

/// A model file. The order of the fields is the order in the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// First, so that whoever opens the file sees it.
    #[serde(rename = "NOT PRIVATE", default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    format: String,
    program: String,
    pub privacy: Privacy,
    /// The charge that paid for it; none where nothing is promised.
    pub ledger: Option<LedgerEntry>,
    pub training: TrainingFacts,
    pub coefficients: Vec<Coefficient>,
    pub schema: Schema,
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

/// The entry of a ledger that a model was charged with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LedgerEntry {
    pub account: String,
    /// The number of the charge.
    pub charge: u64,
}

/// Between which tables the guarantee holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Neighbours {
    /// Same number of rows, one of them replaced.
    ReplaceOne,
}

/// How the coefficients came about: public numbers only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingFacts {
    pub rows: usize,
    pub dimension: usize,
    pub loss: LossKind,
    pub lambda: f64,
    pub lambda_from: LambdaFrom,
    pub mechanism: Option<Mechanism>,
    pub noise: Option<Noise>,
    /// Standard deviation of the gate's mask, per encoded coefficient.
    pub mask_deviation: Option<f64>,
    /// Encoded coefficients are multiples of this.
    pub lattice_step: Option<f64>,
    /// Root mean square noise per encoded coefficient, if rows of length 1 filled the space evenly.
    pub expected_error: Option<f64>,
    /// The same, if the rows said nothing.
    pub worst_error: Option<f64>,
    /// Why this mechanism.
    pub why: String,
}

/// Who chose λ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LambdaFrom {
    /// The study file, or a flag in its place.
    Study,
    /// The rule in n, d and the budget.
    Auto,
}

/// One coefficient.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Coefficient {
    pub name: String,
    /// On the encoded scale, where every row has length at most 1.
    pub encoded: f64,
    /// What `per_unit` multiplies; none where rows are divided by their own length.
    pub of: Option<String>,
    /// In the column's own unit.
    pub per_unit: Option<f64>,
}

impl LambdaFrom {
    /// `None` asks for the rule.
    pub fn asked(lambda: Option<f64>) -> LambdaFrom {
        if lambda.is_some() { LambdaFrom::Study } else { LambdaFrom::Auto }
    }
}

impl Model {
    /// A model that left through the gate. It claims a guarantee only if the noise was real.
    pub fn released(
        plan: &Plan,
        method: Method,
        lambda_from: LambdaFrom,
        theta: &Released<Vec<f64>>,
        schema: &Schema,
        ledger: Option<LedgerEntry>,
    ) -> Model {
        let private = theta.provenance() == Provenance::OperatingSystem;
        let warning = (!private).then(|| words::UNDER_A_SEED.to_owned());
        let privacy = Privacy {
            private,
            guarantee: private.then_some(plan.budget()),
            neighbours: Neighbours::ReplaceOne,
            statement: match &warning {
                None => words::guarantee(plan.budget()),
                Some(reason) => format!("NOT PRIVATE: {reason}"),
            },
            randomness: Some(theta.provenance()),
        };
        let chosen = plan.chosen();
        let training = TrainingFacts {
            rows: plan.facts().rows,
            dimension: plan.facts().dimension,
            loss: plan.loss(),
            lambda: plan.lambda(),
            lambda_from,
            mechanism: Some(chosen.mechanism()),
            noise: Some(chosen.law().into()),
            mask_deviation: Some(chosen.gate().mask_deviation()),
            lattice_step: Some(chosen.gate().step()),
            expected_error: Some(chosen.expected_error()),
            worst_error: Some(chosen.worst_error()),
            why: words::why(plan, method),
        };
        Model { ledger, ..Model::new(warning, privacy, training, theta, schema) }
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
        let training = TrainingFacts {
            rows: facts.rows,
            dimension: facts.dimension,
            loss,
            lambda,
            lambda_from,
            mechanism: None,
            noise: None,
            mask_deviation: None,
            lattice_step: None,
            expected_error: None,
            worst_error: None,
            why: "no noise was asked for (--not-private)".to_owned(),
        };
        Model::new(Some(words::WITHOUT_NOISE.to_owned()), privacy, training, &theta.into_inner(), schema)
    }

    fn new(
        warning: Option<String>,
        privacy: Privacy,
        training: TrainingFacts,
        theta: &[f64],
        schema: &Schema,
    ) -> Model {
        let encoder = schema.encoder();
        let mut units = encoder.in_column_units(theta).map(Vec::into_iter);
        let coefficients = encoder.names().into_iter().zip(theta).map(|(name, &encoded)| {
            let unit = units.as_mut().and_then(Iterator::next);
            let (of, per_unit) = unit.map(|unit| (unit.of, unit.value)).unzip();
            Coefficient { name, encoded, of, per_unit }
        });
        Model {
            warning,
            format: FORMAT.to_owned(),
            program: concat!("discretion ", env!("CARGO_PKG_VERSION")).to_owned(),
            privacy,
            ledger: None,
            training,
            coefficients: coefficients.collect(),
            schema: schema.clone(),
        }
    }

    /// The text of the file.
    pub fn to_json(&self) -> String {
        let json = serde_json::to_string_pretty(self).expect("a model is plain data");
        match self.warning {
            None => json + "\n",
            // The warning belongs on the very first line.
            Some(_) => json.replacen("{\n  ", "{ ", 1) + "\n",
        }
    }

    /// Reads a model file.
    pub fn read(path: &Path) -> Result<Model, Failure> {
        let json = std::fs::read_to_string(path).map_err(|error| {
            Failure::bad_file(path, format!("this model file cannot be read ({})", reason(&error)))
        })?;
        Model::from_json(&json).map_err(|sentence| Failure::bad_file(path, sentence))
    }

    fn from_json(json: &str) -> Result<Model, String> {
        /// Known of every version, past and future.
        #[derive(Deserialize)]
        struct AnyVersion {
            format: Option<String>,
        }
        let broken = |error: serde_json::Error| {
            format!("this is not a model file of discretion, or a damaged one: {error}")
        };
        match serde_json::from_str::<AnyVersion>(json).map_err(broken)?.format {
            None => {
                return Err("this is not a model file: it has no \"format\"; name a model.json that \
                            `discretion fit` wrote"
                    .to_owned());
            }
            Some(format) if format != FORMAT => {
                return Err(format!(
                    "this model has the format {format:?}, and this program reads {FORMAT:?}; use the version of \
                     discretion that wrote it"
                ));
            }
            Some(_) => {}
        }
        let model: Model = serde_json::from_str(json).map_err(broken)?;
        let names = model.schema.encoder().names();
        if !model.coefficients.iter().map(|coefficient| &coefficient.name).eq(&names) {
            return Err(
                "the coefficients of this model do not belong to its schema; was it edited?".to_owned()
            );
        }
        Ok(model)
    }

    /// The encoded coefficients.
    pub fn theta(&self) -> Vec<f64> {
        self.coefficients.iter().map(|coefficient| coefficient.encoded).collect()
    }
}
