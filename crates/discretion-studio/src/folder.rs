//! The folder: all that the page lists, shows and writes is in it.

use discretion::{Refusal, reason};
use discretion_disk::files::NOT_ORDINARY;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Endings of tables that can be chosen.
const TABLES: [&str; 11] = [
    ".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet", ".arrow", ".feather", ".ipc", ".sqlite",
    ".sqlite3", ".db",
];

/// A folder on this machine.
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// Makes it if it is missing.
    pub fn open(path: &Path) -> Result<Folder, Refusal> {
        let bad = |error: &std::io::Error| {
            Refusal::bad_file(path, format!("this folder cannot be used ({})", reason(error)))
        };
        fs::create_dir_all(path).map_err(|error| bad(&error))?;
        Ok(Folder { root: path.canonicalize().map_err(|error| bad(&error))? })
    }

    pub fn path(&self) -> &Path {
        &self.root
    }

    /// A file in the folder, by its name there: no way leads out, also not by a link. What is there
    /// is an ordinary file or a folder.
    pub fn inside(&self, name: &str) -> Result<PathBuf, Refusal> {
        let outside = || {
            Refusal::bad_input(format!(
                "{name:?}: only files in the folder of this page can be named"
            ))
        };
        check_characters(name)?;
        let relative = Path::new(name);
        let normal = |part: Component<'_>| match part {
            Component::Normal(part) => !part.to_string_lossy().starts_with('.'),
            _ => false,
        };
        if name.is_empty() || name.contains(['\\', '\0']) || !relative.components().all(normal) {
            return Err(outside());
        }
        let path = self.root.join(relative);
        // What is not there yet is where its nearest folder is.
        let there = path.ancestors().find_map(|ancestor| ancestor.canonicalize().ok());
        match there {
            Some(there) if there.starts_with(&self.root) => ordinary(path),
            _ => Err(outside()),
        }
    }

    /// A study file: in the folder itself.
    pub fn study(&self, name: &str) -> Result<PathBuf, Refusal> {
        if !name.ends_with(".toml") || name.len() < 6 || name.contains('/') {
            return Err(Refusal::bad_input(format!(
                "{name:?}: a study file has a name such as study.toml, and is in the folder of this page"
            )));
        }
        self.inside(name)
    }

    /// A table: in the folder, or wherever a person says who typed its whole path.
    pub fn table(&self, name: &str) -> Result<PathBuf, Refusal> {
        check_characters(name)?;
        let path = Path::new(name);
        if path.is_absolute() { ordinary(path.to_owned()) } else { self.inside(name) }
    }

    /// The files in it, and in the folders in it, that one can open: names with slashes, sorted.
    pub fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        self.collect(&self.root, "", 2, &mut found);
        found.sort();
        found
    }

    fn collect(&self, folder: &Path, before: &str, depth: usize, found: &mut Vec<String>) {
        /// A folder of more files than this is not one of studies.
        const MOST: usize = 5_000;
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.starts_with('.') || check_characters(&name).is_err() || found.len() >= MOST {
                continue;
            }
            // Of a link's own kind is neither: what it leads to is not in the folder, or is listed
            // where it is.
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && depth > 0 {
                self.collect(&entry.path(), &format!("{before}{name}/"), depth - 1, found);
            } else if kind.is_file() {
                found.push(format!("{before}{name}"));
            }
        }
    }
}

/// Refuses names that would be several lines in a list, a message or a study file.
fn check_characters(name: &str) -> Result<(), Refusal> {
    let breaks_line = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    match name.contains(breaks_line) {
        true => Err(Refusal::bad_input(format!(
            "{name:?}: a name with a line break or another control character; rename the file"
        ))),
        false => Ok(()),
    }
}

/// Refuses a pipe, a device or a socket: reading it could hold a request for ever.
fn ordinary(path: PathBuf) -> Result<PathBuf, Refusal> {
    match fs::metadata(&path) {
        Ok(found) if !found.is_file() && !found.is_dir() => {
            Err(Refusal::bad_file(&path, format!("{NOT_ORDINARY}; choose a file")))
        }
        _ => Ok(path),
    }
}

/// Whether a name is one of a table.
pub fn is_table(name: &str) -> bool {
    let lower = name.to_lowercase();
    TABLES.iter().any(|ending| lower.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_out_of_the_folder() {
        let outer = tempfile::tempdir().unwrap();
        let folder = Folder::open(&outer.path().join("mine")).unwrap();
        fs::write(outer.path().join("secret.toml"), "").unwrap();
        for name in [
            "../secret.toml",
            "/etc/passwd",
            "a/../../secret.toml",
            ".hidden",
            "a/.b",
            "",
            "a\\..\\b",
            "./a",
        ] {
            assert!(folder.inside(name).is_err(), "{name}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(outer.path(), folder.path().join("link")).unwrap();
            assert!(folder.inside("link/secret.toml").is_err());
            assert!(folder.inside("link/new.toml").is_err());
            // Nor is it listed.
            std::os::unix::fs::symlink(
                outer.path().join("secret.toml"),
                folder.path().join("one.toml"),
            )
            .unwrap();
            assert!(folder.files().is_empty(), "{:?}", folder.files());
        }
        for name in
            ["two\nlines.csv", "two\rlines.csv", "two\u{2028}lines.csv", "a\u{7}.csv", "a\0.csv"]
        {
            assert!(folder.inside(name).is_err() && folder.table(name).is_err(), "{name:?}");
            assert!(folder.table(&format!("/{name}")).is_err(), "{name:?}");
        }
        assert!(folder.inside("a/b.json").is_ok() && folder.study("study.toml").is_ok());
        assert!(folder.study("a/study.toml").is_err() && folder.study("study.csv").is_err());
    }

    /// Opening a pipe waits until somebody writes to it.
    #[cfg(target_os = "linux")]
    #[test]
    fn only_ordinary_files_are_named() {
        let outer = tempfile::tempdir().unwrap();
        let folder = Folder::open(outer.path()).unwrap();
        let pipe = folder.path().join("pipe.csv");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for name in ["pipe.csv", pipe.to_str().unwrap(), "/dev/null", "/dev/zero"] {
            assert!(folder.table(name).is_err(), "{name}");
        }
        assert!(folder.files().is_empty());
    }
}
