//! From fields to bounded numbers, by the schema alone.
//!
//! Under [`Norm::Scale`] every used column and the intercept get the same constant c = (1 −
//! 2⁻²⁰)/√m, m being their number. A number is laid out over [−c, c], the declared category that is
//! hit counts c, and so the row's squared length is at most m·c² < 1, whatever the fields hold. The
//! shrinking by 2⁻²⁰ exceeds every rounding on the way, so that the stored `f32` vector itself
//! obeys the bound. Under [`Norm::Row`] c = 1 and the matrix divides each row by its own length. A
//! number that is a curve is laid out among its knots instead, and the matrix makes two entries of
//! that, which add up to c.

#[path = "blocks.rs"]
mod blocks;
#[path = "number_code.rs"]
mod number_code;
#[path = "recipe.rs"]
mod recipe;
#[path = "units.rs"]
mod units;

use number_code::Axis;
pub(crate) use number_code::NumberCode;
pub use recipe::{CurveRecipe, NumberRecipe, Recipe};
pub use units::{Effect, UnitCoefficient};

use crate::category::CategoryCode;
use crate::cohort_code::{ConditionCode, WeightCode};
use crate::read::header::{Role, shared_fields};
use crate::read::{PersonCode, PersonKey, Purpose};
use crate::schema::{Column, Kind, Schema};
use discretion::erm::matrix::{Cross, Norm};

/// Encodes fields as the schema says, and names and translates the coefficients.
pub struct Encoder {
    norm: Norm,
    constant: f32,
    pub(crate) numbers: Vec<NumberCode>,
    pub(crate) categories: Vec<CategoryCode>,
    /// The categories that are read from several columns each.
    pub(crate) one_of: Vec<usize>,
    crosses: Vec<Cross>,
    /// Columns of a file that several encoded ones are made of: what each of these is.
    pub(crate) shared: Vec<(String, Vec<Role>)>,
    /// Whose rows they are, if that is read.
    pub(crate) person: Option<PersonCode>,
    /// What must hold of a row that counts, if that is looked at.
    pub(crate) conditions: Vec<ConditionCode>,
    /// Whether rows without an outcome are left out.
    pub(crate) known_outcome: bool,
    /// Whether rows have weights, and the column that they are read from.
    is_weighted: bool,
    pub(crate) weight: Option<WeightCode>,
}

impl Schema {
    /// The encoder for tables of this schema.
    pub fn encoder(&self) -> Encoder {
        self.encoder_of(self.columns())
    }

    /// The encoder for tables of these columns, of which the schema's own come first.
    pub(crate) fn encoder_of(&self, columns: &[Column]) -> Encoder {
        let used = columns.iter().filter(|column| column.kind != Kind::Dropped).count();
        let constant = match self.norm() {
            Norm::Scale => constant_for(used + self.crosses().len() + 1),
            Norm::Row => 1.0,
        };
        let encoder =
            Encoder::of(self.norm(), constant, columns, |column| match column.is_line() {
                true => NumberCode::new(column, constant),
                false => NumberCode::curve(column),
            });
        let is_weighted = self.cohort().weight.is_some();
        Encoder {
            crosses: blocks::crosses(columns, self.crosses(), constant),
            is_weighted,
            ..encoder
        }
    }
}

/// (1 − 2⁻²⁰)/√m: its square times m is below 1 − 2⁻²⁰ even after rounding to `f32`, which
/// changes it by at most one part in 2²⁴.
fn constant_for(terms: usize) -> f32 {
    const SHRINK: f64 = 1.0 - 1.0 / 1_048_576.0;
    (SHRINK / (terms as f64).sqrt()) as f32
}

impl Encoder {
    /// Numbers laid out over [−1, 1], for columns that are described and not learned from.
    pub(crate) fn describing(columns: &[Column]) -> Encoder {
        Encoder::of(Norm::Row, 1.0, columns, |column| NumberCode::new(column, 1.0))
    }

    /// Numbers as they are, apart from clipping; what is missing is NaN.
    pub(crate) fn plain(columns: &[Column]) -> Encoder {
        Encoder::of(Norm::Row, 1.0, columns, NumberCode::plain)
    }

    /// The same, for rows that are read for this.
    pub(crate) fn reading_to(mut self, purpose: Purpose) -> Encoder {
        let asked = matches!(purpose, Purpose::Predict | Purpose::Queries);
        self.numbers.iter_mut().for_each(|number| number.asked = asked);
        self
    }

    /// The same, which also reads whose rows they are.
    pub(crate) fn of_persons(self, schema: &Schema) -> Encoder {
        Encoder { person: PersonCode::new(schema), ..self }
    }

    /// The same, which says where each row's person comes in the order of this key.
    pub(crate) fn of_persons_by(self, key: PersonKey, schema: &Schema) -> Encoder {
        Encoder { person: PersonCode::new(schema).map(|code| code.in_order_of(key)), ..self }
    }

    fn of(
        norm: Norm,
        constant: f32,
        columns: &[Column],
        number: impl Fn(&Column) -> Option<NumberCode>,
    ) -> Encoder {
        let numbers = columns.iter().filter_map(number).collect();
        let categories: Vec<_> = columns.iter().filter_map(CategoryCode::new).collect();
        let one_of = (0..categories.len()).filter(|&j| !categories[j].one_of.is_empty()).collect();
        let (crosses, shared, person) = (Vec::new(), shared_fields(columns), None);
        Encoder {
            norm,
            constant,
            numbers,
            categories,
            one_of,
            crosses,
            shared,
            person,
            conditions: Vec::new(),
            known_outcome: false,
            is_weighted: false,
            weight: None,
        }
    }
}

#[cfg(test)]
#[path = "encode_tests.rs"]
mod tests;
