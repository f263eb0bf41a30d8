//! `discretion report`: the page of a model file, made again.

use crate::args::Report;
use crate::files::{self, Existing, Readers};
use crate::out;
use discretion::{Refusal, Remedy};
use discretion_formats::AnyModel;
use discretion_jobs::fit::at_level;
use discretion_jobs::number::at_level as at_level_of_number;
use discretion_report::report;
use std::path::Path;

/// The model at `path` with its intervals at another level, if one is asked for.
pub fn at_asked_level(
    model: AnyModel,
    path: &Path,
    level: Option<f64>,
) -> Result<AnyModel, Refusal> {
    let Some(level) = level else { return Ok(model) };
    let add = match &model {
        AnyModel::Classes(model) if model.evidence.is_none() && model.parts.is_none() => {
            "add [intervals] to its study file and fit again, or leave --level out"
        }
        AnyModel::Number(model) if model.moments.is_none() => {
            "fit it with loss = \"squares\", or leave --level out"
        }
        _ => {
            return changed(model, level)
                .map_err(|error| Refusal::bad_input(format!("--level: {error}")));
        }
    };
    let sentence = format!("this model has no intervals, so there is no level to change; {add}");
    Err(Refusal::bad_file(path, sentence))
}

fn changed(model: AnyModel, level: f64) -> Result<AnyModel, String> {
    match model {
        AnyModel::Classes(model) => {
            at_level(*model, level).map(AnyModel::from).map_err(|error| error.to_string())
        }
        AnyModel::Number(model) => {
            at_level_of_number(*model, level).map(AnyModel::from).map_err(|error| error.to_string())
        }
    }
}

/// Writes the page.
pub fn run(args: &Report) -> Result<(), Refusal> {
    let model = at_asked_level(AnyModel::read(&args.model)?, &args.model, args.level)?;
    let page = args.out.clone().unwrap_or_else(|| files::page_of(&args.model));
    Existing::new(args.force || args.out.is_none())
        .check(&page, &[Remedy::AnotherFile, Remedy::Overwrite])?;
    files::keep_input(&page, &args.model)?;
    let readers = if model.warning().is_none() { Readers::Anyone } else { Readers::Owner };
    files::write(&page, readers, &report::model_page(&model, &args.model, None))?;
    let lacks_intervals = matches!(&model, AnyModel::Classes(model) if model.intervals.is_none());
    if let Some(reason) = model.warning() {
        eprintln!("warning: {}: NOT PRIVATE: {reason}", page.display());
    } else if lacks_intervals {
        eprintln!(
            "note: the model has no intervals, so the plot shows estimates alone; add [intervals] to the study file"
        );
    }
    out::print(&format!("{}\n", page.display()))
}
