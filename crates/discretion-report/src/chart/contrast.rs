//! Pairs of categories: the stronger a cell's colour, the more it differs from the pair that all
//! are compared with. What is uncertain is faded.

use super::frame::Frame;
use crate::markup::Element;
use crate::numbers::short;
use crate::svg::{Anchor, Axis, Drawing, Key, Layout, Scale, group, rectangle, text};

/// A heat map of differences, two colours for the two directions.
#[derive(Clone, Debug)]
pub struct Contrast {
    /// What it shows, for those who cannot see it.
    pub title: String,
    /// What it says, for those who cannot see it.
    pub description: String,
    /// Width and height in pixels.
    pub size: [f64; 2],
    /// The column from left to right, and its values.
    pub x: (String, Vec<String>),
    /// The column from the foot up, and its values.
    pub y: (String, Vec<String>),
    /// The cells, row by row from the foot up.
    pub cells: Vec<Vec<Cell>>,
}

/// A difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// How large it is.
    pub value: f64,
    /// Whether it may as well be none.
    pub is_uncertain: bool,
}

/// The share of its colour that a faded cell keeps.
const FADED: f64 = 0.25;
/// The strongest colour, in which a number can still be read.
const STRONGEST: f64 = 0.6;
/// Cells narrower than this have no number in them.
const ROOM_FOR_A_NUMBER: f64 = 40.0;

impl Contrast {
    /// Draws it. Panics unless there is a cell for every pair of values, and every value is a
    /// number.
    pub fn draw(&self) -> Drawing {
        let [(x_label, x_names), (y_label, y_names)] = [&self.x, &self.y];
        assert_eq!(self.cells.len(), y_names.len(), "a row for each value");
        assert!(self.cells.iter().all(|row| row.len() == x_names.len()), "a cell for each pair");
        let values = || self.cells.iter().flatten().map(|cell| cell.value);
        assert!(values().all(f64::is_finite), "a value is a number");
        let most = values().map(f64::abs).fold(0.0, f64::max);
        let [x_axis, y_axis] =
            [x_label, y_label].map(|label| Axis { label: label.clone(), layout: Layout::Linear });
        let frame = Frame::with_names(
            self.size,
            [&x_axis, &y_axis],
            [Some(x_names), Some(y_names)],
            |places| Scale::exact(Layout::Linear, [0.0, x_names.len() as f64], places),
            |places| Scale::exact(Layout::Linear, [0.0, y_names.len() as f64], places),
            &self.keys(),
        );
        let mut cells = group("cells");
        for (j, row) in self.cells.iter().enumerate() {
            let [bottom, top] = [j, j + 1].map(|edge| frame.y.place(edge as f64));
            for (i, cell) in row.iter().enumerate() {
                let [left, right] = [i, i + 1].map(|edge| frame.x.place(edge as f64));
                cells = cells.child(cell.drawn([left, top, right, bottom], most));
            }
        }
        let content = group("contrast").child(frame.drawn).child(cells);
        Drawing::new(self.size[0], self.size[1], &self.title, &self.description, content)
    }

    fn keys(&self) -> Vec<Key> {
        let mark = |value: f64, is_uncertain: bool| {
            let edges = [0.0, -6.0, Key::WIDTH, 6.0];
            Cell { value, is_uncertain }.coloured(edges, 1.0)
        };
        let mut keys = vec![
            Key { mark: mark(1.0, false), label: "higher".to_owned() },
            Key { mark: mark(-1.0, false), label: "lower".to_owned() },
        ];
        if self.cells.iter().flatten().any(|cell| cell.is_uncertain) {
            keys.push(Key { mark: mark(1.0, true), label: "may be zero".to_owned() });
        }
        keys
    }
}

impl Cell {
    fn coloured(self, [left, top, right, bottom]: [f64; 4], most: f64) -> Element {
        let share = if most > 0.0 { self.value.abs() / most } else { 0.0 };
        let share = STRONGEST * share * if self.is_uncertain { FADED } else { 1.0 };
        let cell = rectangle(left, top, right - left, bottom - top).class("mark");
        let cell = cell.set("fill-opacity", (share * 1000.0).round() / 1000.0);
        group(if self.value < 0.0 { "s0" } else { "s1" }).child(cell)
    }

    fn drawn(self, edges: [f64; 4], most: f64) -> Element {
        let [left, top, right, bottom] = edges;
        let mut drawn = self.coloured(edges, most).set("data-value", self.value);
        if right - left >= ROOM_FOR_A_NUMBER && bottom - top >= 16.0 {
            let number = text(
                (left + right) / 2.0,
                (top + bottom) / 2.0 + 4.5,
                Anchor::Middle,
                &short(self.value),
            );
            drawn = drawn.child(if self.is_uncertain { number.class("quiet") } else { number });
        }
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_that_may_be_nothing_are_fainter_than_others_of_their_size() {
        let cell = |value, is_uncertain| Cell { value, is_uncertain };
        let svg = Contrast {
            title: "t".to_owned(),
            description: "d".to_owned(),
            size: [344.0, 230.0],
            x: ("ward".to_owned(), vec!["a".to_owned(), "b".to_owned()]),
            y: ("sex".to_owned(), vec!["f & x".to_owned(), "m".to_owned()]),
            cells: vec![
                vec![cell(0.0, false), cell(-2.0, false)],
                vec![cell(2.0, true), cell(1.0, false)],
            ],
        }
        .draw()
        .standalone();
        assert!(
            svg.contains("fill-opacity=\"0.6\"") && svg.contains("fill-opacity=\"0.15\""),
            "{svg}"
        );
        assert_eq!(svg.matches("data-value=").count(), 4);
        assert!(svg.contains(">may be zero</text>") && svg.contains("f &amp; x"));
    }
}
