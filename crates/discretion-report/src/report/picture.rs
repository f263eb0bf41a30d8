//! Which coefficients the picture shows, and the picture in two widths.

use super::certainty::MANY;
use super::question::outcome;
use super::{Coefficient, Estimate, Place, Report};
use crate::chart::Forest;
use crate::chart::forest::{Row, Span};
use crate::markup::Element;
use crate::numbers::{count, percent};
use crate::svg::{Axis, Layout};
use discretion::loss::LossKind;

/// For a screen or paper, and for a phone.
const WIDTHS: [(&str, f64); 2] = [("wide", 704.0), ("narrow", 336.0)];

/// The picture with its caption; nothing if all effects are curves, which have pictures of their
/// own.
pub fn figure(report: &Report) -> Option<Element> {
    let shown = shown(report);
    if shown.is_empty() && !report.curves.is_empty() {
        return None;
    }
    let mut figure = Element::new("figure");
    for (class, width) in WIDTHS {
        figure = figure.child(
            Element::new("div").class(class).child(forest(report, &shown, width).draw().inline()),
        );
    }
    Some(figure.child(Element::new("figcaption").text(caption(report, shown.len()))))
}

/// The effects of the picture: all in the order of the model or, if there are many, the most
/// certain first. The intercept is no effect, and is left to the table.
fn shown(report: &Report) -> Vec<&Coefficient> {
    let mut effects: Vec<&Coefficient> = without_curves(report).collect();
    if report.is_long() {
        effects.sort_by(|a, b| b.certainty().total_cmp(&a.certainty()));
        effects.truncate(MANY);
    }
    effects
}

fn without_curves(report: &Report) -> impl Iterator<Item = &Coefficient> {
    let is_curve = |coefficient: &&Coefficient| match &coefficient.place {
        Place::Category { column, .. } => report.curves.iter().any(|curve| curve.column == *column),
        _ => false,
    };
    report.effects().filter(move |coefficient| !is_curve(coefficient))
}

fn forest(report: &Report, shown: &[&Coefficient], width: f64) -> Forest {
    let (intervals, long, noise) = (report.has_intervals(), report.is_long(), report.has_noise());
    let kind = if intervals { "Forest plot" } else { "Dot plot" };
    let outcome = outcome(&report.target);
    let rows = shown.iter().map(|coefficient| {
        let (heading, label) = match long {
            // Neighbours by size are of any column.
            true => (None, coefficient.full_label()),
            false => {
                let (heading, label) = coefficient.heading_and_label();
                (heading, label.to_owned())
            }
        };
        let Estimate { value: estimate, interval } = coefficient.estimate();
        // The middle of the interval, also where there is no estimate.
        let span = interval.filter(|_| intervals).map(|interval| {
            let middle = match estimate.is_nan() {
                true => 0.5 * (interval.lower + interval.upper),
                false => estimate,
            };
            let around = |half: f64| [middle - half, middle + half];
            Span {
                lower: interval.lower,
                upper: interval.upper,
                sampling: interval.sampling_half_width.map(around),
                without_bound: interval.bound.map(|bound| around(bound.half_width_without)),
            }
        });
        Row {
            heading: heading.map(str::to_owned),
            label,
            name: coefficient.name.clone(),
            estimate,
            span,
            noise: coefficient.noise.filter(|_| noise),
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
    match (report.has_effects(), report.loss) {
        (false, _) => "coefficient on the encoded scale",
        (true, _) if report.several_classes => "change in the class's score",
        (true, LossKind::Logistic) => "change in log-odds",
        (true, LossKind::Hinge | LossKind::HingeOver(_) | LossKind::Huber) => {
            "change in the classifier's margin"
        }
    }
}

fn caption(report: &Report, shown: usize) -> String {
    let mut caption = match report.level.filter(|_| report.has_intervals()) {
        Some(level) => format!("Estimates with {} intervals. ", percent(level)),
        None if report.has_noise() => "Estimates without intervals. Where the rows say nothing about an effect, noise for \
                                       privacy alone gives what is grey: in 19 of 20 runs none of them leaves it. Where they \
                                       do, noise does less. "
            .to_owned(),
        None => "Estimates without intervals. ".to_owned(),
    };
    caption.push_str("Right of 0, ");
    caption.push_str(&outcome(&report.target));
    caption.push_str(if report.has_effects() {
        " is more likely. For a number, the change from the middle of its declared range to its upper end; for a category, \
         from the first of its column to this one."
    } else {
        " is more likely."
    });
    let effects = without_curves(report).count();
    if shown < effects {
        let by = match (report.has_intervals(), report.has_noise()) {
            (true, _) => "largest in relation to half their interval",
            (false, true) => "largest in relation to what noise alone gives",
            (false, false) => "largest in size",
        };
        caption.push_str(&format!(
            " The picture shows the {} of {} effects that are {by}, these first; the table has all.",
            count(shown),
            count(effects)
        ));
    }
    caption
}
