//! Where a service's files are: beside the ledger itself, whatever path or link leads to it.

use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// A chain of links that is longer than this leads nowhere.
const LINKS: usize = 40;

/// The ledger's own path. Two paths to one ledger give the same; it need not be there yet.
pub fn canonical(ledger: &Path) -> PathBuf {
    let mut path = ledger.to_owned();
    for _ in 0..LINKS {
        if let Ok(found) = path.canonicalize() {
            return found;
        }
        let folder =
            path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        match path.read_link() {
            // A link to a ledger that is still to be made.
            Ok(target) => path = folder.join(target),
            Err(_) => {
                let folder = folder.canonicalize().or_else(|_| std::path::absolute(folder));
                return match (folder, path.file_name()) {
                    (Ok(folder), Some(name)) => folder.join(name),
                    _ => path,
                };
            }
        }
    }
    path
}

/// The name of a file that belongs to these facts.
pub fn named(facts: &[&str], ending: &str) -> String {
    let digest = Sha256::digest(facts.join("\0").as_bytes());
    let name: String = digest[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("serve-{name}.{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn every_way_to_a_ledger_is_the_same_place() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("a")).unwrap();
        std::os::unix::fs::symlink("a", at("b")).unwrap();
        std::os::unix::fs::symlink("a/ledger.sqlite", at("link.sqlite")).unwrap();
        let ways = ["a/ledger.sqlite", "b/ledger.sqlite", "a/../b/ledger.sqlite", "link.sqlite"];
        let places = || ways.map(|way| canonical(&at(way)));
        let before = places();
        assert!(before.iter().all(|place| *place == before[0]), "{before:?}");
        std::fs::write(at("a/ledger.sqlite"), "").unwrap();
        assert_eq!(places(), before, "made or not");
        assert_ne!(canonical(&at("a/other.sqlite")), before[0]);
    }
}
