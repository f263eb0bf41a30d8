//! How an encoder turns fields into numbers, as numbers: for programs that encode without this one.

use super::blocks::Block;
use super::{Axis, Encoder, NumberCode};
use discretion::erm::matrix::{Cross, Norm};

/// What an encoder does. The coefficients are those of the intercept, the numbers, the categories,
/// their pairs, the curves and the slopes, in this order.
#[derive(Debug, Clone, PartialEq)]
pub struct Recipe {
    /// What the intercept counts, and a category that is hit.
    pub constant: f32,
    /// Whether a row is divided by its own length, and by how much less than 1 it then is.
    pub divided_by_length: bool,
    /// The columns of numbers.
    pub numbers: Vec<NumberRecipe>,
    /// The columns of categories: their names and values.
    pub categories: Vec<(String, Vec<String>)>,
    /// Categories that are crossed, by their places: a coefficient for each value of the first with
    /// each of the second.
    pub pairs: Vec<[usize; 2]>,
    /// The columns that are curves.
    pub curves: Vec<CurveRecipe>,
    /// Categories that are crossed with numbers, by their places.
    pub slopes: Vec<(usize, usize)>,
}

/// How a curve is encoded: where a value, or ln(1 + max(value − `min`, 0)), lies among the knots,
/// rounded to an `f32`.
#[derive(Debug, Clone, PartialEq)]
pub struct CurveRecipe {
    /// The column.
    pub name: String,
    /// What is subtracted before the logarithm, if that is taken.
    pub log: Option<f64>,
    /// The knots on that scale.
    pub knots: Vec<f64>,
    /// What a missing value is: its position among the knots, or NaN if none may be missing.
    pub missing: f32,
    /// Whether a missing value has a coefficient of its own, behind those of the knots.
    pub own_missing: bool,
}

/// How a number is encoded: `factor · (value − offset)`, or `factor · ln(1 + max(value − offset,
/// 0)) − constant`; rounded to an `f32`, and then clipped to ±`constant`.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberRecipe {
    /// The column.
    pub name: String,
    /// Whether the logarithm is taken.
    pub log: bool,
    /// What is subtracted first.
    pub offset: f64,
    /// What it is multiplied by.
    pub factor: f64,
    /// What a missing value is encoded as: NaN if none may be missing.
    pub missing: f32,
}

impl Encoder {
    /// What it does; or the name of a column that takes more than numbers and texts as they are,
    /// and what that is.
    pub fn recipe(&self) -> Result<Recipe, (String, &'static str)> {
        let numbers = self.numbers.iter().map(|column| (&column.name, more_than_a_number(column)));
        let categories =
            self.categories.iter().map(|column| (&column.name, column.more_than_its_place()));
        if let Some((name, more)) =
            numbers.chain(categories).find_map(|(name, more)| Some((name, more?)))
        {
            return Err((name.clone(), more));
        }
        let more = |block: &Block<'_>| match block {
            Block::Pair(_) | Block::Slopes(..) => {
                Some("is crossed, in rows that are divided by their length")
            }
            Block::Curve(..) => Some("is a curve, in rows that are divided by their length"),
            _ => None,
        };
        let blocks = self.blocks();
        let more = blocks
            .iter()
            .filter(|_| self.norm == Norm::Row)
            .find_map(|block| Some((block, more(block)?)));
        if let Some((block, more)) = more {
            return Err((block.column(), more));
        }
        let numbers = self.numbers.iter().filter_map(|column| {
            let (log, offset, factor) = match column.axis {
                Axis::Linear { middle, factor } => (false, middle, factor),
                Axis::Log { min, factor } => (true, min, factor),
                Axis::Curve(_) => return None,
                Axis::Plain => {
                    unreachable!("rows for learners that are not linear are not encoded")
                }
            };
            let missing = column.missing.unwrap_or(f32::NAN);
            Some(NumberRecipe { name: column.name.clone(), log, offset, factor, missing })
        });
        let curves = self.numbers.iter().filter_map(|column| {
            let Axis::Curve(axis) = &column.axis else { return None };
            let (knots, log) = axis.on_its_scale();
            let missing = column.missing.unwrap_or(f32::NAN);
            let (name, own_missing) = (column.name.clone(), axis.own_missing);
            Some(CurveRecipe { name, log, knots: knots.to_vec(), missing, own_missing })
        });
        let pairs = self.crosses.iter().filter_map(|cross| match *cross {
            Cross::Pair { categories, .. } => Some(categories),
            Cross::Slopes { .. } => None,
        });
        // Numbers are numbered without curves here.
        let line = |at: usize| {
            let before = self.numbers[..at].iter();
            before.filter(|number| !matches!(number.axis, Axis::Curve(_))).count()
        };
        let slopes = self.crosses.iter().filter_map(|cross| match *cross {
            Cross::Slopes { category, number } => Some((category, line(number))),
            Cross::Pair { .. } => None,
        });
        let categories =
            self.categories.iter().map(|column| (column.name.clone(), column.declared.clone()));
        Ok(Recipe {
            constant: self.constant,
            divided_by_length: self.norm == Norm::Row,
            numbers: numbers.collect(),
            categories: categories.collect(),
            pairs: pairs.collect(),
            curves: curves.collect(),
            slopes: slopes.collect(),
        })
    }
}

fn more_than_a_number(column: &NumberCode) -> Option<&'static str> {
    match column {
        _ if column.date.is_some() => Some("is a date"),
        _ if column.na.hides_numbers() => Some("has numbers that mean that a value is missing"),
        _ => None,
    }
}
