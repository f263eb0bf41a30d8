//! Columns of a table as the texts they are, row by row: what is copied beside a model's scores.
//!
//! A second reader beside the one that encodes, on a thread of its own and a few rows ahead: the
//! encoder keeps no texts, and whoever wants none pays nothing for them.

use super::files::OneFile;
use super::sample::{self, StoredType};
use crate::error::{Error, Excerpt, Hint, Location};
use crate::problem::Problem;
use crate::schema::Schema;
use crate::text_format::TextFormat;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// Rows that change hands at once, and how often that may be before somebody takes them.
const ROWS: usize = 1024;
const AHEAD: usize = 4;

type Sent = Result<Vec<Vec<String>>, Error>;

/// The texts of chosen columns, in the order of the rows.
pub struct KeptColumns {
    path: PathBuf,
    rows: Receiver<Sent>,
    ready: VecDeque<Vec<String>>,
}

impl KeptColumns {
    /// Begins to read the columns of these names, from a file that is written as a table of this
    /// schema. Names that the table does not have are refused, and so is one that is named twice.
    pub fn open(path: &Path, schema: &Schema, names: &[String]) -> Result<KeptColumns, Error> {
        let format = schema.format();
        let columns =
            places(OneFile { path, format, query: None }, names).map_err(
                |problem| match problem {
                    Cause::Reading(error) => error,
                    Cause::Name(problem) => Location::file(path).error(problem),
                },
            )?;
        let (send, rows) = sync_channel(AHEAD);
        let table = path.to_owned();
        // Nobody waits for it: if its rows are no longer wanted, the program is about to end.
        thread::spawn(move || read(&table, format, &columns, &send));
        Ok(KeptColumns { path: path.to_owned(), rows, ready: VecDeque::new() })
    }

    /// The texts of the next row, one for each name.
    pub fn next_row(&mut self) -> Result<Vec<String>, Error> {
        loop {
            if let Some(row) = self.ready.pop_front() {
                return Ok(row);
            }
            let sent =
                self.rows.recv().map_err(|_| Location::file(&self.path).error(Problem::Changed))?;
            self.ready.extend(sent?);
        }
    }
}

enum Cause {
    Reading(Error),
    Name(Problem),
}

/// Where columns of these names stand in the table.
fn places(file: OneFile<'_>, names: &[String]) -> Result<Vec<usize>, Cause> {
    let found = sample::columns(file).map_err(Cause::Reading)?;
    let mut places = Vec::new();
    for name in names {
        let place = found.iter().position(|column| column.name == *name).ok_or_else(|| {
            let hint = Hint::nearest(name, found.iter().map(|column| column.name.as_str()));
            Cause::Name(Problem::NotInTable { column: Excerpt::of(name.as_bytes()), hint })
        })?;
        if found[place + 1..].iter().any(|column| column.name == *name) {
            return Err(Cause::Name(Problem::RepeatedHeader {
                column: Excerpt::of(name.as_bytes()),
            }));
        }
        if places.contains(&place) {
            return Err(Cause::Name(Problem::ChosenTwice { column: name.clone() }));
        }
        if matches!(found[place].stored, StoredType::Unusable) {
            let (column, wanted) = (name.clone(), "a text");
            return Err(Cause::Name(Problem::ParquetType {
                column,
                found: "of a list".to_owned(),
                wanted,
            }));
        }
        places.push(place);
    }
    Ok(places)
}

/// Sends the texts of the columns at these places. Some files are read column by column: a row is
/// complete once every column has one more.
fn read(path: &Path, format: TextFormat, columns: &[usize], send: &SyncSender<Sent>) {
    let mut waiting = vec![VecDeque::new(); columns.len()];
    let mut rows = Vec::new();
    let result = sample::visit(
        OneFile { path, format, query: None },
        u64::MAX,
        &|_| {},
        &mut |column, text| {
            let Some(place) = columns.iter().position(|kept| *kept == column) else { return };
            waiting[place].push_back(String::from_utf8_lossy(text).into_owned());
            while let Some(row) = waiting.iter().map(|texts| texts.front().cloned()).collect() {
                waiting.iter_mut().for_each(|texts| drop(texts.pop_front()));
                rows.push(row);
                if rows.len() == ROWS {
                    // Where nobody takes them any more, they are lost to nobody.
                    let _ = send.send(Ok(std::mem::take(&mut rows)));
                }
            }
        },
    );
    let _ = send.send(result.map(|()| rows));
}
