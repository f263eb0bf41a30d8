//! From values to places, and the round values in between.

use crate::numbers;

/// How a range of values is laid out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Layout {
    /// Evenly.
    Linear,
    /// By the logarithm, for positive values.
    Log,
    /// By ln(1 + value − `min`), for values from `min` on.
    LogFrom {
        /// Where it begins.
        min: f64,
    },
}

/// A range of values laid out between two places.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    layout: Layout,
    values: [f64; 2],
    places: [f64; 2],
}

/// A round value on an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Where.
    pub value: f64,
    /// What to write there.
    pub label: String,
}

impl Scale {
    /// A scale that shows all of `values` (those that it can: finite, and positive on a log scale)
    /// with a little room on both sides.
    pub fn around(
        layout: Layout,
        values: impl IntoIterator<Item = f64>,
        places: [f64; 2],
    ) -> Scale {
        let (least, most) = extent(layout, values);
        let room = 0.04 * (forward(layout, most) - forward(layout, least));
        let [from, to] = [forward(layout, least) - room, forward(layout, most) + room];
        Scale::exact(layout, [backward(layout, from), backward(layout, to)], places)
    }

    /// A scale from the first of `values` to the second, without room beside them.
    pub fn exact(layout: Layout, values: [f64; 2], places: [f64; 2]) -> Scale {
        let (least, most) = extent(layout, values);
        Scale { layout, values: [least, most], places }
    }

    /// The place of a value. What lies outside is put at the end where it would be.
    pub fn place(&self, value: f64) -> f64 {
        let [from, to] = self.values.map(|end| forward(self.layout, end));
        let share = (forward(self.layout, value) - from) / (to - from);
        // NaN has no place, and charts leave it out; a coordinate must be a number all the same.
        let share = if share.is_nan() { 0.5 } else { share.clamp(0.0, 1.0) };
        self.places[0] + share * (self.places[1] - self.places[0])
    }

    /// Both ends.
    pub fn places(&self) -> [f64; 2] {
        self.places
    }

    /// Round values within the range: about `target` of them, and on a linear scale never more than
    /// twice as many.
    pub fn ticks(&self, target: usize) -> Vec<Tick> {
        match self.layout {
            Layout::Linear => self.linear_ticks(target),
            Layout::Log => self.log_ticks(target),
            Layout::LogFrom { min } => self.log_from_ticks(min, target),
        }
    }

    fn linear_ticks(&self, target: usize) -> Vec<Tick> {
        let [from, to] = self.values;
        let step = round_step((to - from) / target.max(1) as f64);
        let slack = 1e-9 * step;
        let (first, last) =
            (((from - slack) / step).ceil() as i64, ((to + slack) / step).floor() as i64);
        let decimals = (-step.log10() + 1e-9).floor().max(0.0) as usize;
        let decimals =
            if step * 10f64.powi(decimals as i32) < 1.0 - 1e-9 { decimals + 1 } else { decimals };
        let label = |value: f64| match (1e-4..1e6).contains(&step) && from.abs().max(to.abs()) < 1e7
        {
            true => numbers::decimal(value, decimals),
            false => numbers::significant(value, 6),
        };
        (first..=last)
            .map(|i| if i == 0 { 0.0 } else { i as f64 * step })
            .map(|value| Tick { value, label: label(value) })
            .collect()
    }

    /// The coarsest of these that still gives enough: every so many powers of ten; 1, 2, 5; 1, 1.5,
    /// 2, 3, 5, 7; and within less than that, the ticks of a linear scale.
    fn log_ticks(&self, target: usize) -> Vec<Tick> {
        let [from, to] = self.values;
        let decades = to.log10() - from.log10();
        let stride = (decades / target.max(1) as f64).ceil().max(1.0) as usize;
        let wanted = target.clamp(2, 4);
        let powers = |multiples: &[f64], stride: usize| -> Vec<Tick> {
            let (first, last) = (from.log10().floor() as i32, to.log10().ceil() as i32);
            (first..=last)
                .filter(|power| power.rem_euclid(stride as i32) == 0)
                .flat_map(|power| multiples.iter().map(move |m| m * 10f64.powi(power)))
                .filter(|value| (from * (1.0 - 1e-9)..=to * (1.0 + 1e-9)).contains(value))
                .map(|value| Tick { value, label: numbers::significant(value, 3) })
                .collect()
        };
        let coarse = powers(&[1.0], stride);
        if coarse.len() >= wanted {
            return coarse;
        }
        for multiples in [&[1.0, 2.0, 5.0][..], &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0]] {
            let ticks = powers(multiples, 1);
            if ticks.len() >= wanted {
                return ticks;
            }
        }
        self.linear_ticks(target)
    }
}

