//! Several files, one after the other, as one table.

use super::encoded_rows::EncodedRows;
use super::label::Labeller;
use super::sample;
use super::source::FileKind;
use super::tally::Tally;
use super::{Progress, Request};
use crate::counts::Counts;
use crate::error::{Error, Excerpt, Location};
use crate::problem::Problem;
use crate::reading_problem::ReadingProblem;
use crate::schema::Schema;
use crate::text_format::TextFormat;
use std::path::{Path, PathBuf};

/// A file of a table, and what has to be known to open it.
#[derive(Clone, Copy)]
pub(crate) struct OneFile<'a> {
    pub path: &'a Path,
    /// How it is written, if it is a text file.
    pub format: TextFormat,
    /// What to ask, if it is a database.
    pub query: Option<&'a str>,
}

impl<'a> OneFile<'a> {
    /// A file that is as most are.
    pub fn plain(path: &'a Path) -> OneFile<'a> {
        OneFile { path, format: TextFormat::default(), query: None }
    }

    /// What stands before decimals: what is declared, if numbers are texts there.
    pub fn decimal(self) -> u8 {
        match FileKind::of(self.path) {
            Some(FileKind::Text) => self.format.decimal.byte(),
            _ => b'.',
        }
    }
}

/// What is made of encoded rows, on several threads.
pub(super) type Make<'m, T> = &'m (dyn Fn(EncodedRows) -> T + Sync);

/// Whoever gets what was made, in order, and gives memory back for rows to come.
pub(super) type Each<'e, T> = &'e mut dyn FnMut(T) -> Result<EncodedRows, Ended>;

/// Why reading ended early. What stops whoever gets the rows is remembered outside: readers are
/// compiled once, and not for every error that there is.
pub(crate) enum Ended {
    Error(Error),
    Stopped,
}

impl From<Error> for Ended {
    fn from(error: Error) -> Ended {
        Ended::Error(error)
    }
}

impl Request<'_> {
    pub(crate) fn file(&self) -> OneFile<'_> {
        OneFile { path: self.path, format: self.format, query: self.query }
    }

    /// Hands the rows to `each` in order and returns what was counted. Several threads encode them
    /// and `make` of them what is wanted; `each` gives memory back that it does not need, for rows
    /// to come.
    pub(super) fn read<T: Send, E: From<Error>>(
        &self,
        files: &[PathBuf],
        make: Make<'_, T>,
        each: &mut dyn FnMut(T) -> Result<EncodedRows, E>,
    ) -> Result<Counts, E> {
        let mut theirs = None;
        let counts = self.read_all(files, make, &mut |made| {
            each(made).map_err(|error| {
                theirs = Some(error);
                Ended::Stopped
            })
        });
        counts.map_err(|ended| match ended {
            Ended::Error(error) => error.into(),
            Ended::Stopped => theirs.expect("whoever stops has said why"),
        })
    }

    fn read_all<T: Send>(
        &self,
        files: &[PathBuf],
        make: Make<'_, T>,
        each: Each<'_, T>,
    ) -> Result<Counts, Ended> {
        self.at(&files[0]).check_cohort()?;
        let labeller = Labeller::new(&self.at(&files[0]))?;
        let mut tally = Tally::new(self.encoder, labeller.as_ref());
        let make = |mut encoded: EncodedRows| {
            if let Some(person) = &self.encoder.person {
                person.place_each(&mut encoded.persons);
            }
            make(encoded)
        };
        self.each_file(files, |request| {
            tally.add(&request.read_file(&make, each)?);
            Ok::<(), Ended>(())
        })?;
        Ok(self.at(&files[0]).counts(&tally)?)
    }

    /// The same of one file of the table.
    pub(crate) fn at<'b>(&'b self, path: &'b Path) -> Request<'b> {
        Request { path, ..*self }
    }

    /// Calls `read` for one file after the other, which have the same columns; its progress is that
    /// of all.
    pub(crate) fn each_file<E: From<Error>>(
        &self,
        files: &[PathBuf],
        mut read: impl FnMut(&Request<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        same_headers(files, self.file())?;
        let total = files.iter().map(|file| length(file)).sum();
        let mut before = 0;
        for file in files {
            let of_all = |progress: Progress| {
                (self.progress)(Progress { bytes: (before + progress.bytes).min(total), total });
            };
            let progress: &dyn Fn(Progress) =
                if files.len() == 1 { self.progress } else { &of_all };
            read(&Request { path: file, progress, ..*self })?;
            before += length(file);
        }
        Ok(())
    }
}

/// Refuses files whose columns are not those of the first, before a row of any is read.
pub(crate) fn same_headers(files: &[PathBuf], of: OneFile<'_>) -> Result<(), Error> {
    if files.len() == 1 {
        return Ok(());
    }
    let names = |file: &PathBuf| -> Result<Vec<String>, Error> {
        Ok(sample::columns(OneFile { path: file, ..of })?
            .into_iter()
            .map(|column| column.name)
            .collect())
    };
    let columns = names(&files[0])?;
    for file in &files[1..] {
        let found = names(file)?;
        if found != columns {
            let (first, how) = (files[0].display().to_string(), difference(&columns, &found));
            let problem = Problem::from(ReadingProblem::OtherHeader { first, how });
            return Err(Location::file(file).error(problem));
        }
    }
    Ok(())
}

/// In which column two headers differ first.
fn difference(first: &[String], other: &[String]) -> String {
    let shown = |name: &String| Excerpt::of(name.as_bytes());
    let missing = first
        .iter()
        .find(|name| !other.contains(name))
        .map(|name| format!("it lacks `{}`", shown(name)));
    let extra = other
        .iter()
        .find(|name| !first.contains(name))
        .map(|name| format!("it has `{}`", shown(name)));
    match (missing, extra) {
        (None, None) => "its columns are in another order".to_owned(),
        (missing, extra) => missing.into_iter().chain(extra).collect::<Vec<_>>().join(", and "),
    }
}

/// Bytes of a file, or none if it cannot be asked.
pub(super) fn length(file: &Path) -> u64 {
    std::fs::metadata(file).map_or(0, |metadata| metadata.len())
}

/// How many rows a plain CSV of this size can hold if no field is empty: each has a character and a
/// separator. Only good for making room; a compressed file may hold more.
pub(super) fn rows_at_most(files: &[PathBuf], schema: &Schema) -> usize {
    let bytes: u64 = files.iter().map(|file| length(file)).sum();
    usize::try_from(bytes).unwrap_or(0) / (2 * (schema.columns().len() + 1))
}
