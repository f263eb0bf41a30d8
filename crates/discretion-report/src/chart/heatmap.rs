//! A density of two columns: the darker a cell, the larger its value.

use super::frame::Frame;
use crate::markup::Element;
use crate::numbers::short;
use crate::svg::{Anchor, Axis, Drawing, Key, LABEL, Layout, Scale, group, px, rectangle, text};

/// A heat map.
#[derive(Clone, Debug)]
pub struct Heatmap {
    /// What it shows, for those who cannot see it.
    pub title: String,
    /// What it says, for those who cannot see it.
    pub description: String,
    /// Width and height in pixels.
    pub size: [f64; 2],
    /// The column from left to right.
    pub x: Side,
    /// The column from the foot up.
    pub y: Side,
    /// Values, none negative, row by row from the foot up.
    pub values: Vec<Vec<f64>>,
    /// What a value means.
    pub value_label: String,
}

/// A column along one side.
#[derive(Clone, Debug)]
pub enum Side {
    /// Numbers.
    Numbers {
        /// The column.
        axis: Axis,
        /// The ends of the cells, in ascending order.
        edges: Vec<f64>,
    },
    /// One cell for each of these.
    Names {
        /// The column.
        label: String,
        /// The names of the cells.
        names: Vec<String>,
    },
}

impl Side {
    fn axis(&self) -> Axis {
        match self {
            Side::Numbers { axis, .. } => axis.clone(),
            Side::Names { label, .. } => Axis { label: label.clone(), layout: Layout::Linear },
        }
    }

    fn edges(&self) -> Vec<f64> {
        match self {
            Side::Numbers { edges, .. } => edges.clone(),
            Side::Names { names, .. } => (0..=names.len()).map(|i| i as f64).collect(),
        }
    }

    fn names(&self) -> Option<&[String]> {
        match self {
            Side::Numbers { .. } => None,
            Side::Names { names, .. } => Some(names),
        }
    }
}

/// How many shades the key shows.
const SHADES: usize = 5;

impl Heatmap {
    /// Draws it. Panics unless there is one more edge than cells in both directions, and every
    /// value is a number.
    pub fn draw(&self) -> Drawing {
        let [x_edges, y_edges] = [self.x.edges(), self.y.edges()];
        assert_eq!(y_edges.len(), self.values.len() + 1, "a row of cells lies between two edges");
        let across = x_edges.len() - 1;
        assert!(self.values.iter().all(|row| row.len() == across), "a cell lies between two edges");
        let [width, height] = self.size;
        let ends = |edges: &[f64]| [edges[0], edges[edges.len() - 1]];
        assert!(self.values.iter().flatten().all(|value| value.is_finite()), "a value is a number");
        let most = self.values.iter().flatten().copied().fold(0.0, f64::max);
        let (key, key_height) = self.key(most);
        let [x_axis, y_axis] = [self.x.axis(), self.y.axis()];
        let frame = Frame::with_names(
            [width, height - key_height],
            [&x_axis, &y_axis],
            [self.x.names(), self.y.names()],
            |places| Scale::exact(x_axis.layout, ends(&x_edges), places),
            |places| Scale::exact(y_axis.layout, ends(&y_edges), places),
            &[],
        );
        let mut cells = group("cells");
        for (rows, values) in y_edges.windows(2).zip(&self.values) {
            let [bottom, top] = [frame.y.place(rows[0]), frame.y.place(rows[1])];
            for (columns, &value) in x_edges.windows(2).zip(values) {
                let [left, right] = [frame.x.place(columns[0]), frame.x.place(columns[1])];
                let cell = rectangle(left, top, right - left, bottom - top).class("cell");
                cells = cells
                    .child(cell.set("fill-opacity", opacity(value, most)).set("data-value", value));
            }
        }
        let place = format!("translate(0 {})", px(height - key_height));
        let content = group("heatmap")
            .child(frame.drawn)
            .child(cells)
            .child(Element::new("g").set("transform", place).child(key));
        Drawing::new(width, height, &self.title, &self.description, content)
    }

