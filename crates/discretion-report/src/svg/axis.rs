//! Axes whose labels never touch each other.

use super::{Anchor, LABEL, Layout, Scale, Tick, group, line, text};
use crate::markup::Element;

/// What an axis measures and how.
#[derive(Clone, Debug)]
pub struct Axis {
    /// In words.
    pub label: String,
    /// Linear or logarithmic.
    pub layout: Layout,
}

/// Labels keep at least this distance from each other.
const GAP: f64 = 12.0;

/// From the baseline of the axis to the baseline of its numbers.
const BELOW: f64 = 18.0;

/// Above the end of a line to the baseline of its number.
const ABOVE: f64 = 7.0;

/// Where a horizontal axis has its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// At the foot.
    Below,
    /// At the foot and at the top, for a plot taller than a screen.
    BelowAndAbove,
}

/// A horizontal axis: lines from `top` to `bottom`, and numbers at their ends.
pub fn across(scale: &Scale, top: f64, bottom: f64, numbers: Numbers) -> Element {
    let ticks = ticks_across(scale);
    let lines = ticks.iter().map(|tick| scale.place(tick.value)).map(|x| line(x, top, x, bottom));
    let baselines = match numbers {
        Numbers::Below => vec![bottom + BELOW],
        Numbers::BelowAndAbove => vec![bottom + BELOW, top - ABOVE],
    };
    let labels = baselines.into_iter().flat_map(|y| {
        ticks.iter().map(move |tick| text(scale.place(tick.value), y, Anchor::Middle, &tick.label))
    });
    group("axis").child(group("grid").children(lines)).child(group("quiet").children(labels))
}

/// As many ticks as there is room for their labels side by side.
fn ticks_across(scale: &Scale) -> Vec<Tick> {
    let [from, to] = scale.places();
    let apart = |pair: &[Tick]| {
        let [a, b] =
            [0, 1].map(|i| (scale.place(pair[i].value), LABEL.width(&pair[i].label) / 2.0));
        b.0 - b.1 - (a.0 + a.1) >= GAP
    };
    let most = ((to - from).abs() / 28.0).clamp(1.0, 8.0) as usize;
    let choices = (1..=most).rev().map(|target| scale.ticks(target));
    let fitting = choices.into_iter().find(|ticks| ticks.windows(2).all(apart));
    // Even a single tick's step can give two that are too close; then the first has to do.
    fitting.unwrap_or_else(|| scale.ticks(1).into_iter().take(1).collect())
}

/// A vertical axis at the left of a plot: numbers left of `left`, and lines from there to `right`.
/// Its scale runs from the foot to the top.
pub fn upwards(scale: &Scale, left: f64, right: f64) -> Element {
    let ticks = ticks_upwards(scale);
    let lines = ticks.iter().map(|tick| scale.place(tick.value)).map(|y| line(left, y, right, y));
    let labels = ticks
        .iter()
        .map(|tick| text(left - 8.0, scale.place(tick.value) + 4.5, Anchor::End, &tick.label));
    group("axis").child(group("grid").children(lines)).child(group("quiet").children(labels))
}

/// The room that the numbers of [`upwards`] take to the left.
pub fn room_left(scale: &Scale) -> f64 {
    let widths = ticks_upwards(scale).into_iter().map(|tick| LABEL.width(&tick.label));
    widths.fold(0.0, f64::max) + 10.0
}

fn ticks_upwards(scale: &Scale) -> Vec<Tick> {
    let [from, to] = scale.places();
    let most = ((from - to).abs() / 44.0).clamp(1.0, 8.0) as usize;
    let apart = |pair: &[Tick]| {
        (scale.place(pair[1].value) - scale.place(pair[0].value)).abs() >= LABEL.size + 5.0
    };
    let choices = (1..=most).rev().map(|target| scale.ticks(target));
    let fitting = choices.into_iter().find(|ticks| ticks.windows(2).all(apart));
    fitting.unwrap_or_else(|| scale.ticks(1).into_iter().take(1).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_their_distance() {
        for width in [40.0, 90.0, 150.0, 300.0, 700.0] {
            for (layout, values) in [
                (Layout::Linear, [0.0, 1_000_000.0]),
                (Layout::Linear, [-0.003, 0.004]),
                (Layout::Log, [1e-7, 1e3]),
                (Layout::Log, [0.9, 1.2]),
                (Layout::Log, [0.02, 30.0]),
            ] {
                let scale = Scale::around(layout, values, [0.0, width]);
                let ticks = ticks_across(&scale);
                assert!(!ticks.is_empty());
                for pair in ticks.windows(2) {
                    let room = scale.place(pair[1].value) - scale.place(pair[0].value);
                    let needed = (LABEL.width(&pair[0].label) + LABEL.width(&pair[1].label)) / 2.0;
                    assert!(room >= needed + GAP, "{pair:?} on {width}");
                }
            }
        }
    }

    #[test]
    fn wide_axes_have_enough_ticks() {
        for (layout, values) in
            [(Layout::Linear, [-3.0, 4.0]), (Layout::Log, [0.2, 5.0]), (Layout::Log, [1e-5, 1.0])]
        {
            let ticks = ticks_across(&Scale::around(layout, values, [0.0, 500.0])).len();
            assert!((4..=9).contains(&ticks), "{ticks}");
        }
    }
}
