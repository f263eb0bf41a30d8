//! What charts with two axes have in common: a legend above, a plot, its axes, and their names.

use super::names::{names_across, names_room, names_upwards, room_below};
use crate::markup::Element;
use crate::svg::{
    self, Anchor, Axis, Key, LABEL, Numbers, Scale, across, group, room_left, upwards,
};

/// Right of the plot, for half a number of the axis.
const RIGHT: f64 = 28.0;

/// Two axes around an empty plot.
pub(super) struct Frame {
    /// From left to right.
    pub x: Scale,
    /// From the foot up.
    pub y: Scale,
    /// Legend, axes and names.
    pub drawn: Element,
}

impl Frame {
    /// A frame that fills a width and a height. `x` and `y` make the scales once their places are
    /// known.
    pub fn new(
        size: [f64; 2],
        axes: [&Axis; 2],
        x: impl Fn([f64; 2]) -> Scale,
        y: impl Fn([f64; 2]) -> Scale,
        keys: &[Key],
    ) -> Frame {
        Frame::with_names(size, axes, [None; 2], x, y, keys)
    }

    /// The same; an axis that has names shows them in place of round values, the first between 0
    /// and 1, and so on.
    pub fn with_names(
        [width, height]: [f64; 2],
        [across_axis, up_axis]: [&Axis; 2],
        [across_names, up_names]: [Option<&[String]>; 2],
        x: impl Fn([f64; 2]) -> Scale,
        y: impl Fn([f64; 2]) -> Scale,
        keys: &[Key],
    ) -> Frame {
        let (legend, legend_height) = svg::legend(keys, width);
        let mut drawn = group("frame").child(legend);
        let mut top = legend_height + if keys.is_empty() { 0.0 } else { 6.0 };
        // The name of the vertical axis lies flat above it, where it can be read.
        for words in LABEL.wrapped(&up_axis.label, width) {
            top += 19.0;
            drawn = drawn.child(svg::text(0.0, top - 4.0, Anchor::Start, &words).class("quiet"));
        }
        top += 8.0;
        let names = LABEL.wrapped(&across_axis.label, width);
        let below = across_names.map_or(0.0, |names| room_below(names, width));
        let bottom = (height - below - 26.0 - 18.0 * names.len() as f64).max(top + 40.0);
        let y = y([bottom, top]);
        let left = up_names.map_or_else(|| room_left(&y), |names| names_room(names, width));
        let right = (width - RIGHT).max(left + 1.0);
        let x = x([left, right]);
        for (i, words) in names.iter().enumerate() {
            let half = LABEL.width(words) / 2.0;
            let middle = ((left + right) / 2.0).min(width - half).max(half);
            let baseline = bottom + below + 38.0 + 18.0 * i as f64;
            drawn = drawn.child(svg::text(middle, baseline, Anchor::Middle, words).class("quiet"));
        }
        let drawn = drawn
            .child(
                up_names.map_or_else(
                    || upwards(&y, left, right),
                    |names| names_upwards(names, &y, left),
                ),
            )
            .child(across_names.map_or_else(
                || across(&x, top, bottom, Numbers::Below),
                |names| names_across(names, &x, bottom, width),
            ))
            .child(svg::path([(left, top), (left, bottom), (right, bottom)], false).class("base"));
        Frame { x, y, drawn }
    }
}
