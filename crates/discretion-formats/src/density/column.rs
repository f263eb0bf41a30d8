//! A column of a density: how its values lie on an axis of equal cells, and how to get back.

use discretion::density::{Axis, Scale as AxisScale, Spacing};
use discretion_table::{Column, Kind, NumberRange, Reading, Scale};
use serde::{Deserialize, Serialize};

/// A column with its cells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DensityColumn {
    /// Its name.
    pub name: String,
    /// What was declared about it.
    pub kind: Kind,
    /// How its texts are read, for rows that are compared with the density.
    #[serde(default, skip_serializing_if = "Reading::is_plain")]
    pub reading: Reading,
    /// The ends of its bins in its own unit, one more than there are bins. For readers of the file.
    #[serde(default, skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<f64>,
    /// The names of its cells, by their labels where they have some, the last one for all values
    /// that are not declared. For readers of the file.
    #[serde(default, skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

/// The axis of a column that is described. Panics on one that is dropped.
pub fn axis(column: &Column) -> Axis {
    let scale = match (&column.kind, column.kind.range()) {
        (_, Some(NumberRange { min: low, max: high, scale, integer: true, .. })) => {
            let spacing = if scale == Scale::Log { Spacing::Log } else { Spacing::Even };
            AxisScale::Integers { low, high, spacing }
        }
        (_, Some(NumberRange { min: low, max: high, scale: Scale::Linear, .. })) => {
            AxisScale::Interval { low, high }
        }
        (_, Some(NumberRange { min, max, scale: Scale::Log, .. })) => {
            AxisScale::Interval { low: 0.0, high: (max - min).ln_1p() }
        }
        (Kind::Category { values, .. }, None) => AxisScale::Categories { values: values.clone() },
        (_, None) => panic!("a dropped column is not described"),
    };
    Axis { name: unit(column), scale }
}

/// What an axis measures: the column itself, or its logarithm. Whole numbers are counted as they
/// are on any scale.
fn unit(column: &Column) -> String {
    let name = &column.name;
    match column.kind {
        Kind::Number { integer: true, .. } => name.clone(),
        Kind::Number { min, scale: Scale::Log, .. } if min < 0.0 => {
            format!("ln(1 + {name} + {})", -min)
        }
        Kind::Number { min, scale: Scale::Log, .. } if min > 0.0 => {
            format!("ln(1 + {name} - {min})")
        }
        Kind::Number { scale: Scale::Log, .. } => format!("ln(1 + {name})"),
        _ => name.clone(),
    }
}

impl DensityColumn {
    /// A column cut into so many cells.
    pub fn new(column: &Column, bins: usize) -> DensityColumn {
        let Column { name, kind, reading, .. } = column.clone();
        let mut made = DensityColumn { name, kind, reading, edges: Vec::new(), names: Vec::new() };
        match &made.kind {
            Kind::Category { values, labels } => {
                let (shown, other) =
                    (made.kind.shown_values(), other_than(values.iter().chain(labels.values())));
                made.names = shown.into_iter().chain([other]).collect();
            }
            kind if kind.range().is_some_and(|range| range.integer) => {
                made.edges = axis(column).edges(bins)
            }
            _ => made.edges = (0..=bins).map(|i| made.at(i as f64 / bins as f64)).collect(),
        }
        made
    }

    /// As it was declared.
    pub fn column(&self) -> Column {
        Column {
            reading: self.reading.clone(),
            ..Column::new(self.name.clone(), self.kind.clone())
        }
    }

    /// Whether an axis can be this column's. Its ends are not compared: another machine may compute
    /// logarithms that differ in their last bit.
    pub fn is_laid_out_by(&self, axis: &Axis) -> bool {
        let column = self.column();
        let same_kind = match (&self.kind, &axis.scale) {
            (kind, AxisScale::Interval { .. }) => kind.range().is_some_and(|range| !range.integer),
            (kind, AxisScale::Integers { .. }) => kind.range().is_some_and(|range| range.integer),
            (Kind::Category { values, .. }, AxisScale::Categories { values: theirs }) => {
                values == theirs
            }
            _ => false,
        };
        same_kind && column.check().is_ok() && axis.name == unit(&column)
    }

