//! A look at a Parquet file without a study.

use super::parquet;
use super::sample::{SampleColumn, StoredType};
use super::texts::{Texts, column_type};
use crate::error::{Error, Location};
use crate::problem::Problem;
use arrow_schema::ArrowError;
use std::path::Path;

/// The columns, by the file's schema alone.
pub(super) fn columns(path: &Path) -> Result<Vec<SampleColumn>, Error> {
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

/// Shows every field of the first `most_rows` rows to `visit`, as column and trimmed text.
pub(super) fn visit(path: &Path, most_rows: u64, visit: &mut impl FnMut(usize, &[u8])) -> Result<(), Error> {
    let damaged = |error: ArrowError| Location::file(path).error(Problem::Parquet(error.to_string()));
    let builder = parquet::open(path)?;
    let usable: Vec<bool> =
        builder.schema().fields().iter().map(|field| column_type(field.data_type()).text).collect();
    let mut rows = 0;
    for table in parquet::build(builder, path)? {
        let table = table.map_err(damaged)?;
        for (column, array) in table.columns().iter().enumerate().filter(|(column, _)| usable[*column]) {
            let texts = Texts::new(array).map_err(damaged)?;
            (0..array.len()).for_each(|row| visit(column, texts.get(row).unwrap_or_default()));
        }
        rows += table.num_rows() as u64;
        if rows >= most_rows {
            break;
        }
    }
    Ok(())
}
