//! A forest plot: one row for each estimate, with its interval and the line of no effect. Without
//! intervals it is a dot plot.
//!
//! People take the width of an interval for the sampling error alone. Here the part that sampling
//! alone would give is drawn thick, and what the noise for privacy adds is drawn thin.

mod labels;

use crate::markup::Element;
use crate::numbers::{NO_ESTIMATE, short};
use crate::svg::{
    self, Anchor, Axis, Drawing, Key, LABEL, Numbers, Scale, across, circle, group, line,
};
use labels::Labels;

/// A forest plot.
#[derive(Clone, Debug)]
pub struct Forest {
    /// What it shows, for those who cannot see it.
    pub title: String,
    /// What it says, for those who cannot see it.
    pub description: String,
    /// In pixels. The height follows from the rows.
    pub width: f64,
    /// What is estimated; logarithmic for ratios.
    pub axis: Axis,
    /// Where there is no effect: 0, or 1 for ratios.
    pub reference: f64,
    /// What lies to the left and to the right of the reference, in a few words each.
    pub towards: Option<[String; 2]>,
    /// From top to bottom.
    pub rows: Vec<Row>,
}

/// One estimate.
#[derive(Clone, Debug)]
pub struct Row {
    /// The heading it stands under, together with its neighbours of the same heading.
    pub heading: Option<String>,
    /// What a person reads beside it.
    pub label: String,
    /// What a program calls it: the value of `data-name`.
    pub name: String,
    /// The estimate.
    pub estimate: f64,
    /// Its interval, if there is one.
    pub span: Option<Span>,
    /// What noise alone gives, to either side of the reference on a linear axis; for rows without
    /// intervals.
    pub noise: Option<f64>,
}

/// An interval, and how much of it is sampling error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Its lower end.
    pub lower: f64,
    /// Its upper end.
    pub upper: f64,
    /// The ends that sampling alone would give, if known.
    pub sampling: Option<[f64; 2]>,
    /// The ends that it would have without a declared bound, if there is one.
    pub without_bound: Option<[f64; 2]>,
}

/// With more rows than this the numbers of the axis stand above the plot too.
const TALL: usize = 25;

/// The radius of the dot at an estimate; on a narrow plot the dot must not hide what it sits on.
const RADII: [f64; 2] = [3.75, 3.0];

/// Plots up to this width are narrow.
const NARROW: f64 = 480.0;

/// Room to the right of the plot, for half a number of the axis.
const RIGHT: f64 = 24.0;

impl Forest {
    /// Draws it.
    pub fn draw(&self) -> Drawing {
        let labels = Labels::arrange(&self.rows, 0.44 * self.width);
        let (legend, legend_height) = svg::legend(&self.keys(), self.width);
        let numbers = if self.rows.len() > TALL { Numbers::BelowAndAbove } else { Numbers::Below };
        let top = legend_height + if numbers == Numbers::Below { 10.0 } else { 30.0 };
        let bottom = top + labels.height;

        let ends = self.rows.iter().flat_map(|row| {
            let span = row.span.map(|span| [span.lower, span.upper]);
            let ends = span.into_iter().chain(self.band(row)).flatten();
            std::iter::once(row.estimate).chain(ends)
        });
        let places = [labels.width, (self.width - RIGHT).max(labels.width + 1.0)];
        let scale = Scale::around(self.axis.layout, ends.chain([self.reference]), places);
        let zero = scale.place(self.reference);

        let marks =
            self.rows.iter().zip(&labels.middles).map(|(row, y)| self.mark(row, &scale, top + y));
        let (feet, height) = self.feet(&scale, bottom + 18.0);
        let content = group("forest")
            .child(legend)
            .child(across(&scale, top, bottom, numbers))
            .child(line(zero, top, zero, bottom).class("reference"))
            .child(labels.drawn(top))
            .children(marks)
            .child(feet);
        Drawing::new(self.width, height, &self.title, &self.description, content)
    }

