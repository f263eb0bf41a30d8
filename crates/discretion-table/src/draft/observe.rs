//! Looks at a table as far as a draft may.

use super::{Facts, ObservedColumn, RowFacts, Type};
use crate::error::{Error, Excerpt};
use crate::problem::Problem;
use crate::read::number;
use crate::read::sample::{self, SampleColumn, StoredType};
use crate::values::same;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;

/// Rows of a CSV file from which a type is guessed.
const SAMPLE: u64 = 1000;

/// A column with more different texts than this, or with longer ones, is taken for free text.
const MOST_VALUES: usize = 100;
const LONGEST_VALUE: usize = 200;

pub(super) fn columns(path: &Path, from_data: bool) -> Result<Vec<ObservedColumn>, Error> {
    let columns = sample::columns(path)?;
    refuse_rows(path, &columns)?;
    refuse_repeated(path, &columns)?;
    if from_data {
        let mut watches: Vec<Watch> = columns.iter().map(|_| Watch::new()).collect();
        sample::visit(path, u64::MAX, &|_| {}, &mut |column, text| watches[column].see(text))?;
        let observed = columns.into_iter().zip(watches).map(|(column, watch)| {
            let kind = kind(&column, watch.numeric());
            ObservedColumn { name: column.name, facts: Facts::Rows(kind, watch.facts()) }
        });
        return Ok(observed.collect());
    }
    // All that is kept of the sampled rows is one bit for each column: number or text.
    let mut numeric = vec![(true, false); columns.len()];
    if columns.iter().any(|column| matches!(column.stored, StoredType::Untyped)) {
        sample::visit(path, SAMPLE, &|_| {}, &mut |column, text| {
            let (all_numbers, any) = &mut numeric[column];
            *all_numbers &= number::parse(text).is_ok();
            *any |= !text.is_empty();
        })?;
    }
    let observed = columns.into_iter().zip(numeric).map(|(column, (all_numbers, any))| {
        let kind = kind(&column, all_numbers && any);
        ObservedColumn { name: column.name, facts: Facts::Type(kind) }
    });
    Ok(observed.collect())
}

fn kind(column: &SampleColumn, looks_numeric: bool) -> Type {
    match column.stored {
        StoredType::Untyped if looks_numeric => Type::Number,
        StoredType::Untyped | StoredType::Text => Type::Text,
        StoredType::Numbers => Type::Number,
        StoredType::Unusable => Type::Unusable,
    }
}

/// A draft shows the names of the columns to anybody. In a CSV without a header they would be somebody's row.
fn refuse_rows(path: &Path, columns: &[SampleColumn]) -> Result<(), Error> {
    let is_value = |column: &&SampleColumn| {
        let name = number::parse(column.name.trim().as_bytes());
        matches!(column.stored, StoredType::Untyped) && !matches!(name, Err(number::NotNumeric::Text))
    };
    if 2 * columns.iter().filter(is_value).count() < columns.len() {
        return Ok(());
    }
    Err(crate::error::Location::file(path).error(Problem::NoHeader))
}

fn refuse_repeated(path: &Path, columns: &[SampleColumn]) -> Result<(), Error> {
    let mut seen = HashSet::new();
    match columns.iter().find(|column| !seen.insert(column.name.as_str())) {
        None => Ok(()),
        Some(column) => {
            let column = Excerpt::of(column.name.as_bytes());
            Err(crate::error::Location::file(path).error(Problem::RepeatedHeader { column }))
        }
    }
}

/// Collects what the rows of a column hold.
struct Watch {
    all_numbers: bool,
    missing: bool,
    range: Option<(f64, f64)>,
    values: Option<BTreeSet<String>>,
}

impl Watch {
    fn new() -> Self {
        Self { all_numbers: true, missing: false, range: None, values: Some(BTreeSet::new()) }
    }

    fn see(&mut self, text: &[u8]) {
        match number::parse(text) {
            Ok(None) => {
                self.missing = true;
                return;
            }
            Ok(Some(value)) => {
                let (min, max) = self.range.unwrap_or((value, value));
                self.range = Some((min.min(value), max.max(value)));
            }
            Err(_) => self.all_numbers = false,
        }
        // A text that is not UTF-8 cannot be declared; a run refuses it and says what to do.
        let (Some(values), Ok(text)) = (&mut self.values, str::from_utf8(text)) else { return };
        if !values.contains(text) && !values.iter().any(|known| same(known, text)) {
            values.insert(text.to_owned());
        }
        if values.len() > MOST_VALUES || text.len() > LONGEST_VALUE {
            self.values = None;
        }
    }

    fn numeric(&self) -> bool {
        self.all_numbers && self.range.is_some()
    }

    fn facts(self) -> RowFacts {
        RowFacts { range: self.range, missing: self.missing, values: self.values }
    }
}
