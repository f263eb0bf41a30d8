//! What `density` says: the same public numbers as in its file.

use crate::density::{DensityColumn, DensityFile};
use crate::numbers::{count, short, significant};
use crate::text_table::TextTable;
use std::fmt::Write;
use std::path::Path;

/// More cells of a column than this are left to the page and the file.
const MOST_SHOWN: usize = 64;

/// The longest bar, in characters.
const LONGEST: f64 = 30.0;

/// The summary of a density at `path`; `account` says who paid, if anyone did.
pub fn of(file: &DensityFile, path: &Path, page: &Path, picture: Option<&Path>, account: &str) -> String {
    let run = &file.run;
    // Written for a private density or a warning alike: the first line is the one that matters most.
    let mut text = format!("{}\n\n", file.privacy.statement);
    let mut fact = |name: &str, value: String| {
        writeln!(text, "{name:<14}{value}").expect("writing to a String cannot fail");
    };
    fact("density", path.display().to_string());
    fact("page", page.display().to_string());
    if let Some(picture) = picture {
        fact("picture", picture.display().to_string());
    }
    if !account.is_empty() {
        fact("account", account.to_owned());
    }
    fact("rows", count(run.rows));
    fact("bins", run.bins.clone());
    fact(
        "noise",
        format!(
            "{}, ±{} rows in each of {} cells, so ±{} % of a cell's share",
            run.noise.name(),
            short(run.noise_deviation),
            count(file.density.bins().cells()),
            short(100.0 * run.share_deviation(1))
        ),
    );
    for (i, column) in file.columns.iter().enumerate() {
        text.push('\n');
        text.push_str(&table(column, &file.marginal(i)).render());
        if let Some(more) = file.density.bins().0[i].checked_sub(MOST_SHOWN + 1) {
            text.push_str(&format!("… and {} more in {}\n", count(more + 1), page.display()));
        }
    }
    text
}

fn table(column: &DensityColumn, shares: &[f64]) -> TextTable {
    let mut table = TextTable::new(&[&column.name, "share", ""]);
    let most = shares.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    for (label, share) in labels(column).into_iter().zip(shares).take(MOST_SHOWN) {
        let bar = "█".repeat((LONGEST * share / most).round() as usize);
        // As wide as the longest: other columns than the first are set right.
        table.row(vec![label, format!("{:.2} %", 100.0 * share), format!("{bar:<width$}", width = LONGEST as usize)]);
    }
    table
}

/// What each cell is called: its ends, to as many digits as tell them apart, or its name.
fn labels(column: &DensityColumn) -> Vec<String> {
    if !column.names.is_empty() {
        return column.names.clone();
    }
    let written =
        |digits| -> Vec<String> { column.edges.iter().map(|&edge| significant(edge, digits)).collect() };
    let tells_apart = |texts: &Vec<String>| texts.windows(2).all(|pair| pair[0] != pair[1]);
    let texts = (4..17).map(written).find(tells_apart).unwrap_or_else(|| written(17));
    texts.windows(2).map(|pair| format!("{} to {}", pair[0], pair[1])).collect()
}
