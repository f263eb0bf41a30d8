//! Several classes on a terminal.

use super::{decimal, interval, percent};
use crate::numbers::plain::count;
use crate::terminal::AlignedColumns;
use discretion_formats::ClassQualityFacts;

/// What rows that did not train say about a model of several classes.
pub(super) fn tables(quality: &ClassQualityFacts) -> String {
    let figures = &quality.figures;
    let mut text = format!(
        "on rows that did not train: {} called by their true class",
        percent(&figures.accuracy)
    );
    text.push_str(&match &figures.mean_auc {
        Some(auc) => format!("; mean AUC {} ({})\n", decimal(auc.value), interval(auc)),
        None => {
            "; a class has so few rows that noise outweighs them: nothing can be said about the mean AUC\n"
                .to_owned()
        }
    });
    let mut each = AlignedColumns::new(&[
        "class",
        "rows",
        "recall",
        "precision",
        "AUC",
        "interval",
        "Brier score",
    ]);
    for (name, class) in quality.classes.iter().zip(&figures.classes) {
        let auc = class.scores.auc.as_ref();
        each.row(vec![
            name.clone(),
            percent(&class.scores.base_rate),
            percent(&class.recall),
            percent(&class.precision),
            auc.map_or("–".to_owned(), |auc| decimal(auc.value)),
            auc.map_or("–".to_owned(), interval),
            class.scores.brier.as_ref().map_or("–".to_owned(), |brier| decimal(brier.value)),
        ]);
    }
    text.push_str(&each.render());
    text.push('\n');
    text.push_str(&calls(quality));
    if let Some(by) = &quality.by {
        text.push('\n');
        text.push_str(&groups(quality, by));
    }
    text
}

/// Rows of each class by what they are called. A noisy count below 0 is shown as 0.
fn calls(quality: &ClassQualityFacts) -> String {
    let called: Vec<String> =
        quality.classes.iter().map(|class| format!("called {class}")).collect();
    let heads: Vec<&str> =
        ["rows of"].into_iter().chain(called.iter().map(String::as_str)).collect();
    let mut table = AlignedColumns::new(&heads);
    for (name, row) in quality.classes.iter().zip(&quality.figures.calls) {
        let counts = row.iter().map(|rows| count(rows.max(0.0).round() as usize));
        table.row([name.clone()].into_iter().chain(counts).collect());
    }
    table.render()
}

pub(super) fn groups(quality: &ClassQualityFacts, by: &str) -> String {
    let recall: Vec<String> =
        quality.classes.iter().map(|class| format!("recall {class}")).collect();
    let heads: Vec<&str> = [by, "accuracy", "mean AUC", "interval"]
        .into_iter()
        .chain(recall.iter().map(String::as_str))
        .collect();
    let mut table = AlignedColumns::new(&heads);
    for group in &quality.groups {
        let mark = if group.warning.is_some() { " *" } else { "" };
        let auc = group.figures.mean_auc.as_ref();
        let cells = [
            format!("{}{mark}", group.value),
            percent(&group.figures.accuracy),
            auc.map_or("–".to_owned(), |auc| decimal(auc.value)),
            auc.map_or("–".to_owned(), interval),
        ];
        table.row(cells.into_iter().chain(group.figures.recall.iter().map(percent)).collect());
    }
    table.render()
}
