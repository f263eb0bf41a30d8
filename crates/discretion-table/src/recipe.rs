//! How an encoder turns fields into numbers, as numbers: for programs that encode without this one.

use super::blocks::Block;
use super::{Axis, Encoder, NumberCode};
use discretion::erm::matrix::Norm;

/// What an encoder does. The coefficients are those of the intercept, the numbers and the categories, in this order.
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
}

/// How a number is encoded: `factor · (value − offset)`, or `factor · ln(1 + max(value − offset, 0)) − constant`; rounded to an
/// `f32`, and then clipped to ±`constant`.
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
    /// What it does; or the name of a column that takes more than numbers and texts as they are, and what that is.
    pub fn recipe(&self) -> Result<Recipe, (String, &'static str)> {
        let numbers = self.numbers.iter().map(|column| (&column.name, more_than_a_number(column)));
        let categories = self.categories.iter().map(|column| (&column.name, column.more_than_its_place()));
        if let Some((name, more)) = numbers.chain(categories).find_map(|(name, more)| Some((name, more?))) {
            return Err((name.clone(), more));
        }
        if let Some(cross) =
            self.blocks().iter().find(|block| matches!(block, Block::Pair(_) | Block::Slopes(..)))
        {
            return Err((cross.column(), "is crossed"));
        }
        let numbers = self.numbers.iter().map(|column| {
            let (log, offset, factor) = match column.axis {
                Axis::Linear { middle, factor } => (false, middle, factor),
                Axis::Log { min, factor } => (true, min, factor),
                Axis::Curve(_) => unreachable!("a curve is more than a number"),
                Axis::Plain => unreachable!("rows for learners that are not linear are not encoded"),
            };
            let missing = column.missing.unwrap_or(f32::NAN);
            NumberRecipe { name: column.name.clone(), log, offset, factor, missing }
        });
        let categories = self.categories.iter().map(|column| (column.name.clone(), column.declared.clone()));
        Ok(Recipe {
            constant: self.constant,
            divided_by_length: self.norm == Norm::Row,
            numbers: numbers.collect(),
            categories: categories.collect(),
        })
    }
}

fn more_than_a_number(column: &NumberCode) -> Option<&'static str> {
    match column {
        _ if column.date.is_some() => Some("is a date"),
        _ if matches!(column.axis, Axis::Curve(_)) => Some("is a curve"),
        _ if column.na.hides_numbers() => Some("has numbers that mean that a value is missing"),
        _ => None,
    }
}
