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
use discretion_table::{Labels, Purpose, read_batches};

/// Scores every row of a table.
pub fn run(args: &Predict) -> Result<(), Refusal> {
    let model = Model::read(&args.model)?;
    let lines = Lines::new(&model, args)?;
    if let Some(path) = &args.out {
        Existing::new(args.force).check(path, "name another one, or overwrite it with --force")?;
        files::keep_input(path, &args.file)?;
        files::keep_input(path, &args.model)?;
    }
    if !model.privacy.private {
        eprintln!("warning: {}: this model is NOT PRIVATE, and so are its scores", args.model.display());
    }
    let mut sink = Sink::open(args.out.as_deref(), readers(&model))?;
    let reading = match args.out {
        None if out::is_terminal() => Reading::hidden(),
        _ => Reading::of(&args.file),
    };

    let (theta, layout) = (model.theta(), model.schema.encoder().layout());
    let mut row = 0;
    let each = |batch: Batch| {
        // The heading goes with the first rows, so that a bad table leaves nothing at all.
        let mut text = if row == 0 { lines.heading() } else { String::new() };
        for score in margins(&layout, batch, &theta) {
            row += 1;
            lines.push(row, score, &mut text);
        }
        sink.write(&text)
    };
    read_batches(&args.file, &model.schema, Purpose::Predict, &|progress| reading.update(progress), each)?;
    sink.finish()
}

fn readers(model: &Model) -> Readers {
    if model.privacy.private { Readers::Anyone } else { Readers::Owner }
}

/// How a row's score is written down.
struct Lines {
    json: bool,
    probability: bool,
    /// Labels, quoted for the format.
    positive: String,
    negative: String,
}

impl Lines {
    fn new(model: &Model, args: &Predict) -> Result<Lines, Refusal> {
        let Labels::Two { positive, negative } = &model.schema.target().labels else {
            return Err(Refusal::bad_file(&args.model, "only models with two classes can be applied"));
        };
        // A schema has at least one positive value, and at least one negative one where it lists them.
        let positive = &positive[0];
        let negative =
            negative.as_ref().map_or_else(|| format!("not {positive}"), |values| values[0].clone());
        let quote = if args.json { json_text } else { field };
        Ok(Lines {
            json: args.json,
            probability: model.training.loss == LossKind::Logistic,
            positive: quote(positive),
            negative: quote(&negative),
        })
    }

    fn heading(&self) -> String {
        match (self.json, self.probability) {
            (true, _) => String::new(),
            (false, true) => "row,score,probability,label\n".to_owned(),
            (false, false) => "row,score,label\n".to_owned(),
        }
    }

    fn push(&self, row: u64, score: f64, into: &mut String) {
        let label = if score > 0.0 { &self.positive } else { &self.negative };
        let probability = self.probability.then(|| 1.0 / (1.0 + (-score).exp()));
        let line = match (self.json, probability) {
            (false, None) => format!("{row},{score},{label}\n"),
            (false, Some(p)) => format!("{row},{score},{p},{label}\n"),
            (true, None) => format!("{{\"row\":{row},\"score\":{score},\"label\":{label}}}\n"),
            (true, Some(p)) => {
                format!("{{\"row\":{row},\"score\":{score},\"probability\":{p},\"label\":{label}}}\n")
            }
        };
        into.push_str(&line);
    }
}

fn json_text(text: &str) -> String {
    serde_json::to_string(text).expect("a text is plain data")
}
