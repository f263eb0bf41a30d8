//! Tables that do not fit into memory: encoded once, kept in a file that has no name.
//!
//! Decoding the table again at every pass would need no disk. But of 4.94 million rows of the KDD
//! Cup 1999 it takes 2.6 seconds of processor time from CSV and 2.1 from Parquet, and reading their
//! records back 0.3. The file is created unlinked and readable by its owner alone: nobody can open
//! it, and the system frees it when the process ends, however it ends. The rows are on the disk in
//! the clear meanwhile (docs/threat-model.md).

use super::labelled::RowReader;
use super::persons_within::Buckets;
use super::storage::RowStorage;
use super::{Progress, rows_at_most};
use crate::counts::Counts;
use crate::error::{Error, Location};
use crate::problem::Problem;
use crate::schema::Schema;
use crate::table_source::Table;
use discretion::choose::split::is_validation;
use discretion::erm::OracleError;
use discretion::erm::matrix::{Layout, Matrix, Rows, Store};
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// How a table may be held.
#[derive(Debug, Clone, Copy)]
pub struct Limits<'a> {
    /// Bytes of memory that encoded rows may take; beyond it they go to a file.
    pub memory: u64,
    /// Where that file would be.
    pub folder: &'a Path,
    /// The share of rows that only validate, if some do: in a file they come behind the others.
    pub validation: Option<f64>,
}

impl Limits<'static> {
    /// All rows in memory, however many there are.
    pub fn none() -> Limits<'static> {
        Limits { memory: u64::MAX, folder: Path::new(""), validation: None }
    }
}

/// Encoded rows in files without a name.
pub struct SpilledRows {
    /// Where the files are.
    folder: PathBuf,
    layout: Layout,
    training: Records,
    validation: Records,
    /// Memory of pieces that were read: it is used for the next ones, so that a pass asks the
    /// system for none.
    spare: Mutex<Vec<Matrix>>,
}

struct Records {
    file: File,
    rows: usize,
}

/// The whole table, in memory if its encoded rows fit, else in a file; and what was counted.
///
/// `progress` is called from the calling thread.
pub fn read_within(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    limits: Limits<'_>,
    progress: &dyn Fn(Progress),
) -> Result<(RowStorage, Counts), Error> {
    let reader = RowReader::labelled(schema);
    let mut rows = RowsWithin::new(reader.layout(), limits);
    let files = table.files()?;
    rows.reserve(rows_at_most(&files, schema));
    let counts = reader.read_pieces(table, &files, progress, |piece, _| rows.append(piece))?;
    Ok((rows.finish(), counts))
}

/// Rows on their way: into memory, and once they are too many into a file.
pub struct RowsWithin<'a> {
    limits: Limits<'a>,
    /// So many may be in memory.
    most: usize,
    rows: Matrix,
    spilled: Option<SpilledRows>,
}

impl<'a> RowsWithin<'a> {
    /// None yet.
    pub fn new(layout: Layout, limits: Limits<'a>) -> RowsWithin<'a> {
        let most = usize::try_from(limits.memory).unwrap_or(usize::MAX) / layout.row_bytes();
        RowsWithin { limits, most, rows: Matrix::new(layout), spilled: None }
    }

    fn reserve(&mut self, rows: usize) {
        self.rows.reserve(rows.min(self.most));
    }

    /// Adds rows, in the order of the table.
    pub fn append(&mut self, piece: &Matrix) -> Result<(), Error> {
        let Limits { folder, validation, .. } = self.limits;
        let refuse =
            |error: io::Error| Location::file(folder).error(Problem::NoRoom(error.to_string()));
        if let Some(spilled) = &mut self.spilled {
            return spilled.append(piece, validation).map_err(refuse);
        }
        self.rows.append(piece);
        if self.rows.rows() > self.most {
            let layout = piece.layout();
            let file =
                self.spilled.insert(SpilledRows::new(layout.clone(), folder).map_err(refuse)?);
            let written = std::mem::replace(&mut self.rows, Matrix::new(layout.clone()));
            file.append(&written, validation).map_err(refuse)?;
        }
        Ok(())
    }

    /// All of them.
    pub fn finish(self) -> RowStorage {
        match self.spilled {
            None => self.rows.into(),
            Some(file) => {
                let training = self.limits.validation.map(|_| file.training.rows);
                RowStorage { rows: Rows::new(file), training }
            }
        }
    }
}

impl SpilledRows {
    pub(super) fn new(layout: Layout, folder: &Path) -> io::Result<SpilledRows> {
        let records = || tempfile::tempfile_in(folder).map(|file| Records { file, rows: 0 });
        let (training, validation) = (records()?, records()?);
        let (folder, spare) = (folder.to_owned(), Mutex::default());
        Ok(SpilledRows { folder, layout, training, validation, spare })
    }

