//! The model of a number: self-contained like any model file. Of least squares everything in it
//! follows from the moments at its end.

use crate::claim::{self, Claim, ensure};
use crate::format::{Artefact, Format, PROGRAM, format_of, settled};
use crate::model::{Coefficient, LambdaFrom, check_coefficients};
use crate::origins::Origins;
use crate::privacy::{LedgerEntry, Privacy};
use crate::quality::NumberQualityFacts;
use discretion::Refusal;
use discretion::erm::matrix::Norm;
use discretion::interval::Evidence;
use discretion::squares::{Moments, Penalty, Solution};
use discretion_table::{NumberLoss, OutcomeScale, Schema, unreadable};
use serde::{Deserialize, Serialize};
use std::path::Path;

const FILE: Format = Format {
    name: "discretion-number/1",
    thing: "model of a number",
    file: "model.json",
    command: "fit",
};

/// The model of a number. The order of the fields is the order in the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NumberModel {
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
    pub training: NumberTraining,
    /// How well they predict.
    pub fit: NumberFit,
    /// How well they predict rows that were held out, if some were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality: Option<NumberQualityFacts>,
    /// Where bounds, categories and knots come from, and the program's build.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origins: Option<Origins>,
    /// The coefficients, in the order of the encoder.
    pub coefficients: Vec<Coefficient>,
    /// The same of further outcomes, in the order of the schema.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherNumber>,
    /// What is declared about the table.
    pub schema: Schema,
    /// What all of it is computed from, under least squares. Written last and on one line: it is
    /// long and for machines.
    #[serde(default, skip_serializing)]
    pub moments: Option<Moments>,
    /// Matrices from which intervals of ordinary least squares (no noise, no penalty) are computed,
    /// one for each outcome. Written as moments are.
    #[serde(default, skip_serializing)]
    pub evidence: Vec<Evidence>,
}

/// What follows for a further outcome from the same release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OtherNumber {
    /// λ, for an outcome between −1 and 1.
    pub lambda: f64,
    /// How well it is predicted.
    pub fit: NumberFit,
    /// Its coefficients, in the order of the encoder.
    pub coefficients: Vec<Coefficient>,
}

/// How the coefficients of a number came about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NumberTraining {
    /// n.
    pub rows: usize,
    /// d.
    pub dimension: usize,
    /// What is made small.
    pub loss: NumberLoss,
    /// λ, for an outcome between −1 and 1.
    pub lambda: f64,
    /// Where it comes from.
    pub lambda_from: LambdaFrom,
    /// How many numbers were released with noise.
    pub released: usize,
    /// Their noise, in words.
    pub noise: String,
}

/// What is predicted, and how well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NumberFit {
    /// What is predicted: the outcome, or its logarithm.
    pub of: String,
    /// How well, if moments were released.
    #[serde(flatten)]
    pub squares: Option<SquaresFit>,
}

/// How well a model predicts a number, from the released moments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SquaresFit {
    /// The share of its variance that the columns explain (R²).
    pub explained: f64,
    /// The standard deviation of what is left.
    pub residual_deviation: f64,
    /// The mean of the outcome, on this scale.
    pub mean: f64,
    /// Its standard deviation.
    pub deviation: f64,
    /// The probability of each interval.
    pub level: f64,
    /// What intervals are about.
    pub covers: String,
}

impl NumberModel {
    /// A model with these parts. Whoever makes one vouches that the moments were released, or
    /// warns.
    pub fn new(
        warning: Option<String>,
        privacy: Privacy,
        training: NumberTraining,
        (fit, coefficients): (NumberFit, Vec<Coefficient>),
        schema: &Schema,
        moments: Option<Moments>,
    ) -> NumberModel {
        NumberModel {
            warning,
            format: FILE.name.to_owned(),
            program: PROGRAM.to_owned(),
            privacy,
            ledger: None,
            training,
            fit,
            quality: None,
            origins: Some(Origins::of(schema)),
            coefficients,
            others: Vec::new(),
            schema: schema.clone(),
            moments,
            evidence: Vec::new(),
        }
    }

    /// Whether this is the text of one.
    pub fn is_in(json: &str) -> bool {
        format_of(json)
            .is_ok_and(|found| found.is_some_and(|format| format.starts_with("discretion-number/")))
    }

    /// Reads a file, if it is of this kind.
    pub fn read(path: &Path) -> Result<Option<NumberModel>, Refusal> {
        let json = discretion_disk::files::read_to_string(path)
            .map_err(|error| unreadable(path, &error))?;
        match NumberModel::is_in(&json) {
            true => NumberModel::from_json(&json)
                .map(Some)
                .map_err(|sentence| Refusal::bad_file(path, sentence)),
            false => Ok(None),
        }
    }

    /// The same with further outcomes, in the order of the schema.
    pub fn with_others(self, others: Vec<OtherNumber>) -> NumberModel {
        NumberModel { others, ..self }
    }

    /// The models of all outcomes, each as if there were no other.
    pub fn each(&self) -> Vec<NumberModel> {
        let of = |which: usize, lambda: f64, fit: &NumberFit, coefficients: &[Coefficient]| {
            NumberModel {
                training: NumberTraining { lambda, ..self.training.clone() },
                fit: fit.clone(),
                coefficients: coefficients.to_vec(),
                others: Vec::new(),
                schema: self.schema.of_outcome(which),
                moments: self.moments.as_ref().map(|moments| moments.of_outcome(which)),
                evidence: self.evidence.get(which).cloned().into_iter().collect(),
                ..self.clone()
            }
        };
        let first = of(0, self.training.lambda, &self.fit, &self.coefficients);
        let others = self.others.iter().zip(1..);
        let others =
            others.map(|(other, which)| of(which, other.lambda, &other.fit, &other.coefficients));
        std::iter::once(first).chain(others).collect()
    }

