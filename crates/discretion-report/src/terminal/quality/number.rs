//! The model of a number on a terminal.

use super::{percent, small_note};
use crate::numbers::plain::{short, significant};
use crate::terminal::AlignedColumns;
use discretion::quality::Estimate;
use discretion_formats::NumberQualityFacts;

/// What rows that did not train say about the model of a number.
pub(crate) fn tables(quality: &NumberQualityFacts) -> String {
    let figures = &quality.figures;
    let level = format!("{} % interval", short(100.0 * quality.level));
    let mut table = AlignedColumns::new(&["on rows that did not train", "value", &level]);
    let mut line = |name: &str, estimate: &Estimate| {
        table.row(vec![name.to_owned(), significant(estimate.value, 3), ends(estimate)]);
    };
    line("explained (R²)", &figures.explained);
    line("root mean square of residuals", &figures.root_mean_square);
    line("mean size of residuals", &figures.mean_size);
    line("mean residual", &figures.mean_residual);
    let mut text = table.render();
    text.push_str(&format!(
        "residuals beyond ±{} count as that: {} of rows\n\n",
        significant(quality.clipped_at, 3),
        percent(&figures.clipped)
    ));
    let mut held = AlignedColumns::new(&["prediction interval", "held"]);
    for coverage in &figures.intervals {
        held.row(vec![format!("{} %", short(100.0 * coverage.level)), percent(&coverage.held)]);
    }
    text.push_str(&held.render());
    if let Some(by) = &quality.by {
        text.push('\n');
        text.push_str(&groups(quality, by));
    }
    text
}

fn groups(quality: &NumberQualityFacts, by: &str) -> String {
    let mut table =
        AlignedColumns::new(&[by, "R²", "interval", "root mean square", "mean residual", "interval"]);
    for group in &quality.groups {
        let mark = if group.warning.is_some() { " *" } else { "" };
        let figures = &group.figures;
        table.row(vec![
            format!("{}{mark}", group.value),
            significant(figures.explained.value, 3),
            ends(&figures.explained),
            significant(figures.root_mean_square.value, 3),
            significant(figures.mean_residual.value, 3),
            ends(&figures.mean_residual),
        ]);
    }
    table.render() + small_note(quality.groups.iter().any(|group| group.warning.is_some()))
}

fn ends(estimate: &Estimate) -> String {
    format!("{} to {}", significant(estimate.lower, 3), significant(estimate.upper, 3))
}
