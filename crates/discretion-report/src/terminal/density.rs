//! What is said about a density on a terminal: the same public numbers as in its file.

use super::AlignedColumns;
use crate::numbers::plain::{count, short, significant};
use discretion_formats::{DensityColumn, DensityFile, whole_bins};
use std::fmt::Write;

/// The most lines for a column.
const MOST_SHOWN: usize = 20;

/// The longest bar, in characters.
const LONGEST: f64 = 30.0;

/// The summary of a density. `about` comes first: where its files are, who paid.
pub fn summary(file: &DensityFile, about: &[(&str, String)]) -> String {
    let run = &file.run;
    // Written for a private density or a warning alike: the first line is the one that matters
    // most.
    let mut text = format!("{}\n\n", file.privacy.statement);
    let mut fact = |name: &str, value: String| {
        writeln!(text, "{name:<14}{value}").expect("writing to a String cannot fail");
    };
    for (name, value) in about {
        fact(name, value.clone());
    }
    fact(file.privacy.unit.plural(), count(run.rows));
    fact("bins", run.bins.clone());
    fact(
        "noise",
        format!(
            "{}, ±{} rows in each of {} cells, so ±{} % of all rows",
            run.noise.name(),
            short(run.noise_deviation),
            count(file.density.bins().cells()),
            short(100.0 * run.share_deviation(1))
        ),
    );
    for (i, column) in file.columns.iter().enumerate() {
        text.push('\n');
        text.push_str(&table(column, &file.marginal(i)));
    }
    text
}

/// Shares of a column: neighbouring bins together if there are many, and the first of many
/// categories.
fn table(column: &DensityColumn, shares: &[f64]) -> String {
    let (labels, shown, note) = match column.names.is_empty() {
        true => {
            let each = shares.len().div_ceil(MOST_SHOWN);
            let sums = shares.chunks(each).map(|bins| bins.iter().sum()).collect::<Vec<f64>>();
            let ends = (0..=sums.len())
                .map(|line| column.edges[(line * each).min(shares.len())])
                .collect::<Vec<f64>>();
            let note = match each {
                1 => String::new(),
                _ => format!("{each} bins in each line; the page has them one by one\n"),
            };
            (whole_bins(&column.kind, &ends).unwrap_or_else(|| between(&ends)), sums, note)
        }
        false => {
            let shown = shares.iter().copied().take(MOST_SHOWN).collect::<Vec<f64>>();
            let note = match shares.len() - shown.len() {
                0 => String::new(),
                more => format!("… and {} more on the page\n", count(more)),
            };
            (column.names.clone(), shown, note)
        }
    };
    let mut table = AlignedColumns::new(&[&column.name, "share", ""]);
    let most = shown.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    for (label, share) in labels.into_iter().zip(shown) {
        let bar = "█".repeat((LONGEST * share / most).round() as usize);
        // As wide as the longest: other columns than the first are set right.
        let bar = format!("{bar:<width$}", width = LONGEST as usize);
        table.row(vec![label, format!("{:.2} %", 100.0 * share), bar]);
    }
    table.render() + &note
}

/// Each pair of neighbours, to as many digits as tell all apart.
fn between(edges: &[f64]) -> Vec<String> {
    let written =
        |digits| -> Vec<String> { edges.iter().map(|&edge| significant(edge, digits)).collect() };
    let tells_apart = |texts: &Vec<String>| texts.windows(2).all(|pair| pair[0] != pair[1]);
    let texts = (4..17).map(written).find(tells_apart).unwrap_or_else(|| written(17));
    texts.windows(2).map(|pair| format!("{} to {}", pair[0], pair[1])).collect()
}
