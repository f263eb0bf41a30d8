//! A file that is not there, or cannot be read: said as such, with the name that was probably
//! meant.

use crate::error::{Error, Hint, Location};
use crate::problem::Problem;
use std::io;
use std::path::Path;

/// More names than this in a folder are not looked through for one that is like the missing file's.
const MOST_NAMES: usize = 10_000;

/// Why a file that was named cannot be read.
pub fn unreadable(path: &Path, error: &io::Error) -> Error {
    let problem = match error.kind() {
        io::ErrorKind::NotFound => no_such_file(path),
        io::ErrorKind::IsADirectory => Problem::IsDirectory,
        _ => Problem::Unreadable(error.to_string()),
    };
    Location::file(path).error(problem)
}

/// Says in which folder the file was looked for: a path in a study file is relative to that file,
/// one of a command to where it was started.
fn no_such_file(path: &Path) -> Problem {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Problem::NoSuchFolder(absolute(folder));
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let names = entries
        .flatten()
        .take(MOST_NAMES)
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    let names: Vec<String> = names.collect();
    // `study` for study.toml is as short a way off as people go, and more than a few letters.
    let longer = || {
        names
            .iter()
            .find(|found| found.strip_prefix(&name).is_some_and(|rest| rest.starts_with('.')))
    };
    let hint = match Hint::nearest(&name, names.iter().map(String::as_str)) {
        Hint(None) => Hint(longer().cloned()),
        found => found,
    };
    Problem::NoSuchFile { folder: absolute(folder), hint }
}

/// The whole path of a folder, without the dots that lead nowhere.
fn absolute(folder: &Path) -> String {
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    whole.components().collect::<std::path::PathBuf>().display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(path: &Path) -> String {
        unreadable(path, &std::fs::read(path).unwrap_err()).problem.to_string()
    }

    #[test]
    fn a_missing_file_is_looked_for_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["patients.csv.gz", "study.toml", "notes.txt"] {
            std::fs::write(folder.path().join(name), "x").unwrap();
        }
        let shown = folder.path().display();
        let said = |name: &str| refusal(&folder.path().join(name));
        let nowhere = format!("there is no such file in {shown}");
        assert_eq!(said("patient.csv"), format!("{nowhere}; did you mean `patients.csv.gz`?"));
        assert_eq!(said("study"), format!("{nowhere}; did you mean `study.toml`?"));
        assert_eq!(said("Notes.TXT"), format!("{nowhere}; did you mean `notes.txt`?"));
        assert_eq!(said("adult.csv"), nowhere);
        assert_eq!(
            said("data/x.csv"),
            format!("there is no such file: nor is there a folder {shown}/data")
        );
        assert_eq!(
            said("notes.txt/x.csv"),
            "the file cannot be read: Not a directory (os error 20)"
        );
    }

    #[test]
    fn folders_are_named_in_full() {
        let here = std::env::current_dir().unwrap();
        let said = refusal(Path::new("no-such-file-here.csv"));
        assert_eq!(said, format!("there is no such file in {}", here.display()));
        assert_eq!(absolute(Path::new("./a/.")), here.join("a").display().to_string());
    }
}
