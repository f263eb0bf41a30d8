//! Synthetic rows from a density file. Post-processing: it spends nothing.

use super::{DensityColumn, DensityFile};
use discretion::density::{Scale, Value};
use discretion_table::{NumberRange, Scale as ColumnScale};

/// A number is written to this share of its bin.
const GRAIN: f64 = 1e-4;

/// A value of a synthetic row.
#[derive(Clone, Debug, PartialEq)]
pub enum Drawn<'f> {
    /// A number in the column's own unit, to as many decimals as its bin is worth; a whole one if
    /// the column has no others.
    Number(String),
    /// A date, as the column's dates are written.
    Date(String),
    /// A category as the table has it, or the name for all that are not declared.
    Name(&'f str),
}

impl DensityFile {
    /// Rows without end; the same seed gives the same ones.
    pub fn draw(&self, seed: u64) -> impl Iterator<Item = Vec<Drawn<'_>>> {
        self.density
            .rows(seed)
            .map(|row| row.into_iter().enumerate().map(|(i, value)| self.drawn(i, value)).collect())
    }

    fn drawn(&self, i: usize, value: Value) -> Drawn<'_> {
        let column = &self.columns[i];
        if let Value::Number(days) = value
            && let Some(date) = column.kind.date(days)
        {
            return Drawn::Date(column.reading.written(date));
        }
        match (&self.density.axes()[i].scale, value) {
            (Scale::Integers { .. }, Value::Number(x)) => Drawn::Number(x.to_string()),
            (&Scale::Interval { low, high }, Value::Number(x)) => {
                Drawn::Number(number(column, (x - low) / (high - low), self.density.bins().0[i]))
            }
            (Scale::Categories { .. }, Value::Code(code)) => Drawn::Name(column.value(code)),
            _ => unreachable!("a density's rows have the kinds of its axes"),
        }
    }
}

/// The number at a share of the axis, to as many decimals as its bin is worth.
fn number(column: &DensityColumn, position: f64, bins: usize) -> String {
    let Some(NumberRange { min, max, scale, .. }) = column.kind.range() else {
        panic!("{} has no numbers", column.name)
    };
    let value = column.at(position);
    let width = match scale {
        ColumnScale::Linear => (max - min) / bins as f64,
        // On this axis a step of one multiplies 1 + value − min by e.
        ColumnScale::Log => (1.0 + value - min) * (max - min).ln_1p() / bins as f64,
    };
    let decimals = (-(GRAIN * width).log10()).ceil().clamp(0.0, 300.0) as usize;
    let text = format!("{value:.decimals$}");
    // Rounding must not leave the declared range.
    match text.parse::<f64>() {
        Ok(rounded) if (min..=max).contains(&rounded) => text,
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use discretion_table::{Column, Kind};

    #[test]
    fn numbers_are_as_long_as_their_bin_is_worth_and_stay_within_bounds() {
        let column = |min, max, scale| {
            let kind = Kind::Number { min, max, scale, missing: None, integer: false };
            DensityColumn::new(&Column::new("x", kind), 10)
        };
        let linear = |min, max| column(min, max, ColumnScale::Linear);
        assert_eq!(number(&linear(0.0, 100.0), 0.123_456_789, 10), "12.346");
        assert_eq!(number(&linear(0.0, 1e9), 0.123_456_789, 10), "123456789");
        assert_eq!(number(&linear(0.0, 1e-9), 0.123_456_789, 10), "0.00000000012346");
        // To three decimals this is above its largest value.
        assert_eq!(number(&linear(0.0, 99.999_6), 1.0, 10), "99.9996");
        assert_eq!(number(&column(0.0, 1000.0, ColumnScale::Log), 0.0, 10), "0.00000");
        assert_eq!(number(&column(0.0, 1000.0, ColumnScale::Log), 1.0, 10), "1000.00");
    }
}
