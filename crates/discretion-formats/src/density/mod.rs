//! The density of a table's columns, and its file: self-contained, and everything in it public,
//! unless its first line says otherwise.
//!
//! A density comes in only as `Released`, so nothing else can end up in a file that claims a
//! guarantee. [`DensityFile::draw`] makes synthetic rows of it.

mod column;
mod draw;
mod whole;

pub use column::{DensityColumn, axis};
pub use draw::Drawn;
pub use whole::whole_bins;

use crate::claim::{self, Claim, ensure};
use crate::format::{Artefact, Format, PROGRAM};
use crate::privacy::{LedgerEntry, Privacy};
use discretion::Refusal;
use discretion::choose::Rule;
use discretion::density::{Axis, Bins, Density, HistogramPlan};
use discretion::noise::{IntegerNoise, Released};
use discretion_table::{Column, unreadable};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A density file.
const FILE: Format = Format {
    name: "discretion-density/1",
    thing: "density",
    file: "density.json",
    command: "density",
};

/// A density file. The order of the fields is the order in the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DensityFile {
    /// First, so that whoever opens the file sees it.
    #[serde(rename = "NOT PRIVATE", default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    format: String,
    program: String,
    /// What is promised.
    pub privacy: Privacy,
    /// The charge that paid for it; none where nothing is promised.
    pub ledger: Option<LedgerEntry>,
    /// How the density came about.
    pub run: RunFacts,
    /// What was declared about each column, and its cells in its own unit.
    pub columns: Vec<DensityColumn>,
    /// The probabilities. A column on a logarithmic scale is laid out by its logarithm here.
    pub density: Density,
}

/// How the density came about: public numbers only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunFacts {
    /// The rows of the table.
    pub rows: usize,
    /// The law of the noise in every count.
    pub noise: CountLaw,
    /// Its standard deviation, in rows.
    pub noise_deviation: f64,
    /// The numbers of bins that could be chosen, for each column.
    pub candidates: Vec<Bins>,
    /// How they were chosen from, if there was a choice.
    pub choice: Option<ChoiceFacts>,
    /// The same in words.
    pub bins: String,
}

/// What is drawn for a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CountLaw {
    /// Probability ∝ exp(−|z|/scale).
    DiscreteLaplace,
    /// Probability ∝ exp(−z²/(2·scale²)).
    DiscreteGaussian,
}

/// How bins were chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChoiceFacts {
    /// The share of the budget that paid for the choice.
    pub budget_share: f64,
    /// The share of the rows, by position, that scored the candidates.
    pub validation_share: f64,
    /// How one was chosen.
    pub rule: Rule,
    /// Scores saw densities up to this many times the even one.
    pub ceiling: u32,
}

impl CountLaw {
    fn of(noise: IntegerNoise) -> CountLaw {
        match noise {
            IntegerNoise::Laplace { .. } => CountLaw::DiscreteLaplace,
            IntegerNoise::Gaussian { .. } => CountLaw::DiscreteGaussian,
            IntegerNoise::Rounded { .. } => unreachable!("no density has rounded noise"),
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            CountLaw::DiscreteLaplace => "discrete Laplace",
            CountLaw::DiscreteGaussian => "discrete Gaussian",
        }
    }
}

impl RunFacts {
    /// What a plan does; `bins` says how it was chosen, in words.
    pub fn of(
        plan: &HistogramPlan,
        rows: usize,
        choice: Option<ChoiceFacts>,
        bins: String,
    ) -> RunFacts {
        RunFacts {
            rows,
            noise: CountLaw::of(plan.noise()),
            noise_deviation: plan.noise().deviation(),
            candidates: plan.candidates().to_vec(),
            choice,
            bins,
        }
    }

    /// The standard deviation of the noise in the share of `cells` cells together.
    pub fn share_deviation(&self, cells: usize) -> f64 {
        (cells as f64).sqrt() * self.noise_deviation / self.rows as f64
    }

