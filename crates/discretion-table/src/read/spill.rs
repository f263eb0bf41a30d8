//! Tables that do not fit into memory: encoded once, kept in a file that has no name.
//!
//! Decoding the table again at every pass would need no disk. But of 4.94 million rows of the KDD Cup 1999 it takes 2.6 seconds of
//! processor time from CSV and 2.1 from Parquet, and reading their records back 0.3. The file is created unlinked and
//! readable by its owner alone: nobody can open it, and the system frees it when the process ends, however it ends. The
//! rows are on the disk in the clear meanwhile (docs/threat-model.md).

use super::{Progress, read_pieces, rows_at_most};
use crate::counts::Counts;
use crate::error::{Error, Location};
use crate::problem::Problem;
use crate::schema::Schema;
use crate::table_source::Table;
use discretion::choose::split::is_validation;
use discretion::erm::OracleError;
use discretion::erm::matrix::{Cells, Classed, Kept, Layout, Matrix, Persons, Store, Streamed};
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

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

/// Encoded rows, wherever they are.
pub enum RowStorage {
    /// In memory, in the order of the table.
    Memory(Matrix),
    /// Grouped by person, in the order of a hash of their identifiers; in memory or in a file.
    Persons(Persons),
    /// In memory, each of one of several classes.
    Classes(Classed),
    /// In a file, those that validate behind the others.
    File(SpilledRows),
}

impl RowStorage {
    /// Calls `work` with the rows, as they are counted in the cells of curves.
    pub fn with_cells<T>(&self, work: impl FnOnce(&dyn Cells) -> T) -> T {
        match self {
            RowStorage::Memory(matrix) => work(matrix),
            RowStorage::Persons(persons) => work(persons),
            RowStorage::Classes(classed) => work(classed),
            RowStorage::File(file) => work(&Streamed::new(file, 0..file.rows())),
        }
    }

    /// The same rows, whose curves keep some of their knots.
    pub fn keeping_knots(&self, layout: Layout, kept: &Kept) -> RowStorage {
        match self {
            RowStorage::Memory(matrix) => RowStorage::Memory(matrix.keeping_knots(layout, kept)),
            RowStorage::Persons(persons) => RowStorage::Persons(persons.keeping_knots(layout, kept)),
            RowStorage::Classes(classed) => RowStorage::Classes(classed.keeping_knots(layout, kept)),
            RowStorage::File(file) => RowStorage::File(file.keeping_knots(layout, kept)),
        }
    }

    /// The same rows, which belong to the persons of these identifiers.
    pub fn of_persons(self, identifiers: &[u128]) -> RowStorage {
        match self {
            RowStorage::Memory(matrix) => RowStorage::Persons(Persons::group(matrix, identifiers)),
            RowStorage::Classes(classed) => RowStorage::Classes(classed.group(identifiers)),
            RowStorage::Persons(_) | RowStorage::File(_) => panic!("rows in memory are grouped once"),
        }
    }

    /// How many rows there are, or persons.
    pub fn count(&self) -> usize {
        match self {
            RowStorage::Memory(matrix) => matrix.rows(),
            RowStorage::Persons(persons) => persons.count(),
            RowStorage::Classes(classed) => classed.rows(),
            RowStorage::File(file) => file.rows(),
        }
    }
}

/// Encoded rows in files without a name.
pub struct SpilledRows {
    layout: Layout,
    /// The layout that they were written in and the knots that their curves keep of it, if that is another one.
    regrid: Option<(Layout, Box<Kept>)>,
    training: Records,
    validation: Records,
}

#[derive(Clone)]
struct Records {
    file: Arc<File>,
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
    let encoder = schema.encoder().of_cohort(schema);
    let mut rows = RowsWithin::new(encoder.layout(), limits);
    let files = table.files()?;
    rows.reserve(rows_at_most(&files, schema));
    let counts = read_pieces(table, &files, (schema, &encoder), progress, |piece, _| rows.append(piece))?;
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
        let refuse = |error: io::Error| Location::file(folder).error(Problem::NoRoom(error.to_string()));
        if let Some(spilled) = &mut self.spilled {
            return spilled.append(piece, validation).map_err(refuse);
        }
        self.rows.append(piece);
        if self.rows.rows() > self.most {
            let layout = piece.layout();
            let file = self.spilled.insert(SpilledRows::new(layout.clone(), folder).map_err(refuse)?);
            let written = std::mem::replace(&mut self.rows, Matrix::new(layout.clone()));
            file.append(&written, validation).map_err(refuse)?;
        }
        Ok(())
    }

    /// All of them.
    pub fn finish(self) -> RowStorage {
        self.spilled.map_or(RowStorage::Memory(self.rows), RowStorage::File)
    }
}

impl SpilledRows {
    pub(super) fn new(layout: Layout, folder: &Path) -> io::Result<SpilledRows> {
        let records = || tempfile::tempfile_in(folder).map(|file| Records { file: Arc::new(file), rows: 0 });
        Ok(SpilledRows { layout, regrid: None, training: records()?, validation: records()? })
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
                let file = if is_validation(first + k, share) { &mut validating } else { &mut training };
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

    /// How many rows do not only validate. They come first.
    pub fn training_rows(&self) -> usize {
        self.training.rows
    }
}

impl Records {
    fn append(&mut self, bytes: &[u8], layout: &Layout) -> io::Result<()> {
        self.rows += bytes.len() / layout.row_bytes();
        (&*self.file).write_all(bytes)
    }

    /// A few records at a time: from a buffer that stays in the cache, and takes no fresh memory from the system.
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

    fn read(&self, rows: Range<usize>, into: &mut Matrix) -> Result<(), OracleError> {
        let Some((written, kept)) = &self.regrid else { return self.read_written(rows, into) };
        let mut piece = Matrix::new(written.clone());
        self.read_written(rows, &mut piece)?;
        into.append(&piece.keeping_knots(self.layout.clone(), kept));
        Ok(())
    }
}

impl SpilledRows {
    /// The same rows by fewer knots, which every reading of them finds anew.
    pub fn keeping_knots(&self, layout: Layout, kept: &Kept) -> SpilledRows {
        assert!(self.regrid.is_none(), "knots are kept once");
        SpilledRows {
            regrid: Some((self.layout.clone(), kept.into())),
            layout,
            training: self.training.clone(),
            validation: self.validation.clone(),
        }
    }

    fn read_written(&self, rows: Range<usize>, into: &mut Matrix) -> Result<(), OracleError> {
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
