//! The density of a table's columns: a histogram with chosen bins.
//!
//! [`DensityJob`] (what is wanted, checked as far as it can be without reading a row) and
//! [`DensityRows`] (the table) → [`spend`](crate::spend) → a [`DensityFile`].

mod rows;
mod whole;

pub use rows::{CountRows, CountedPoints, DensityRows, log_densities};
pub use whole::{DensityFiles, StudyDensity};

use crate::arguments::Arguments;
use crate::identity::{Settings, earlier};
use crate::job::Job;
use crate::promise::{promise_of_run, warning};
use crate::stoppable::unless_stopped;
use discretion::Refusal;
use discretion::density::{Axis, Bins, Density, DensityError, Histogram, HistogramPlan};
use discretion::noise::{Noise, Released};
use discretion::privacy::Budget;
use discretion::privacy::Unit;
use discretion::privacy::account::Event;
use discretion_formats::{ChoiceFacts, DensityFile, LedgerEntry, RunFacts, axis};
use discretion_report::numbers::at_most;
use discretion_report::numbers::plain::{count, short};
use discretion_table::Column;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A density of some columns.
#[derive(Clone)]
pub struct DensityJob {
    columns: Vec<Column>,
    histogram: Histogram,
    arguments: Arguments,
    /// Where the budget was written, for messages.
    spend: String,
    /// Whom the guarantee is about. Of a person one row is counted.
    pub unit: Unit,
    /// Takes the release away, once it is set.
    pub stop: Option<Arc<AtomicBool>>,
}

impl DensityJob {
    /// Checks what is asked for: columns, of which none is dropped, and numbers of bins to choose
    /// from, which are the plan's to find if there are none. `spend` says where the budget was
    /// written.
    pub fn new(
        columns: Vec<Column>,
        bins: Option<&[usize]>,
        budget: Budget,
        arguments: Arguments,
        spend: String,
    ) -> Result<DensityJob, Refusal> {
        let axes: Vec<Axis> = columns.iter().map(axis).collect();
        let candidates = match bins {
            Some(_) if !axes.iter().any(is_numeric) => {
                return Err(Refusal::bad_input(format!(
                    "{}: these columns have categories, one cell for each value, and nothing to cut into bins; \
                     leave it out",
                    arguments.name("bins")
                )));
            }
            Some(list) => Some(list.iter().map(|&bins| candidate(&axes, bins)).collect()),
            None => None,
        };
        let histogram = Histogram { candidates, ..Histogram::new(axes, budget) };
        let job = DensityJob { columns, histogram, arguments, spend, unit: Unit::Row, stop: None };
        // More rows than any table has: what is refused even so, no row has to be read for.
        job.plan(1 << 40)?;
        Ok(job)
    }

    /// What is described.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The choice and its story.
    fn how_bins_came_about(
        &self,
        plan: &HistogramPlan,
        chosen: &Bins,
    ) -> (Option<ChoiceFacts>, String) {
        let numeric: Vec<usize> = (0..self.histogram.axes.len())
            .filter(|&i| is_numeric(&self.histogram.axes[i]))
            .collect();
        if numeric.is_empty() {
            return (None, "one for each value, and one for all others".to_owned());
        }
        let written = |candidate: &Bins| {
            let bins: Vec<String> = numeric.iter().map(|&i| candidate.0[i].to_string()).collect();
            bins.join(" × ")
        };
        let number = written(chosen);
        if plan.candidates().len() == 1 {
            let why = match self.histogram.candidates {
                Some(_) => "as asked for",
                None => "rows and budget allow no choice",
            };
            return (None, format!("{number}, {why}"));
        }
        let Histogram { selection_share, validation_share, rule, ceiling, .. } = self.histogram;
        let list: Vec<String> = plan.candidates().iter().map(written).collect();
        let words = format!(
            "{number}, chosen privately from {}, for {} % of the budget; {} % of the {}, by position, scored the candidates, \
             and all were counted in the end",
            list.join(", "),
            short(100.0 * selection_share),
            short(100.0 * validation_share),
            self.unit.plural()
        );
        (
            Some(ChoiceFacts { budget_share: selection_share, validation_share, rule, ceiling }),
            words,
        )
    }