    /// The share that noise gives to `cells` cells without rows, on average: counts below 0 are set
    /// to 0, and what is above stays.
    pub fn empty_share(&self, cells: usize) -> f64 {
        let upper_part = match self.noise {
            // E[max(z, 0)] = b/2 for scale b, and the deviation is √2·b; whole numbers change
            // little.
            CountLaw::DiscreteLaplace => 0.125f64.sqrt(),
            // σ/√(2π).
            CountLaw::DiscreteGaussian => (0.5 / std::f64::consts::PI).sqrt(),
        };
        cells as f64 * upper_part * self.noise_deviation / self.rows as f64
    }
}

impl DensityFile {
    /// A density that left through the gate, with what is promised about it.
    pub fn new(
        density: &Released<Density>,
        columns: &[Column],
        privacy: Privacy,
        warning: Option<String>,
        run: RunFacts,
        ledger: Option<LedgerEntry>,
    ) -> DensityFile {
        let bins = &density.bins().0;
        let columns = columns
            .iter()
            .zip(bins)
            .map(|(column, &bins)| DensityColumn::new(column, bins))
            .collect();
        let (format, program) = (FILE.name.to_owned(), PROGRAM.to_owned());
        DensityFile {
            warning,
            format,
            program,
            privacy,
            ledger,
            run,
            columns,
            density: Density::clone(density),
        }
    }

    /// The text of the file.
    pub fn to_json(&self) -> String {
        let json = serde_json::to_string_pretty(self).expect("a density is plain data");
        Format::text(json, self.warning.is_some())
    }

    /// Reads a density file.
    pub fn read(path: &Path) -> Result<DensityFile, Refusal> {
        let json = discretion_disk::files::read_to_string(path)
            .map_err(|error| unreadable(path, &error))?;
        DensityFile::from_json(&json).map_err(|sentence| Refusal::bad_file(path, sentence))
    }

    /// Reads the text of a density file, or says in a sentence why not.
    pub fn from_json(json: &str) -> Result<DensityFile, String> {
        let mut file: DensityFile = FILE.parse(json)?;
        let bins = &file.density.bins().0;
        // Cells are in the file for its readers; they follow from the rest.
        let cells = file
            .columns
            .iter()
            .zip(bins)
            .map(|(column, &bins)| DensityColumn::new(&column.column(), bins));
        file.columns = cells.collect();
        Ok(file)
    }

    /// The program that made it.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// The shares of one column's cells, whatever the others are.
    pub fn marginal(&self, column: usize) -> Vec<f64> {
        self.density.marginal(column).into_iter().map(|bar| bar.probability).collect()
    }
}

impl Artefact for DensityFile {
    fn to_json(&self) -> String {
        DensityFile::to_json(self)
    }

    fn from_json(json: &str) -> Result<DensityFile, String> {
        DensityFile::from_json(json)
    }

    fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }
}

impl Claim for DensityFile {
    fn check(&self) -> Result<(), String> {
        self.privacy.check(self.warning())?;
        self.ledger.as_ref().map_or(Ok(()), LedgerEntry::check)?;
        let axes = self.density.axes();
        let fit = |(column, axis): (&DensityColumn, &Axis)| column.is_laid_out_by(axis);
        ensure(
            self.columns.len() == axes.len() && self.columns.iter().zip(axes).all(fit),
            "its columns do not belong to its axes",
        )?;
        claim::rows(self.run.rows)?;
        claim::not_negative(self.run.noise_deviation, "the deviation of its noise")?;
        ensure(
            self.run.candidates.iter().all(|bins| bins.0.len() == axes.len()),
            "the bins that were chosen from are those of other columns",
        )?;
        match self.run.choice {
            None => Ok(()),
            Some(ChoiceFacts { budget_share, validation_share, rule, .. }) => {
                let shares = [budget_share, validation_share, rule.doubt()];
                shares
                    .into_iter()
                    .try_for_each(|share| claim::share(share, "a share of its choice"))
            }
        }
    }
}
