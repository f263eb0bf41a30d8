//! A look at a table without a study: its columns, and the texts of its rows.

use super::files::OneFile;
#[cfg(feature = "parquet")]
use super::ipc;
#[cfg(feature = "parquet")]
use super::parquet::sample as parquet_sample;
use super::separators::DeclaredSeparators;
use super::source::Format;
#[cfg(feature = "sqlite")]
use super::sqlite;
#[cfg(feature = "parquet")]
use super::texts::{column_type, has_dates};
use super::{Progress, csv, fields};
use crate::error::Error;
use crate::problem::Problem;

/// A column by what the file's header and schema say.
pub(crate) struct SampleColumn {
    pub name: String,
    pub stored: StoredType,
}

/// How a file stores a column. All but the first need Parquet or Arrow.
#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
pub(crate) enum StoredType {
    /// As text that may or may not be numbers (CSV), or anyhow (SQLite).
    Untyped,
    /// As numbers.
    Numbers,
    /// As dates or times.
    Dates,
    /// As text.
    Text,
    /// As something that cannot be used, such as a list.
    Unusable,
}

/// How a column of some arrow type is stored.
#[cfg(feature = "parquet")]
pub(crate) fn stored(found: &arrow_schema::DataType) -> StoredType {
    let kind = column_type(found);
    match (kind.number, kind.text) {
        (false, true) if has_dates(found) => StoredType::Dates,
        (true, _) => StoredType::Numbers,
        (false, true) => StoredType::Text,
        (false, false) => StoredType::Unusable,
    }
}

/// The columns of a table, by its header alone.
pub(crate) fn columns(file: OneFile<'_>) -> Result<Vec<SampleColumn>, Error> {
    match Format::of(file)? {
        Format::Csv => {
            let (header, _) = csv::open(file.path, file.format)?;
            Ok(header
                .into_iter()
                .map(|name| SampleColumn { name, stored: StoredType::Untyped })
                .collect())
        }
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet_sample::columns(file.path),
        #[cfg(feature = "parquet")]
        Format::Arrow => ipc::columns(file.path),
        #[cfg(feature = "sqlite")]
        Format::Sqlite => sqlite::columns(file.path, file.query),
    }
}

/// Shows every field of the first `most_rows` rows to `visit`, as column and text.
pub(crate) fn visit(
    file: OneFile<'_>,
    most_rows: u64,
    progress: &dyn Fn(Progress),
    visit: &mut impl FnMut(usize, &[u8]),
) -> Result<(), Error> {
    match Format::of(file)? {
        Format::Csv => visit_csv(file, most_rows, progress, visit),
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet_sample::visit(file.path, most_rows, progress, visit),
        #[cfg(feature = "parquet")]
        Format::Arrow => ipc::visit(file.path, most_rows, progress, visit),
        #[cfg(feature = "sqlite")]
        Format::Sqlite => sqlite::visit(file.path, file.query, most_rows, progress, visit),
    }
}

fn visit_csv(
    file: OneFile<'_>,
    most_rows: u64,
    progress: &dyn Fn(Progress),
    visit: &mut impl FnMut(usize, &[u8]),
) -> Result<(), Error> {
    let OneFile { path, format, .. } = file;
    let separators = DeclaredSeparators::of(path, format);
    let (header, csv::Rest { mut lines, first: mut block, mut blocks }) = csv::open(path, format)?;
    let mut rows = 0;
    loop {
        let mut found = Vec::new();
        let mut rest = &block[..];
        while rows < most_rows {
            let (bytes, blank) = fields::blank_lines(rest);
            (rest, lines) = (&rest[bytes..], lines + blank);
            if rest.is_empty() {
                break;
            }
            let bad = |problem| csv::at_line(path, lines + 1, problem);
            let record = fields::split(rest, &mut found, separators).map_err(bad)?;
            if found.len() != header.len() {
                return Err(bad(Problem::FieldCount {
                    expected: header.len(),
                    found: found.len(),
                }));
            }
            found.iter().enumerate().for_each(|(column, text)| visit(column, text));
            rows += 1;
            lines += record.lines;
            rest = &rest[record.length..];
        }
        progress(blocks.source().progress()());
        let unreadable = |problem| csv::at_line(path, lines + 1, problem);
        if rows >= most_rows || !blocks.next(&mut block).map_err(unreadable)? {
            return Ok(());
        }
    }
}
