//! A number or a date that may bend: hat functions at public knots, between which the effect is a
//! straight line.

use crate::column::{NumberRange, Scale};
use crate::error::Excerpt;
use discretion::knots::{CELLS, MOST_OF_BUDGET};
use serde::{Deserialize, Serialize};

/// More knots than this say nothing more.
pub const MOST_KNOTS: usize = 200;

/// What is declared of a curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// Where it can bend.
    pub knots: Knots,
    /// Whether what is missing has a level of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_missing: bool,
    /// Whether it may only rise or only fall.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub monotone: Option<Monotone>,
    /// The share of the budget that its knots were released for, if they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub released_for: Option<f64>,
    /// Whether its knots were looked up in the rows: no guarantee covers them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from_rows: bool,
}

/// Where a curve can bend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Knots {
    /// At so many places, which are equally far apart on the column's scale; the ends of its range
    /// are the first and the last.
    Even(usize),
    /// At these values, and at the ends of the range.
    At(Vec<f64>),
    /// Where is not settled yet. No model has such.
    Chosen(Chosen),
}

/// How it is settled where a curve can bend.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Chosen {
    /// By public numbers: rows, columns and budget.
    Auto,
    /// Where the rows are, by noisy counts.
    Private {
        /// How many knots.
        knots: usize,
        /// The share of the budget that pays for them.
        share: f64,
    },
}

/// Which way a curve may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Monotone {
    /// It does not fall.
    Up,
    /// It does not rise.
    Down,
}

/// What is wrong with a curve, or with columns that are crossed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // each variant's sentence is its documentation
pub enum CurveProblem {
    #[error(
        "column `{column}` has a curve of {knots} knots; 2 to {most} are possible, and 8 to 16 are usual",
        column = Excerpt::of(.column)
    )]
    Knots { column: String, knots: usize, most: usize },
    #[error(
        "column `{column}` has knots that are not between its min and max, one larger than the other; list them in order",
        column = Excerpt::of(.column)
    )]
    Order { column: String },
    #[error(
        "column `{column}` has `curve` and `knots`; knots alone say where it bends, so remove `curve`",
        column = Excerpt::of(.column)
    )]
    Both { column: String },
    #[error(
        "column `{column}` has private knots, of which 2 to {most} are possible for a share of the budget between 0 and 0.5: \
         knots = \"private\", curve = 12, share = 0.01",
        column = Excerpt::of(.column)
    )]
    PrivateKnots { column: String, most: usize },
    #[error(
        "column `{column}` has `share`, which is what private knots cost; add knots = \"private\", or remove it",
        column = Excerpt::of(.column)
    )]
    ShareOfNothing { column: String },
    #[error(
        "column `{column}` is a date; give a number of knots (`curve = 12`) rather than a list",
        column = Excerpt::of(.column)
    )]
    DateKnots { column: String },
    #[error(
        "column `{column}` has `monotone` and no curve; add `curve = 12`",
        column = Excerpt::of(.column)
    )]
    NotACurve { column: String },
    #[error(
        "column `{column}` is no number, and only numbers and dates can be curves; remove `curve`",
        column = Excerpt::of(.column)
    )]
    NotANumber { column: String },
    #[error(
        "`[cross]` names `{column}`, which is none of the columns that are used",
        column = Excerpt::of(.column)
    )]
    CrossOfNothing { column: String },
    #[error(
        "`[cross]` has `{first}` with `{second}`; one of them must be a category, and the other a category or a number that \
         is no curve",
        first = Excerpt::of(.first),
        second = Excerpt::of(.second)
    )]
    CrossKinds { first: String, second: String },
    #[error(
        "`[cross]` has `{first}` with `{second}` twice",
        first = Excerpt::of(.first),
        second = Excerpt::of(.second)
    )]
    CrossTwice { first: String, second: String },
    #[error(
        "`[cross]` has `{first}` with `{second}`, which are {count} pairs of values; at most {most} are possible, so merge values",
        first = Excerpt::of(.first),
        second = Excerpt::of(.second)
    )]
    CrossTooMany { first: String, second: String, count: usize, most: usize },
}

impl Curve {
    /// With so many knots that are equally far apart.
    pub fn even(knots: usize) -> Curve {
        Curve {
            knots: Knots::Even(knots),
            own_missing: false,
            monotone: None,
            released_for: None,
            from_rows: false,
        }
    }

    /// A straight line, with a level for what is missing.
    pub(crate) fn line_with_missing() -> Curve {
        Curve { own_missing: true, ..Curve::even(2) }
    }

    /// Whether it is possible for a column of this range.
    pub(crate) fn check(&self, column: &str, range: &NumberRange) -> Result<(), CurveProblem> {
        let column = || column.to_owned();
        let count = match &self.knots {
            Knots::Even(count) => *count,
            Knots::Chosen(Chosen::Auto) => return Ok(()),
            Knots::Chosen(Chosen::Private { knots, share }) => {
                let is_possible =
                    (2..=CELLS + 1).contains(knots) && *share > 0.0 && *share <= MOST_OF_BUDGET;
                let refused = || CurveProblem::PrivateKnots { column: column(), most: CELLS + 1 };
                return is_possible.then_some(()).ok_or_else(refused);
            }
            Knots::At(values) => {
                let inside = values.iter().all(|value| (range.min..=range.max).contains(value));
                if !inside || !values.is_sorted_by(|a, b| a < b) {
                    return Err(CurveProblem::Order { column: column() });
                }
                self.values(range).len()
            }
        };
        match (2..=MOST_KNOTS).contains(&count) {
            true => Ok(()),
            false => Err(CurveProblem::Knots { column: column(), knots: count, most: MOST_KNOTS }),
        }
    }

