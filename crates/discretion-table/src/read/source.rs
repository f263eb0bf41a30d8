//! Opening files: formats, compression, and how far reading has come.

use super::Progress;
use super::files::OneFile;
use super::separators::is_tabbed;
use super::transcode;
use crate::error::{Error, Location};
use crate::missing_file::unreadable;
use crate::problem::Problem;
use crate::reading_problem::ReadingProblem;
use crate::text_format::Encoding;
use discretion_disk::files;
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Csv,
    #[cfg(feature = "parquet")]
    Parquet,
    #[cfg(feature = "parquet")]
    Arrow,
    #[cfg(feature = "sqlite")]
    Sqlite,
}

impl Format {
    /// By the file's name; a missing file or a directory is refused first.
    pub fn of(file: OneFile<'_>) -> Result<Self, Error> {
        open(file.path)?;
        let refuse = |problem| Location::file(file.path).error(problem);
        match (FileKind::of(file.path), file.query) {
            (None, _) => Err(refuse(Problem::UnknownFormat)),
            (Some(FileKind::Sqlite), None) => Err(refuse(Problem::from(ReadingProblem::NoQuery))),
            (Some(FileKind::Sqlite), Some(_)) => Format::sqlite().map_err(refuse),
            (Some(_), Some(_)) => Err(refuse(Problem::from(ReadingProblem::QueryOfAFile))),
            (Some(FileKind::Text), None) => Ok(Self::Csv),
            (Some(FileKind::Parquet), None) => Format::parquet().map_err(refuse),
            (Some(FileKind::Arrow), None) => Format::arrow().map_err(refuse),
        }
    }

    #[cfg(feature = "parquet")]
    fn parquet() -> Result<Self, Problem> {
        Ok(Self::Parquet)
    }

    #[cfg(feature = "parquet")]
    fn arrow() -> Result<Self, Problem> {
        Ok(Self::Arrow)
    }

    #[cfg(feature = "sqlite")]
    fn sqlite() -> Result<Self, Problem> {
        Ok(Self::Sqlite)
    }

    #[cfg(not(feature = "parquet"))]
    fn parquet() -> Result<Self, Problem> {
        Err(Problem::NoParquet)
    }

    #[cfg(not(feature = "parquet"))]
    fn arrow() -> Result<Self, Problem> {
        Err(Problem::NoParquet)
    }

    #[cfg(not(feature = "sqlite"))]
    fn sqlite() -> Result<Self, Problem> {
        Err(Problem::from(ReadingProblem::NoSqlite))
    }
}

/// What a file is by its name, whether this program can read it or not.
pub(crate) enum FileKind {
    Text,
    Parquet,
    Arrow,
    Sqlite,
}

impl FileKind {
    pub fn of(path: &Path) -> Option<FileKind> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        match () {
            () if name.ends_with(".csv") || name.ends_with(".csv.gz") || is_tabbed(path) => {
                Some(FileKind::Text)
            }
            () if name.ends_with(".parquet") => Some(FileKind::Parquet),
            () if name.ends_with(".arrow") || name.ends_with(".feather") => Some(FileKind::Arrow),
            () if [".sqlite", ".sqlite3", ".db"].iter().any(|end| name.ends_with(end)) => {
                Some(FileKind::Sqlite)
            }
            () => None,
        }
    }
}

/// Whether a file is a table by its name. A database may have many, and a query says which.
pub(crate) fn is_table(path: &Path) -> bool {
    matches!(FileKind::of(path), Some(FileKind::Text | FileKind::Parquet | FileKind::Arrow))
}

/// Opens an ordinary file, telling apart what commonly goes wrong.
pub(crate) fn open(path: &Path) -> Result<File, Error> {
    files::open(path).map_err(|error| unreadable(path, &error))
}

/// The bytes of a file, or the first of them if it has more than `most`.
pub(crate) fn beginning_of_file(path: &Path, most: usize) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let mut file = open(path)?.take(most as u64);
    file.read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    Ok(bytes)
}

/// The text of a `.csv` or `.csv.gz` file, decompressed, as UTF-8.
pub(crate) struct Source {
    bytes: Box<dyn Read + Send>,
    compressed: bool,
    read: Arc<AtomicU64>,
    total: u64,
}

impl Source {
    pub fn open(path: &Path, encoding: Encoding) -> Result<Self, Error> {
        let file = open(path)?;
        let total = file.metadata().map_or(0, |metadata| metadata.len());
        if total == 0 {
            return Err(Location::file(path).error(Problem::EmptyFile));
        }
        let read = Arc::new(AtomicU64::new(0));
        let counted = CountingReader { file, read: Arc::clone(&read) };
        let compressed = path.to_string_lossy().to_lowercase().ends_with(".gz");
        let raw: Box<dyn Read + Send> = if compressed {
            Box::new(MultiGzDecoder::new(BufReader::with_capacity(1 << 17, counted)))
        } else {
            Box::new(counted)
        };
        let refuse = |problem| Location::file(path).error(problem);
        let bytes =
            transcode::utf8(raw, encoding).map_err(|error| refuse(broken(&error, compressed)))?;
        let bytes = bytes.map_err(|problem| refuse(Problem::from(problem)))?;
        Ok(Self { bytes, compressed, read, total })
    }

    /// How far reading has come, as it can be asked while another thread reads.
    pub fn progress(&self) -> impl Fn() -> Progress + use<> {
        let (read, total) = (Arc::clone(&self.read), self.total);
        move || Progress { bytes: read.load(Ordering::Relaxed), total }
    }

    /// Bytes of text, as far as they are known before it is read.
    pub fn length(&self) -> Option<u64> {
        (!self.compressed).then_some(self.total)
    }

    /// Reads as many bytes as there is room for; fewer only at the end of the file.
    pub fn fill(&mut self, room: &mut [u8]) -> Result<usize, Problem> {
        let mut filled = 0;
        while filled < room.len() {
            match self.bytes.read(&mut room[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(broken(&error, self.compressed)),
            }
        }
        Ok(filled)
    }
}

/// Errors of the decoder have no operating-system code; those of the disk have.
fn broken(error: &io::Error, compressed: bool) -> Problem {
    match compressed && error.raw_os_error().is_none() {
        true => Problem::Gzip(error.to_string()),
        false => Problem::Unreadable(error.to_string()),
    }
}

/// Counts what is read from the file, before decompression.
struct CountingReader {
    file: File,
    read: Arc<AtomicU64>,
}

impl Read for CountingReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(into)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
