//! Files that appear whole or not at all, and ordinary files to read.

use crate::temporary;
use discretion_privacy::{Refusal, reason};
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Who may read a new file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// Whoever the user's umask lets in.
    Anyone,
    /// The user alone: for what is not private.
    Owner,
}

/// A file in the making: under a hidden name in the same folder until [`commit`](Draft::commit),
/// and deleted if that never comes.
pub struct Draft {
    path: PathBuf,
    writer: BufWriter<NamedTempFile>,
}

impl Draft {
    /// Starts a file that will be at `path`.
    pub fn create(path: &Path, readers: Readers) -> Result<Draft, Refusal> {
        let file = temporary::file(parent(path), readers).map_err(|error| {
            Refusal::bad_file(
                path,
                format!("this file cannot be created ({}); name another place", reason(&error)),
            )
        })?;
        Ok(Draft { path: path.to_owned(), writer: BufWriter::with_capacity(1 << 16, file) })
    }

    /// Makes the file durable and gives it its name, in this order.
    pub fn commit(self) -> Result<(), Refusal> {
        let Draft { path, writer } = self;
        let finish = || -> io::Result<()> {
            let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.as_file().sync_all()?;
            file.persist(&path).map_err(|error| error.error)?;
            // The name is durable too once its folder is; some systems cannot sync a folder.
            let _ = File::open(parent(&path)).and_then(|folder| folder.sync_all());
            Ok(())
        };
        finish().map_err(|error| Refusal::unwritten(&path, error))
    }

    /// Where it will be.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// A whole file at once.
pub fn write(path: &Path, readers: Readers, text: &str) -> Result<(), Refusal> {
    let mut draft = Draft::create(path, readers)?;
    draft.write_all(text.as_bytes()).map_err(|error| Refusal::unwritten(path, error))?;
    draft.commit()
}

/// The folder a file is in: `.` for a bare name.
pub fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Opens an ordinary file to read it. A pipe, a device or a socket is refused without waiting for
/// it; a folder is [`io::ErrorKind::IsADirectory`]. What this process was started with may be a
/// pipe: `/dev/stdin`, and what shells write for `<(command)`.
pub fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    let inherited = is_descriptor(path);
    #[cfg(not(unix))]
    let inherited = false;
    #[cfg(unix)]
    if !inherited {
        use std::os::unix::fs::OpenOptionsExt;
        // Opening a pipe waits for whoever writes to it; opening a terminal can take it over.
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    match kind.is_file() || inherited {
        true => Ok(file),
        false => Err(io::Error::other(NOT_ORDINARY)),
    }
}

/// The message about a pipe, a device or a socket.
pub const NOT_ORDINARY: &str = "this is no ordinary file but a pipe, a device or a socket";

/// The bytes of an ordinary file, as [`open`] understands it.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The bytes of an ordinary file that has at most so many. A longer one is
/// [`io::ErrorKind::FileTooLarge`].
pub fn read_at_most(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(io::ErrorKind::FileTooLarge.into()),
        false => Ok(bytes),
    }
}

/// The text of an ordinary file, as [`open`] understands it.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

/// Returns true for names of what this process has open already.
#[cfg(unix)]
fn is_descriptor(path: &Path) -> bool {
    path == Path::new("/dev/stdin")
        || ["/dev/fd", "/proc/self/fd"]
            .iter()
            .any(|folder| path.parent() == Some(Path::new(folder)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_appears_when_it_is_committed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.json");
        let mut draft = Draft::create(&path, Readers::Anyone).unwrap();
        draft.write_all(b"{}").unwrap();
        assert!(!path.exists());
        draft.commit().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{}");
        drop(Draft::create(&folder.path().join("never"), Readers::Owner).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "model.json");
    }

    /// Opening any of these to read would wait for ever, or read without end.
    #[cfg(target_os = "linux")]
    #[test]
    fn only_ordinary_files_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let [pipe, socket, link, file] =
            ["pipe", "socket", "link", "file"].map(|name| folder.path().join(name));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        fs::write(&file, "text").unwrap();
        for path in [&pipe, &socket, &link, Path::new("/dev/zero"), Path::new("/dev/tty")] {
            assert!(open(path).is_err(), "{}", path.display());
        }
        let error = read_to_string(&pipe).unwrap_err();
        assert!(error.to_string().contains("a pipe, a device or a socket"), "{error}");
        assert_eq!(open(folder.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert_eq!(read_to_string(&file).unwrap(), "text");
        assert_eq!(read_at_most(&file, 4).unwrap(), b"text");
        assert_eq!(read_at_most(&file, 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert!(read_at_most(&pipe, 4).is_err());
        // What a shell makes of `<(command)`.
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"from a command").unwrap();
        drop(writer);
        let name = format!("/dev/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&reader));
        assert_eq!(read_to_string(Path::new(&name)).unwrap(), "from a command");
    }
}