    /// What is said of one of the outcomes, to be changed.
    pub fn part_mut(&mut self, which: usize) -> (&mut NumberFit, &mut Vec<Coefficient>) {
        match which.checked_sub(1) {
            None => (&mut self.fit, &mut self.coefficients),
            Some(other) => {
                let OtherNumber { fit, coefficients, .. } = &mut self.others[other];
                (fit, coefficients)
            }
        }
    }

    /// The columns that are predicted, as a text.
    pub fn predicted(&self) -> String {
        let names: Vec<&str> =
            self.schema.outcomes().map(|outcome| outcome.column.as_str()).collect();
        names.join(", ")
    }

    /// The rows of the table: those that were summed, and those that were held out.
    pub fn rows(&self) -> usize {
        let held_out = self.quality.as_ref().map_or(0, |quality| quality.rows);
        self.training.rows.saturating_add(held_out)
    }

    /// The program that made it.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// The encoded coefficients.
    pub fn theta(&self) -> Vec<f64> {
        self.coefficients.iter().map(|coefficient| coefficient.encoded).collect()
    }

    /// The scale of the outcome.
    pub fn scale(&self) -> OutcomeScale {
        self.schema.outcome_scale().expect("a model of a number has one")
    }

    /// The size of every column in an encoded row.
    pub fn size(&self) -> f64 {
        column_size(&self.schema)
    }

    /// The penalty that was asked for.
    pub fn penalty(&self) -> Penalty {
        match self.training.lambda_from {
            LambdaFrom::Auto | LambdaFrom::None => Penalty::Auto,
            LambdaFrom::Study | LambdaFrom::Chosen => {
                Penalty::Fixed(self.training.lambda / self.size().powi(2))
            }
        }
    }

    /// The fit of the first outcome, from the moments again, if there are any.
    pub fn solution(&self) -> Result<Option<Solution>, String> {
        let solve = |moments: &Moments| moments.of_outcome(0).solve(self.penalty());
        let solved = self.moments.as_ref().map(solve).transpose();
        solved.map_err(|error| format!("{error}; was the file edited?"))
    }
}

/// The size of every column in a row that a schema encodes.
pub fn column_size(schema: &Schema) -> f64 {
    schema.encoder().layout().columns().iter().next().expect("a constant").size
}

impl Artefact for NumberModel {
    fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self).expect("a model is plain data");
        let mut append = |key: &str, line: String| {
            json.truncate(json.len() - "\n}".len());
            json.push_str(&format!(",\n  \"{key}\": {line}\n}}"));
        };
        if let Some(moments) = &self.moments {
            append("moments", serde_json::to_string(moments).expect("moments are plain data"));
        }
        if !self.evidence.is_empty() {
            let line = serde_json::to_string(&self.evidence).expect("evidence is plain data");
            append("evidence", line);
        }
        Format::text(json, self.warning.is_some())
    }

    fn from_json(json: &str) -> Result<NumberModel, String> {
        FILE.parse(json)
    }

    fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }
}

impl Claim for NumberModel {
    fn check(&self) -> Result<(), String> {
        self.privacy.check(self.warning())?;
        self.ledger.as_ref().map_or(Ok(()), LedgerEntry::check)?;
        settled(&self.schema)?;
        let outcomes = self.schema.outcomes().count();
        ensure(
            self.schema.norm() == Norm::Scale,
            "its rows are divided by their own length, which no model of a number has",
        )?;
        ensure(
            self.schema.outcome_scale().is_some() && outcomes == self.others.len() + 1,
            "its outcomes are not those of its schema",
        )?;
        claim::rows(self.training.rows)?;
        let others = self.others.iter().map(|o| (o.lambda, &o.fit, &o.coefficients));
        let first = (self.training.lambda, &self.fit, &self.coefficients);
        let each: Vec<_> = std::iter::once(first).chain(others).collect();
        for &(lambda, _, coefficients) in &each {
            claim::lambda_from(lambda, self.training.lambda_from)?;
            check_coefficients(coefficients, &self.schema)?;
        }
        let dimension = self.coefficients.len();
        ensure(self.training.dimension == dimension, "it has another number of coefficients")?;
        let is_squares = self.training.loss == NumberLoss::Squares;
        let has_moments = self.moments.is_some() == is_squares && (is_squares || outcomes == 1);
        let fits_moments = |moments: &Moments| {
            moments.outcomes() == outcomes
                && moments.columns().dimension().checked_sub(outcomes) == Some(dimension)
                && moments.rows() == self.training.rows
        };
        ensure(
            has_moments && self.moments.as_ref().is_none_or(fits_moments),
            "its moments are not those of its coefficients",
        )?;
        let is_of = |evidence: &Evidence| evidence.dimension() == dimension;
        ensure(
            self.evidence.is_empty()
                || is_squares && self.evidence.len() == outcomes && self.evidence.iter().all(is_of),
            "its intervals are those of other coefficients",
        )?;
        for (_, fit, _) in each {
            ensure(fit.squares.is_some() == is_squares, "its fit is that of another loss")?;
            if let Some(squares) = &fit.squares {
                claim::share(squares.level, "the level of its intervals")?;
                claim::not_negative(squares.residual_deviation, "a deviation")?;
                claim::not_negative(squares.deviation, "a deviation")?;
            }
        }
        self.quality.as_ref().map_or(Ok(()), NumberQualityFacts::checked)
    }
}
