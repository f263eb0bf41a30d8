//! The rows of a density, from batches of encoded ones.

use discretion::density::{Axis, Points, Scale, Spacing, Value, Wanted};
use discretion::erm::matrix::Batch;
use discretion::{Refusal, RefusalKind};
use discretion_formats::{DensityColumn, DensityFile, axis};
use discretion_table::{Column, Kind, Scale as ColumnScale};
use std::borrow::Borrow;
use std::ops::Deref;

/// The reader and the density both keep 24 bits of a number's place between its bounds, so a number
/// on the edge of two bins could fall to either side. This is more than both roundings together: it
/// falls to the upper side, always. A number this close below an edge falls there too.
const NUDGE: f64 = 1.0 / (1u32 << 24) as f64;

/// Rows that can be counted, wherever they are. Others count theirs only once what is wanted is
/// paid for.
pub trait CountRows {
    /// The public number of rows.
    fn rows(&self) -> usize;

    /// Their counts, as far as they are wanted.
    fn counted(&self, wanted: &Wanted) -> Result<CountedPoints<'_>, Refusal>;
}

/// Counts of rows.
pub enum CountedPoints<'r> {
    /// Of rows that are here.
    Here(&'r Points),
    /// That others made.
    Remote(Points),
}

impl Deref for CountedPoints<'_> {
    type Target = Points;

    fn deref(&self) -> &Points {
        match self {
            CountedPoints::Here(points) => points,
            CountedPoints::Remote(points) => points,
        }
    }
}

impl CountRows for DensityRows {
    fn rows(&self) -> usize {
        self.points.rows()
    }

    fn counted(&self, _: &Wanted) -> Result<CountedPoints<'_>, Refusal> {
        Ok(CountedPoints::Here(&self.points))
    }
}

/// Rows on their way to a density. They are the custodian's.
pub struct DensityRows {
    axes: Vec<Axis>,
    points: Points,
}

impl Borrow<dyn CountRows> for DensityRows {
    fn borrow(&self) -> &(dyn CountRows + 'static) {
        self
    }
}

impl DensityRows {
    /// None yet.
    pub fn new(columns: &[Column]) -> Result<DensityRows, Refusal> {
        let axes: Vec<Axis> = columns.iter().map(axis).collect();
        let points = Points::new(axes.clone())
            .map_err(|error| Refusal::from_error(RefusalKind::BadInput, error))?;
        Ok(DensityRows { axes, points })
    }

    /// Adds rows of the same columns, in the same order, as `read_columns` and `encode_columns`
    /// hand them out.
    pub fn push(&mut self, batch: &Batch) {
        each_row(&self.axes, batch, |row| self.points.push(row));
    }

    /// The rows.
    pub fn points(&self) -> &Points {
        &self.points
    }
}

/// The logarithm of the density at each of these rows: per unit of every numeric column, and per
/// category. A row is in the cell where [`DensityRows`] would count it, so one outside the bounds
/// counts as one on them.
pub fn log_densities(file: &DensityFile, batch: &Batch, each: &mut Vec<f64>) {
    let axes = file.density.axes();
    each_row(axes, batch, |row| {
        let density = file.density.density_at(row).ln();
        let stretched: f64 =
            file.columns.iter().zip(row).map(|(column, &value)| stretch(column, value)).sum();
        each.push(density - stretched);
    });
}

/// ln |dx/dt| where t is the number's place on its axis and x the number: a step on a logarithmic
/// axis is a wide one where numbers are large.
fn stretch(column: &DensityColumn, value: Value) -> f64 {
    match (&column.kind, value) {
        (Kind::Number { scale: ColumnScale::Log, integer: false, .. }, Value::Number(place)) => {
            place
        }
        _ => 0.0,
    }
}

