//! The page about a density, from its file: public facts and released values, nothing else.

use super::{Cells, DensityReport, Described};
use crate::numbers::plain::short;
use crate::report::of_model;
use discretion_formats::{DensityColumn, DensityFile};
use std::path::Path;

/// What the page about the density at `path` says. `ledger` is named if it is not where the program
/// looks by itself.
pub fn report(file: &DensityFile, path: &Path, ledger: Option<&Path>) -> DensityReport {
    let bins = &file.density.bins().0;
    let together = |i: usize| file.density.bins().cells() / bins[i];
    let described = |(i, column): (usize, &DensityColumn)| Described {
        column: column.column(),
        cells: match column.names.is_empty() {
            true => Cells::Bins(column.edges.clone()),
            false => Cells::Names(column.names.clone()),
        },
        shares: file.marginal(i),
        noise: file.run.share_deviation(together(i)),
        empty: file.run.empty_share(together(i)),
    };
    let by_first =
        |&inner: &usize| file.density.probabilities().chunks(inner).map(<[f64]>::to_vec).collect();
    DensityReport {
        not_private: file.warning.clone(),
        rows: file.run.rows,
        unit: file.privacy.unit,
        columns: file.columns.iter().enumerate().map(described).collect(),
        together: if bins.len() == 2 { bins.last().map(by_first) } else { None },
        noise: file.run.share_deviation(1),
        empty: file.run.empty_share(1),
        guarantee: file.privacy.guarantee,
        account: file.ledger.as_ref().and_then(of_model::account),
        run: facts_of_the_run(file),
        origin: of_model::origin(
            file.program(),
            path,
            &file.to_json(),
            file.ledger.as_ref(),
            ledger,
        ),
    }
}

fn facts_of_the_run(file: &DensityFile) -> Vec<(String, String)> {
    let run = &file.run;
    let noise = format!(
        "{}, ±{} rows in each of {} counts (one standard deviation)",
        run.noise.name(),
        short(run.noise_deviation),
        file.density.bins().cells()
    );
    let shares = "counts with noise, those below 0 set to 0, divided by their sum; if that is much less than the rows, the \
                  rest is spread evenly"
        .to_owned();
    let facts = [("bins", run.bins.clone()), ("noise", noise), ("shares", shares)];
    facts.map(|(name, value)| (name.to_owned(), value)).into()
}
