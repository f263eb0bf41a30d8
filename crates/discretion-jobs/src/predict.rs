//! A published model applied to a table, in as much memory as a few blocks need.

use crate::arguments::Arguments;
use discretion::Refusal;
use discretion::erm::matrix::{Batch, margins};
use discretion::loss::LossKind;
use discretion_disk::files::Readers;
use discretion_formats::Model;
use discretion_report::coefficients::field;
use discretion_table::{KeptColumns, Progress, Purpose, read_batches};
use std::path::Path;

/// What is scored, and how it is written down.
pub struct Prediction<'p> {
    /// The model.
    pub model: &'p Model,
    /// Its file, for messages.
    pub model_file: &'p Path,
    /// The table.
    pub table: &'p Path,
    /// Columns that are copied as they are.
    pub keep: &'p [String],
    /// One JSON object for each row, instead of CSV.
    pub json: bool,
}

impl Prediction<'_> {
    /// What is copied from a table is not published by being beside a score.
    pub fn readers(&self) -> Readers {
        if self.model.privacy.private && self.keep.is_empty() { Readers::Anyone } else { Readers::Owner }
    }

    /// Refuses what cannot be scored, before a row is read.
    pub fn check(&self) -> Result<(), Refusal> {
        Lines::new(self).map(drop)
    }

    /// Scores every row. `sink` gets lines as they are made.
    pub fn write(
        &self,
        progress: &dyn Fn(Progress),
        mut sink: impl FnMut(&str) -> Result<(), Refusal>,
    ) -> Result<u64, Refusal> {
        let lines = Lines::new(self)?;
        let model = self.model;
        let mut kept = match self.keep.is_empty() {
            true => None,
            false => Some(KeptColumns::open(self.table, &model.schema, self.keep)?),
        };
        let (theta, layout) = (model.theta(), model.schema.encoder().layout());
        let mut row = 0;
        let each = |batch: Batch| {
            // The heading goes with the first rows, so that a bad table leaves nothing at all.
            let mut text = if row == 0 { lines.heading() } else { String::new() };
            for score in margins(&layout, batch, &theta) {
                row += 1;
                let copied = kept.as_mut().map(KeptColumns::next_row).transpose()?;
                lines.push(row, &copied.unwrap_or_default(), score, &mut text);
            }
            sink(&text)
        };
        read_batches(self.table, &model.schema, Purpose::Predict, progress, each)?;
        Ok(row)
    }
}

/// How a row's score is written down.
struct Lines {
    json: bool,
    probability: bool,
    /// Names of columns that are copied.
    keep: Vec<String>,
    /// Labels, quoted for the format.
    positive: String,
    negative: String,
}

impl Lines {
    fn new(asked: &Prediction<'_>) -> Result<Lines, Refusal> {
        let model = asked.model;
        let Some([negative, positive]) = model.schema.target().labels.two_names() else {
            return Err(Refusal::bad_file(asked.model_file, "only models with two classes can be applied"));
        };
        let quote = if asked.json { json_text } else { field };
        Ok(Lines {
            json: asked.json,
            probability: model.training.loss == LossKind::Logistic,
            keep: kept_names(asked.keep)?,
            positive: quote(&positive),
            negative: quote(&negative),
        })
    }

    fn heading(&self) -> String {
        if self.json {
            return String::new();
        }
        let kept: String = self.keep.iter().map(|name| field(name) + ",").collect();
        let probability = if self.probability { "probability," } else { "" };
        format!("row,{kept}score,{probability}label\n")
    }

    /// One row: its number, what is copied of it, and what the model says.
    fn push(&self, row: u64, copied: &[String], score: f64, into: &mut String) {
        let label = if score > 0.0 { &self.positive } else { &self.negative };
        let probability = self.probability.then(|| 1.0 / (1.0 + (-score).exp()));
        if self.json {
            let named = self.keep.iter().zip(copied);
            let kept: String =
                named.map(|(name, text)| format!("{}:{},", json_text(name), json_text(text))).collect();
            let probability = probability.map(|p| format!("\"probability\":{p},")).unwrap_or_default();
            into.push_str(&format!(
                "{{\"row\":{row},{kept}\"score\":{score},{probability}\"label\":{label}}}\n"
            ));
        } else {
            // An empty field stays one: quotes around nothing would be read as something by some.
            let kept: String = copied
                .iter()
                .map(|text| if text.is_empty() { ",".to_owned() } else { field(text) + "," })
                .collect();
            let probability = probability.map(|p| format!("{p},")).unwrap_or_default();
            into.push_str(&format!("{row},{kept}{score},{probability}{label}\n"));
        }
    }
}

/// The columns to copy, none of which may be called as one of the output's own.
fn kept_names(keep: &[String]) -> Result<Vec<String>, Refusal> {
    match keep.iter().find(|name| ["row", "score", "probability", "label"].contains(&name.as_str())) {
        Some(name) => Err(Refusal::bad_input(format!(
            "{} {name}: the output has a column `{name}` of its own; rename the one of the table",
            Arguments::Flags.name("keep")
        ))),
        None => Ok(keep.to_vec()),
    }
}

fn json_text(text: &str) -> String {
    serde_json::to_string(text).expect("a text is plain data")
}
