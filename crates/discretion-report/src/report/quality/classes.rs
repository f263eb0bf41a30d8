//! Several classes: each against the others, and what rows of each are called.

use super::picture;
use super::tables::{share, table};
use super::{in_percent, interval, which_rows};
use crate::markup::Element;
use crate::numbers::{count, decimal, percent};
use crate::report::facts::visible;
use crate::report::page::table_row as row;
use discretion::privacy::Unit;
use discretion_formats::ClassQualityFacts;

/// The content of the section.
pub(super) fn content(quality: &ClassQualityFacts, unit: Unit) -> Vec<Element> {
    let mut content = vec![
        Element::new("p").text(in_words(quality, unit)),
        each(quality),
        calls(quality),
        Element::new("p").class("note").text(
            "One line for each true class, one column for what the model calls its rows. Counts have noise; where noise made one negative, \
             it is shown as 0.",
        ),
    ];
    content.extend(picture::reliability_of_classes(quality));
    if let Some(by) = &quality.by {
        content.push(groups(quality, by));
    }
    content
}

fn in_words(quality: &ClassQualityFacts, unit: Unit) -> String {
    let figures = &quality.figures;
    let mut text = format!(
        "Of {}, the model calls {} by their true class (accuracy; {} interval {})",
        which_rows(quality.rows, unit),
        percent(figures.accuracy.value),
        percent(quality.level),
        in_percent(&figures.accuracy)
    );
    text.push_str(&match &figures.mean_auc {
        Some(auc) => format!(
            ". Of a row of a class and a row of another, the first has the higher score for the class with probability {}, on average over \
             classes (mean AUC; {})",
            decimal(auc.value, 3),
            interval(auc)
        ),
        None => ". A class has so few rows that noise outweighs them: nothing can be said about the mean AUC".to_owned(),
    });
    text + "."
}

fn each(quality: &ClassQualityFacts) -> Element {
    let names = ["class", "rows", "recall", "precision", "AUC", "interval", "Brier score"];
    let nothing = || "–".to_owned();
    let rows = quality.classes.iter().zip(&quality.figures.classes).map(|(name, class)| {
        let auc = class.scores.auc.as_ref();
        let cells = [
            share(&class.scores.base_rate),
            share(&class.recall),
            share(&class.precision),
            auc.map_or_else(nothing, |auc| decimal(auc.value, 3)),
            auc.map_or_else(nothing, interval),
            class.scores.brier.as_ref().map_or_else(nothing, |brier| decimal(brier.value, 3)),
        ];
        row(visible(name), cells.into_iter())
    });
    table(&names, rows, "Classes")
}

fn calls(quality: &ClassQualityFacts) -> Element {
    let called: Vec<String> =
        quality.classes.iter().map(|name| format!("called {}", visible(name))).collect();
    let names: Vec<&str> =
        ["rows of"].into_iter().chain(called.iter().map(String::as_str)).collect();
    let rows = quality.classes.iter().zip(&quality.figures.calls).map(|(name, counts)| {
        let cells = counts.iter().map(|rows| count(rows.max(0.0).round() as usize));
        row(visible(name), cells)
    });
    table(&names, rows, "What rows are called")
}

fn groups(quality: &ClassQualityFacts, by: &str) -> Element {
    let recall: Vec<String> =
        quality.classes.iter().map(|name| format!("recall {}", visible(name))).collect();
    let names: Vec<&str> = [visible(by), "accuracy", "mean AUC", "interval"]
        .into_iter()
        .chain(recall.iter().map(String::as_str))
        .collect();
    let nothing = || "–".to_owned();
    let rows = quality.groups.iter().map(|group| {
        let auc = group.figures.mean_auc.as_ref();
        let cells = [
            share(&group.figures.accuracy),
            auc.map_or_else(nothing, |auc| decimal(auc.value, 3)),
            auc.map_or_else(nothing, interval),
        ];
        row(visible(&group.value), cells.into_iter().chain(group.figures.recall.iter().map(share)))
    });
    table(&names, rows, "Groups")
}