impl Scale {
    /// Powers of ten and 0, or 1, 2, 5 times a power, or steps away from `min`, whichever gives
    /// enough; those too close together are left out.
    fn log_from_ticks(&self, min: f64, target: usize) -> Vec<Tick> {
        let [from, to] = self.values;
        if to - from <= 10.0 {
            // The logarithm of so little is nearly a straight line.
            return self.linear_ticks(target);
        }
        let most = from.abs().max(to.abs()).log10().ceil() as i32;
        let powers = |multiples: &[f64]| -> Vec<f64> {
            let sizes =
                (0..=most).flat_map(|power| multiples.iter().map(move |m| m * 10f64.powi(power)));
            let mut values: Vec<f64> = sizes.flat_map(|size| [-size, size]).chain([0.0]).collect();
            values.retain(|value| (from..=to).contains(value));
            values.sort_by(f64::total_cmp);
            values
        };
        let away = || {
            (0..=most)
                .map(|power| min + 10f64.powi(power))
                .filter(|value| (from..=to).contains(value))
        };
        let wanted = target.clamp(2, 4);
        let values = [powers(&[1.0]), powers(&[1.0, 2.0, 5.0])]
            .into_iter()
            .map(|values| self.apart(values, 0.5 / target.max(1) as f64))
            .find(|values| values.len() >= wanted)
            .unwrap_or_else(|| {
                self.apart([min].into_iter().chain(away()), 0.5 / target.max(1) as f64)
            });
        values
            .into_iter()
            .map(|value| Tick { value, label: numbers::significant(value, 6) })
            .collect()
    }

    /// Those of ascending values that are at least this share of the axis from the one before; 0
    /// always stays.
    fn apart(&self, values: impl IntoIterator<Item = f64>, share: f64) -> Vec<f64> {
        let gap = share * (self.places[1] - self.places[0]).abs();
        let keep = |mut kept: Vec<f64>, value: f64| {
            if kept.last().is_none_or(|last| (self.place(value) - self.place(*last)).abs() >= gap) {
                kept.push(value);
            }
            kept
        };
        let values: Vec<f64> = values.into_iter().collect();
        let up_to_zero = values.iter().position(|value| *value == 0.0).map_or(0, |zero| zero + 1);
        let (below, above) = values.split_at(up_to_zero);
        let mut kept = below.iter().rev().copied().fold(Vec::new(), keep);
        kept.reverse();
        above.iter().copied().fold(kept, keep)
    }
}

/// A step of 1, 2 or 5 times a power of ten, at least as large as the one given.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let multiple = [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= step * (1.0 - 1e-9));
    multiple.unwrap_or(10.0) * power
}

/// The least and the most of the values that can be shown, never equal.
fn extent(layout: Layout, values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let shown = values.into_iter().filter(|v| v.is_finite() && (layout != Layout::Log || *v > 0.0));
    let (least, most) =
        shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    let (least, most) = if least > most { (1.0, 1.0) } else { (least, most) };
    match layout {
        _ if most - least > 1e-12 * least.abs().max(most.abs()) => (least, most),
        Layout::Linear | Layout::LogFrom { .. } => {
            (least - 0.5 * least.abs().max(1.0), most + 0.5 * most.abs().max(1.0))
        }
        Layout::Log => (least / 2.0, most * 2.0),
    }
}

fn forward(layout: Layout, value: f64) -> f64 {
    match layout {
        Layout::Linear => value,
        // Below zero there is no logarithm, and the end of the axis is the nearest to it.
        Layout::Log => value.max(0.0).ln(),
        Layout::LogFrom { min } => (value - min).max(0.0).ln_1p(),
    }
}

