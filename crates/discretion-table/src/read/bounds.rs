//! What a table may be at most.
//!
//! No honest table comes near these. A file beyond them is damaged, made by somebody who means
//! harm, or no table, and would take gigabytes of memory to find that out. Each is refused with its
//! limit and what to do.

/// Bytes of a CSV record, its newlines in quotes included. Several are in memory at a time, on a
/// machine with many cores about a hundred. A row of 100,000 numbers is about one megabyte.
pub(crate) const LONGEST_RECORD: usize = 8 << 20;

/// Bytes of the values of one row of a query, which SQLite has in memory all at once, some of them
/// twice. Of up to 8 columns each value may be as long as a record of a text file.
#[cfg(feature = "sqlite")]
pub(crate) const QUERIED: usize = 8 * LONGEST_RECORD;

/// Bytes that SQLite may have in memory, with all that it sorts and groups.
#[cfg(feature = "sqlite")]
pub(crate) const QUERIED_MEMORY: usize = 256 << 20;

/// Rows that a query may give, whatever the size of its file; of a larger file as many as it has
/// bytes. A view without end gives more.
#[cfg(feature = "sqlite")]
pub(crate) const QUERIED_ROWS: u64 = 1_000_000;

/// Steps of SQLite's machine for a query, whatever the size of its file. Reading a hundred million
/// rows of fifty columns takes a half of it.
#[cfg(feature = "sqlite")]
pub(crate) const QUERIED_STEPS: u64 = 20_000_000_000;

/// The same of a large file: every value has a byte at least, and some steps.
#[cfg(feature = "sqlite")]
pub(crate) const STEPS_PER_BYTE: u64 = 10;

/// Columns of a table, those that are passed over included. A study that declares each of them
/// would have as many lines.
pub(crate) const MOST_COLUMNS: usize = 100_000;

/// Bytes of a column's name, which messages and drafts hold several times.
pub(crate) const LONGEST_NAME: usize = 1 << 16;

/// Bytes of a Parquet file's footer. Decoded it takes some ten times as much. Ten thousand columns
/// in thirty row groups take about as much as this.
#[cfg(feature = "parquet")]
pub(crate) const LONGEST_FOOTER: u64 = 32 << 20;

/// Bytes that decoding Parquet may take at a time: the pages that are open, and the texts of some
/// rows. For each column [`PAGE`] on top, and for each byte of the file [`PER_BYTE`]. Usual
/// programs write pages of one megabyte; one that makes a page of a whole row group needs what its
/// file is large for. What this stops is a small file that unpacks to gigabytes.
#[cfg(feature = "parquet")]
pub(crate) const DECODED: u64 = 256 << 20;

/// See [`DECODED`]: a page and a dictionary of the usual size.
#[cfg(feature = "parquet")]
pub(crate) const PAGE: u64 = 4 << 20;

/// See [`DECODED`]: how much larger the pages are than the file, which is compressed.
#[cfg(feature = "parquet")]
pub(crate) const PER_BYTE: u64 = 4;
