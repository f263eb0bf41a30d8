//! Thresholds and groups, as tables.

use super::{in_percent, interval};
use crate::markup::Element;
use crate::numbers::{decimal, percent, short};
use crate::report::facts::visible;
use crate::report::page::{self, table_row as row};
use discretion::quality::{Estimate, Figures};
use discretion_formats::QualityFacts;

/// A table of figures.
pub(super) fn table(names: &[&str], rows: impl Iterator<Item = Element>, label: &str) -> Element {
    page::table("coefficients", names, rows, label)
}

pub(super) fn share(estimate: &Estimate) -> String {
    format!("{} ({})", percent(estimate.value), in_percent(estimate))
}

/// What each threshold does.
pub fn thresholds(figures: &Figures) -> Element {
    let names =
        ["positive above", "rows above", "recall", "false positives", "precision", "accuracy"];
    let rows = figures.thresholds.iter().map(|at| {
        let name = match at.probability {
            Some(probability) => percent(probability),
            None => format!("score {}", short(at.score)),
        };
        let shares = [&at.flagged, &at.recall, &at.false_positives, &at.precision, &at.accuracy];
        row(name, shares.into_iter().map(share))
    });
    table(&names, rows, "Thresholds")
}

/// Groups side by side, at the threshold at which the model says yes.
pub fn groups(quality: &QualityFacts, by: &str) -> Element {
    let names = [visible(by), "AUC", "interval", "positive rows", "recall", "false positives"];
    let nothing = || "–".to_owned();
    let rows = quality.groups.iter().map(|group| {
        let at = group.figures.nearest(0.0);
        let auc = group.figures.auc.as_ref();
        let cells = [
            auc.map_or_else(nothing, |auc| decimal(auc.value, 3)),
            auc.map_or_else(nothing, interval),
            share(&group.figures.base_rate),
            at.map_or_else(nothing, |at| share(&at.recall)),
            at.map_or_else(nothing, |at| share(&at.false_positives)),
        ];
        row(visible(&group.value), cells.into_iter())
    });
    table(&names, rows, "Groups")
}
