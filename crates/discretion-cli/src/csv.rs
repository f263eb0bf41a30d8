//! Lines of text for a file or for standard output, and CSV fields.

use crate::files::{Draft, Readers};
use crate::out;
use discretion::Refusal;
pub use discretion_report::coefficients::field;
use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::Path;

/// Where the lines go.
pub enum Sink {
    /// Standard output.
    Stdout(BufWriter<StdoutLock<'static>>),
    /// A file in the making.
    File(Draft),
}

impl Sink {
    /// A file at `path`, or standard output. A file that is never finished does not appear.
    pub fn open(path: Option<&Path>, readers: Readers) -> Result<Sink, Refusal> {
        Ok(match path {
            Some(path) => Sink::File(Draft::create(path, readers)?),
            None => Sink::Stdout(BufWriter::with_capacity(1 << 16, io::stdout().lock())),
        })
    }

    /// Adds a text.
    pub fn write(&mut self, text: &str) -> Result<(), Refusal> {
        match self {
            Sink::Stdout(stdout) => {
                stdout.write_all(text.as_bytes()).map_err(|error| out::failure(&error))
            }
            Sink::File(draft) => draft
                .write_all(text.as_bytes())
                .map_err(|error| Refusal::unwritten(draft.path(), error)),
        }
    }

    /// All was written: a file gets its name.
    pub fn finish(self) -> Result<(), Refusal> {
        match self {
            Sink::Stdout(mut stdout) => stdout.flush().map_err(|error| out::failure(&error)),
            Sink::File(draft) => Ok(draft.commit()?),
        }
    }
}
