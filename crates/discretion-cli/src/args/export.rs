//! `discretion export`.

use clap::{Args as ClapArgs, ValueEnum};
use std::path::PathBuf;

/// Write a model for other programs: its coefficients as CSV or LaTeX, or the whole model as ONNX.
///
/// CSV has every digit, one line for each coefficient. LaTeX is a table for a paper, with numbers
/// as the report writes them. ONNX takes the columns of a table by their names, clips and scales
/// them as the study declared, and gives what `discretion predict` gives: labels and probabilities,
/// or predictions and their intervals. Whatever is made from a published model is as public as the
/// model, so this spends nothing.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Example:\n  discretion export results/model.json --format latex --out table.tex"
)]
pub struct Export {
    /// The model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// What to write [default: what the name of the file after --out says: .csv, .tex or .onnx]
    #[arg(long, value_enum)]
    pub format: Option<ExportFormat>,
    /// Write here, instead of to standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Another confidence level, between 0 and 1
    #[arg(long)]
    pub level: Option<f64>,
    /// Overwrite an existing file
    #[arg(long, requires = "out")]
    pub force: bool,
}

/// A format of other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Coefficients, for machines
    Csv,
    /// Coefficients, for a paper
    Latex,
    /// The whole model, for programs that make predictions
    Onnx,
}
