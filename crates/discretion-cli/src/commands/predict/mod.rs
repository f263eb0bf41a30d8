//! `discretion predict`: a published model applied to a table, in as much memory as a few blocks need.

mod classes;
mod number;

use self::classes::ClassLines;
use crate::args::Predict;
use crate::csv::{Sink, field};
use crate::files::{self, Existing, Readers};
use crate::out;
use crate::progress::Reading;
use discretion::Refusal;
use discretion::erm::matrix::{Batch, margins};
use discretion::loss::LossKind;
use discretion_formats::{Model, NumberModel};
use discretion_table::{KeptColumns, Purpose, Schema, read_batches};

/// Scores every row of a table.
pub fn run(args: &Predict) -> Result<(), Refusal> {
    if let Some(model) = NumberModel::read(&args.model)? {
        return number::run(args, &model);
    }
    let model = Model::read(&args.model)?;
    let lines = Lines::new(&model, args)?;
    let classes = model.classes().map(|names| ClassLines::new(&names, args)).transpose()?;
    let Opened { mut kept, mut sink, reading } = open(args, model.privacy.private, &model.schema)?;
    let (theta, layout) = (model.theta(), model.schema.encoder().layout());
    let mut row = 0;
    let each = |batch: Batch| {
        if let Some(classes) = &classes {
            let mut text = if row == 0 { classes.heading() } else { String::new() };
            for probabilities in model.class_probabilities(&batch) {
                row += 1;
                let copied = kept.as_mut().map(KeptColumns::next_row).transpose()?;
                classes.push(row, &copied.unwrap_or_default(), &probabilities, &mut text);
            }
            return sink.write(&text);
        }
        // The heading goes with the first rows, so that a bad table leaves nothing at all.
        let mut text = if row == 0 { lines.heading() } else { String::new() };
        for score in margins(&layout, batch, &theta) {
            row += 1;
            let copied = kept.as_mut().map(KeptColumns::next_row).transpose()?;
            lines.push(row, &copied.unwrap_or_default(), score, &mut text);
        }
        sink.write(&text)
    };
    read_batches(&args.file, &model.schema, Purpose::Predict, &|progress| reading.update(progress), each)?;
    sink.finish()
}

/// What is written to, and what is copied from the table.
struct Opened {
    kept: Option<KeptColumns>,
    sink: Sink,
    reading: Reading,
}

/// Checks where the output goes, and opens it.
fn open(args: &Predict, is_private: bool, schema: &Schema) -> Result<Opened, Refusal> {
    if let Some(path) = &args.out {
        Existing::new(args.force).check(path, "name another one, or overwrite it with --force")?;
        files::keep_input(path, &args.file)?;
        files::keep_input(path, &args.model)?;
    }
    if !is_private {
        eprintln!("warning: {}: this model is NOT PRIVATE, and so are its scores", args.model.display());
    }
    let kept = match args.keep.is_empty() {
        true => None,
        false => Some(KeptColumns::open(&args.file, schema, &args.keep)?),
    };
    // What is copied from a table is not published by being beside a score.
    let readers = if is_private && args.keep.is_empty() { Readers::Anyone } else { Readers::Owner };
    let sink = Sink::open(args.out.as_deref(), readers)?;
    let reading = match args.out {
        None if out::is_terminal() => Reading::hidden(),
        _ => Reading::of(&args.file),
    };
    Ok(Opened { kept, sink, reading })
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
    fn new(model: &Model, args: &Predict) -> Result<Lines, Refusal> {
        // Of several classes there are other lines.
        let [negative, positive] = model.schema.target().labels.two_names().unwrap_or_default();
        let quote = if args.json { json_text } else { field };
        Ok(Lines {
            json: args.json,
            probability: model.training.loss == LossKind::Logistic,
            keep: kept_names(args)?,
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
        let kept = kept_fields(self.json, &self.keep, copied);
        if self.json {
            let probability = probability.map(|p| format!("\"probability\":{p},")).unwrap_or_default();
            into.push_str(&format!(
                "{{\"row\":{row},{kept}\"score\":{score},{probability}\"label\":{label}}}\n"
            ));
        } else {
            let probability = probability.map(|p| format!("{p},")).unwrap_or_default();
            into.push_str(&format!("{row},{kept}{score},{probability}{label}\n"));
        }
    }
}

/// What is copied of a row, in the format of the output.
fn kept_fields(json: bool, names: &[String], copied: &[String]) -> String {
    if json {
        let named = names.iter().zip(copied);
        return named.map(|(name, text)| format!("{}:{},", json_text(name), json_text(text))).collect();
    }
    // An empty field stays one: quotes around nothing would be read as something by some.
    copied.iter().map(|text| if text.is_empty() { ",".to_owned() } else { field(text) + "," }).collect()
}

/// The columns to copy, none of which may be called as one of the output's own.
fn kept_names(args: &Predict) -> Result<Vec<String>, Refusal> {
    match args.keep.iter().find(|name| ["row", "score", "probability", "label"].contains(&name.as_str())) {
        Some(name) => Err(Refusal::bad_input(format!(
            "--keep {name}: the output has a column `{name}` of its own; rename the one of the table"
        ))),
        None => Ok(args.keep.clone()),
    }
}

fn json_text(text: &str) -> String {
    serde_json::to_string(text).expect("a text is plain data")
}
