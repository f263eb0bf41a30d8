//! The model file: self-contained, and everything in it public, unless its first line says
//! otherwise.
//!
//! Jobs make it: coefficients come in only as `Released` or `NotPrivate` there, so no other way of
//! training can end up in a file that claims a guarantee.

mod classes;
mod facts;
mod joint;

pub use facts::{
    BaseRate, Coefficient, CoefficientEffect, CoefficientInterval, Findings, ForPrediction,
    IntervalFacts, Knot, LambdaFrom, TrainingFacts, TuningFacts,
};
pub use joint::{Bounds, HolderFacts, JointFacts, RoundFacts, StepFacts, Weights};

use crate::claim::{Claim, ensure};
use crate::format::{Artefact, Format, PROGRAM, settled};
use crate::number::NumberModel;
use crate::origins::Origins;
use crate::privacy::{LedgerEntry, Privacy};
use crate::quality::ModelQuality;
use discretion::Refusal;
use discretion::interval::Evidence;
use discretion::interval::parts::PartModels;
use discretion_table::{Effect, Schema, unreadable};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A model file.
const FILE: Format =
    Format { name: "discretion-model/1", thing: "model", file: "model.json", command: "fit" };

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
    /// How good it is on rows that were held out, if some were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality: Option<ModelQuality>,
    /// Where bounds, categories and knots come from, and the program's build. Files of the first
    /// version have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origins: Option<Origins>,
    /// The coefficients, in the order of the encoder.
    pub coefficients: Vec<Coefficient>,
    /// What is declared about the table.
    pub schema: Schema,
    /// What intervals are computed from. Written last and on one line: it is long and for machines.
    #[serde(default, skip_serializing)]
    pub evidence: Option<Evidence>,
    /// The same of several classes: the models whose mean this is. Written as evidence is.
    #[serde(default, skip_serializing)]
    pub parts: Option<PartModels>,
}

impl Model {
    /// A model with these coefficients and without intervals. Whoever makes one vouches that they
    /// were released, or warns.
    pub fn new(
        warning: Option<String>,
        privacy: Privacy,
        training: TrainingFacts,
        theta: &[f64],
        schema: &Schema,
    ) -> Model {
        let coefficients = match schema.target().labels.several() {
            None => coefficients(theta, schema, None),
            Some(classes) => {
                let each =
                    theta.chunks_exact(theta.len() / classes).zip(schema.target().labels.names());
                each.flat_map(|(theta, class)| coefficients(theta, schema, Some(&class))).collect()
            }
        };
        Model {
            warning,
            format: FILE.name.to_owned(),
            program: PROGRAM.to_owned(),
            privacy,
            ledger: None,
            training,
            tuning: None,
            joint: None,
            intervals: None,
            quality: None,
            origins: Some(Origins::of(schema)),
            coefficients,
            schema: schema.clone(),
            evidence: None,
            parts: None,
        }
    }

    /// The text of the file.
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self).expect("a model is plain data");
        let mut append = |key: &str, line: String| {
            json.truncate(json.len() - "\n}".len());
            json.push_str(&format!(",\n  \"{key}\": {line}\n}}"));
        };
        if let Some(evidence) = &self.evidence {
            append("evidence", serde_json::to_string(evidence).expect("evidence is plain data"));
        }
        if let Some(parts) = &self.parts {
            append("parts", serde_json::to_string(parts).expect("models are plain data"));
        }
        Format::text(json, self.warning.is_some())
    }

    /// Reads a model file.
    pub fn read(path: &Path) -> Result<Model, Refusal> {
        let json = discretion_disk::files::read_to_string(path)
            .map_err(|error| unreadable(path, &error))?;
        Model::from_json(&json).map_err(|sentence| Refusal::bad_file(path, sentence))
    }

    /// Reads the text of one, or says in a sentence why not.
    pub fn from_json(json: &str) -> Result<Model, String> {
        if NumberModel::is_in(json) {
            return Err("this is a model of a number; predict and report know it".to_owned());
        }
        FILE.parse(json)
    }

    /// The program that made it.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// The rows of the table: those that trained, those that only validated and those that were
    /// held out.
    pub fn rows(&self) -> usize {
        let held_out = self.quality.as_ref().map_or(0, ModelQuality::rows);
        self.seen_rows().saturating_add(held_out)
    }

    /// The rows that trained and those that only validated.
    fn seen_rows(&self) -> usize {
        match &self.tuning {
            // Trained anew on all of them, unless the best run's own model was released.
            // Nobody has checked a number that a file gives.
            Some(tuning) if !tuning.on_all_rows => {
                self.training.rows.saturating_add(tuning.validation_rows)
            }
            _ => self.training.rows,
        }
    }

    /// Returns false if only the declared bound speaks of a coefficient, so that it has no estimate
    /// worth printing.
    pub fn is_estimable(&self, coefficient: &Coefficient) -> bool {
        let findings = self.intervals.as_ref().and_then(|intervals| intervals.findings.as_ref());
        findings.is_none_or(|found| !found.not_estimable.contains(&coefficient.name))
    }

    /// The encoded coefficients.
    pub fn theta(&self) -> Vec<f64> {
        self.coefficients.iter().map(|coefficient| coefficient.encoded).collect()
    }
}

