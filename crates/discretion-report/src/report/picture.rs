//! Which coefficients the picture shows, and the picture in two widths.

use super::question::outcome;
use super::{Coefficient, Estimate, Report};
use crate::chart::Forest;
use crate::chart::forest::{Row, Span};
use crate::markup::Element;
use crate::numbers::{count, percent};
use crate::svg::{Axis, Layout};
use discretion::loss::LossKind;

/// More rows than this are too many to take in. The table has them all.
pub const MOST_SHOWN: usize = 40;

/// For a screen or paper, and for a phone.
const WIDTHS: [(&str, f64); 2] = [("wide", 704.0), ("narrow", 336.0)];

/// The picture with its caption.
pub fn figure(report: &Report) -> Element {
    let shown = shown(report);
    let mut figure = Element::new("figure");
    for (class, width) in WIDTHS {
        figure = figure
            .child(Element::new("div").class(class).child(forest(report, &shown, width).draw().inline()));
    }
    figure.child(Element::new("figcaption").text(caption(report, shown.len())))
}

/// The coefficients of the picture, in the order of the model: all, or those that stand out most from their own
/// uncertainty (without intervals, the largest). The intercept is no effect, and is left to the table.
fn shown(report: &Report) -> Vec<&Coefficient> {
    let effects: Vec<&Coefficient> = report.effects().collect();
    let mut order: Vec<usize> = (0..effects.len()).collect();
    order.sort_by(|&a, &b| prominence(effects[b]).total_cmp(&prominence(effects[a])));
    order.truncate(MOST_SHOWN);
    order.sort_unstable();
    order.into_iter().map(|i| effects[i]).collect()
}

/// How far an estimate is from 0, in units of half its interval where it has one.
pub fn prominence(coefficient: &Coefficient) -> f64 {
    let estimate = coefficient.estimate();
    let size = estimate.value.abs();
    match estimate.interval {
        Some(interval) if interval.half_width() > 0.0 => size / interval.half_width(),
        _ => size,
    }
}

fn forest(report: &Report, shown: &[&Coefficient], width: f64) -> Forest {
    let intervals = report.has_intervals();
    let kind = if intervals { "Forest plot" } else { "Dot plot" };
    let outcome = outcome(&report.target);
    let rows = shown.iter().map(|coefficient| {
        let (heading, label) = coefficient.heading_and_label();
        let Estimate { value: estimate, interval } = coefficient.estimate();
        let span = interval.filter(|_| intervals).map(|interval| Span {
            lower: interval.lower,
            upper: interval.upper,
            sampling: interval.sampling_half_width.map(|half| [estimate - half, estimate + half]),
        });
        Row {
            heading: heading.map(str::to_owned),
            label: label.to_owned(),
            name: coefficient.name.clone(),
            estimate,
            span,
        }
    });
    Forest {
        title: format!("{kind} of {} coefficients for {outcome}", shown.len()),
        description: "The same numbers are in the table that follows.".to_owned(),
        width,
        axis: Axis { label: axis(report).to_owned(), layout: Layout::Linear },
        reference: 0.0,
        towards: Some(["less likely".to_owned(), "more likely".to_owned()]),
        rows: rows.collect(),
    }
}

fn axis(report: &Report) -> &'static str {
    match (has_effects(report), report.loss) {
        (false, _) => "coefficient on the encoded scale",
        (true, LossKind::Logistic) => "change in log-odds",
        (true, LossKind::Hinge) => "change in the classifier's margin",
    }
}

fn has_effects(report: &Report) -> bool {
    report.coefficients.iter().any(|coefficient| coefficient.effect.is_some())
}

fn caption(report: &Report, shown: usize) -> String {
    let mut caption = match report.level.filter(|_| report.has_intervals()) {
        Some(level) => format!("Estimates with {} intervals. ", percent(level)),
        None => "Estimates without intervals. ".to_owned(),
    };
    caption.push_str("Right of 0, ");
    caption.push_str(&outcome(&report.target));
    caption.push_str(if has_effects(report) {
        " is more likely. For a number, the change from the middle of its declared range to its upper end; for a category, \
         from the first of its column to this one."
    } else {
        " is more likely."
    });
    let effects = report.effects().count();
    if shown < effects {
        let by = if report.has_intervals() {
            "largest in relation to half their interval"
        } else {
            "largest in size"
        };
        caption.push_str(&format!(
            " The picture shows the {} of {} coefficients that are {by}; the table has all.",
            count(shown),
            count(effects)
        ));
    }
    caption
}
