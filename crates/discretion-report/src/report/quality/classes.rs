//! Several classes: each against the others, and what rows of each are called.

use super::picture;
use super::tables::{head, row, share};
use super::{in_percent, interval, small_groups};
use crate::markup::Element;
use crate::numbers::{count, decimal, percent};
use crate::report::facts::visible;
use crate::report::page::scrolling;
use discretion_formats::ClassQualityFacts;

/// The content of the section.
pub(super) fn content(quality: &ClassQualityFacts) -> Vec<Element> {
    let mut content = vec![
        Element::new("p").text(in_words(quality)),
        each(quality),
        calls(quality),
        Element::new("p").class("note").text(
            "Rows of the table are what rows are, columns what they are called: noisy counts, 0 where noise made them negative.",
        ),
    ];
    content.extend(picture::reliability_of_classes(quality));
    if let Some(by) = &quality.by {
        content.push(groups(quality, by));
        let small = quality.groups.iter().filter(|group| group.warning.is_some());
        content.extend(small_groups(&small.map(|group| group.value.as_str()).collect::<Vec<_>>()));
    }
    content
}

fn in_words(quality: &ClassQualityFacts) -> String {
    let figures = &quality.figures;
    let mut text = format!(
        "On {} rows that did not train it, {} are called what they are ({} interval {})",
        count(quality.rows),
        percent(figures.accuracy.value),
        percent(quality.level),
        in_percent(&figures.accuracy)
    );
    text.push_str(&match &figures.mean_auc {
        Some(auc) => format!(
            ". A row of a class has a higher score for it than a row of another class with probability {} on average (mean AUC; {})",
            decimal(auc.value, 3),
            interval(auc)
        ),
        None => ". Noise outweighs the rows of a class, so nothing can be said about the mean AUC".to_owned(),
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
        row(visible(name).to_owned(), cells.into_iter())
    });
    table(&names, rows, "Classes")
}

fn calls(quality: &ClassQualityFacts) -> Element {
    let called: Vec<String> =
        quality.classes.iter().map(|name| format!("called {}", visible(name))).collect();
    let names: Vec<&str> = ["rows of"].into_iter().chain(called.iter().map(String::as_str)).collect();
    let rows = quality.classes.iter().zip(&quality.figures.calls).map(|(name, counts)| {
        let cells = counts.iter().map(|rows| count(rows.max(0.0).round() as usize));
        row(visible(name).to_owned(), cells)
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
        row(visible(&group.value).to_owned(), cells.into_iter().chain(group.figures.recall.iter().map(share)))
    });
    table(&names, rows, "Groups")
}

fn table(names: &[&str], rows: impl Iterator<Item = Element>, label: &'static str) -> Element {
    let table = Element::new("table").class("coefficients").child(head(names));
    scrolling(table.child(Element::new("tbody").children(rows)), label)
}
