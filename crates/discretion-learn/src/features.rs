//! Rows as numbers, for learners that split them.

use discretion::erm::matrix::OTHER;
use discretion_table::{Kind, NumberRange, PlainRows, Schema};

/// Numbers are in their own units, a missing one lying below all others; a category is its place in
/// the declared list, and −1 if it is none of them.
pub(crate) struct Features {
    /// What a missing number is replaced by, for each numeric column: a value below its range.
    below: Vec<f32>,
}

impl Features {
    pub(crate) fn of(schema: &Schema) -> Features {
        let below = |kind: &Kind| {
            let NumberRange { min, max, .. } = kind.range()?;
            Some((min - (max - min)).max(f64::from(f32::MIN)) as f32)
        };
        Features {
            below: schema.columns().iter().filter_map(|column| below(&column.kind)).collect(),
        }
    }

    /// How many of the first columns are numbers; the others are categories.
    pub(crate) fn numbers(&self) -> usize {
        self.below.len()
    }

    /// All values, row after row.
    pub(crate) fn values(&self, rows: &PlainRows) -> Vec<f32> {
        let mut values = Vec::new();
        for row in 0..rows.count() {
            let numbers = rows.numbers(row).iter().zip(&self.below);
            values
                .extend(numbers.map(|(&value, &below)| if value.is_nan() { below } else { value }));
            let place = |code: u16| if code == OTHER { -1.0 } else { f32::from(code) };
            values.extend(rows.codes(row).iter().map(|&code| place(code)));
        }
        values
    }
}
