//! `discretion report`: the page of a model file, made again.

use crate::args::Report;
use crate::files::{self, Existing, Readers};
use crate::out;
use discretion::Refusal;
use discretion_formats::{AnyModel, Model, NumberModel};
use discretion_jobs::fit::at_level;
use discretion_jobs::number::at_level as at_level_of_number;
use discretion_report::report;
use std::path::Path;

/// The model at `path` with its intervals at another level, if one is asked for.
pub fn at_asked_level(model: Model, path: &Path, level: Option<f64>) -> Result<Model, Refusal> {
    let Some(level) = level else { return Ok(model) };
    if model.evidence.is_none() && model.parts.is_none() {
        let sentence = "this model has no intervals, so there is no level to change; add [intervals] to its study file and \
                        fit again, or leave --level out";
        return Err(Refusal::bad_file(path, sentence));
    }
    at_level(model, level).map_err(|error| Refusal::bad_input(format!("--level: {error}")))
}

/// Writes the page.
pub fn run(args: &Report) -> Result<(), Refusal> {
    let model = match AnyModel::read(&args.model)? {
        AnyModel::Number(model) => return number(args, *model),
        AnyModel::Classes(model) => at_asked_level(*model, &args.model, args.level)?,
    };
    let page = args.out.clone().unwrap_or_else(|| files::page_of(&args.model));
    let private = model.warning.is_none();
    Existing::new(args.force || args.out.is_none())
        .check(&page, "choose another name, or overwrite it with --force")?;
    files::keep_input(&page, &args.model)?;
    let readers = if private { Readers::Anyone } else { Readers::Owner };
    files::write(&page, readers, &report::html(&model, &args.model, None))?;
    if let Some(reason) = &model.warning {
        eprintln!("warning: {}: NOT PRIVATE: {reason}", page.display());
    } else if model.intervals.is_none() {
        eprintln!(
            "note: the model has no intervals, so the plot shows estimates alone; add [intervals] to the study file"
        );
    }
    out::print(&format!("{}\n", page.display()))
}

/// The page of a number's model.
fn number(args: &Report, model: NumberModel) -> Result<(), Refusal> {
    let model = match args.level {
        None => model,
        Some(level) => at_level_of_number(model, level)
            .map_err(|error| Refusal::bad_input(format!("--level: {error}")))?,
    };
    let page = args.out.clone().unwrap_or_else(|| files::page_of(&args.model));
    Existing::new(args.force || args.out.is_none())
        .check(&page, "choose another name, or overwrite it with --force")?;
    files::keep_input(&page, &args.model)?;
    let readers = if model.warning.is_none() { Readers::Anyone } else { Readers::Owner };
    files::write(&page, readers, &report::number_html(&model, &args.model, None))?;
    if let Some(reason) = &model.warning {
        eprintln!("warning: {}: NOT PRIVATE: {reason}", page.display());
    }
    out::print(&format!("{}\n", page.display()))
}