    /// The text that a table has for a category: its value, or the name of all that are not
    /// declared. Panics on numbers.
    pub fn value(&self, code: u16) -> &str {
        let Kind::Category { values, .. } = &self.kind else {
            panic!("{} has no categories", self.name)
        };
        values.get(usize::from(code)).unwrap_or(&self.names[values.len()])
    }

    /// The number at a share of the axis, from 0 to 1. Panics on categories.
    pub fn at(&self, position: f64) -> f64 {
        let Some(NumberRange { min, max, scale, .. }) = self.kind.range() else {
            panic!("{} has no numbers", self.name)
        };
        let value = match scale {
            // Both ends are met exactly, and nothing overflows in between.
            Scale::Linear => min * (1.0 - position) + max * position,
            Scale::Log => min + (position * (max - min).ln_1p()).exp_m1(),
        };
        if position >= 1.0 { max } else { value.clamp(min, max) }
    }
}

/// A name for what is in no declared category, which therefore must not be one.
fn other_than<'v>(values: impl Iterator<Item = &'v String> + Clone) -> String {
    let mut name = "other".to_owned();
    while values.clone().any(|value| value.trim() == name) {
        name = format!("({name})");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(min: f64, max: f64, scale: Scale) -> Column {
        Column::new("x", Kind::Number { min, max, scale, missing: None, integer: false })
    }

    #[test]
    fn edges_are_in_the_unit_of_the_column() {
        let linear = DensityColumn::new(&number(-1.0, 3.0, Scale::Linear), 4);
        assert_eq!(linear.edges, [-1.0, 0.0, 1.0, 2.0, 3.0]);
        let log = DensityColumn::new(&number(2.0, 101.0, Scale::Log), 2);
        assert!(
            log.edges[0] == 2.0 && (log.edges[1] - 11.0).abs() < 1e-9 && log.edges[2] == 101.0,
            "{log:?}"
        );
        assert_eq!(axis(&number(2.0, 101.0, Scale::Log)).name, "ln(1 + x - 2)");
        let wide = DensityColumn::new(&number(-1e308, 0.7e308, Scale::Linear), 3);
        assert!(wide.edges.windows(2).all(|pair| pair[0] < pair[1]), "{wide:?}");
    }

    #[test]
    fn what_is_not_declared_has_a_name_that_is_not() {
        let values = ["a", "other", "(other)"].map(str::to_owned).to_vec();
        let column = Column::new("x", Kind::category(values));
        assert_eq!(DensityColumn::new(&column, 4).names[3], "((other))");
        assert!(DensityColumn::new(&column, 4).is_laid_out_by(&axis(&column)));
        assert!(!DensityColumn::new(&column, 4).is_laid_out_by(&axis(&number(
            0.0,
            1.0,
            Scale::Linear
        ))));
    }

    #[test]
    fn whole_numbers_have_ends_between_them_and_labels_are_shown() {
        let kind =
            Kind::Number { min: 0.0, max: 9.0, scale: Scale::Linear, missing: None, integer: true };
        let column = Column::new("n", kind);
        let density = DensityColumn::new(&column, 4);
        assert_eq!(density.edges, [-0.5, 2.5, 4.5, 7.5, 9.5]);
        assert!(density.is_laid_out_by(&axis(&column)));
        assert!(!density.is_laid_out_by(&axis(&number(0.0, 9.0, Scale::Linear))));
        let labels =
            [("1".to_owned(), "male".to_owned()), ("9".to_owned(), "other".to_owned())].into();
        let values = ["1", "2", "9"].map(str::to_owned).to_vec();
        let sex = DensityColumn::new(&Column::new("sex", Kind::Category { values, labels }), 4);
        assert_eq!(sex.names, ["male", "2", "other", "(other)"]);
        assert_eq!(
            [0, 1, 2, 3, 65_535].map(|code| sex.value(code)),
            ["1", "2", "9", "(other)", "(other)"]
        );
    }
}
