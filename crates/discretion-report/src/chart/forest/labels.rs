//! The column of words at the left of a forest plot: every label whole, in as many lines as it
//! takes.

use super::Row;
use crate::markup::Element;
use crate::svg::{Anchor, Font, HEADING, LABEL, group, text};

/// From one line of a label to the next.
const LINE: f64 = 16.0;

/// Around the lines of a label.
const PADDING: f64 = 5.0;

/// How far labels under a heading stand in.
const INDENT: f64 = 12.0;

/// Between two columns of the table, heading or not.
const BETWEEN: f64 = 5.0;

/// Between the words and the plot.
const GAP: f64 = 16.0;

/// Labels in their places.
pub struct Labels {
    /// The room they take, and with it where the plot begins.
    pub width: f64,
    /// The height of all.
    pub height: f64,
    /// The middle of each row, from the top.
    pub middles: Vec<f64>,
    lines: Vec<Line>,
}

struct Line {
    x: f64,
    baseline: f64,
    text: String,
    heading: bool,
}

impl Labels {
    /// Arranges the labels of rows so that they take no more than `most` in width.
    pub fn arrange(rows: &[Row], most: f64) -> Labels {
        let mut labels = Labels { width: 0.0, height: 0.0, middles: Vec::new(), lines: Vec::new() };
        let mut heading: Option<&str> = None;
        for (i, row) in rows.iter().enumerate() {
            let next = row.heading.as_deref();
            let begins = i == 0 || next != heading;
            if begins && i > 0 && (next.is_some() || heading.is_some()) {
                labels.height += BETWEEN;
            }
            if let Some(words) = next.filter(|_| begins) {
                labels.add(words, HEADING, 0.0, most - GAP);
            }
            heading = next;
            let indent = if heading.is_some() { INDENT } else { 0.0 };
            let middle = labels.add(&row.label, LABEL, indent, most - GAP);
            labels.middles.push(middle);
        }
        labels.width += GAP;
        labels
    }

    /// Adds a text below the others and says where its middle is.
    fn add(&mut self, words: &str, font: Font, indent: f64, room: f64) -> f64 {
        let lines = font.wrapped(words, room - indent);
        let top = self.height;
        for (i, line) in lines.into_iter().enumerate() {
            self.width = self.width.max(indent + font.width(&line));
            let baseline = top + PADDING / 2.0 + LINE * i as f64 + 12.5;
            self.lines.push(Line { x: indent, baseline, text: line, heading: font.bold });
            self.height = top + PADDING + LINE * (i + 1) as f64;
        }
        (top + self.height) / 2.0
    }

    /// The words, from `top` down.
    pub fn drawn(&self, top: f64) -> Element {
        let texts = self.lines.iter().map(|line| {
            let words = text(line.x, top + line.baseline, Anchor::Start, &line.text);
            if line.heading { words.class("heading") } else { words }
        });
        group("labels").children(texts)
    }
}
