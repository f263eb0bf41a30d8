//! Shares of named values, as bars that lie on their side so that names can be read.

use crate::markup::Element;
use crate::numbers::percent;
use crate::svg::{self, Anchor, Drawing, LABEL, Layout, Scale, group, line, rectangle};

/// A bar chart.
#[derive(Clone, Debug)]
pub struct Bars {
    /// What it shows, for those who cannot see it.
    pub title: String,
    /// What it says, for those who cannot see it.
    pub description: String,
    /// In pixels. The height follows from the bars.
    pub width: f64,
    /// What a length means.
    pub label: String,
    /// Names and shares of the whole, none negative, from top to bottom.
    pub bars: Vec<(String, f64)>,
}

/// The share of the width that names may take.
const NAMES: f64 = 0.4;

/// The height of a line of a name, and what is between two bars.
const LINE: f64 = 17.0;
const BETWEEN: f64 = 9.0;

/// The height of a bar.
const BAR: f64 = 16.0;

impl Bars {
    /// Draws it. Panics unless every share is a number.
    pub fn draw(&self) -> Drawing {
        assert!(self.bars.iter().all(|(_, share)| share.is_finite()), "a share is a number");
        let names: Vec<Vec<String>> =
            self.bars.iter().map(|(name, _)| LABEL.wrapped(name, NAMES * self.width)).collect();
        let widest = names.iter().flatten().map(|line| LABEL.width(line)).fold(0.0, f64::max);
        let left = widest + 10.0;
        // Room for the longest number behind the longest bar.
        let right = (self.width - LABEL.width("99.9 %") - 8.0).max(left + 1.0);
        let most = self.bars.iter().map(|(_, share)| *share).fold(0.0, f64::max);
        let scale =
            Scale::exact(Layout::Linear, [0.0, if most > 0.0 { most } else { 1.0 }], [left, right]);
        let mut drawn = group("bars-on-their-side");
        let mut y = 0.0;
        for words in LABEL.wrapped(&self.label, self.width) {
            y += 19.0;
            drawn = drawn.child(svg::text(0.0, y - 4.0, Anchor::Start, &words).class("quiet"));
        }
        y += 6.0;
        let top = y;
        for ((name, share), lines) in self.bars.iter().zip(&names) {
            let height = LINE * lines.len() as f64;
            drawn = drawn.child(bar(
                name,
                *share,
                lines,
                left,
                &scale,
                y + BETWEEN / 2.0 + height / 2.0,
            ));
            y += height + BETWEEN;
        }
        let content = drawn.child(line(left, top, left, y).class("base"));
        Drawing::new(self.width, y + 4.0, &self.title, &self.description, content)
    }
}

/// One bar with its name and its share, around a height.
fn bar(name: &str, share: f64, lines: &[String], left: f64, scale: &Scale, middle: f64) -> Element {
    let first = middle - LINE * (lines.len() as f64 - 1.0) / 2.0 + 4.5;
    let words = lines
        .iter()
        .enumerate()
        .map(|(i, words)| svg::text(left - 8.0, first + LINE * i as f64, Anchor::End, words));
    let end = scale.place(share);
    let bar = rectangle(left, middle - BAR / 2.0, end - left, BAR).class("cell");
    group("bar")
        .set("data-name", name)
        .set("data-share", share)
        .children(words)
        .child(bar)
        .child(svg::text(end + 6.0, middle + 4.5, Anchor::Start, &percent(share)).class("quiet"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(bars: &[(&str, f64)]) -> String {
        let bars = bars.iter().map(|(name, share)| ((*name).to_owned(), *share)).collect();
        let (title, description) = ("t".to_owned(), "d".to_owned());
        Bars { title, description, width: 400.0, label: "share of rows".to_owned(), bars }
            .draw()
            .inline()
            .to_string()
    }

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        let svg = bars(&[
            ("clerk", 0.5),
            ("a name <b> of more than one line, which is broken", 0.25),
            ("", 0.0),
        ]);
        let widths: Vec<f64> = svg
            .lines()
            .filter(|line| line.starts_with("<rect"))
            .map(|line| {
                line.split(" width=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
            })
            .collect();
        assert_eq!(widths.len(), 3);
        assert!((widths[0] - 2.0 * widths[1]).abs() < 0.02 && widths[2] == 0.0, "{widths:?}");
        assert!(
            svg.contains("50\u{a0}%") && svg.contains("&lt;b&gt;") && !svg.contains("<b>"),
            "{svg}"
        );
    }

    #[test]
    fn nothing_at_all_is_drawn_too() {
        assert!(!bars(&[("a", 0.0)]).contains("NaN"));
    }
}