    fn mark(&self, row: &Row, scale: &Scale, y: f64) -> Element {
        let mut mark = group("row").set("data-name", &row.name).set("data-estimate", row.estimate);
        let estimate = match row.estimate.is_nan() {
            true => NO_ESTIMATE.to_owned(),
            false => short(row.estimate),
        };
        let mut told = format!("{}: {estimate}", row.name);
        if let Some(Span { lower, upper, .. }) = row.span {
            mark = mark.set("data-lower", lower).set("data-upper", upper);
            told.push_str(&format!(", interval {} to {}", short(lower), short(upper)));
        }
        mark = mark.child(Element::new("title").text(told));
        // What is not an interval, or no number at all, is told and not drawn.
        if let Some(Span { lower, upper, sampling, without_bound }) =
            row.span.filter(|span| span.lower <= span.upper)
        {
            let [from, to] = [lower, upper].map(|end| scale.place(end));
            let [a, b] = without_bound
                .map_or([from, to], |ends| ends.map(|end| scale.place(end).clamp(from, to)));
            if without_bound.is_some() {
                mark = mark.child(line(from, y, to, y).class("bound"));
            }
            mark = mark.child(line(a, y, b, y).class("privacy"));
            if let Some(ends) = sampling {
                let [a, b] = ends.map(|end| scale.place(end).clamp(from, to));
                mark = mark.child(line(a, y, b, y).class("sampling"));
            }
        }
        if let Some(ends) = self.band(row) {
            let [from, to] = ends.map(|end| scale.place(end));
            mark = mark.child(line(from, y, to, y).class("noise"));
        }
        let class = if self.is_open(row) { "dot open" } else { "dot" };
        match row.estimate.is_nan() {
            true => mark,
            false => mark.child(circle(scale.place(row.estimate), y, self.radius()).class(class)),
        }
    }

    fn radius(&self) -> f64 {
        RADII[usize::from(self.width <= NARROW)]
    }

    /// Whether its interval contains "no effect", or noise alone might have made it.
    fn is_open(&self, row: &Row) -> bool {
        let within = |[lower, upper]: [f64; 2]| (lower..=upper).contains(&row.estimate);
        row.span.is_some_and(|span| (span.lower..=span.upper).contains(&self.reference))
            || self.band(row).is_some_and(within)
    }

    /// Where noise alone leaves an estimate.
    fn band(&self, row: &Row) -> Option<[f64; 2]> {
        row.noise.map(|noise| [self.reference - noise, self.reference + noise])
    }

    fn keys(&self) -> Vec<Key> {
        let key = |mark: Element, label: &str| Key { mark, label: label.to_owned() };
        let dot = |class: &str| circle(Key::WIDTH / 2.0, 0.0, self.radius()).class(class);
        let bar = |class: &str| line(0.0, 0.0, Key::WIDTH, 0.0).class(class);
        let reference = short(self.reference);
        let mut keys = Vec::new();
        if self.rows.iter().any(|row| row.span.is_some()) {
            keys.push(key(dot("dot"), &format!("interval leaves out {reference}")));
            if self.rows.iter().any(|row| self.is_open(row)) {
                keys.push(key(dot("dot open"), &format!("interval contains {reference}")));
            }
            if self.rows.iter().any(|row| row.span.is_some_and(|span| span.sampling.is_some())) {
                keys.push(key(bar("sampling"), "from sampling"));
                keys.push(key(bar("privacy"), "added by privacy"));
            }
            if self.rows.iter().any(|row| row.span.is_some_and(|of| of.without_bound.is_some())) {
                keys.push(key(bar("bound"), "what the penalty may have taken"));
            }
        }
        if self.rows.iter().any(|row| row.noise.is_some()) {
            keys.push(key(bar("noise"), "what noise alone gives"));
            keys.push(key(dot("dot"), "more than noise"));
            if self.rows.iter().any(|row| self.is_open(row)) {
                keys.push(key(dot("dot open"), "may be noise"));
            }
        }
        keys
    }

    /// The words below the axis, from `y` down, and where they end.
    fn feet(&self, scale: &Scale, y: f64) -> (Element, f64) {
        let mut feet = group("feet");
        let mut y = y;
        if let Some([left, right]) = &self.towards {
            let [left, right] = [format!("← {left}"), format!("{right} →")];
            let zero = scale.place(self.reference);
            let [before, after] =
                [zero - 12.0 - LABEL.width(&left), zero + 12.0 + LABEL.width(&right)];
            y += 20.0;
            if before >= 0.0 && after <= self.width {
                feet = feet.child(svg::text(zero - 12.0, y, Anchor::End, &left)).child(svg::text(
                    zero + 12.0,
                    y,
                    Anchor::Start,
                    &right,
                ));
            } else {
                for (words, anchor, x) in
                    [(left, Anchor::Start, 0.0), (right, Anchor::End, self.width)]
                {
                    for line in LABEL.wrapped(&words, self.width) {
                        feet = feet.child(svg::text(x, y, anchor, &line));
                        y += 17.0;
                    }
                }
                y -= 17.0;
            }
        }
        let [from, to] = scale.places();
        for words in LABEL.wrapped(&self.axis.label, self.width) {
            y += 20.0;
            // Centred below the plot, unless that would push it over an edge.
            let half = LABEL.width(&words) / 2.0;
            let x = ((from + to) / 2.0).min(self.width - half).max(half);
            feet = feet.child(svg::text(x, y, Anchor::Middle, &words).class("quiet"));
        }
        (feet, y + 8.0)
    }
}

#[cfg(test)]
mod tests;
