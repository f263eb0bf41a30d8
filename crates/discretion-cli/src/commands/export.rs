//! `discretion export`: a model for other programs.

use super::report::at_asked_level;
use crate::args::{Export, ExportFormat};
use crate::files::{self, Draft, Existing, Readers};
use crate::out;
use discretion::{Refusal, Remedy};
use discretion_formats::AnyModel;
use discretion_report::coefficients;
use discretion_report::report::normal_quantile;
use std::io::Write;
use std::path::Path;

/// Writes it.
pub fn run(args: &Export) -> Result<(), Refusal> {
    let format = format(args)?;
    let model = at_asked_level(AnyModel::read(&args.model)?, &args.model, args.level)?;
    if let Some(path) = &args.out {
        Existing::new(args.force).check(path, &[Remedy::AnotherFile, Remedy::Overwrite])?;
        files::keep_input(path, &args.model)?;
    }
    if let Some(reason) = model.warning() {
        eprintln!("warning: {}: NOT PRIVATE: {reason}", args.model.display());
    }
    let content = match (format, &model) {
        (ExportFormat::Csv, AnyModel::Classes(model)) => coefficients::csv(model).into_bytes(),
        (ExportFormat::Csv, AnyModel::Number(model)) => {
            coefficients::number_csv(model).into_bytes()
        }
        (ExportFormat::Latex, AnyModel::Classes(model)) => {
            coefficients::latex(model, &args.model).into_bytes()
        }
        (ExportFormat::Latex, AnyModel::Number(model)) => {
            coefficients::number_latex(model, &args.model).into_bytes()
        }
        (ExportFormat::Onnx, AnyModel::Classes(model)) => model.to_onnx()?,
        (ExportFormat::Onnx, AnyModel::Number(model)) => model.to_onnx(normal_quantile)?,
    };
    let readers = if model.warning().is_none() { Readers::Anyone } else { Readers::Owner };
    match &args.out {
        Some(path) => write(path, readers, &content),
        None if format == ExportFormat::Onnx => Err(Refusal::bad_input(
            "a file of ONNX is not for reading: say where it goes with --out model.onnx",
        )),
        None => out::print(&String::from_utf8_lossy(&content)),
    }
}

/// A whole file at once.
fn write(path: &Path, readers: Readers, content: &[u8]) -> Result<(), Refusal> {
    let mut draft = Draft::create(path, readers)?;
    draft.write_all(content).map_err(|error| Refusal::unwritten(path, error))?;
    draft.commit()
}

/// As asked for, or as the file is called.
fn format(args: &Export) -> Result<ExportFormat, Refusal> {
    let ending = args.out.as_ref().and_then(|path| path.extension()).unwrap_or_default();
    match (args.format, ending.to_str()) {
        (Some(format), _) => Ok(format),
        (None, Some("csv")) => Ok(ExportFormat::Csv),
        (None, Some("tex")) => Ok(ExportFormat::Latex),
        (None, Some("onnx")) => Ok(ExportFormat::Onnx),
        (None, _) => Err(Refusal::bad_input("say what to write: --format csv, latex or onnx")),
    }
}