    /// The knots in the column's unit, the ends of its range among them.
    pub fn values(&self, range: &NumberRange) -> Vec<f64> {
        let NumberRange { min, max, scale, .. } = *range;
        match &self.knots {
            // As long as it is not settled, a line or any knots stand in.
            Knots::Chosen(Chosen::Auto) => vec![min, max],
            Knots::Chosen(Chosen::Private { knots, .. }) => Curve::even(*knots).values(range),
            Knots::Even(count) => {
                let last = (count - 1) as f64;
                let between = |k: usize| match scale {
                    Scale::Linear => min + (max - min) * (k as f64 / last),
                    Scale::Log => min + ((max - min).ln_1p() * (k as f64 / last)).exp_m1(),
                };
                let inner = (1..count - 1).map(between);
                std::iter::once(min).chain(inner).chain([max]).collect()
            }
            Knots::At(values) => {
                let inner = values.iter().copied().filter(|value| min < *value && *value < max);
                std::iter::once(min).chain(inner).chain([max]).collect()
            }
        }
    }
}

/// The knots of a checked curve, ready to be asked where a value lies.
pub(crate) struct KnotAxis {
    scale: Scale,
    min: f64,
    /// The knots in the column's unit, and on its scale.
    pub values: Vec<f64>,
    at: Vec<f64>,
    is_even: bool,
    pub own_missing: bool,
    pub monotone: Option<Monotone>,
}

impl KnotAxis {
    pub fn new(curve: &Curve, range: &NumberRange) -> KnotAxis {
        let values = curve.values(range);
        let mut axis = KnotAxis {
            scale: range.scale,
            min: range.min,
            at: vec![],
            is_even: !matches!(curve.knots, Knots::At(_)),
            own_missing: curve.own_missing,
            monotone: curve.monotone,
            values,
        };
        axis.at = axis.values.iter().map(|&value| axis.on_scale(value)).collect();
        axis
    }

    fn on_scale(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::Log => (value - self.min).max(0.0).ln_1p(),
        }
    }

    /// The knots on the scale, and what is subtracted before the logarithm, if that is taken.
    pub fn on_its_scale(&self) -> (&[f64], Option<f64>) {
        (&self.at, (self.scale == Scale::Log).then_some(self.min))
    }

    /// How many knots there are.
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// Where a value lies among the knots, from 0 to their number less 1.
    pub fn position(&self, value: f64) -> f32 {
        let (x, last) = (self.on_scale(value), self.at.len() - 1);
        let (min, max) = (self.at[0], self.at[last]);
        if x <= min {
            return 0.0;
        }
        if x >= max {
            return last as f32;
        }
        if self.is_even {
            return ((x - min) / (max - min) * last as f64) as f32;
        }
        let next = self.at.partition_point(|knot| *knot <= x);
        let (low, high) = (self.at[next - 1], self.at[next]);
        ((next - 1) as f64 + (x - low) / (high - low)) as f32
    }

    /// Each knot's share at the middle of the scale, with which the others are compared.
    pub fn middle(&self) -> Vec<(usize, f64)> {
        let last = self.at.len() - 1;
        let middle = self.at[0] + (self.at[last] - self.at[0]) / 2.0;
        let next = self.at.partition_point(|knot| *knot <= middle).min(last);
        let share = (middle - self.at[next - 1]) / (self.at[next] - self.at[next - 1]);
        [(next - 1, 1.0 - share), (next, share)]
            .into_iter()
            .filter(|(_, share)| *share > 0.0)
            .collect()
    }

    /// The middle of the scale in the column's unit.
    pub fn middle_value(&self) -> f64 {
        let last = self.at.len() - 1;
        let middle = self.at[0] + (self.at[last] - self.at[0]) / 2.0;
        match self.scale {
            Scale::Linear => middle,
            Scale::Log => self.min + middle.exp_m1(),
        }
    }
}

/// The nearest values that go one way, in the sense of least squares: neighbours that do not are
/// replaced by their mean.
pub(crate) fn isotonic(values: &mut [f64], way: Monotone) {
    let sign = if way == Monotone::Up { 1.0 } else { -1.0 };
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for value in values.iter() {
        blocks.push((sign * value, 1));
        while let [.., (a, n), (b, m)] = blocks[..]
            && a > b
        {
            blocks.truncate(blocks.len() - 2);
            blocks.push(((a * n as f64 + b * m as f64) / (n + m) as f64, n + m));
        }
    }
    let flat = blocks.into_iter().flat_map(|(mean, count)| std::iter::repeat_n(sign * mean, count));
    values.iter_mut().zip(flat).for_each(|(value, mean)| *value = mean);
}

#[cfg(test)]
#[path = "curve_tests.rs"]
mod tests;
