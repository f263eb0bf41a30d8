//! The footer of a Parquet file: looked at before the library reads it, and what it says of the
//! chunks before they are opened.
//!
//! The library makes room for as many columns as a schema claims, calls itself for each level of
//! it, and takes it for granted that chunks begin and end in the file.

use super::compact::{Compact, Kind, Unread};
use crate::error::{Error, Location};
use crate::problem::Problem;
use crate::read::bounds::{LONGEST_FOOTER, MOST_COLUMNS};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::file::metadata::{
    ColumnChunkMetaData, ParquetMetaData, ParquetStatisticsPolicy, RowGroupMetaData,
};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// The footer's length and the magic number that a file ends with.
const TAIL: u64 = 8;

/// Groups of columns in each other. Tables have one level; the library calls itself for each.
const DEEPEST_SCHEMA: usize = 64;

/// The footer of a file that has one which can be read.
pub(super) fn load(file: &File, path: &Path) -> Result<ArrowReaderMetadata, Error> {
    let refuse = |problem| Location::file(path).error(problem);
    let length =
        file.metadata().map_err(|error| refuse(Problem::Unreadable(error.to_string())))?.len();
    if length == 0 {
        return Err(refuse(Problem::EmptyFile));
    }
    check(file, length).map_err(refuse)?;
    // Statistics are not used, and in a file with many columns they are most of the footer.
    let options = ArrowReaderOptions::new()
        .with_column_stats_policy(ParquetStatisticsPolicy::SkipAll)
        .with_encoding_stats_policy(ParquetStatisticsPolicy::SkipAll)
        .with_size_stats_policy(ParquetStatisticsPolicy::SkipAll);
    let loaded = super::decoding(|| {
        ArrowReaderMetadata::load(file, options).map_err(|error| error.to_string())
    });
    loaded.map_err(|reason| refuse(Problem::Parquet(reason)))
}

fn check(file: &File, length: u64) -> Result<(), Problem> {
    let unread = |error: std::io::Error| Problem::Unreadable(error.to_string());
    let mut tail = [0; TAIL as usize];
    let Some(end) = length.checked_sub(TAIL) else {
        return Err(damaged("it is shorter than a footer"));
    };
    file.read_exact_at(&mut tail, end).map_err(unread)?;
    let [a, b, c, d, magic @ ..] = tail;
    if magic != *b"PAR1" {
        return Err(damaged("it does not end in PAR1"));
    }
    let footer = u64::from(u32::from_le_bytes([a, b, c, d]));
    let start =
        end.checked_sub(footer).ok_or_else(|| damaged("its footer is longer than the file"))?;
    if footer > LONGEST_FOOTER {
        return Err(Problem::ParquetFooter { megabytes: LONGEST_FOOTER >> 20 });
    }
    let mut bytes = vec![0; footer as usize];
    file.read_exact_at(&mut bytes, start).map_err(unread)?;
    parts(&mut Compact { rest: &bytes })
}

fn damaged(reason: &str) -> Problem {
    Problem::Parquet(reason.to_owned())
}

impl From<Unread> for Problem {
    fn from(unread: Unread) -> Problem {
        match unread {
            Unread::Short => damaged("its footer ends early"),
            Unread::Wrong(reason) => damaged(reason),
        }
    }
}

/// All of a footer is gone through: lists hold as many as they say, and the schema is one that can
/// be built.
fn parts(footer: &mut Compact<'_>) -> Result<(), Problem> {
    const SCHEMA: i16 = 2;
    let mut id = 0;
    while let Some(kind) = footer.field(&mut id)? {
        match id {
            SCHEMA => schema(footer, kind)?,
            _ => footer.skip(kind)?,
        }
    }
    Ok(())
}

/// The elements of a schema, each before those within it.
fn schema(footer: &mut Compact<'_>, kind: Kind) -> Result<(), Problem> {
    let (Kind::List, (Kind::Struct, count)) = (kind, footer.list()?) else {
        return Err(damaged("its schema is no list of columns"));
    };
    // The first one is the table.
    if count > MOST_COLUMNS + 1 {
        return Err(Problem::TooManyColumns { most: MOST_COLUMNS });
    }
    // How many are still to come in each group that the element is in.
    let mut groups: Vec<usize> = Vec::new();
    for _ in 0..count {
        while groups.pop_if(|left| *left == 0).is_some() {}
        if let Some(left) = groups.last_mut() {
            *left -= 1;
        }
        match children(footer)? {
            0 => {}
            within if within >= count => {
                return Err(damaged("its schema claims more columns than it has"));
            }
            within => groups.push(within),
        }
        if groups.len() > DEEPEST_SCHEMA {
            return Err(damaged("its columns are nested too deeply"));
        }
    }
    Ok(())
}

