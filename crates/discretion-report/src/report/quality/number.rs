//! The model of a number: residuals, and whether prediction intervals hold.

use super::tables::{share, table};
use super::{picture, which_rows};
use crate::markup::Element;
use crate::numbers::percent;
use crate::numbers::plain::significant;
use crate::report::facts::visible;
use crate::report::page::table_row as row;
use discretion::privacy::Unit;
use discretion::quality::Estimate;
use discretion_formats::NumberQualityFacts;

/// The content of the section.
pub(super) fn content(quality: &NumberQualityFacts, unit: Unit) -> Vec<Element> {
    let figures = &quality.figures;
    let mut content = vec![Element::new("p").text(in_words(quality, unit)), residuals(quality)];
    if !figures.intervals.is_empty() {
        content.push(picture::coverage(quality));
        let held = figures
            .intervals
            .iter()
            .map(|at| row(percent(at.level), [share(&at.held)].into_iter()));
        content.push(table(&["prediction interval", "held"], held, "Prediction intervals"));
    }
    if let Some(by) = &quality.by {
        let of_all = ["root mean square", "interval", "mean residual", "interval"];
        let explained: &[&str] =
            if figures.explained.is_some() { &["R²", "interval"] } else { &[] };
        let names: Vec<&str> =
            [visible(by)].iter().chain(explained).chain(&of_all).copied().collect();
        let rows = quality.groups.iter().map(|group| {
            let figures = &group.figures;
            let each =
                figures.explained.iter().chain([&figures.root_mean_square, &figures.mean_residual]);
            let cells = each.flat_map(|figure| [significant(figure.value, 3), ends(figure)]);
            row(visible(&group.value), cells)
        });
        content.push(table(&names, rows, "Groups"));
    }
    content
}

fn in_words(quality: &NumberQualityFacts, unit: Unit) -> String {
    let (figures, rows) = (&quality.figures, which_rows(quality.rows, unit));
    let level = percent(quality.level);
    let main = match &figures.explained {
        Some(explained) => format!(
            "On {rows}, the model explains {} of the variance of {} around its mean (R²; {level} interval {} to {}).",
            percent(explained.value),
            visible(&quality.of),
            percent(explained.lower),
            percent(explained.upper)
        ),
        None => format!(
            "On {rows}, predictions of {} are off by {} on average ({level} interval {}).",
            visible(&quality.of),
            significant(figures.mean_size.value, 3),
            ends(&figures.mean_size)
        ),
    };
    format!(
        "{main} A residual, the outcome less its prediction, counts as ±{} if it is larger: that is so for {} of the rows.",
        significant(quality.clipped_at, 3),
        share(&figures.clipped)
    )
}

fn residuals(quality: &NumberQualityFacts) -> Element {
    let figures = &quality.figures;
    let rows = [
        ("root of the mean square", &figures.root_mean_square),
        ("mean size", &figures.mean_size),
        ("mean (above 0: predictions are too low)", &figures.mean_residual),
    ];
    let rows = rows.into_iter().map(|(name, estimate)| {
        row(name, [significant(estimate.value, 3), ends(estimate)].into_iter())
    });
    table(&["residuals", "value", "interval"], rows, "Residuals")
}

fn ends(estimate: &Estimate) -> String {
    format!("{} to {}", significant(estimate.lower, 3), significant(estimate.upper, 3))
}
