//! Series over x, with error bands or bars.

use super::frame::Frame;
use crate::markup::Element;
use crate::svg::{Axis, Drawing, Key, Scale, circle, group, line, path, rectangle};

/// A chart of series.
#[derive(Clone, Debug)]
pub struct Lines {
    /// What it shows, for those who cannot see it.
    pub title: String,
    /// What it says, for those who cannot see it.
    pub description: String,
    /// Width and height in pixels.
    pub size: [f64; 2],
    /// From left to right.
    pub x: Axis,
    /// From the foot up.
    pub y: Axis,
    /// At most [`Lines::MOST_SERIES`], which is how many a reader can tell apart.
    pub series: Vec<Series>,
    /// A level to compare with, and its name.
    pub reference: Option<(f64, String)>,
}

/// Points that belong together.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// From left to right. A point that is not a number is left out.
    pub points: Vec<Point>,
    /// How the ranges of its points are drawn.
    pub spread: Spread,
}

/// A point, and the range around it if it has one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// From left to right.
    pub x: f64,
    /// From the foot up.
    pub y: f64,
    /// From and to, on the y axis.
    pub range: Option<[f64; 2]>,
}

/// How ranges are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// As a band between the points.
    Band,
    /// As a bar at each point.
    Bars,
    /// As a band, and nothing else: another series has the points.
    OnlyBand,
    /// Not at all, nor the points: a line to compare with.
    Line,
}

/// How a line to compare with is drawn.
const DASHES: &str = "5 4";

impl Lines {
    /// Each has a colour and a shape of its own, so that they differ on paper too.
    pub const MOST_SERIES: usize = 7;

    /// Draws it. Panics with more than [`Lines::MOST_SERIES`] series.
    pub fn draw(&self) -> Drawing {
        assert!(
            self.series.len() <= Lines::MOST_SERIES,
            "more series than a reader can tell apart"
        );
        let points = || self.series.iter().flat_map(Series::shown);
        let heights = || {
            let ends =
                points().flat_map(|point| point.range.into_iter().flatten().chain([point.y]));
            ends.chain(self.reference.iter().map(|(level, _)| *level))
        };
        let frame = Frame::new(
            self.size,
            [&self.x, &self.y],
            |places| Scale::around(self.x.layout, points().map(|point| point.x), places),
            |places| Scale::around(self.y.layout, heights(), places),
            &self.keys(),
        );
        let mut content = group("lines").child(frame.drawn.clone());
        if let Some((level, _)) = self.reference {
            let ([left, right], y) = (frame.x.places(), frame.y.place(level));
            content = content.child(line(left, y, right, y).class("reference"));
        }
        let series = self.series.iter().enumerate().map(|(i, series)| series.drawn(i, &frame));
        let [width, height] = self.size;
        Drawing::new(width, height, &self.title, &self.description, content.children(series))
    }

    fn keys(&self) -> Vec<Key> {
        let keys = self.series.iter().enumerate().map(|(i, series)| {
            let mark = group(&format!("s{i}"));
            let mark = match series.spread {
                Spread::OnlyBand => {
                    mark.child(rectangle(0.0, -5.0, Key::WIDTH, 10.0).class("band"))
                }
                Spread::Line => mark.child(
                    line(0.0, 0.0, Key::WIDTH, 0.0).class("line").set("stroke-dasharray", DASHES),
                ),
                _ => mark.child(line(0.0, 0.0, Key::WIDTH, 0.0).class("line")).child(shape(
                    i,
                    Key::WIDTH / 2.0,
                    0.0,
                )),
            };
            Key { mark, label: series.name.clone() }
        });
        // Named in the legend and not at its line, where it could meet a series.
        let reference = self.reference.iter().map(|(_, name)| {
            let mark = line(0.0, 0.0, Key::WIDTH, 0.0).class("reference");
            Key { mark, label: name.clone() }
        });
        keys.chain(reference).collect()
    }
}

impl Series {
    /// The points that have a place.
    fn shown(&self) -> impl Iterator<Item = &Point> + Clone {
        self.points.iter().filter(|point| point.x.is_finite() && point.y.is_finite())
    }

