//! Curves, each in a picture of its own: what the margin is at each knot beside the middle of the
//! column's scale.

use super::Report;
use super::facts::visible;
use crate::chart::{Lines, lines};
use crate::markup::Element;
use crate::numbers::percent;
use crate::svg::{Axis, Layout};
use discretion::loss::LossKind;
use discretion_formats::Model;
use discretion_table::{Column, Kind, Scale};

/// Width and height of a picture: two stand side by side on a screen, and one on a phone.
const SIZE: [f64; 2] = [344.0, 230.0];

/// A curve as it was released.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnCurve {
    /// The column.
    pub column: String,
    /// How its axis is laid out.
    pub layout: Layout,
    /// What its axis is called.
    pub axis: String,
    /// Its knots, from left to right.
    pub knots: Vec<DrawnKnot>,
}

/// A curve at one of its knots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawnKnot {
    /// The value of the column.
    pub at: f64,
    /// The margin beside that in the middle.
    pub value: f64,
    /// The interval of that difference.
    pub interval: Option<[f64; 2]>,
    /// The band that holds the whole curve.
    pub band: Option<[f64; 2]>,
}

/// The curves of a model file.
pub fn curves(model: &Model) -> Vec<DrawnCurve> {
    let of_column = |column: &Column| {
        let knots = model.coefficients.iter().filter_map(|coefficient| {
            let knot = coefficient.knot.as_ref().filter(|knot| knot.column == column.name)?;
            let Some(effect) = &coefficient.effect else {
                // What the others are compared with, or a model without effects.
                let same = coefficient.per_unit.map(|_| [0.0; 2]);
                let value = if same.is_some() { 0.0 } else { coefficient.encoded };
                return Some(DrawnKnot { at: knot.at, value, interval: same, band: same });
            };
            let ends = effect.interval.map(|interval| [interval.lower, interval.upper]);
            let value =
                effect.interval.and_then(|interval| interval.estimate).unwrap_or(effect.value);
            Some(DrawnKnot { at: knot.at, value, interval: ends, band: effect.band })
        });
        let mut knots: Vec<DrawnKnot> = knots.collect();
        if knots.iter().all(|knot| knot.interval.is_none_or(|interval| interval == [0.0; 2])) {
            knots.iter_mut().for_each(|knot| (knot.interval, knot.band) = (None, None));
        }
        let layout = match column.kind {
            Kind::Number { min, scale: Scale::Log, .. } => Layout::LogFrom { min },
            _ => Layout::Linear,
        };
        let axis = match &column.kind {
            Kind::Date { min, .. } => format!("{}, in days since {min}", visible(&column.name)),
            _ => visible(&column.name).to_owned(),
        };
        DrawnCurve { column: column.name.clone(), layout, axis, knots }
    };
    let columns = model.schema.columns().iter().filter(|column| column.curve.is_some());
    columns.map(of_column).collect()
}

/// All pictures with one caption; nothing where there are no curves.
pub fn figure(report: &Report) -> Option<Element> {
    if report.curves.is_empty() {
        return None;
    }
    let pictures = report.curves.iter().map(|curve| {
        Element::new("div").class("curve").child(picture(report, curve).draw().inline())
    });
    let pictures = Element::new("div").class("curves").children(pictures);
    Some(
        Element::new("figure")
            .child(pictures)
            .child(Element::new("figcaption").text(caption(report))),
    )
}

fn picture(report: &Report, curve: &DrawnCurve) -> Lines {
    let points = |range: fn(&DrawnKnot) -> Option<[f64; 2]>| {
        let point =
            |knot: &DrawnKnot| lines::Point { x: knot.at, y: knot.value, range: range(knot) };
        curve.knots.iter().map(point).collect::<Vec<_>>()
    };
    let level = report.level.map(percent).unwrap_or_default();
    let series =
        |name: String, spread, range| lines::Series { name, points: points(range), spread };
    let mut all =
        vec![series("at its knots".to_owned(), lines::Spread::Band, |knot| knot.interval)];
    if curve.knots.iter().any(|knot| knot.interval.is_some()) {
        all[0].name = format!("{level} at each knot");
        all.push(series(format!("{level} for all of it"), lines::Spread::OnlyBand, |knot| {
            knot.band
        }));
    }
    if let Some(line) = nearest_line(curve) {
        all.push(lines::Series {
            name: "nearest line".to_owned(),
            points: line,
            spread: lines::Spread::Line,
        });
    }
    Lines {
        title: format!("The curve of {}", visible(&curve.column)),
        description: "The same numbers are in the table that follows.".to_owned(),
        size: SIZE,
        x: Axis { label: curve.axis.clone(), layout: curve.layout },
        y: Axis { label: unit(report).to_owned(), layout: Layout::Linear },
        series: all,
        reference: None,
    }
}

