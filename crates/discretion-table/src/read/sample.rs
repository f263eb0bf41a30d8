//! A look at a table without a study: its columns, and the texts of its rows.

use super::source::Format;
use super::texts::{Texts, column_type};
use super::{csv, fields, parquet};
use crate::error::{Error, Location};
use crate::problem::Problem;
use arrow_schema::ArrowError;
use std::path::Path;

/// A column by what the file's header and schema say.
pub(crate) struct SampleColumn {
    pub name: String,
    pub stored: StoredType,
}

/// How a file stores a column.
pub(crate) enum StoredType {
    /// As text that may or may not be numbers (CSV).
    Untyped,
    /// As numbers.
    Numbers,
    /// As text.
    Text,
    /// As something that cannot be used, such as a list.
    Unusable,
}

/// The columns of a table, by its header alone.
pub(crate) fn columns(path: &Path) -> Result<Vec<SampleColumn>, Error> {
    match Format::of(path)? {
        Format::Csv => {
            let (header, _) = csv::open(path)?;
            Ok(header.into_iter().map(|name| SampleColumn { name, stored: StoredType::Untyped }).collect())
        }
        Format::Parquet => {
            let builder = parquet::open(path)?;
            let columns = builder.schema().fields().iter().map(|field| {
                let kind = column_type(field.data_type());
                let stored = match (kind.number, kind.text) {
                    (true, _) => StoredType::Numbers,
                    (false, true) => StoredType::Text,
                    (false, false) => StoredType::Unusable,
                };
                SampleColumn { name: field.name().clone(), stored }
            });
            Ok(columns.collect())
        }
    }
}

/// Shows every field of the first `most_rows` rows to `visit`, as column and trimmed text.
pub(crate) fn visit(path: &Path, most_rows: u64, visit: &mut impl FnMut(usize, &[u8])) -> Result<(), Error> {
    match Format::of(path)? {
        Format::Csv => visit_csv(path, most_rows, visit),
        Format::Parquet => visit_parquet(path, most_rows, visit),
    }
}

fn visit_csv(path: &Path, most_rows: u64, visit: &mut impl FnMut(usize, &[u8])) -> Result<(), Error> {
    let (header, csv::Rest { mut lines, first: mut block, mut blocks }) = csv::open(path)?;
    let mut rows = 0;
    loop {
        let mut found = Vec::new();
        let mut rest = &block[..];
        while !rest.is_empty() && rows < most_rows {
            let bad = |problem| csv::at_line(path, lines + 1, problem);
            let record = fields::split(rest, &mut found).map_err(bad)?;
            let blank = matches!(rest, [b'\n', ..] | [b'\r', b'\n', ..]);
            if !blank {
                if found.len() != header.len() {
                    return Err(bad(Problem::FieldCount { expected: header.len(), found: found.len() }));
                }
                found.iter().enumerate().for_each(|(column, text)| visit(column, text));
                rows += 1;
            }
            lines += record.lines;
            rest = &rest[record.length..];
        }
        let unreadable = |problem| csv::at_line(path, lines + 1, problem);
        if rows >= most_rows || !blocks.next(&mut block).map_err(unreadable)? {
            return Ok(());
        }
    }
}

fn visit_parquet(path: &Path, most_rows: u64, visit: &mut impl FnMut(usize, &[u8])) -> Result<(), Error> {
    let damaged = |error: ArrowError| Location::file(path).error(Problem::Parquet(error.to_string()));
    let builder = parquet::open(path)?;
    let usable: Vec<bool> =
        builder.schema().fields().iter().map(|field| column_type(field.data_type()).text).collect();
    let mut rows = 0;
    for table in parquet::build(builder, path)? {
        let table = table.map_err(damaged)?;
        for (column, array) in table.columns().iter().enumerate().filter(|(column, _)| usable[*column]) {
            let texts = Texts::new(array, false).map_err(damaged)?;
            (0..array.len()).for_each(|row| visit(column, texts.get(row).unwrap_or_default()));
        }
        rows += table.num_rows() as u64;
        if rows >= most_rows {
            break;
        }
    }
    Ok(())
}
