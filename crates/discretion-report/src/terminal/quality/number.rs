//! The model of a number on a terminal.

use super::percent;
use crate::numbers::plain::{short, significant};
use crate::terminal::AlignedColumns;
use discretion::quality::Estimate;
use discretion_formats::NumberQualityFacts;

/// What rows that did not train say about the model of a number.
pub(super) fn tables(quality: &NumberQualityFacts) -> String {
    let figures = &quality.figures;
    let level = format!("{} % interval", short(100.0 * quality.level));
    let mut table = AlignedColumns::new(&["on rows that did not train", "value", &level]);
    let mut line = |name: &str, estimate: &Estimate| {
        table.row(vec![name.to_owned(), significant(estimate.value, 3), ends(estimate)]);
    };
    if let Some(explained) = &figures.explained {
        line("explained (R²)", explained);
    }
    line("root mean square of residuals", &figures.root_mean_square);
    line("mean size of residuals", &figures.mean_size);
    line("mean residual", &figures.mean_residual);
    let mut text = table.render();
    text.push_str(&format!(
        "larger residuals than ±{} count as that: {} of the rows\n",
        significant(quality.clipped_at, 3),
        percent(&figures.clipped)
    ));
    if !figures.intervals.is_empty() {
        let mut held = AlignedColumns::new(&["prediction interval", "held"]);
        for coverage in &figures.intervals {
            held.row(vec![format!("{} %", short(100.0 * coverage.level)), percent(&coverage.held)]);
        }
        text.push('\n');
        text.push_str(&held.render());
    }
    if let Some(by) = &quality.by {
        text.push('\n');
        text.push_str(&groups(quality, by));
    }
    text
}

/// The figure that says most, in a line.
pub(super) fn line(quality: &NumberQualityFacts) -> String {
    let figures = &quality.figures;
    let (name, figure) = match &figures.explained {
        Some(explained) => ("R²", explained),
        None => ("root mean square of residuals", &figures.root_mean_square),
    };
    format!("{name} {} ({})", significant(figure.value, 3), ends(figure))
}

pub(super) fn groups(quality: &NumberQualityFacts, by: &str) -> String {
    let of_all = ["root mean square", "interval", "mean residual", "interval"];
    let explained: &[&str] =
        if quality.figures.explained.is_some() { &["R²", "interval"] } else { &[] };
    let heads: Vec<&str> = [by].iter().chain(explained).chain(&of_all).copied().collect();
    let mut table = AlignedColumns::new(&heads);
    for group in &quality.groups {
        let mark = if group.warning.is_some() { " *" } else { "" };
        let figures = &group.figures;
        let each =
            figures.explained.iter().chain([&figures.root_mean_square, &figures.mean_residual]);
        let cells = each.flat_map(|figure| [significant(figure.value, 3), ends(figure)]);
        table.row([format!("{}{mark}", group.value)].into_iter().chain(cells).collect());
    }
    table.render()
}

fn ends(estimate: &Estimate) -> String {
    format!("{} to {}", significant(estimate.lower, 3), significant(estimate.upper, 3))
}
