//! A look at a table without a study: its columns, and the texts of its rows.

#[cfg(feature = "parquet")]
use super::parquet::sample as parquet_sample;
use super::source::Format;
use super::{Progress, csv, fields};
use crate::error::Error;
use crate::problem::Problem;
use std::path::Path;

/// A column by what the file's header and schema say.
pub(crate) struct SampleColumn {
    pub name: String,
    pub stored: StoredType,
}

/// How a file stores a column. All but the first need Parquet.
#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
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
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet_sample::columns(path),
    }
}

/// Shows every field of the first `most_rows` rows to `visit`, as column and text.
pub(crate) fn visit(
    path: &Path,
    most_rows: u64,
    progress: &dyn Fn(Progress),
    visit: &mut impl FnMut(usize, &[u8]),
) -> Result<(), Error> {
    match Format::of(path)? {
        Format::Csv => visit_csv(path, most_rows, progress, visit),
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet_sample::visit(path, most_rows, progress, visit),
    }
}

fn visit_csv(
    path: &Path,
    most_rows: u64,
    progress: &dyn Fn(Progress),
    visit: &mut impl FnMut(usize, &[u8]),
) -> Result<(), Error> {
    let (header, csv::Rest { mut lines, first: mut block, mut blocks }) = csv::open(path)?;
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
            let record = fields::split(rest, &mut found).map_err(bad)?;
            if found.len() != header.len() {
                return Err(bad(Problem::FieldCount { expected: header.len(), found: found.len() }));
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
