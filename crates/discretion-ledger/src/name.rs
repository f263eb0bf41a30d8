//! By which name a ledger is reached. Its locks are those of the file itself, whatever it is
//! called, but a commit that a crash broke off is undone from a journal beside the name that it was
//! begun under. So a ledger that is written has one name, and keeps it.

use crate::error::{Error, FileError};
use crate::raw::{Inode, look};
use std::io;
use std::path::Path;

impl Inode {
    /// Refuses to write by the name `path` unless it still leads to this file, and is its only one.
    /// `shown` is that name in messages.
    pub(crate) fn check(self, path: &Path, shown: &str) -> Result<(), Error> {
        match look(path) {
            Ok((found, links)) if found == self => {
                if links > 1 {
                    return Err(Error::File(FileError::Linked { path: shown.to_owned(), links }));
                }
            }
            _ => return Err(Error::File(FileError::Moved { path: shown.to_owned() })),
        }
        match is_mounted(path) {
            Ok(false) => Ok(()),
            Ok(true) => Err(Error::File(FileError::Mounted { path: shown.to_owned() })),
            Err(error) => {
                let detail =
                    format!("the system does not say whether it is mounted by itself ({error})");
                Err(Error::File(FileError::Storage { path: shown.to_owned(), detail }))
            }
        }
    }
}

/// Whether the file itself is a mount point, as in a container that was given a single file. Its
/// other name is out of sight.
#[cfg(target_os = "linux")]
fn is_mounted(path: &Path) -> io::Result<bool> {
    Ok(has_mount_point(&std::fs::read("/proc/self/mountinfo")?, &path.canonicalize()?))
}

#[cfg(not(target_os = "linux"))]
fn is_mounted(_path: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Whether a line of mountinfo has `path` as its fifth field: "63 43 254:0 /a /mnt/b rw,relatime -
/// ext4 /dev/vda rw".
#[cfg(target_os = "linux")]
fn has_mount_point(mountinfo: &[u8], path: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt;
    let fifth = |line: &'_ [u8]| line.split(|&byte| byte == b' ').nth(4).map(unescaped);
    let wanted = path.as_os_str().as_bytes();
    mountinfo.split(|&byte| byte == b'\n').any(|line| fifth(line).as_deref() == Some(wanted))
}

/// Spaces and the like are written as a backslash and three octal digits.
#[cfg(target_os = "linux")]
fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let [first, after @ ..] = rest {
        match after {
            [high @ b'0'..=b'3', middle @ b'0'..=b'7', low @ b'0'..=b'7', tail @ ..]
                if *first == b'\\' =>
            {
                bytes.push((high - b'0') << 6 | (middle - b'0') << 3 | (low - b'0'));
                rest = tail;
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    bytes
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_mount_point_is_recognised_by_its_whole_name() {
        let mountinfo = b"43 1 254:0 / / rw - ext4 /dev/vda rw\n\
            63 43 254:0 /a /mnt/a\\040ledger\\134.sqlite rw,relatime shared:1 - ext4 /dev/vda rw\n\
            64 43 254:0 /mnt/elsewhere /mnt/b rw - ext4 /dev/vda rw\n";
        let there = |path: &str| has_mount_point(mountinfo, Path::new(path));
        assert!(there("/mnt/a ledger\\.sqlite") && there("/mnt/b") && there("/"));
        for other in
            ["/mnt/a", "/mnt/a ledger\\.sqlite2", "/mnt/elsewhere", "/a", "/mnt/b/c", "/dev/vda"]
        {
            assert!(!there(other), "{other}");
        }
        assert_eq!(unescaped(b"a\\011\\\\12x\\999"), b"a\t\\\\12x\\999");
    }

    #[test]
    fn this_machine_says_what_is_mounted() {
        assert!(is_mounted(Path::new("/proc")).unwrap());
        assert!(!is_mounted(&std::env::current_exe().unwrap()).unwrap());
    }
}
