//! Opening files: formats, compression, and how far reading has come.

use super::Progress;
use crate::error::{Error, Location};
use crate::missing_file::unreadable;
use crate::problem::Problem;
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
}

impl Format {
    /// By the file's name; a missing file or a directory is refused first.
    pub fn of(path: &Path) -> Result<Self, Error> {
        open(path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        if name.ends_with(".csv") || name.ends_with(".csv.gz") {
            Ok(Self::Csv)
        } else if name.ends_with(".parquet") {
            Format::parquet(path)
        } else {
            Err(Location::file(path).error(Problem::UnknownFormat))
        }
    }

    #[cfg(feature = "parquet")]
    fn parquet(_: &Path) -> Result<Self, Error> {
        Ok(Self::Parquet)
    }

    #[cfg(not(feature = "parquet"))]
    fn parquet(path: &Path) -> Result<Self, Error> {
        Err(Location::file(path).error(Problem::NoParquet))
    }
}

/// Opens a file, telling apart what commonly goes wrong.
pub(crate) fn open(path: &Path) -> Result<File, Error> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    // Opening a directory succeeds on Unix; only reading it would fail.
    if file.metadata().map_err(|error| unreadable(path, &error))?.is_dir() {
        return Err(Location::file(path).error(Problem::IsDirectory));
    }
    Ok(file)
}

/// The bytes of a small file (a study file).
pub(crate) fn whole_file(path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    Ok(bytes)
}

/// The text of a `.csv` or `.csv.gz` file, decompressed.
pub(crate) struct Source {
    bytes: Box<dyn Read + Send>,
    compressed: bool,
    read: Arc<AtomicU64>,
    total: u64,
}

impl Source {
    pub fn open(path: &Path) -> Result<Self, Error> {
        let file = open(path)?;
        let total = file.metadata().map_or(0, |metadata| metadata.len());
        if total == 0 {
            return Err(Location::file(path).error(Problem::EmptyFile));
        }
        let read = Arc::new(AtomicU64::new(0));
        let counted = CountingReader { file, read: Arc::clone(&read) };
        let compressed = path.to_string_lossy().to_lowercase().ends_with(".gz");
        let bytes: Box<dyn Read + Send> = if compressed {
            Box::new(MultiGzDecoder::new(BufReader::with_capacity(1 << 17, counted)))
        } else {
            Box::new(counted)
        };
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
                // Errors of the decoder have no operating-system code; those of the disk have.
                Err(error) if self.compressed && error.raw_os_error().is_none() => {
                    return Err(Problem::Gzip(error.to_string()));
                }
                Err(error) => return Err(Problem::Unreadable(error.to_string())),
            }
        }
        Ok(filled)
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