impl Claim for Model {
    fn check(&self) -> Result<(), String> {
        self.privacy.check(self.warning())?;
        self.ledger.as_ref().map_or(Ok(()), LedgerEntry::check)?;
        settled(&self.schema)?;
        let labels = &self.schema.target().labels;
        ensure(self.schema.outcome_scale().is_none(), "its outcome is a number")?;
        let classes = labels.several().unwrap_or(1);
        let dimension = self.coefficients.len();
        let of_a_class = dimension / classes;
        ensure(
            of_a_class > 0 && of_a_class * classes == dimension,
            "its coefficients are not those of its classes",
        )?;
        let names = labels.several().map(|_| labels.names());
        for (class, part) in self.coefficients.chunks_exact(of_a_class).enumerate() {
            check_coefficients(part, &self.schema)?;
            let name = names.as_ref().map(|names| &names[class]);
            ensure(
                part.iter().all(|coefficient| coefficient.class.as_ref() == name),
                "its coefficients are not those of its classes",
            )?;
        }
        self.training.check(dimension, classes)?;
        self.tuning.as_ref().map_or(Ok(()), TuningFacts::check)?;
        self.joint.as_ref().map_or(Ok(()), JointFacts::check)?;
        self.intervals.as_ref().map_or(Ok(()), |intervals| intervals.check(self))?;
        if let Some(evidence) = &self.evidence {
            let is_of = evidence.dimension() == dimension && classes == 1;
            let same = is_of && evidence.rows() == self.training.rows;
            ensure(same, "its intervals are those of other coefficients")?;
        }
        if let Some(parts) = &self.parts {
            ensure(
                parts.dimension() == dimension && classes > 1,
                "its models of parts have other coefficients",
            )?;
        }
        match &self.quality {
            None => Ok(()),
            Some(quality) => quality.checked().and_then(|()| quality.belongs_to(&self.schema)),
        }
    }
}

/// Refuses coefficients of an outcome, or of a class, that are not those of a schema. They are
/// counted before anything is made of a schema that may declare far more of them.
pub(crate) fn check_coefficients(
    coefficients: &[Coefficient],
    schema: &Schema,
) -> Result<(), String> {
    let what = "its coefficients do not belong to its schema";
    let encoder = schema.encoder();
    ensure(coefficients.len() == encoder.layout().dimension(), what)?;
    ensure(coefficients.iter().map(|c| &c.name).eq(&encoder.names()), what)?;
    let column = |c: &Coefficient| c.knot.as_ref().map(|knot| knot.column.clone());
    let knots = encoder.knots().into_iter().map(|knot| knot.map(|(column, _)| column));
    ensure(coefficients.iter().map(column).eq(knots), "its curves do not belong to its schema")
}

/// The coefficients of a model, or those of one of its classes.
fn coefficients(theta: &[f64], schema: &Schema, class: Option<&str>) -> Vec<Coefficient> {
    let encoder = schema.encoder();
    let theta = &encoder.monotone(theta)[..];
    let mut units = encoder.in_column_units(theta).map(Vec::into_iter);
    let effects = encoder.effects().into_iter().map(|effect| {
        effect.map(|Effect { against, weights }| CoefficientEffect {
            against,
            value: weights.iter().map(|&(j, weight)| weight * theta[j]).sum(),
            interval: None,
            band: None,
        })
    });
    let named = encoder.names().into_iter().zip(theta).zip(effects).zip(encoder.knots());
    let each = named.map(|(((name, &encoded), effect), knot)| {
        let knot = knot.map(|(column, at)| Knot { column, at });
        let unit = units.as_mut().and_then(Iterator::next);
        let (of, per_unit) = unit.map(|unit| (unit.of, unit.value)).unzip();
        Coefficient {
            class: class.map(str::to_owned),
            name,
            encoded,
            interval: None,
            of,
            per_unit,
            per_unit_interval: None,
            effect,
            knot,
        }
    });
    each.collect()
}

impl Artefact for Model {
    fn to_json(&self) -> String {
        Model::to_json(self)
    }

    fn from_json(json: &str) -> Result<Model, String> {
        Model::from_json(json)
    }

    fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }
}
