//! What a table looks like under its study: fine, worth a look, or a mistake. It is said to whoever
//! holds the rows, and to nobody else: it was counted without noise.

mod report;
mod verdict;

pub use report::CheckReport;
pub use verdict::{Finding, Verdict, column, outcome};

use discretion::{Refusal, Remedy};
use discretion_table::{Counts, Table};
use std::path::Path;

/// Stops at what can only be a mistake, before anything is charged or released, unless somebody
/// accepts it.
///
/// Whether it stops is a function of rows (docs/threat-model.md).
pub fn stop_at_mistakes(
    counts: &Counts,
    table: &(impl Table + ?Sized),
    accepted: bool,
) -> Result<(), Refusal> {
    if accepted {
        return Ok(());
    }
    let outcome = counts.outcome.iter().map(|counts| (&counts.target.column, outcome(counts)));
    let columns =
        counts.columns.iter().map(|counted| (&counted.name, column(counted, counts.rows)));
    let mistakes: Vec<String> = outcome
        .chain(columns)
        .filter(|(_, finding)| finding.verdict == Verdict::Mistake)
        .map(|(name, finding)| {
            let stop = if finding.sentence.ends_with('?') { "" } else { "." };
            format!("`{name}`: {}{stop}", finding.sentence)
        })
        .collect();
    if mistakes.is_empty() {
        return Ok(());
    }
    Err(Refusal::bad_file(
        Path::new(&table.name()),
        format!(
            "this looks like a mistake (NOT PRIVATE, for you alone): {} Nothing was charged",
            mistakes.join(" ")
        ),
    )
    .or(Remedy::AcceptFindings))
}

#[cfg(test)]
mod tests;