fn backward(layout: Layout, value: f64) -> f64 {
    match layout {
        Layout::Linear => value,
        Layout::Log => value.exp(),
        Layout::LogFrom { min } => min + value.exp_m1(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(layout: Layout, values: [f64; 2], target: usize) -> Vec<String> {
        let scale = Scale::exact(layout, values, [0.0, 100.0]);
        scale.ticks(target).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn linear_ticks_are_round_and_inside() {
        let linear = |from, to, target| labels(Layout::Linear, [from, to], target);
        assert_eq!(linear(-2.1, 3.2, 5), ["−2", "0", "2"]);
        assert_eq!(linear(-2.1, 3.2, 6), ["−2", "−1", "0", "1", "2", "3"]);
        assert_eq!(linear(0.0, 1.0, 5), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(linear(0.0, 0.03, 3), ["0.00", "0.01", "0.02", "0.03"]);
        assert_eq!(linear(0.0, 0.25, 5), ["0.00", "0.05", "0.10", "0.15", "0.20", "0.25"]);
        assert_eq!(linear(0.0, 32_561.0, 3), ["0", "20,000"]);
        assert_eq!(linear(0.0, 3e8, 3), ["0", "10⁸", "2×10⁸", "3×10⁸"]);
    }

    #[test]
    fn linear_ticks_are_never_many() {
        for i in 1..400 {
            for target in [1, 2, 5, 9] {
                let scale = Scale::exact(Layout::Linear, [0.0, f64::from(i) * 0.173], [0.0, 1.0]);
                let ticks = scale.ticks(target).len();
                assert!(ticks >= 1 && ticks <= 2 * target + 1, "{ticks} ticks for {target}");
            }
        }
    }

    #[test]
    fn log_ticks_suit_their_range() {
        let log = |from, to| labels(Layout::Log, [from, to], 6);
        assert_eq!(log(1e-5, 1.0), ["10⁻⁵", "0.0001", "0.001", "0.01", "0.1", "1"]);
        assert_eq!(log(0.2, 20.0), ["0.2", "0.5", "1", "2", "5", "10", "20"]);
        assert_eq!(log(0.5, 2.0), ["0.5", "0.7", "1", "1.5", "2"]);
        assert_eq!(log(0.95, 1.1), ["0.95", "1.00", "1.05", "1.10"]);
        assert_eq!(log(1e-12, 1e12).len(), 7);
    }

    #[test]
    fn ticks_from_a_beginning_suit_their_range() {
        let log = |min, max| labels(Layout::LogFrom { min }, [min, max], 6);
        assert_eq!(log(0.0, 1000.0), ["0", "1", "10", "100", "1,000"]);
        assert_eq!(log(-50.0, 1000.0), ["−50", "0", "50", "200", "500", "1,000"]);
        assert_eq!(log(1000.0, 5000.0), ["1,000", "1,001", "1,010", "1,100", "2,000"]);
        assert_eq!(log(1001.0, 1019.0), ["1,001", "1,002", "1,011"]);
        assert_eq!(log(0.0, 5.0), ["0", "1", "2", "3", "4", "5"]);
        let scale = Scale::exact(Layout::LogFrom { min: -1.0 }, [-1.0, 0.0], [0.0, 100.0]);
        assert!((scale.place((0.5f64 * 2f64.ln()).exp_m1() - 1.0) - 50.0).abs() < 1e-9);
    }

    #[test]
    fn places_are_within_the_axis() {
        let scale = Scale::around(Layout::Log, [0.1, 10.0], [0.0, 100.0]);
        assert!((scale.place(1.0) - 50.0).abs() < 1e-9);
        assert_eq!([0.0, -1.0, f64::INFINITY].map(|v| scale.place(v)), [0.0, 0.0, 100.0]);
        assert!(scale.place(0.1) > 0.0 && scale.place(10.0) < 100.0);
    }

    #[test]
    fn no_range_is_too_odd() {
        for layout in [Layout::Linear, Layout::Log, Layout::LogFrom { min: 0.0 }] {
            for values in
                [vec![], vec![0.0], vec![3.0, 3.0], vec![f64::NAN, f64::INFINITY], vec![-1.0, -1.0]]
            {
                let scale = Scale::around(layout, values, [0.0, 1.0]);
                assert!(!scale.ticks(5).is_empty());
                assert!(scale.place(1.0).is_finite() && scale.place(f64::NAN).is_finite());
            }
        }
    }
}
