//! Standard output, for results only.

use discretion::{Refusal, RefusalKind};
use std::io::{self, IsTerminal, Write};

/// Writes a whole text to standard output.
pub fn print(text: &str) -> Result<(), Refusal> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| failure(&error))
}

/// Why standard output could not be written: mostly because its reader has seen enough.
pub fn failure(error: &io::Error) -> Refusal {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Refusal::new(RefusalKind::NobodyListens, ""),
        _ => Refusal::refused(format!("standard output could not be written: {error}")),
    }
}

/// Whether a person reads standard output as it comes.
pub fn is_terminal() -> bool {
    io::stdout().is_terminal()
}
