//! A ledger's file apart from SQLite: what a name leads to, and its bytes as they are.

use std::fs::File;
use std::io;
use std::path::Path;

/// The file itself, apart from its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inode {
    device: u64,
    number: u64,
}

impl Inode {
    /// The file that `path` leads to.
    pub(crate) fn at(path: &Path) -> io::Result<Inode> {
        look(path).map(|(inode, _)| inode)
    }
}

/// The file that a name leads to, and its number of names.
#[cfg(unix)]
pub(crate) fn look(path: &Path) -> io::Result<(Inode, u64)> {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::metadata(path)?;
    Ok((Inode { device: metadata.dev(), number: metadata.ino() }, metadata.nlink()))
}

/// Other systems do not say.
#[cfg(not(unix))]
pub(crate) fn look(path: &Path) -> io::Result<(Inode, u64)> {
    std::fs::metadata(path).map(|_| (Inode { device: 0, number: 0 }, 1))
}

/// The bytes of a ledger that SQLite may have open in this process. If its descriptor were closed,
/// the system would forget the locks that other threads have on the file: it stays open, one for
/// each file whatever its name.
#[cfg(unix)]
pub(crate) fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    use std::os::unix::fs::{FileExt, MetadataExt};
    use std::sync::{Mutex, PoisonError};

    static OPEN: Mutex<Vec<(Inode, File)>> = Mutex::new(Vec::new());

    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let inode = Inode::at(path)?;
    if !open.iter().any(|(known, _)| *known == inode) {
        let file = discretion_disk::files::open(path)?;
        let found = file.metadata()?;
        open.push((Inode { device: found.dev(), number: found.ino() }, file));
    }
    let (_, file) =
        open.iter().find(|(known, _)| *known == inode).ok_or(io::ErrorKind::NotFound)?;
    let mut bytes = Vec::new();
    let mut piece = [0; 1 << 16];
    loop {
        match file.read_at(&mut piece, bytes.len() as u64) {
            Ok(0) => return Ok(bytes),
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(not(unix))]
pub(crate) fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    File::open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}
