//! What the marks mean, in rows as wide as the chart.

use super::{Anchor, LABEL, group, px, text};
use crate::markup::Element;

/// A mark and its meaning.
#[derive(Clone, Debug)]
pub struct Key {
    /// The mark, drawn from (0, 0) to the right, at most [`Key::WIDTH`] wide and centred on y = 0.
    pub mark: Element,
    /// What it means.
    pub label: String,
}

impl Key {
    /// The room for a mark.
    pub const WIDTH: f64 = 26.0;
}

/// The height of a row of keys.
const ROW: f64 = 20.0;

/// Between a mark and its meaning, and between keys.
const GAPS: [f64; 2] = [7.0, 20.0];

/// The keys from (0, 0) down in rows of `width`, and the height they take.
pub fn legend(keys: &[Key], width: f64) -> (Element, f64) {
    let (mut x, mut y) = (0.0, 0.0);
    let mut drawn = group("legend");
    for Key { mark, label } in keys {
        let lines = LABEL.wrapped(label, (width - Key::WIDTH - GAPS[0]).max(1.0));
        let widest = lines.iter().map(|line| LABEL.width(line)).fold(0.0, f64::max);
        let needed = Key::WIDTH + GAPS[0] + widest;
        if x > 0.0 && x + needed > width {
            (x, y) = (0.0, y + ROW);
        }
        let place = format!("translate({} {})", px(x), px(y + ROW / 2.0));
        drawn = drawn.child(Element::new("g").set("transform", place).child(mark.clone()));
        for (i, line) in lines.iter().enumerate() {
            let baseline = y + ROW / 2.0 + 4.5 + ROW * i as f64;
            drawn = drawn.child(text(x + Key::WIDTH + GAPS[0], baseline, Anchor::Start, line));
        }
        // A key of several lines fills its rows alone.
        (x, y) = if lines.len() > 1 {
            (0.0, y + ROW * lines.len() as f64)
        } else {
            (x + needed + GAPS[1], y)
        };
    }
    let height = if x > 0.0 { y + ROW } else { y };
    (drawn, height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::circle;

    #[test]
    fn keys_wrap_into_rows() {
        let key = |label: &str| Key { mark: circle(13.0, 0.0, 4.0), label: label.to_owned() };
        let keys = [key("one"), key("two"), key("three")];
        let height = |keys: &[Key], width| legend(keys, width).1;
        assert_eq!(height(&keys, 600.0), ROW);
        assert_eq!(height(&keys, 160.0), 2.0 * ROW);
        assert_eq!(height(&keys, 70.0), 3.0 * ROW);
        assert_eq!(height(&[], 70.0), 0.0);
        assert_eq!(height(&[key("a meaning of several words"), key("b")], 110.0), 4.0 * ROW);
    }
}
