//! Where a table is: in one file, or in several that are one table.

use crate::error::{Error, Location};
use crate::missing_file::unreadable;
use crate::problem::Problem;
use crate::read::is_table;
use crate::reading_problem::ReadingProblem;
use std::path::{Path, PathBuf};

/// What a table can be read from: a file, or what a study file names.
pub trait Table {
    /// Its files, in the order in which they are read. A table has at least one.
    fn files(&self) -> Result<Vec<PathBuf>, Error>;

    /// What to ask, if it is in a database.
    fn query(&self) -> Option<&str> {
        None
    }

    /// What messages call it.
    fn name(&self) -> String;
}

impl Table for Path {
    fn files(&self) -> Result<Vec<PathBuf>, Error> {
        Ok(vec![self.to_owned()])
    }

    fn name(&self) -> String {
        self.display().to_string()
    }
}

impl Table for PathBuf {
    fn files(&self) -> Result<Vec<PathBuf>, Error> {
        self.as_path().files()
    }

    fn name(&self) -> String {
        self.as_path().name()
    }
}

/// `path` in `[data]`: a file, a folder, a pattern such as `2*.csv`, or a list of these. Nothing is
/// looked up before the table is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSource {
    paths: Vec<PathBuf>,
    query: Option<String>,
}

impl TableSource {
    /// Several, one after the other.
    pub fn new(paths: Vec<PathBuf>) -> TableSource {
        TableSource { paths, query: None }
    }

    /// What a query finds there, if there is one.
    #[must_use]
    pub fn with_query(self, query: Option<String>) -> TableSource {
        TableSource { query, ..self }
    }

    /// As they are named.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// For messages.
    pub fn display(&self) -> String {
        self.name()
    }
}

impl<P: Into<PathBuf>> From<P> for TableSource {
    fn from(path: P) -> TableSource {
        TableSource { paths: vec![path.into()], query: None }
    }
}

impl Table for TableSource {
    fn files(&self) -> Result<Vec<PathBuf>, Error> {
        let mut files: Vec<PathBuf> = Vec::new();
        for path in &self.paths {
            for file in expanded(path)? {
                if files.contains(&file) {
                    // Everybody in it would be there twice.
                    let problem = Problem::from(ReadingProblem::FileTwice);
                    return Err(Location::file(&file).error(problem));
                }
                files.push(file);
            }
        }
        Ok(files)
    }

    fn query(&self) -> Option<&str> {
        self.query.as_deref()
    }

    fn name(&self) -> String {
        match &self.paths[..] {
            [only] => only.name(),
            [first, others @ ..] => format!("{} and {} more", first.display(), others.len()),
            [] => unreachable!("a table has a path"),
        }
    }
}

/// The files that a path of a study file stands for.
fn expanded(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let refuse = |problem| Location::file(path).error(Problem::from(problem));
    let pattern =
        path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if path.is_dir() {
        let found = listed(path, is_table)?;
        return if found.is_empty() { Err(refuse(ReadingProblem::NoTables)) } else { Ok(found) };
    }
    if !pattern.contains(['*', '?']) || path.exists() {
        return Ok(vec![path.to_owned()]);
    }
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let fits = |file: &Path| {
        file.file_name().is_some_and(|name| matches(&pattern, &name.to_string_lossy()))
    };
    let found = listed(folder, fits)?;
    if found.is_empty() { Err(refuse(ReadingProblem::NoMatch)) } else { Ok(found) }
}

/// The files in a folder, but not in folders within it, by their names: the same order on every
/// machine. Hidden ones are left out.
fn listed(folder: &Path, wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, Error> {
    let unreadable = |error: std::io::Error| unreadable(folder, &error);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        // As they were named: without "./" before a name in the working directory.
        let path = if folder == Path::new(".") { entry.file_name().into() } else { entry.path() };
        if !hidden && path.is_file() && wanted(&path) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Whether a name fits a pattern, in which `*` stands for any letters and `?` for one.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    // Where the last star stood, and how much of the name it stands for.
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(letter) if *letter == '?' || *letter == name[n] => (p, n) = (p + 1, n + 1),
            _ => match star {
                Some((at, taken)) => {
                    (p, n) = (at + 1, taken + 1);
                    star = Some((at, taken + 1));
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_and_question_marks() {
        for (pattern, name, fits) in [
            ("*.csv", "a.csv", true),
            ("*.csv", ".csv", true),
            ("*.csv", "a.csv.gz", false),
            ("201?-*.csv", "2019-north.csv", true),
            ("201?-*.csv", "201-north.csv", false),
            ("*a*b", "xaxxb", true),
            ("*a*b", "xaxxbx", false),
            ("a*", "a", true),
            ("plain", "plain", true),
            ("größ?", "größe", true),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}
