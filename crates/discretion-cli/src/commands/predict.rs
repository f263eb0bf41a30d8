//! `discretion predict`: a published model applied to a table, in as much memory as a few blocks need.

use crate::args::Predict;
use crate::exit::Failure;
use crate::files::{Draft, Existing, Readers};
use crate::model::Model;
use crate::out;
use crate::progress::Reading;
use discretion::erm::LossKind;
use discretion::erm::matrix::{Batch, margins};
use discretion_table::{Labels, Purpose, read_batches};
use std::io::{self, BufWriter, StdoutLock, Write};

/// Scores every row of a table.
pub fn run(args: &Predict) -> Result<(), Failure> {
    let model = Model::read(&args.model)?;
    let lines = Lines::new(&model, args)?;
    if let Some(path) = &args.out {
        Existing::new(args.force).check(path, "name another one, or overwrite it with --force")?;
    }
    if !model.privacy.private {
        eprintln!("warning: {}: this model is NOT PRIVATE, and so are its scores", args.model.display());
    }
    let mut sink = match &args.out {
        Some(path) => Sink::File(Draft::create(path, readers(&model))?),
        None => Sink::Stdout(BufWriter::with_capacity(1 << 16, io::stdout().lock())),
    };
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

/// Where the lines go.
enum Sink {
    Stdout(BufWriter<StdoutLock<'static>>),
    File(Draft),
}

impl Sink {
    fn write(&mut self, text: &str) -> Result<(), Failure> {
        match self {
            Sink::Stdout(stdout) => stdout.write_all(text.as_bytes()).map_err(|error| out::failure(&error)),
            Sink::File(draft) => {
                draft.write_all(text.as_bytes()).map_err(|error| Failure::write(draft.path(), &error))
            }
        }
    }

    fn finish(self) -> Result<(), Failure> {
        match self {
            Sink::Stdout(mut stdout) => stdout.flush().map_err(|error| out::failure(&error)),
            Sink::File(draft) => draft.commit(),
        }
    }
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
    fn new(model: &Model, args: &Predict) -> Result<Lines, Failure> {
        let Labels::Two { positive, negative } = &model.schema.target().labels else {
            return Err(Failure::bad_file(&args.model, "only models with two classes can be applied"));
        };
        // A schema has at least one positive value, and at least one negative one where it lists them.
        let positive = &positive[0];
        let negative =
            negative.as_ref().map_or_else(|| format!("not {positive}"), |values| values[0].clone());
        let quote = if args.json { json_text } else { csv_text };
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

/// A CSV field, in quotes where it needs them.
fn csv_text(text: &str) -> String {
    let edges = text.starts_with([' ', '\t']) || text.ends_with([' ', '\t']);
    if edges || text.is_empty() || text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_quoted_where_csv_needs_it() {
        for (text, expected) in
            [("yes", "yes"), ("a, b", "\"a, b\""), ("say \"no\"", "\"say \"\"no\"\"\""), ("", "\"\"")]
        {
            assert_eq!(csv_text(text), expected);
        }
    }
}
