//! `discretion predict`: a published model applied to a table, in as much memory as a few blocks need.

use crate::args::Predict;
use crate::csv::{Sink, field};
use crate::files::{self, Existing, Readers};
use crate::out;
use crate::progress::Reading;
use discretion::Refusal;
use discretion::erm::matrix::{Batch, margins};
use discretion::loss::LossKind;
use discretion_formats::Model;
use discretion_table::{KeptColumns, Purpose, read_batches};

/// Scores every row of a table.
pub fn run(args: &Predict) -> Result<(), Refusal> {
    let model = Model::read(&args.model)?;
    let lines = Lines::new(&model, args)?;
    let classes = model.classes().map(|names| ClassLines::new(&names, args)).transpose()?;
    if let Some(path) = &args.out {
        Existing::new(args.force).check(path, "name another one, or overwrite it with --force")?;
        files::keep_input(path, &args.file)?;
        files::keep_input(path, &args.model)?;
    }
    if !model.privacy.private {
        eprintln!("warning: {}: this model is NOT PRIVATE, and so are its scores", args.model.display());
    }
    let mut kept = match args.keep.is_empty() {
        true => None,
        false => Some(KeptColumns::open(&args.file, &model.schema, &args.keep)?),
    };
    let mut sink = Sink::open(args.out.as_deref(), readers(&model, args))?;
    let reading = match args.out {
        None if out::is_terminal() => Reading::hidden(),
        _ => Reading::of(&args.file),
    };

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

/// What is copied from a table is not published by being beside a score.
fn readers(model: &Model, args: &Predict) -> Readers {
    if model.privacy.private && args.keep.is_empty() { Readers::Anyone } else { Readers::Owner }
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

/// How a row's probabilities are written down, one for each class.
struct ClassLines {
    json: bool,
    keep: Vec<String>,
    /// Names, quoted for the format.
    names: Vec<String>,
    heading: Vec<String>,
}

impl ClassLines {
    fn new(names: &[String], args: &Predict) -> Result<ClassLines, Refusal> {
        let quote = if args.json { json_text } else { field };
        Ok(ClassLines {
            json: args.json,
            keep: kept_names(args)?,
            names: names.iter().map(|name| quote(name)).collect(),
            heading: names.iter().map(|name| field(&format!("probability_{name}"))).collect(),
        })
    }

    fn heading(&self) -> String {
        if self.json {
            return String::new();
        }
        let kept: String = self.keep.iter().map(|name| field(name) + ",").collect();
        format!("row,{kept}{},label\n", self.heading.join(","))
    }

    fn push(&self, row: u64, copied: &[String], probabilities: &[f64], into: &mut String) {
        // Of several that are equally likely, the first.
        let most = probabilities.iter().copied().fold(0.0, f64::max);
        let label = probabilities.iter().position(|&p| p >= most).map_or("", |class| &self.names[class]);
        let kept = kept_fields(self.json, &self.keep, copied);
        if self.json {
            let named = self.names.iter().zip(probabilities);
            let each: Vec<String> = named.map(|(name, p)| format!("{name}:{p}")).collect();
            let each = each.join(",");
            into.push_str(&format!(
                "{{\"row\":{row},{kept}\"probabilities\":{{{each}}},\"label\":{label}}}\n"
            ));
        } else {
            let each: Vec<String> = probabilities.iter().map(f64::to_string).collect();
            into.push_str(&format!("{row},{kept}{},{label}\n", each.join(",")));
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