    fn drawn(&self, i: usize, frame: &Frame) -> Element {
        let place = |x: f64, y: f64| (frame.x.place(x), frame.y.place(y));
        let mut drawn = group(&format!("series s{i}")).set("data-name", &self.name);
        let ranges = self.shown().filter_map(|point| point.range.map(|range| (point.x, range)));
        match self.spread {
            Spread::Band | Spread::OnlyBand => {
                let upper = ranges.clone().map(|(x, [_, to])| place(x, to));
                let lower: Vec<(f64, f64)> = ranges.map(|(x, [from, _])| place(x, from)).collect();
                if !lower.is_empty() {
                    drawn =
                        drawn.child(path(upper.chain(lower.into_iter().rev()), true).class("band"));
                }
            }
            Spread::Line => {
                let points = self.shown().map(|point| place(point.x, point.y));
                return drawn
                    .child(path(points, false).class("line").set("stroke-dasharray", DASHES));
            }
            Spread::Bars => {
                let bars = ranges.map(|(x, [from, to])| {
                    let ((x, from), (_, to)) = (place(x, from), place(x, to));
                    line(x, from, x, to).class("bars")
                });
                drawn = drawn.children(bars);
            }
        }
        if self.spread == Spread::OnlyBand {
            return drawn;
        }
        drawn = drawn
            .child(path(self.shown().map(|point| place(point.x, point.y)), false).class("line"));
        let marks = self.shown().map(|point| {
            let (x, y) = place(point.x, point.y);
            shape(i, x, y).set("data-x", point.x).set("data-y", point.y)
        });
        drawn.children(marks)
    }
}

/// The mark of the i-th series around a point.
fn shape(i: usize, x: f64, y: f64) -> Element {
    let around = |points: &[(f64, f64)]| path(points.iter().map(|(dx, dy)| (x + dx, y + dy)), true);
    let mark = match i {
        0 => circle(x, y, 4.0),
        1 => rectangle(x - 3.6, y - 3.6, 7.2, 7.2),
        2 => around(&[(0.0, -4.8), (4.4, 3.4), (-4.4, 3.4)]),
        3 => around(&[(0.0, -5.0), (5.0, 0.0), (0.0, 5.0), (-5.0, 0.0)]),
        4 => around(&[(0.0, 4.8), (4.4, -3.4), (-4.4, -3.4)]),
        5 => rectangle(x - 5.0, y - 2.2, 10.0, 4.4),
        _ => rectangle(x - 2.2, y - 5.0, 4.4, 10.0),
    };
    mark.class("mark")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::Layout;

    fn chart(series: Vec<Series>) -> Lines {
        Lines {
            title: "t".to_owned(),
            description: "d".to_owned(),
            size: [600.0, 360.0],
            x: Axis { label: "ε".to_owned(), layout: Layout::Log },
            y: Axis { label: "AUC".to_owned(), layout: Layout::Linear },
            series,
            reference: Some((0.9, "without privacy".to_owned())),
        }
    }

    fn series(name: &str, spread: Spread) -> Series {
        let point = |x: f64| Point { x, y: 0.5 + 0.1 * x.ln(), range: Some([0.4, 0.8]) };
        Series { name: name.to_owned(), points: [0.1, 1.0, 10.0].map(point).to_vec(), spread }
    }

    #[test]
    fn every_point_has_a_mark_and_every_series_a_key() {
        let svg = chart(vec![series("A & B", Spread::Band), series("C", Spread::Bars)])
            .draw()
            .standalone();
        assert_eq!(svg.matches("data-x=").count(), 6);
        assert_eq!(svg.matches("class=\"band\"").count(), 1);
        assert_eq!(svg.matches("class=\"bars\"").count(), 3);
        assert!(svg.contains(">A &amp; B</text>") && svg.contains("data-name=\"A &amp; B\""));
        assert!(svg.contains(">without privacy</text>"));
    }

    #[test]
    fn equal_factors_are_equal_steps_on_a_log_axis() {
        let svg = chart(vec![series("a", Spread::Band)]).draw().inline().to_string();
        let x: Vec<f64> = svg
            .lines()
            .filter(|line| line.contains("data-x"))
            .map(|line| {
                line.split("cx=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
            })
            .collect();
        assert!((x[1] - x[0] - (x[2] - x[1])).abs() < 0.05, "{x:?}");
    }

    #[test]
    fn what_is_not_a_number_is_left_out() {
        let mut broken = series("a", Spread::Bars);
        broken.points[1].y = f64::NAN;
        let svg = chart(vec![broken]).draw().inline().to_string();
        assert_eq!(svg.matches("data-x=").count(), 2);
        assert!(!svg.contains("NaN"));
    }

    #[test]
    #[should_panic(expected = "more series than a reader can tell apart")]
    fn eight_series_are_too_many() {
        chart((0..8).map(|i| series(&i.to_string(), Spread::Bars)).collect()).draw();
    }
}