    /// What the shades mean: a name, a row of them from nothing to the most, and the height of
    /// both.
    fn key(&self, most: f64) -> (Element, f64) {
        let mut key = group("key quiet");
        let mut y = 0.0;
        for words in LABEL.wrapped(&self.value_label, self.size[0]) {
            y += 18.0;
            key = key.child(text(0.0, y, Anchor::Start, &words));
        }
        let [left, right] = [18.0, 18.0 + Key::WIDTH * SHADES as f64];
        let shade = |i: usize| {
            let share = i as f64 / (SHADES - 1) as f64;
            let place = rectangle(left + Key::WIDTH * i as f64, y + 8.0, Key::WIDTH, 12.0);
            place.class("cell").set("fill-opacity", opacity(share, 1.0))
        };
        // The lightest shade is that of the page, and needs an edge.
        let edge = rectangle(left, y + 8.0, right - left, 12.0).class("base");
        let key = key
            .child(text(0.0, y + 18.5, Anchor::Start, "0"))
            .children((0..SHADES).map(shade))
            .child(edge)
            .child(text(right + 8.0, y + 18.5, Anchor::Start, &short(most)));
        (key, y + 24.0)
    }
}

/// The share of the darkest shade.
fn opacity(value: f64, most: f64) -> String {
    let share = if most > 0.0 { (value / most).clamp(0.0, 1.0) } else { 0.0 };
    format!("{}", (share * 1000.0).round() / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(values: Vec<Vec<f64>>) -> Heatmap {
        let side = |label: &str| Side::Numbers {
            axis: Axis { label: label.to_owned(), layout: Layout::Linear },
            edges: vec![0.0, 1.0, 2.0],
        };
        Heatmap {
            title: "t".to_owned(),
            description: "d".to_owned(),
            size: [500.0, 400.0],
            x: side("age"),
            y: side("hours"),
            values,
            value_label: "density".to_owned(),
        }
    }

    #[test]
    fn the_largest_cell_is_the_darkest() {
        let svg = map(vec![vec![0.0, 0.5], vec![2.0, 1.0]]).draw().inline().to_string();
        let shades: Vec<&str> = svg
            .lines()
            .filter(|line| line.contains("data-value"))
            .map(|line| line.split("fill-opacity=\"").nth(1).unwrap().split('"').next().unwrap())
            .collect();
        assert_eq!(shades, ["0", "0.25", "1", "0.5"]);
    }

    #[test]
    fn names_stand_beside_their_cells() {
        let names = |label: &str, names: &[&str]| Side::Names {
            label: label.to_owned(),
            names: names.iter().map(|&name| name.to_owned()).collect(),
        };
        let x = names("job", &["clerk", "nurse <b>"]);
        let y = names("ward", &["surgery", &"a ward with a very long name ".repeat(4)]);
        let map = Heatmap { x, y, ..map(vec![vec![0.0, 0.5], vec![2.0, 1.0]]) };
        let svg = map.draw().standalone();
        for label in [
            ">clerk<",
            ">nurse &lt;b&gt;<",
            ">surgery<",
            ">a ward with a very",
            "…<",
            ">job<",
            ">ward<",
        ] {
            assert!(svg.contains(label), "{label}");
        }
        assert!(!svg.contains("rotate"), "two short names fit below their cells");
        let many: Vec<String> = (0..60).map(|i| format!("value number {i}")).collect();
        let x = Side::Names { label: "job".to_owned(), names: many };
        let map = Heatmap { x, values: vec![vec![0.1; 60]; 2], ..map };
        let svg = map.draw().standalone();
        assert!(svg.contains("rotate(-90)\">value number 0<"));
        assert!(svg.matches("rotate(").count() < 60, "more names than there is room for");
    }

    #[test]
    fn a_map_of_nothing_is_empty_and_no_error() {
        assert!(!map(vec![vec![0.0; 2]; 2]).draw().standalone().contains("NaN"));
    }

    #[test]
    #[should_panic(expected = "a cell lies between two edges")]
    fn rows_must_be_of_one_length() {
        map(vec![vec![0.0; 2], vec![0.0; 3]]).draw();
    }
}
