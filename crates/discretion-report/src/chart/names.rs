//! Axes of names: one cell for each, and no more names than there is room for.

use crate::markup::Element;
use crate::svg::{Anchor, LABEL, Scale, group, px, text};

/// The share of a chart's width that names at its left may take.
const SHARE: f64 = 0.32;

/// How far names at the foot may reach down if they stand upright.
const DEEPEST: f64 = 110.0;

/// Lines of text are at least this far apart.
const LINE: f64 = 16.0;

fn widest(names: &[String]) -> f64 {
    names.iter().map(|name| LABEL.width(name)).fold(0.0, f64::max)
}

/// The room that names take at the left of a plot in a chart of this width.
pub(super) fn names_room(names: &[String], width: f64) -> f64 {
    widest(names).min(SHARE * width) + 10.0
}

/// Names at the left of a plot.
pub(super) fn names_upwards(names: &[String], scale: &Scale, left: f64) -> Element {
    let labels = shown(names, scale).map(|(name, place)| {
        text(left - 8.0, place + 4.5, Anchor::End, &LABEL.cut(name, left - 10.0))
    });
    group("axis quiet").children(labels)
}

/// Names lie flat if each fits below its cell. What is left of a chart's width beside the names at
/// its left is not known yet, so this takes the least it can be.
fn lie_flat(names: &[String], width: f64) -> bool {
    widest(names) + 8.0 <= (1.0 - SHARE) * 0.9 * width / names.len() as f64
}

/// The room below a plot that names take beyond that of numbers.
pub(super) fn room_below(names: &[String], width: f64) -> f64 {
    if lie_flat(names, width) { 0.0 } else { (widest(names).min(DEEPEST) - LABEL.size).max(0.0) }
}

/// Names at the foot of a plot.
pub(super) fn names_across(names: &[String], scale: &Scale, bottom: f64, width: f64) -> Element {
    let flat = lie_flat(names, width);
    let labels = shown(names, scale).map(|(name, place)| match flat {
        true => text(place, bottom + 18.0, Anchor::Middle, name),
        false => {
            let [x, y] = [place + 4.5, bottom + 8.0].map(px);
            let upright = text(0.0, 0.0, Anchor::End, &LABEL.cut(name, DEEPEST));
            upright.set("transform", format!("translate({x} {y}) rotate(-90)"))
        }
    });
    group("axis quiet").children(labels)
}

/// As many names as there is room for, each with the middle of its cell.
fn shown<'n>(names: &'n [String], scale: &Scale) -> impl Iterator<Item = (&'n String, f64)> {
    let [from, to] = scale.places();
    let each = (to - from).abs() / names.len().max(1) as f64;
    let stride = (LINE / each).ceil().max(1.0) as usize;
    let places = (0..names.len()).map(|i| scale.place(i as f64 + 0.5)).collect::<Vec<_>>();
    names.iter().zip(places).step_by(stride)
}
