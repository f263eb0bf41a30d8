//! What a cache of models is found by.

use crate::{Boosting, Logistic, Trees};
use discretion_disk::files;
use discretion_disk::hex::hex;
use discretion_table::{LearnerChoice, PersonKey, Study, VoteSettings};
use sha2::{Digest, Sha256};
use std::fmt::Display;
use std::io::{self, Read};
use std::path::Path;

/// A name for the models that a study trains on a table. Whatever changes them changes it:
/// `program` (its version), the table, and `session`, which names the study's settings and the
/// number of chunks; also the order of persons, and the files that a learner's command names.
pub fn cache_key(
    study: &Study,
    vote: &VoteSettings,
    program: &str,
    table: &dyn Display,
    session: &str,
) -> String {
    let mut name = format!(
        "{program} {table} {session} {} {} {} {}",
        Logistic::LAMBDA,
        Trees::TREES,
        Boosting::TREES,
        PersonKey::RULE
    );
    if let LearnerChoice::Command { command, .. } = &vote.learner {
        let folder = study.path.parent().unwrap_or(Path::new(""));
        for hash in command.iter().filter_map(|word| hash_of_file(&folder.join(word)).ok()) {
            name = format!("{name} {hash}");
        }
    }
    name
}

/// The hash of an ordinary file, a piece at a time: any word of a command may name one, of any
/// length. What is no file may be without end.
fn hash_of_file(path: &Path) -> io::Result<String> {
    let mut file = files::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other(files::NOT_ORDINARY));
    }
    let (mut hash, mut piece) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(hex(&hash.finalize())),
            length => hash.update(&piece[..length]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_hash_of_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("learner.py");
        let content = vec![7; 200_000];
        std::fs::write(&path, &content).unwrap();
        assert_eq!(hash_of_file(&path).unwrap(), hex(&Sha256::digest(&content)));
        assert!(hash_of_file(folder.path()).is_err());
    }

    /// Reading the first waits for ever, and the second takes all memory.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_no_file_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [&pipe, Path::new("/dev/zero")] {
            assert!(hash_of_file(path).is_err(), "{}", path.display());
        }
    }
}