/// Hands rows over one by one: numbers between −1 and 1, and codes, each in the order of their
/// columns.
fn each_row(axes: &[Axis], batch: &Batch, mut each: impl FnMut(&[Value])) {
    let numbers = axes.iter().filter(|axis| axis.has_bins()).count();
    let rows = match numbers {
        0 => batch.codes.len() / axes.len(),
        _ => batch.numeric.len() / numbers,
    };
    let (mut numeric, mut codes) = (batch.numeric.iter(), batch.codes.iter());
    let mut row = Vec::with_capacity(axes.len());
    for _ in 0..rows {
        row.clear();
        row.extend(axes.iter().map(|axis| match axis.scale {
            // The density takes the nearest whole number, from which rounding is far.
            Scale::Integers { low, high, spacing } => {
                let &encoded =
                    numeric.next().expect("a number for each numeric column of each row");
                let position = 0.5 * (f64::from(encoded) + 1.0);
                let above = match spacing {
                    Spacing::Even => (high - low) * position,
                    Spacing::Log => (position * (high - low).ln_1p()).exp_m1(),
                };
                Value::Number((low + above).clamp(low, high))
            }
            Scale::Interval { low, high } => {
                let &encoded =
                    numeric.next().expect("a number for each numeric column of each row");
                let position = 0.5 * (f64::from(encoded) + 1.0) + NUDGE;
                // Beyond an end there is no density, and rounding must not end up there.
                Value::Number((low * (1.0 - position) + high * position).clamp(low, high))
            }
            Scale::Categories { .. } => {
                Value::Code(*codes.next().expect("a code for each category column"))
            }
        }));
        each(&row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use discretion::density::{Bins, Histogram};
    use discretion::noise::Seeded;
    use discretion::privacy::Budget;

    /// Whole numbers from 0 to 99, as the reader encodes them, in every number of bins that divides
    /// 100: each bin has its share, so none lost a number at its edge.
    #[test]
    fn a_number_on_an_edge_belongs_to_the_bin_that_begins_there() {
        let axes = vec![Axis::interval("x", 0.0, 100.0)];
        let encoded =
            (0..100).flat_map(|x| std::iter::repeat_n((f64::from(x) / 50.0 - 1.0) as f32, 1000));
        let batch = Batch { numeric: encoded.collect(), codes: Vec::new(), positive: Vec::new() };
        let mut points = Points::new(axes.clone()).unwrap();
        each_row(&axes, &batch, |row| points.push(row));
        assert_eq!(points.rows(), 100_000);
        for bins in [2, 4, 5, 10, 20, 25, 50, 100] {
            let candidates = Some(vec![Bins(vec![bins])]);
            // Noise of scale 0.002: no count moves.
            let histogram = Histogram {
                candidates,
                ..Histogram::new(axes.clone(), Budget::Pure { epsilon: 1000.0 })
            };
            let density =
                histogram.plan(100_000).unwrap().run(&points, &mut Seeded::new(1)).unwrap();
            for &share in density.probabilities() {
                assert!((share - 1.0 / bins as f64).abs() < 1e-9, "{bins} bins: {share}");
            }
        }
    }

    /// Every whole number is counted as itself, on both scales, though the reader keeps 24 bits of
    /// its place.
    #[test]
    fn whole_numbers_are_counted_as_they_are() {
        for (high, spacing, step) in [(99.0, Spacing::Even, 1), (99_999.0, Spacing::Log, 997)] {
            let scale = Scale::Integers { low: 0.0, high, spacing };
            let axes = vec![Axis { name: "x".to_owned(), scale }];
            let encode = |x: f64| match spacing {
                Spacing::Even => (2.0 * x / high - 1.0) as f32,
                Spacing::Log => (2.0 * x.ln_1p() / high.ln_1p() - 1.0) as f32,
            };
            for x in (0..=high as u32).step_by(step).map(f64::from) {
                let batch = Batch { numeric: vec![encode(x)], ..Batch::default() };
                each_row(&axes, &batch, |row| {
                    let Value::Number(found) = row[0] else { panic!("a number") };
                    assert_eq!(found.round(), x, "{spacing:?}");
                });
            }
        }
    }

    #[test]
    fn columns_keep_their_order() {
        let axes = vec![
            Axis::categories("a", &["x", "y"]),
            Axis::interval("b", 10.0, 20.0),
            Axis::categories("c", &["z"]),
        ];
        let batch = Batch {
            numeric: vec![-1.0, 1.0],
            codes: vec![1, 0, 65_535, 65_535],
            positive: Vec::new(),
        };
        let mut points = Points::new(axes.clone()).unwrap();
        each_row(&axes, &batch, |row| points.push(row));
        let bins = Bins(vec![3, 2, 2]);
        let histogram = Histogram {
            candidates: Some(vec![bins]),
            ..Histogram::new(axes, Budget::Pure { epsilon: 1000.0 })
        };
        let density = histogram.plan(2).unwrap().run(&points, &mut Seeded::new(1)).unwrap();
        // (y, low, z) and (other, high, other): cells 1·4 + 0 + 0 and 2·4 + 2 + 1.
        let full: Vec<usize> =
            (0..12).filter(|&cell| density.probabilities()[cell] > 0.4).collect();
        assert_eq!(full, [4, 11]);
    }
}