/// How many elements are within the next one.
fn children(footer: &mut Compact<'_>) -> Result<usize, Problem> {
    const CHILDREN: i16 = 5;
    let (mut id, mut children) = (0, 0);
    while let Some(kind) = footer.field(&mut id)? {
        match (id, kind) {
            (CHILDREN, Kind::Whole) => children = footer.count()? as usize,
            (CHILDREN, _) => return Err(damaged("its schema has no numbers where they belong")),
            _ => footer.skip(kind)?,
        }
    }
    Ok(children)
}

/// Refuses chunks of these leaves that are not where they can be, or that do not have a value for
/// each row.
pub(super) fn check_chunks(
    metadata: &ParquetMetaData,
    leaves: &[usize],
    length: u64,
) -> Result<(), Problem> {
    let mut rows: i64 = 0;
    for group in metadata.row_groups() {
        rows = match rows.checked_add(group.num_rows()) {
            Some(sum) if group.num_rows() >= 0 => sum,
            _ => return Err(damaged("it has a negative or an absurd number of rows")),
        };
        for &leaf in leaves {
            check_chunk(group, group.column(leaf), length)?;
        }
    }
    if rows != metadata.file_metadata().num_rows() {
        return Err(damaged("its row groups do not have the rows of the file"));
    }
    Ok(())
}

fn check_chunk(
    group: &RowGroupMetaData,
    chunk: &ColumnChunkMetaData,
    length: u64,
) -> Result<(), Problem> {
    let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
    let end = start.checked_add(chunk.compressed_size());
    let inside =
        start >= 0 && chunk.compressed_size() >= 0 && end.is_some_and(|end| end as u64 <= length);
    if !inside || chunk.data_page_offset() < start {
        return Err(damaged("a column is not where the footer says"));
    }
    if chunk.column_descr().max_rep_level() > 0 {
        return Err(damaged("a column has several values in a row"));
    }
    if chunk.num_values() != group.num_rows() {
        return Err(damaged("its columns have different numbers of rows"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A footer whose schema has these elements: how many each says are within it.
    fn footer(children: &[i64]) -> Vec<u8> {
        let number = |mut zigzag: u64, bytes: &mut Vec<u8>| {
            while zigzag >= 0x80 {
                bytes.push(zigzag as u8 | 0x80);
                zigzag >>= 7;
            }
            bytes.push(zigzag as u8);
        };
        let mut bytes = vec![0x29, 0xfc];
        number(children.len() as u64, &mut bytes);
        for &count in children {
            // The name, and what is within.
            bytes.extend([0x48, 1, b'c', 0x15]);
            number(((count << 1) ^ (count >> 63)) as u64, &mut bytes);
            bytes.push(0);
        }
        bytes.push(0);
        bytes
    }

    fn refusal(children: &[i64]) -> String {
        parts(&mut Compact { rest: &footer(children) }).unwrap_err().to_string()
    }

    #[test]
    fn schemas_are_as_large_and_as_deep_as_a_table_s() {
        let table = [&[3][..], &[0, 2, 0, 0, 0]].concat();
        let deepest = [&[1; DEEPEST_SCHEMA][..], &[0]].concat();
        let widest = [&[MOST_COLUMNS as i64][..], &vec![0; MOST_COLUMNS]].concat();
        for good in [table, deepest, widest] {
            assert!(parts(&mut Compact { rest: &footer(&good) }).is_ok());
        }
        assert!(refusal(&[-1, 0]).contains("negative"));
        assert!(refusal(&[i64::from(i32::MAX), 0]).contains("more columns than it has"));
        assert!(refusal(&[1, 3, 0]).contains("more columns than it has"));
        assert!(refusal(&[1; 100_000]).contains("nested too deeply"));
        assert!(refusal(&vec![0; MOST_COLUMNS + 2]).contains("more than 100000 columns"));
        assert!(Problem::from(Unread::Short).to_string().contains("ends early"));
    }
}
