//! What density is wanted, checked as far as it can be without reading a row.

use super::{ChoiceFacts, DensityFile, RunFacts, axis};
use crate::arguments::Arguments;
use crate::error::Error;
use crate::model::LedgerEntry;
use crate::numbers::{count, short};
use discretion::density::{Axis, Bins, DensityError, Histogram, HistogramPlan, Points, Scale};
use discretion::noise::Source;
use discretion::privacy::Budget;
use discretion_report::numbers::at_most;
use discretion_table::Column;

/// A density of some columns.
pub struct Request {
    columns: Vec<Column>,
    histogram: Histogram,
    arguments: Arguments,
    /// Where the budget was written, for messages.
    spend: String,
}

impl Request {
    /// Checks what is asked for: columns, of which none is dropped, and numbers of bins to choose from, which are the
    /// plan's to find if there are none. `spend` says where the budget was written.
    pub fn new(
        columns: Vec<Column>,
        bins: Option<&[usize]>,
        budget: Budget,
        arguments: Arguments,
        spend: String,
    ) -> Result<Request, Error> {
        let axes: Vec<Axis> = columns.iter().map(axis).collect();
        let candidates = match bins {
            Some(_) if !axes.iter().any(is_numeric) => {
                return Err(Error::BadInput(format!(
                    "{}: these columns have categories, one cell for each value, and nothing to cut into bins; \
                     leave it out",
                    arguments.name("bins")
                )));
            }
            Some(list) => Some(list.iter().map(|&bins| candidate(&axes, bins)).collect()),
            None => None,
        };
        let histogram = Histogram { candidates, ..Histogram::new(axes, budget) };
        let request = Request { columns, histogram, arguments, spend };
        // More rows than any table has: what is refused even so, no row has to be read for.
        request.plan(1 << 40)?;
        Ok(request)
    }

    /// What is described.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Fixes every public number of a run on so many rows.
    pub fn plan(&self, rows: usize) -> Result<HistogramPlan, Error> {
        self.histogram.plan(rows).map_err(|error| self.explain(&error))
    }

    /// Runs a plan, which must be paid for if `source` is the operating system.
    pub fn run(
        &self,
        plan: &HistogramPlan,
        points: &Points,
        ledger: Option<LedgerEntry>,
        source: &mut impl Source,
    ) -> Result<DensityFile, Error> {
        let density = plan.run(points, source).map_err(|error| self.explain(&error))?;
        let (choice, bins) = self.how_bins_came_about(plan, density.bins());
        let run = RunFacts::of(plan, points.rows(), choice, bins);
        Ok(DensityFile::released(&density, &self.columns, plan, run, ledger))
    }

    /// The choice and its story.
    fn how_bins_came_about(&self, plan: &HistogramPlan, chosen: &Bins) -> (Option<ChoiceFacts>, String) {
        let numeric: Vec<usize> =
            (0..self.histogram.axes.len()).filter(|&i| is_numeric(&self.histogram.axes[i])).collect();
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
            "{number}, chosen privately from {}, for {} % of the budget; {} % of the rows, by position, scored the candidates, \
             and all were counted in the end",
            list.join(", "),
            short(100.0 * selection_share),
            short(100.0 * validation_share)
        );
        (Some(ChoiceFacts { budget_share: selection_share, validation_share, rule, ceiling }), words)
    }

    /// A refusal as the user's or the machine's fault.
    fn explain(&self, error: &DensityError) -> Error {
        let spend = &self.spend;
        let cells = self.arguments.name(if self.histogram.candidates.is_some() { "bins" } else { "column" });
        match error {
            &DensityError::TooFewRows { rows, budget, cells, needed, smallest } => {
                let larger = smallest.map(|budget| format!(" or {}", rounded_up(budget))).unwrap_or_default();
                let fewer = if self.histogram.axes.iter().any(is_numeric) { "bins" } else { "columns" };
                Error::Refused(format!(
                    "{spend}: {} rows are too few for {budget} and {} cells, because noise would outweigh them; it takes at \
                     least {} rows{larger}, or fewer {fewer}; nothing was charged",
                    count(rows),
                    count(cells),
                    count(needed)
                ))
            }
            DensityError::Noise(_) => Error::Refused(format!("{error}; nothing was released")),
            DensityError::TooManyCells { .. } => Error::BadInput(format!("{cells}: {error}")),
            _ => Error::BadInput(format!("{spend}: {error}")),
        }
    }
}

fn is_numeric(axis: &Axis) -> bool {
    matches!(axis.scale, Scale::Interval { .. })
}

/// The same number of bins for every column of numbers.
fn candidate(axes: &[Axis], bins: usize) -> Bins {
    let cells = |axis: &Axis| match &axis.scale {
        Scale::Interval { .. } => bins,
        Scale::Categories { values } => values.len() + 1,
    };
    Bins(axes.iter().map(cells).collect())
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
