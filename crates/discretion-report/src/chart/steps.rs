//! A histogram density of one column: its height times its width is a share of the rows.

use super::frame::Frame;
use crate::svg::{Axis, Drawing, Layout, Scale, group, path, rectangle};

/// A histogram.
#[derive(Clone, Debug)]
pub struct Steps {
    /// What it shows, for those who cannot see it.
    pub title: String,
    /// What it says, for those who cannot see it.
    pub description: String,
    /// Width and height in pixels.
    pub size: [f64; 2],
    /// The column; its bins are laid out on it.
    pub x: Axis,
    /// What the height means.
    pub y_label: String,
    /// The ends of the bins, from left to right: one more than there are heights.
    pub edges: Vec<f64>,
    /// The height over each bin.
    pub heights: Vec<f64>,
}

impl Steps {
    /// Draws it. Panics unless there is one more edge than heights, and every height is a number.
    pub fn draw(&self) -> Drawing {
        assert_eq!(self.edges.len(), self.heights.len() + 1, "a bin lies between two edges");
        assert!(self.heights.iter().all(|height| height.is_finite()), "a height is a number");
        let y_axis = Axis { label: self.y_label.clone(), layout: Layout::Linear };
        let ends = [self.edges[0], self.edges[self.edges.len() - 1]];
        // Heights are areas: they stand on 0.
        let highest = self.heights.iter().copied().fold(0.0, f64::max);
        let frame = Frame::new(
            self.size,
            [&self.x, &y_axis],
            |places| Scale::exact(self.x.layout, ends, places),
            |places| Scale::exact(Layout::Linear, [0.0, 1.05 * highest], places),
            &[],
        );
        let foot = frame.y.place(0.0);
        let mut outline = vec![(frame.x.place(self.edges[0]), foot)];
        let mut bins = group("bins");
        for (pair, &height) in self.edges.windows(2).zip(&self.heights) {
            let [from, to] = [frame.x.place(pair[0]), frame.x.place(pair[1])];
            let top = frame.y.place(height);
            outline.extend([(from, top), (to, top)]);
            bins = bins.child(
                rectangle(from, top, to - from, foot - top)
                    .class("band")
                    .set("data-from", pair[0])
                    .set("data-to", pair[1])
                    .set("data-height", height),
            );
        }
        outline.push((frame.x.place(ends[1]), foot));
        let content = group("steps")
            .child(frame.drawn)
            .child(group("s0").child(bins).child(path(outline, false).class("line")));
        Drawing::new(self.size[0], self.size[1], &self.title, &self.description, content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(edges: Vec<f64>, heights: Vec<f64>) -> Steps {
        Steps {
            title: "t".to_owned(),
            description: "d".to_owned(),
            size: [500.0, 300.0],
            x: Axis { label: "age".to_owned(), layout: Layout::Linear },
            y_label: "density".to_owned(),
            edges,
            heights,
        }
    }

    #[test]
    fn bins_are_as_wide_and_as_high_as_they_say() {
        let svg = histogram(vec![0.0, 1.0, 3.0], vec![0.4, 0.2]).draw().inline().to_string();
        let number = |line: &str, name: &str| -> f64 {
            line.split(&format!(" {name}=\""))
                .nth(1)
                .unwrap()
                .split('"')
                .next()
                .unwrap()
                .parse()
                .unwrap()
        };
        let bins: Vec<(f64, f64)> = svg
            .lines()
            .filter(|line| line.contains("data-height"))
            .map(|line| (number(line, "width"), number(line, "height")))
            .collect();
        assert_eq!(bins.len(), 2);
        assert!(
            (bins[1].0 / bins[0].0 - 2.0).abs() < 0.01
                && (bins[0].1 / bins[1].1 - 2.0).abs() < 0.01,
            "{bins:?}"
        );
    }

    #[test]
    fn an_empty_density_is_a_flat_one() {
        let svg = histogram(vec![0.0, 1.0], vec![0.0]).draw().standalone();
        assert!(!svg.contains("NaN"));
    }

    #[test]
    #[should_panic(expected = "a bin lies between two edges")]
    fn edges_and_heights_must_fit() {
        histogram(vec![0.0, 1.0], vec![0.1, 0.2]).draw();
    }
}
