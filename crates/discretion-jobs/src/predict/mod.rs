//! A published model applied to a table, in as much memory as a few blocks need.

mod classes;
mod number;
mod two;

use discretion::Refusal;
use discretion::erm::matrix::Batch;
use discretion_disk::files::Readers;
use discretion_report::coefficients::field;
use discretion_table::{KeptColumns, Progress, Purpose, read_batches};
use std::path::Path;

pub use discretion_formats::AnyModel as Predictor;

/// The column, or the field, that marks every row of what no guarantee covers.
pub const NOT_PRIVATE: &str = "NOT PRIVATE";

/// What is predicted, and how it is written down.
pub struct Prediction<'p> {
    /// The model.
    pub model: &'p Predictor,
    /// Its file, for messages.
    pub model_file: &'p Path,
    /// The table.
    pub table: &'p Path,
    /// Columns that are copied as they are.
    pub keep: &'p [String],
    /// One JSON object for each row, instead of CSV.
    pub json: bool,
    /// Where the positive of two classes begins: a probability, or a score where the model has
    /// none. Nothing for the usual place.
    pub threshold: Option<f64>,
}

/// What one kind of model says of rows.
trait Predictions {
    /// The output's own columns, beside the row's number.
    fn columns(&self) -> Vec<String>;

    /// The fields of each row, in the format of the output.
    fn fields(&self, batch: Batch) -> Vec<String>;

    /// Whether there is a score beyond which a row is called positive.
    fn has_threshold(&self) -> bool {
        false
    }
}

impl Prediction<'_> {
    /// What is copied from a table is not published by being beside a score.
    pub fn readers(&self) -> Readers {
        if self.model.is_private() && self.keep.is_empty() {
            Readers::Anyone
        } else {
            Readers::Owner
        }
    }

    /// Refuses what cannot be predicted, before a row is read.
    pub fn check(&self) -> Result<(), Refusal> {
        self.says().map(drop)
    }

    /// What was released about this threshold, in a sentence.
    pub fn about_threshold(&self) -> Option<String> {
        match self.model {
            Predictor::Classes(model) => two::about_threshold(model, self.threshold?),
            Predictor::Number(_) => None,
        }
    }

    fn says(&self) -> Result<Box<dyn Predictions + '_>, Refusal> {
        let says: Box<dyn Predictions> = match self.model {
            Predictor::Number(model) => Box::new(number::Numbers::new(model, self)?),
            Predictor::Classes(model) => match model.classes() {
                Some(names) => Box::new(classes::Classes::new(model, &names, self.json)),
                None => Box::new(two::TwoClasses::new(model, self)?),
            },
        };
        if self.threshold.is_some() && !says.has_threshold() {
            return Err(Refusal::bad_input("only a model of two classes has a threshold")
                .about("threshold"));
        }
        let own = [vec!["row".to_owned(), NOT_PRIVATE.to_owned()], says.columns()].concat();
        if let Some(name) = self.keep.iter().find(|name| own.contains(name)) {
            return Err(Refusal::bad_input(format!(
                "the output has a column `{name}` of its own; rename the one of the table"
            ))
            .about("keep"));
        }
        Ok(says)
    }

    /// Predicts every row. `sink` gets lines as they are made.
    pub fn write(
        &self,
        progress: &dyn Fn(Progress),
        mut sink: impl FnMut(&str) -> Result<(), Refusal>,
    ) -> Result<u64, Refusal> {
        let says = self.says()?;
        let schema = self.model.schema();
        let mut kept = match self.keep.is_empty() {
            true => None,
            false => Some(KeptColumns::open(self.table, schema, self.keep)?),
        };
        let mut row = 0;
        let each = |batch: Batch| {
            // The heading goes with the first rows, so that a bad table leaves nothing at all.
            let mut text = if row == 0 { self.heading(&*says) } else { String::new() };
            for fields in says.fields(batch) {
                row += 1;
                let copied =
                    kept.as_mut().map(KeptColumns::next_row).transpose()?.unwrap_or_default();
                let copied = self.copied(&copied);
                text.push_str(&match (self.json, self.model.is_private()) {
                    (true, true) => format!("{{\"row\":{row},{copied}{fields}}}\n"),
                    (true, false) => {
                        format!("{{\"{NOT_PRIVATE}\":true,\"row\":{row},{copied}{fields}}}\n")
                    }
                    (false, true) => format!("{row},{copied}{fields}\n"),
                    (false, false) => format!("{row},{copied}{fields},true\n"),
                });
            }
            sink(&text)
        };
        read_batches(self.table, schema, Purpose::Predict, progress, each)?;
        Ok(row)
    }

    fn heading(&self, says: &dyn Predictions) -> String {
        if self.json {
            return String::new();
        }
        let mark = (!self.model.is_private()).then(|| NOT_PRIVATE.to_owned());
        let names = self.keep.iter().cloned().chain(says.columns()).chain(mark);
        let names: String = names.map(|name| format!(",{}", field(&name))).collect();
        format!("row{names}\n")
    }

    /// What is copied of a row, in the format of the output.
    fn copied(&self, copied: &[String]) -> String {
        if self.json {
            let named = self.keep.iter().zip(copied);
            return named
                .map(|(name, text)| format!("{}:{},", json_text(name), json_text(text)))
                .collect();
        }
        // An empty field stays one: quotes around nothing would be read as something by some.
        copied
            .iter()
            .map(|text| if text.is_empty() { ",".to_owned() } else { field(text) + "," })
            .collect()
    }
}

fn json_text(text: &str) -> String {
    serde_json::to_string(text).expect("a text is plain data")
}
