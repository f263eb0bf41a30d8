//! A table whose rows are taken as the whole population, and its bootstrap replicates as counts of
//! rows.

use super::columns::{ColumnChoice, Feature};
use crate::Failure;
use discretion::erm::matrix::{Batch, Layout, Matrix, Norm, OTHER, Rows};
use discretion::loss::LossKind;
use discretion::noise::Seeded;
use discretion::train::not_private;
use discretion_table::{Column, Error, Kind, Purpose, Schema, read_batches};
use std::collections::HashMap;
use std::path::Path;

/// Rows with values in [0, 1], before any are dropped.
pub struct Values {
    width: usize,
    rows: Vec<(Vec<f32>, bool)>,
}

/// Rows as the experiment sees them: x = (1, v)/‖(1, v)‖. Equal rows are stored once.
pub struct Population {
    matrix: Matrix,
    /// The stored row of every row.
    stored: Vec<u32>,
}

impl Values {
    /// Reads the columns of a public table.
    pub fn read(chosen: &ColumnChoice, folder: &Path) -> Result<Values, Failure> {
        let (path, schema) = chosen.table.find(folder)?;
        let schema = narrowed(chosen, &schema)?;
        let columns = |number: bool| {
            let kept = schema.columns().iter().filter(move |column| {
                matches!(column.kind, Kind::Number { .. }) == number && column.kind != Kind::Dropped
            });
            kept.collect::<Vec<&Column>>()
        };
        let (numbers, categories) = (columns(true), columns(false));
        let place = |of: &[&Column], name: &str| of.iter().position(|column| column.name == name);
        let missing = |name: &str| Failure(format!("{} has no column {name}", chosen.table.name));
        let find = |feature: &Feature| match feature {
            Feature::Number { column, .. } => {
                place(&numbers, column).map(Place::Number).ok_or_else(|| missing(column))
            }
            Feature::Is { column, value } => {
                let at = place(&categories, column).ok_or_else(|| missing(column))?;
                let code = code(categories[at], value).ok_or_else(|| missing(value))?;
                Ok(Place::Is(at, code))
            }
        };
        let places: Vec<Place> =
            chosen.features.iter().map(find).collect::<Result<_, Failure>>()?;
        let needed: Vec<usize> =
            chosen.rows.iter().filter_map(|(column, _)| place(&categories, column)).collect();
        let mut rows = Vec::new();
        read_batches(&path, &schema, Purpose::Train, &|_| {}, |batch| {
            for (row, &positive) in batch.positive.iter().enumerate() {
                let number = |at: usize| batch.numeric[row * numbers.len() + at];
                let code = |at: usize| batch.codes[row * categories.len() + at];
                if needed.iter().any(|&at| code(at) == OTHER) {
                    continue;
                }
                let value = |place: &Place| match *place {
                    // The encoder lays [0, most] out over [−1, 1].
                    Place::Number(at) => 0.5 * (number(at) + 1.0),
                    Place::Is(at, hit) => f32::from(code(at) == hit),
                };
                rows.push((places.iter().map(value).collect(), positive));
            }
            Ok::<(), Error>(())
        })
        .map_err(|error| Failure(error.to_string()))?;
        Ok(Values { width: places.len(), rows })
    }

    /// Ever rarer categories, with labels from a logistic model, for those who have no table.
    pub fn made_up(rows: usize, width: usize, seed: u64) -> Values {
        let mut source = Seeded::new(seed);
        let mut row = || {
            let mut share = 1.0;
            let mut value = || {
                share *= 0.5;
                f32::from(source.unit() < share)
            };
            let values: Vec<f32> = (0..width).map(|_| value()).collect();
            let slope = |(j, &v): (usize, &f32)| if j % 2 == 0 { 2.0 } else { -1.5 } * f64::from(v);
            let margin: f64 = values.iter().enumerate().map(slope).sum::<f64>() - 0.3;
            let positive = source.unit() < 1.0 / (1.0 + (-margin).exp());
            (values, positive)
        };
        Values { width, rows: (0..rows).map(|_| row()).collect() }
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.width
    }

