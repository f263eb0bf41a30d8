//! Looks at a table as far as a draft may.

use super::{DraftRequest, Facts, ObservedColumn, RowFacts, Type};
use crate::date::{DateFormat, Moment};
use crate::error::{Error, Excerpt, Location};
use crate::na::Na;
use crate::problem::Problem;
use crate::read::sample::{self, SampleColumn, StoredType};
use crate::read::{OneFile, number, same_headers};
use crate::table_source::Table;
use crate::values::same;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;

/// Rows of a CSV file from which a type is guessed.
const SAMPLE: u64 = 1000;

/// A column with more different texts than this, or with longer ones, is taken for free text.
const MOST_VALUES: usize = 100;
const LONGEST_VALUE: usize = 200;

pub(super) fn columns(request: &DraftRequest) -> Result<Vec<ObservedColumn>, Error> {
    let (files, format) = (request.table.files()?, request.format);
    let path = &files[0];
    format.check().map_err(|problem| Location::file(path).error(Problem::from(problem)))?;
    let query = request.table.query();
    let (na, decimal) = (Na::new(&request.na), OneFile { path, format, query }.decimal());
    let parse = |text: &[u8]| match na.has(text) {
        true => Ok(None),
        false => number::parse_with(text, decimal),
    };
    let columns = sample::columns(OneFile { path, format, query })?;
    refuse_rows(path, &columns)?;
    refuse_repeated(path, &columns)?;
    same_headers(&files, OneFile { path, format, query })?;
    if request.from_data {
        let mut watches: Vec<Watch> = columns.iter().map(|_| Watch::new()).collect();
        for file in &files {
            sample::visit(
                OneFile { path: file, format, query },
                u64::MAX,
                &|_| {},
                &mut |column, text| watches[column].see(text, parse(text)),
            )?;
        }
        let observed = columns.into_iter().zip(watches).map(|(column, watch)| {
            let kind = watch.looks.kind(&column);
            ObservedColumn { name: column.name, facts: Facts::Rows(kind, watch.facts()) }
        });
        return Ok(observed.collect());
    }
    // All that is kept of the sampled rows is what a column looks like: numbers, dates or texts.
    let mut looks: Vec<Looks> = columns.iter().map(|_| Looks::default()).collect();
    if columns.iter().any(|column| matches!(column.stored, StoredType::Untyped)) {
        sample::visit(OneFile { path, format, query }, SAMPLE, &|_| {}, &mut |column, text| {
            looks[column].see(text, &parse(text));
        })?;
    }
    let observed = columns.into_iter().zip(looks).map(|(column, looks)| {
        let kind = looks.kind(&column);
        ObservedColumn { name: column.name, facts: Facts::Type(kind) }
    });
    Ok(observed.collect())
}

/// What the texts of a column look like. Those that are missing do not count.
#[derive(Default)]
struct Looks {
    any: bool,
    not_numbers: bool,
    not_dates: bool,
}

impl Looks {
    fn see(&mut self, text: &[u8], number: &Result<Option<f64>, number::NotNumeric>) {
        if let Ok(None) = number {
            return;
        }
        self.any = true;
        self.not_numbers |= number.is_err();
        // Once is enough to know that a column has no dates, and most have none.
        self.not_dates = self.not_dates || DateFormat::Iso.parse(text).is_none();
    }

    fn kind(&self, column: &SampleColumn) -> Type {
        match column.stored {
            StoredType::Untyped if self.any && !self.not_numbers => Type::Number,
            StoredType::Untyped if self.any && !self.not_dates => Type::Date,
            StoredType::Untyped | StoredType::Text => Type::Text,
            StoredType::Numbers => Type::Number,
            StoredType::Dates => Type::Date,
            StoredType::Unusable => Type::Unusable,
        }
    }
}

/// A draft shows the names of the columns to anybody. In a CSV without a header they would be
/// somebody's row.
fn refuse_rows(path: &Path, columns: &[SampleColumn]) -> Result<(), Error> {
    let is_value = |column: &&SampleColumn| {
        let name = number::parse(column.name.trim().as_bytes());
        matches!(column.stored, StoredType::Untyped)
            && !matches!(name, Err(number::NotNumeric::Text))
    };
    if 2 * columns.iter().filter(is_value).count() < columns.len() {
        return Ok(());
    }
    Err(Location::file(path).error(Problem::NoHeader))
}

fn refuse_repeated(path: &Path, columns: &[SampleColumn]) -> Result<(), Error> {
    let mut seen = HashSet::new();
    match columns.iter().find(|column| !seen.insert(column.name.as_str())) {
        None => Ok(()),
        Some(column) => {
            let column = Excerpt::of(column.name.as_bytes());
            Err(Location::file(path).error(Problem::RepeatedHeader { column }))
        }
    }
}

/// Collects what the rows of a column hold.
struct Watch {
    looks: Looks,
    missing: bool,
    range: Option<(f64, f64)>,
    dates: Option<(Moment, Moment)>,
    values: Option<BTreeSet<String>>,
}

impl Watch {
    fn new() -> Self {
        let values = Some(BTreeSet::new());
        Self { looks: Looks::default(), missing: false, range: None, dates: None, values }
    }

    fn see(&mut self, text: &[u8], number: Result<Option<f64>, number::NotNumeric>) {
        self.looks.see(text, &number);
        match number {
            Ok(None) => {
                self.missing = true;
                return;
            }
            Ok(Some(value)) => {
                let (min, max) = self.range.unwrap_or((value, value));
                self.range = Some((min.min(value), max.max(value)));
            }
            Err(_) if self.looks.not_dates => {}
            Err(_) => {
                let date = DateFormat::Iso.parse(text).expect("it looks like one");
                let (min, max) = self.dates.unwrap_or((date, date));
                let earlier = |a: Moment, b: Moment| if b.days() < a.days() { b } else { a };
                let later = |a: Moment, b: Moment| if b.days() > a.days() { b } else { a };
                self.dates = Some((earlier(min, date), later(max, date)));
            }
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

    fn facts(self) -> RowFacts {
        RowFacts {
            range: self.range,
            missing: self.missing,
            dates: self.dates,
            values: self.values,
        }
    }
}
