//! `density` and `sample`.

use super::{AcceptCheck, ChargeFlags};
use clap::Args as ClapArgs;
use std::path::PathBuf;

/// Publish how columns are distributed: density.json, and a page with the picture.
///
/// A histogram with noise in every count. The number of bins is chosen privately, unless --bins
/// names one. Columns are as the study declares them: numbers between their bounds, categories with
/// one cell for each value and one for all others. The run spends what [spend] of the study or
/// --epsilon says, from the study's account; an existing density is kept unless --force is given.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Example:\n  discretion density study.toml --column age --column ward --bins 8,16,32 --out results"
)]
pub struct Density {
    /// The study file
    #[arg(value_name = "STUDY")]
    pub study: PathBuf,
    /// A column to describe; give it again for several together. The target is one too
    #[arg(long = "column", value_name = "NAME", required = true)]
    pub columns: Vec<String>,
    /// Numbers of bins to choose from, for each column of numbers; one is taken as it is [default:
    /// powers of two that suit rows and budget]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true, value_parser = bins)]
    pub bins: Option<BinsFlag>,
    /// The folder to write to [default: named after the study file, beside it]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Say what the run would cost and leave; charge and compute nothing
    #[arg(long, conflicts_with = "seed")]
    pub dry_run: bool,
    #[command(flatten)]
    pub charge: ChargeFlags,
    /// Print the density file to standard output, and nothing else
    #[arg(long)]
    pub json: bool,
    /// Make it again although there is one; it spends the budget again
    #[arg(long)]
    pub force: bool,
    /// Draw the noise under a fixed seed, for tests: NOT PRIVATE, writes seeded-density.json
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub check: AcceptCheck,
}

/// Draw synthetic rows from a density file.
///
/// The rows are CSV with the density's columns. A number is drawn evenly within its bin, and what
/// is in none of the declared categories is written as "other". Whatever is drawn from a published
/// density is as public as the density, so this spends nothing.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Example:\n  discretion sample results/density.json --rows 1000 --out synthetic.csv"
)]
pub struct Sample {
    /// A density file written by `discretion density`
    #[arg(value_name = "DENSITY")]
    pub density: PathBuf,
    /// How many rows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub rows: u64,
    /// Draw the same rows each time [default: others each time]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Write here, instead of to standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long, requires = "out")]
    pub force: bool,
}

/// Numbers of bins on the command line: at least one, none of them 0, none twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BinsFlag(pub Vec<usize>);

fn bins(text: &str) -> Result<BinsFlag, String> {
    let mut list = Vec::new();
    for part in text.split(',').map(str::trim) {
        let number = match part.parse::<usize>() {
            Ok(number) if number >= 1 => number,
            _ => {
                return Err(format!(
                    "{part:?} is not a whole number of at least 1; write a list such as 8,16,32"
                ));
            }
        };
        if list.contains(&number) {
            return Err(format!("{number} is in the list twice"));
        }
        list.push(number);
    }
    Ok(BinsFlag(list))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_a_list_of_different_whole_numbers() {
        assert_eq!(bins("8"), Ok(BinsFlag(vec![8])));
        assert_eq!(bins(" 8, 16,1"), Ok(BinsFlag(vec![8, 16, 1])));
        for (text, words) in [
            ("", "\"\" is not"),
            ("8,", "\"\" is not"),
            ("0", "\"0\" is not"),
            ("-4", "\"-4\" is not"),
            ("2.5", "\"2.5\" is not"),
            ("8,x", "\"x\" is not"),
            ("99999999999999999999999", "is not a whole number"),
            ("8,16,8", "8 is in the list twice"),
        ] {
            let refusal = bins(text).unwrap_err();
            assert!(refusal.contains(words), "{text}: {refusal}");
        }
    }
}