    /// The first `width` columns of `rows` rows that are drawn without replacement; all rows if
    /// nothing is said.
    pub fn population(&self, width: usize, rows: Option<usize>, seed: u64) -> Population {
        assert!(width <= self.width, "a population has no more columns than its table");
        let mut chosen: Vec<usize> = (0..self.rows.len()).collect();
        if let Some(rows) = rows {
            let mut source = Seeded::new(seed);
            for i in 0..rows {
                let left = chosen.len() - i;
                chosen.swap(i, i + (source.unit() * left as f64) as usize);
            }
            chosen.truncate(rows);
        }
        let layout =
            Layout::new(Norm::Row, 1.0, vec![1.0; width], vec![]).expect("constants are 1");
        let (mut batch, mut known, mut stored) = (Batch::default(), HashMap::new(), Vec::new());
        for row in chosen {
            let (values, positive) = &self.rows[row];
            let values = &values[..width];
            let bits: Vec<u32> = values.iter().map(|v| v.to_bits()).collect();
            let next = known.len() as u32;
            let at = *known.entry((bits, *positive)).or_insert_with(|| {
                batch.numeric.extend_from_slice(values);
                batch.positive.push(*positive);
                next
            });
            stored.push(at);
        }
        let mut matrix = Matrix::new(layout);
        matrix.push(batch);
        Population { matrix, stored }
    }
}

impl Population {
    /// Every row of a matrix.
    pub fn of(matrix: Matrix) -> Population {
        let stored = (0..matrix.rows() as u32).collect();
        Population { matrix, stored }
    }

    /// How often each stored row occurs.
    pub fn counts(&self) -> Vec<u32> {
        self.counted(self.stored.iter().copied())
    }

    /// n rows drawn with replacement, as counts of stored rows.
    pub fn replicate(&self, seed: u64) -> Vec<u32> {
        let mut source = Seeded::new(seed);
        let n = self.stored.len();
        self.counted((0..n).map(|_| self.stored[(source.unit() * n as f64) as usize]))
    }

    /// The same, the first rows apart from so large a share of them that comes last.
    pub fn replicate_in_parts(&self, last: f64, seed: u64) -> [Vec<u32>; 2] {
        let mut source = Seeded::new(seed);
        let n = self.stored.len();
        let drawn: Vec<u32> =
            (0..n).map(|_| self.stored[(source.unit() * n as f64) as usize]).collect();
        let (first, last) = drawn.split_at(n - (last * n as f64) as usize);
        [first, last].map(|part| self.counted(part.iter().copied()))
    }

    fn counted(&self, rows: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut counts = vec![0; self.matrix.rows()];
        rows.for_each(|row| counts[row as usize] += 1);
        counts
    }

    /// The table with these counts.
    pub fn table(&self, counts: &[u32]) -> Rows<'static> {
        let times = |(row, &count): (usize, &u32)| std::iter::repeat_n(row, count as usize);
        self.matrix.gather(&counts.iter().enumerate().flat_map(times).collect::<Vec<_>>()).into()
    }

    /// θ₀(λ): what the intervals should cover.
    pub fn truth(&self, loss: LossKind, lambda: f64) -> Result<Vec<f64>, Failure> {
        let counts = self.counts();
        let truth = not_private(&self.table(&counts), loss, lambda);
        Ok(truth.map_err(|error| Failure(error.to_string()))?.into_inner())
    }
}

/// Where a feature stands in an encoded row.
enum Place {
    Number(usize),
    Is(usize, u16),
}

fn code(column: &Column, value: &str) -> Option<u16> {
    let Kind::Category { values, .. } = &column.kind else { return None };
    values.iter().position(|declared| declared == value).and_then(|at| u16::try_from(at).ok())
}

/// The table's schema with the chosen columns alone, numbers laid out over [0, most].
fn narrowed(chosen: &ColumnChoice, schema: &Schema) -> Result<Schema, Failure> {
    let kind = |column: &Column| {
        let features = || chosen.features.iter().filter(|feature| feature.column() == column.name);
        let filter =
            chosen.rows.iter().find(|(name, _)| *name == column.name).map(|(_, values)| *values);
        if let Some(Feature::Number { most, .. }) = features().next() {
            return Kind::number(0.0, *most);
        }
        let hits = features().filter_map(|feature| match feature {
            Feature::Is { value, .. } => Some((*value).to_owned()),
            Feature::Number { .. } => None,
        });
        let values: Vec<String> = match (filter, &column.kind) {
            (Some([]), Kind::Category { values, .. }) => values.clone(),
            (Some(values), _) => values.iter().map(|value| (*value).to_owned()).collect(),
            (None, _) => hits.collect(),
        };
        if values.is_empty() { Kind::Dropped } else { Kind::category(values) }
    };
    let columns: Vec<Column> = schema
        .columns()
        .iter()
        .map(|column| Column { kind: kind(column), ..column.clone() })
        .collect();
    Schema::new(Norm::Row, schema.target().clone(), columns)
        .map_err(|problem| Failure(problem.to_string()))
}
