//! `discretion predict`: a published model applied to a table.

use crate::args::Predict;
use crate::csv::Sink;
use crate::files::{self, Existing};
use crate::out;
use crate::progress::Reading;
use discretion::{Refusal, Remedy};
use discretion_jobs::predict::{Prediction, Predictor};

/// Predicts every row of a table.
pub fn run(args: &Predict) -> Result<(), Refusal> {
    let model = Predictor::read(&args.model)?;
    let prediction = Prediction {
        model: &model,
        model_file: &args.model,
        table: &args.file,
        keep: &args.keep,
        json: args.json,
        threshold: args.threshold,
    };
    prediction.check()?;
    if let Some(path) = &args.out {
        Existing::new(args.force).check(path, &[Remedy::AnotherFile, Remedy::Overwrite])?;
        files::keep_input(path, &args.file)?;
        files::keep_input(path, &args.model)?;
    }
    if !model.is_private() {
        eprintln!(
            "warning: {}: this model is NOT PRIVATE, and so are its scores",
            args.model.display()
        );
    }
    if let Some(about) = prediction.about_threshold() {
        eprintln!("note: {about}");
    }
    let mut sink = Sink::open(args.out.as_deref(), prediction.readers())?;
    let reading = match args.out {
        None if out::is_terminal() => Reading::hidden(),
        _ => Reading::of(&args.file),
    };
    prediction.write(&|progress| reading.update(progress), |text| sink.write(text))?;
    sink.finish()
}