    fn append(&mut self, rows: &Matrix, validation: Option<f64>) -> io::Result<()> {
        /// Rows that are written at a time.
        const PIECE: usize = 4096;
        let (mut training, mut validating) = (Vec::new(), Vec::new());
        for start in (0..rows.rows()).step_by(PIECE) {
            let bytes = rows.row_bytes(start..rows.rows().min(start + PIECE)).into_inner();
            let Some(share) = validation else {
                self.training.append(&bytes, &self.layout)?;
                continue;
            };
            let first = self.rows();
            training.clear();
            validating.clear();
            for (k, record) in bytes.chunks_exact(self.layout.row_bytes()).enumerate() {
                let file =
                    if is_validation(first + k, share) { &mut validating } else { &mut training };
                file.extend_from_slice(record);
            }
            self.training.append(&training, &self.layout)?;
            self.validation.append(&validating, &self.layout)?;
        }
        Ok(())
    }

    /// Adds rows as records, none of which only validates.
    pub(super) fn append_records(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.training.append(bytes, &self.layout)
    }
}

impl Records {
    fn append(&mut self, bytes: &[u8], layout: &Layout) -> io::Result<()> {
        self.rows += bytes.len() / layout.row_bytes();
        (&self.file).write_all(bytes)
    }

    /// A few records at a time: from a buffer that stays in the cache, and takes no fresh memory
    /// from the system.
    fn read(&self, rows: Range<usize>, into: &mut Matrix) -> Result<(), OracleError> {
        const BUFFER: usize = 1 << 16;
        let size = into.layout().row_bytes();
        let step = (BUFFER / size).min(rows.len()).max(1);
        let mut buffer = vec![0; step * size];
        for start in rows.clone().step_by(step) {
            let bytes = &mut buffer[..step.min(rows.end - start) * size];
            self.file
                .read_exact_at(bytes, (start * size) as u64)
                .map_err(|error| OracleError(format!("the file that they are kept in: {error}")))?;
            into.push_rows(bytes);
        }
        Ok(())
    }
}

impl Store for SpilledRows {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn rows(&self) -> usize {
        self.training.rows + self.validation.rows
    }

    fn with(
        &self,
        rows: Range<usize>,
        work: &mut dyn FnMut(&Matrix, usize),
    ) -> Result<(), OracleError> {
        let spare = self.spare.lock().expect("nobody panics with it").pop();
        let mut piece = spare.unwrap_or_else(|| Matrix::new(self.layout.clone()));
        piece.clear();
        self.read(rows, &mut piece)?;
        work(&piece, 0);
        self.spare.lock().expect("nobody panics with it").push(piece);
        Ok(())
    }

    /// Writes them to another file. Of every row 16 bytes are in memory meanwhile.
    fn permuted(&self, order: &[usize]) -> Result<Arc<dyn Store>, OracleError> {
        const PIECE: usize = 4096;
        let failed =
            |error: io::Error| OracleError(format!("the file that they are kept in: {error}"));
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &row)| places[row] = place);
        // Buckets are chosen by first bits, so places are spread over all of them.
        let spread = |place: usize| {
            ((place as u128) << 64) / order.len() as u128 * (1 << 64) + place as u128
        };
        let mut buckets = Buckets::new(self.layout.clone(), &self.folder).map_err(failed)?;
        for start in (0..order.len()).step_by(PIECE) {
            let some = start..order.len().min(start + PIECE);
            let mut rows = Matrix::new(self.layout.clone());
            self.read(some.clone(), &mut rows)?;
            let places: Vec<u128> = places[some].iter().map(|&place| spread(place)).collect();
            buckets.deal(&rows, &places).map_err(failed)?;
        }
        Ok(Arc::new(buckets.gather(&self.folder, &mut |_| {}).map_err(failed)?.0))
    }
}

impl SpilledRows {
    fn read(&self, rows: Range<usize>, into: &mut Matrix) -> Result<(), OracleError> {
        let training = self.training.rows;
        if rows.start < training {
            self.training.read(rows.start..rows.end.min(training), into)?;
        }
        if rows.end > training {
            self.validation.read(rows.start.max(training) - training..rows.end - training, into)?;
        }
        Ok(())
    }
}
