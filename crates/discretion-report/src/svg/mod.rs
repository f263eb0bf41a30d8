//! A small SVG writer: shapes, scales, axes and legends. Colours are classes of one style sheet, so
//! that a chart follows its reader into light or dark.

mod axis;
mod legend;
mod scale;
mod text;

pub use axis::{Axis, Numbers, across, room_left, upwards};
pub use legend::{Key, legend};
pub use scale::{Layout, Scale, Tick};
pub use text::Font;

use crate::markup::Element;

/// The style sheet of all charts. A page that holds charts includes it once; a chart on its own
/// carries it.
pub const STYLE: &str = include_str!("chart.css");

/// The font of every label; the style sheet says the same.
pub const LABEL: Font = Font { size: 13.0, bold: false };

/// The font of a heading within a chart.
pub const HEADING: Font = Font { size: 13.0, bold: true };

/// Around a chart that is a file of its own.
const MARGIN: f64 = 16.0;

/// A finished chart.
#[derive(Clone, Debug)]
pub struct Drawing {
    width: f64,
    height: f64,
    title: String,
    description: String,
    content: Element,
    /// Why nothing is promised about what it shows.
    not_private: Option<String>,
}

impl Drawing {
    /// A chart of this size. Title and description are for those who cannot see it; both are read,
    /// not shown.
    pub fn new(
        width: f64,
        height: f64,
        title: &str,
        description: &str,
        content: Element,
    ) -> Drawing {
        Drawing {
            width,
            height,
            title: title.to_owned(),
            description: description.to_owned(),
            content,
            not_private: None,
        }
    }

    /// Marks the chart, in the file itself, as NOT PRIVATE for this reason.
    pub fn marked(self, not_private: Option<&str>) -> Drawing {
        Drawing { not_private: not_private.map(str::to_owned), ..self }
    }

    /// The chart as part of a page that includes [`STYLE`].
    pub fn inline(&self) -> Element {
        self.root(0.0).child(self.content.clone())
    }

    /// The chart as a file of its own, with its style, a margin and a background, because a
    /// viewer's background need not match the reader's choice of light or dark.
    pub fn standalone(&self) -> String {
        let style = Element::new("style").style_sheet(STYLE);
        let (width, height) = (self.width + 2.0 * MARGIN, self.height + 2.0 * MARGIN);
        let background = rectangle(-MARGIN, -MARGIN, width, height).class("paper");
        let svg = self
            .root(MARGIN)
            .set("xmlns", "http://www.w3.org/2000/svg")
            .child(style)
            .child(background);
        match &self.not_private {
            None => format!("{}\n", svg.child(self.content.clone())),
            Some(reason) => {
                // In the margin above the chart, and in the first line for whoever opens the file.
                let mark = text(0.0, -3.0, Anchor::Start, "NOT PRIVATE")
                    .class("heading")
                    .set("style", "fill: #c22a2a");
                // Two hyphens would end the comment.
                let reason = reason.replace('-', "\u{2010}");
                format!(
                    "<!-- NOT PRIVATE: {reason} -->\n{}\n",
                    svg.child(mark).child(self.content.clone())
                )
            }
        }
    }

    fn root(&self, margin: f64) -> Element {
        let [width, height] = [self.width, self.height].map(|length| px(length + 2.0 * margin));
        Element::new("svg")
            .class("chart")
            .set("role", "img")
            .set("viewBox", format!("{0} {0} {width} {height}", px(-margin)))
            .set("width", width)
            .set("height", height)
            .child(Element::new("title").text(&self.title))
            .child(Element::new("desc").text(&self.description))
    }
}

/// A group of a class.
pub fn group(class: &str) -> Element {
    Element::new("g").class(class)
}

/// A line between two points.
pub fn line(x1: f64, y1: f64, x2: f64, y2: f64) -> Element {
    Element::new("line").set("x1", px(x1)).set("y1", px(y1)).set("x2", px(x2)).set("y2", px(y2))
}

/// A circle around a point.
pub fn circle(x: f64, y: f64, radius: f64) -> Element {
    Element::new("circle").set("cx", px(x)).set("cy", px(y)).set("r", px(radius))
}

/// A rectangle from its upper left corner.
pub fn rectangle(x: f64, y: f64, width: f64, height: f64) -> Element {
    Element::new("rect")
        .set("x", px(x))
        .set("y", px(y))
        .set("width", px(width))
        .set("height", px(height))
}

/// A path through points, closed or open.
pub fn path(points: impl IntoIterator<Item = (f64, f64)>, closed: bool) -> Element {
    let mut d = String::new();
    for (x, y) in points {
        d.push_str(&format!("{}{} {}", if d.is_empty() { "M" } else { "L" }, px(x), px(y)));
    }
    if closed {
        d.push('Z');
    }
    Element::new("path").set("d", d)
}

/// Where a text stands in relation to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// It is centred there.
    Middle,
    /// It ends there.
    End,
}

/// A text; `y` is its baseline.
pub fn text(x: f64, y: f64, anchor: Anchor, text: &str) -> Element {
    let element = Element::new("text").set("x", px(x)).set("y", px(y));
    let element = match anchor {
        Anchor::Start => element,
        Anchor::Middle => element.set("text-anchor", "middle"),
        Anchor::End => element.set("text-anchor", "end"),
    };
    element.text(text)
}

/// A length to a hundredth of a pixel, as short as can be.
pub fn px(x: f64) -> String {
    let rounded = (x * 100.0).round() / 100.0;
    // Without the sign of a negative zero.
    format!("{}", if rounded == 0.0 { 0.0 } else { rounded })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_short() {
        assert_eq!([1.0, 0.125, -0.001, 33.333_333].map(px), ["1", "0.13", "0", "33.33"]);
    }

    #[test]
    fn a_file_of_its_own_is_complete() {
        let drawing =
            Drawing::new(10.0, 20.0, "a < b", "c & d", group("x").child(circle(1.0, 2.0, 3.0)));
        let svg = drawing.standalone();
        assert!(
            svg.contains("xmlns=\"http://www.w3.org/2000/svg\"")
                && svg.contains("viewBox=\"-16 -16 42 52\"")
        );
        assert!(svg.contains("<title>a &lt; b</title>") && svg.contains("<desc>c &amp; d</desc>"));
        assert!(svg.contains("prefers-color-scheme: dark"));
        // Its name space is the only address in it.
        assert_eq!(svg.matches("http").count(), 1);
        assert!(!drawing.inline().to_string().contains("<style>"));
    }

    #[test]
    fn what_is_not_private_says_so_in_its_first_line_and_to_the_eye() {
        let drawing = Drawing::new(10.0, 20.0, "a", "b", group("x"));
        assert!(!drawing.standalone().contains("NOT PRIVATE"));
        let svg = drawing.marked(Some("a --> seed")).standalone();
        assert_eq!(svg.lines().next(), Some("<!-- NOT PRIVATE: a \u{2010}\u{2010}> seed -->"));
        assert!(svg.contains(">NOT PRIVATE</text>"), "{svg}");
    }

    #[test]
    fn paths_close_when_asked() {
        let d = path([(0.0, 0.0), (1.0, 2.0)], true).to_string();
        assert_eq!(d, "<path d=\"M0 0L1 2Z\"></path>");
    }
}