/// The straight line that is nearest to a released curve, in the sense of least squares and all
/// places of the column's scale alike: what a line in its place would say, as far as released
/// numbers tell. Nothing for what is straight anyway.
fn nearest_line(curve: &DrawnCurve) -> Option<Vec<lines::Point>> {
    let [first, .., last] = &curve.knots[..] else { return None };
    if curve.knots.len() < 3 {
        return None;
    }
    let on_scale = |at: f64| match curve.layout {
        Layout::LogFrom { min } => (at - min).max(0.0).ln_1p(),
        _ => at,
    };
    let (from, to) = (on_scale(first.at), on_scale(last.at));
    let place = |knot: &DrawnKnot| (on_scale(knot.at) - from) / (to - from);
    // ∫f and ∫(x − ½)f over [0, 1], piece by piece.
    let (mut mean, mut moment) = (0.0, 0.0);
    for pair in curve.knots.windows(2) {
        let ([a, b], [f, g]) = ([place(&pair[0]), place(&pair[1])], [pair[0].value, pair[1].value]);
        mean += (b - a) * (f + g) / 2.0;
        moment += (b - a) * ((a - 0.5) * (2.0 * f + g) + (b - 0.5) * (f + 2.0 * g)) / 6.0;
    }
    let line = |knot: &DrawnKnot| {
        let y = mean + 12.0 * moment * (place(knot) - 0.5);
        lines::Point { x: knot.at, y, range: None }
    };
    Some(curve.knots.iter().map(line).collect())
}

pub(super) fn unit(report: &Report) -> &'static str {
    match report.loss {
        _ if report.several_classes => "change in the class's score",
        LossKind::Logistic => "change in log-odds",
        LossKind::Hinge | LossKind::HingeOver(_) | LossKind::Huber => "change in margin",
    }
}

fn caption(report: &Report) -> String {
    let compared = "Curves as they were released: at each knot, beside the middle of the column's range (of its scale, where that \
                    is logarithmic), and straight in between. The nearest line is computed from the released curve alone, every \
                    place of its scale counting the same.";
    match report.level.filter(|_| report.has_intervals()) {
        None => compared.to_owned(),
        Some(level) => format!(
            "{compared} The inner band has an interval of {} at each knot; the outer one holds a whole curve with that \
             probability.",
            percent(level)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(layout: Layout, knots: &[(f64, f64)]) -> DrawnCurve {
        let knot = |&(at, value): &(f64, f64)| DrawnKnot { at, value, interval: None, band: None };
        let knots = knots.iter().map(knot).collect();
        DrawnCurve { column: "x".to_owned(), layout, axis: "x".to_owned(), knots }
    }

    #[test]
    fn the_nearest_line_is_the_curve_itself_where_that_is_straight_and_the_mean_of_a_tent() {
        let heights = |curve: &DrawnCurve| {
            nearest_line(curve).unwrap().iter().map(|point| point.y).collect::<Vec<_>>()
        };
        let close = |found: Vec<f64>, wanted: &[f64]| {
            found
                .iter()
                .zip(wanted)
                .for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{found:?} {wanted:?}"));
        };
        close(
            heights(&curve(Layout::Linear, &[(0.0, -1.0), (1.0, 0.0), (4.0, 3.0)])),
            &[-1.0, 0.0, 3.0],
        );
        close(
            heights(&curve(Layout::Linear, &[(0.0, 0.0), (5.0, 1.0), (10.0, 0.0)])),
            &[0.5, 0.5, 0.5],
        );
        // ln(1 + 3) is half of ln(1 + 15).
        close(
            heights(&curve(Layout::LogFrom { min: 0.0 }, &[(0.0, 0.0), (3.0, 1.0), (15.0, 2.0)])),
            &[0.0, 1.0, 2.0],
        );
        assert!(nearest_line(&curve(Layout::Linear, &[(0.0, 0.0), (1.0, 1.0)])).is_none());
    }
}
