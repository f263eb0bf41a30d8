//! A look at a Parquet file without a study.

use super::{Columns, DecodedColumns, load};
use crate::error::{Error, Location};
use crate::problem::Problem;
use crate::read::Progress;
use crate::read::decoding::decoding;
use crate::read::sample::{SampleColumn, stored};
use crate::read::texts::{Texts, column_type};
use arrow_array::Array;
use std::path::Path;

/// The columns, by the file's schema alone.
pub(in crate::read) fn columns(path: &Path) -> Result<Vec<SampleColumn>, Error> {
    let (_, metadata) = load(path)?;
    let columns = metadata.schema().fields().iter();
    let column = |field: &arrow_schema::FieldRef| SampleColumn {
        name: field.name().clone(),
        stored: stored(field.data_type()),
    };
    Ok(columns.map(column).collect())
}

/// Rows at a time. Fewer than for a study: here every column is read, also those of long texts.
const ROWS: usize = 512;

/// Shows every field of the first `most_rows` rows to `visit`, as column and text, a column of some
/// rows at a time.
pub(in crate::read) fn visit(
    path: &Path,
    most_rows: u64,
    progress: &dyn Fn(Progress),
    visit: &mut impl FnMut(usize, &[u8]),
) -> Result<(), Error> {
    let refuse = |problem| Location::file(path).error(problem);
    let (file, metadata) = load(path)?;
    let total = file.metadata().map_or(0, |metadata| metadata.len());
    let all_rows = metadata.metadata().file_metadata().num_rows().max(1) as u64;
    let fields = metadata.schema().fields();
    let usable: Vec<usize> =
        (0..fields.len()).filter(|&column| column_type(fields[column].data_type()).text).collect();
    if usable.is_empty() {
        return Ok(());
    }
    let mut columns = Columns::open(path, &metadata, &usable, ROWS)?;
    let (mut table, mut rows) = (DecodedColumns::default(), 0);
    while rows < most_rows && columns.next(&mut table).map_err(refuse)? {
        for (&column, array) in usable.iter().zip(&table.columns) {
            let texts = decoding(|| Texts::new(array).map_err(|error| error.to_string()));
            let texts = texts.map_err(|reason| refuse(Problem::Parquet(reason)))?;
            (0..array.len()).for_each(|row| visit(column, texts.get(row).unwrap_or_default()));
        }
        rows += table.rows as u64;
        let bytes = (u128::from(total) * u128::from(rows) / u128::from(all_rows)) as u64;
        progress(Progress { bytes: bytes.min(total), total });
    }
    Ok(())
}
