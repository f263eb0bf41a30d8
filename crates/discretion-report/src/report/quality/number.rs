//! The model of a number: residuals, and whether prediction intervals hold.

use super::tables::{head, row, share};
use super::{Section, TITLE, how_it_was_made, picture, small_groups};
use crate::markup::Element;
use crate::numbers::plain::significant;
use crate::numbers::{count, percent};
use crate::report::facts::visible;
use crate::report::page::scrolling;
use discretion::quality::Estimate;
use discretion_formats::{ModelQuality, NumberQualityFacts};

/// What rows that did not train say about the model of a number.
pub fn number_section(quality: &NumberQualityFacts) -> Section {
    let mut all = content(quality);
    let made = how_it_was_made(&ModelQuality::Number(quality.clone()));
    all.push(Element::new("p").class("note").text(made));
    (TITLE.to_owned(), all)
}

pub(super) fn content(quality: &NumberQualityFacts) -> Vec<Element> {
    let figures = &quality.figures;
    let text = format!(
        "On {} rows that did not train it, the model explains {} of the variance of {} around its mean (R²; {} interval {} to {}). \
         Residuals beyond ±{} count as that; {} of rows are there.",
        count(quality.rows),
        percent(figures.explained.value),
        visible(&quality.of),
        percent(quality.level),
        percent(figures.explained.lower),
        percent(figures.explained.upper),
        significant(quality.clipped_at, 3),
        share(&figures.clipped)
    );
    let mut content = vec![Element::new("p").text(text), residuals(quality), picture::coverage(quality)];
    let held = figures.intervals.iter().map(|at| row(percent(at.level), [share(&at.held)].into_iter()));
    content.push(table(&["prediction interval", "held"], held, "Prediction intervals"));
    if let Some(by) = &quality.by {
        let names = [visible(by), "R²", "interval", "root mean square", "mean residual", "interval"];
        let rows = quality.groups.iter().map(|group| {
            let figures = &group.figures;
            let cells = [
                significant(figures.explained.value, 3),
                ends(&figures.explained),
                significant(figures.root_mean_square.value, 3),
                significant(figures.mean_residual.value, 3),
                ends(&figures.mean_residual),
            ];
            row(visible(&group.value).to_owned(), cells.into_iter())
        });
        content.push(table(&names, rows, "Groups"));
        let small = quality.groups.iter().filter(|group| group.warning.is_some());
        content.extend(small_groups(&small.map(|group| group.value.as_str()).collect::<Vec<_>>()));
    }
    content
}

fn residuals(quality: &NumberQualityFacts) -> Element {
    let figures = &quality.figures;
    let rows = [
        ("root of the mean square", &figures.root_mean_square),
        ("mean size", &figures.mean_size),
        ("mean, above 0 if predictions are too low", &figures.mean_residual),
    ];
    let rows = rows.into_iter().map(|(name, estimate)| {
        row(name.to_owned(), [significant(estimate.value, 3), ends(estimate)].into_iter())
    });
    table(&["residuals", "value", "interval"], rows, "Residuals")
}

fn ends(estimate: &Estimate) -> String {
    format!("{} to {}", significant(estimate.lower, 3), significant(estimate.upper, 3))
}

fn table(names: &[&str], rows: impl Iterator<Item = Element>, label: &'static str) -> Element {
    let table = Element::new("table").class("coefficients").child(head(names));
    scrolling(table.child(Element::new("tbody").children(rows)), label)
}