    /// A refusal as the user's or the machine's fault.
    fn explain(&self, error: DensityError) -> Refusal {
        let spend = &self.spend;
        let cells = self.arguments.name(if self.histogram.candidates.is_some() {
            "bins"
        } else {
            "column"
        });
        let refusal = match &error {
            &DensityError::TooFewRows { rows, budget, cells, needed, smallest } => {
                let larger = smallest
                    .map(|budget| format!(" or {}", rounded_up(budget)))
                    .unwrap_or_default();
                let units = self.unit.plural();
                let fewer =
                    if self.histogram.axes.iter().any(is_numeric) { "bins" } else { "columns" };
                Refusal::refused(format!(
                    "{spend}: {} {units} are too few for {budget} and {} cells, because noise would outweigh them; it takes at \
                     least {} {units}{larger}, or fewer {fewer}; nothing was charged",
                    count(rows),
                    count(cells),
                    count(needed)
                ))
            }
            DensityError::Noise(_) => Refusal::refused(format!("{error}; nothing was released")),
            DensityError::TooManyCells { .. } => Refusal::bad_input(format!("{cells}: {error}")),
            _ => Refusal::bad_input(format!("{spend}: {error}")),
        };
        refusal.because(error)
    }
}

impl Job for DensityJob {
    const NAME: &'static str = "density";
    const DOING: &'static str = "counting";
    type Rows = dyn CountRows;
    type Plan = HistogramPlan;
    type Released = Released<Density>;
    type Artefact = DensityFile;

    fn budget(&self) -> Budget {
        self.histogram.budget
    }

    fn with_budget(&self, budget: Budget) -> Option<DensityJob> {
        let histogram = Histogram { budget, ..self.histogram.clone() };
        Some(DensityJob { histogram, ..self.clone() })
    }

    fn unit(&self) -> Unit {
        self.unit
    }

    fn settings(&self) -> Option<Settings> {
        let Histogram { budget, candidates, .. } = &self.histogram;
        let numbers = |bins: &Bins| bins.0.clone();
        let candidates: Option<Vec<Vec<usize>>> =
            candidates.as_ref().map(|candidates| candidates.iter().map(numbers).collect());
        let value = json!({ "columns": self.columns, "budget": budget, "bins": candidates });
        let columns = serde_json::to_string(&self.columns).expect("columns are plain data");
        let (budget, bins) = (earlier::budget(*budget), earlier::bins(candidates.as_deref()));
        Some(Settings { value, earlier: format!("{columns} {budget} {bins}") })
    }

    fn count(rows: &(dyn CountRows + 'static)) -> usize {
        rows.rows()
    }

    fn plan(&self, rows: usize) -> Result<HistogramPlan, Refusal> {
        self.histogram.plan(rows).map_err(|error| self.explain(error))
    }

    fn event(&self, plan: &HistogramPlan) -> Event {
        plan.event()
    }

    fn run(
        &self,
        plan: &HistogramPlan,
        rows: &(dyn CountRows + 'static),
        noise: &mut Noise,
    ) -> Result<Released<Density>, Refusal> {
        let density = plan
            .run(&*rows.counted(&plan.wanted())?, noise)
            .map_err(|error| self.explain(error))?;
        // Counting takes moments, so what a stop takes away is the release.
        unless_stopped(self.stop.as_ref())?;
        Ok(density)
    }

    fn artefact(
        &self,
        plan: &HistogramPlan,
        density: Released<Density>,
        paid: Option<LedgerEntry>,
    ) -> Result<DensityFile, Refusal> {
        let (choice, bins) = self.how_bins_came_about(plan, density.bins());
        let run = RunFacts::of(plan, plan.rows(), choice, bins);
        let privacy =
            promise_of_run(density.provenance(), (plan.budget(), self.unit), paid.as_ref());
        let warning = warning(&privacy);
        Ok(DensityFile::new(&density, &self.columns, privacy, warning, run, paid))
    }
}

fn is_numeric(axis: &Axis) -> bool {
    axis.has_bins()
}

/// The same number of bins for every column of numbers, but no more than it has whole ones.
fn candidate(axes: &[Axis], bins: usize) -> Bins {
    Bins(axes.iter().map(|axis| axis.cells(bins)).collect())
}

/// A budget that is enough, to three digits.
fn rounded_up(budget: Budget) -> String {
    match budget {
        Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. } => {
            format!("ε = {}", at_most(epsilon, 3))
        }
        Budget::Zcdp { rho } => format!("ρ = {}", at_most(rho, 3)),
    }
}
