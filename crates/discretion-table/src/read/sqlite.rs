//! What a query finds in an SQLite file. The file is opened for reading alone, and nothing in it is
//! trusted: a view can give values and rows without end.

use super::Request;
use super::bounds::{
    LONGEST_RECORD, QUERIED, QUERIED_MEMORY, QUERIED_ROWS, QUERIED_STEPS, STEPS_PER_BYTE,
};
use super::encoded_rows::EncodedRows;
use super::files::{Each, Ended, Make};
use super::header;
use super::label::Labeller;
use super::record::Parser;
use super::sample::{SampleColumn, StoredType};
use super::separators::DeclaredSeparators;
use super::source;
use super::tally::Tally;
use crate::error::{Error, Location, Place};
use crate::problem::Problem;
use crate::reading_problem::ReadingProblem;
use crate::text_format::TextFormat;
use discretion_disk::sqlite;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, Row, Rows, Statement};
use std::io::Write;
use std::path::Path;

/// Rows that are encoded at a time.
const ROWS: u64 = 8192;

/// As [`Request::read_file`].
pub(crate) fn read<T: Send>(
    request: &Request<'_>,
    make: Make<'_, T>,
    each: Each<'_, T>,
) -> Result<Tally, Ended> {
    let database = Database::open(request.path)?;
    let mut statement = database.prepare(request.query)?;
    let names = names(&statement);
    let roles = header::roles(&names, request).map_err(|problem| request.error(problem))?;
    let separators = DeclaredSeparators::of(Path::new(""), TextFormat::default());
    let parser =
        Parser { roles, encoder: request.encoder, labeller: Labeller::new(request)?, separators };
    let total = super::files::length(request.path);
    let mut done = Tally::new(parser.encoder, parser.labeller.as_ref());
    let mut fields = vec![Vec::new(); names.len()];
    let mut rows = database.rows(&mut statement)?;
    let mut builder = parser.rows(EncodedRows::default());
    loop {
        let row = rows.next()?;
        if let Some(row) = row {
            let place = Place::Row(done.rows + builder.count() + 1);
            let refuse = |problem| Location::new(request.path, place).error(problem);
            let mut length = 0;
            for (i, field) in fields.iter_mut().enumerate() {
                let value = value(row, i, request.path)?;
                if is_inexact(value) && parser.reads_text(parser.roles[i]) {
                    let (column, least) = (names[i].clone(), INEXACT);
                    return Err(refuse(Problem::InexactCode { column, least }).into());
                }
                write_text(value, field);
                length += field.len();
                if length > LONGEST_RECORD {
                    return Err(refuse(too_long()).into());
                }
            }
            builder.push(&fields).map_err(refuse)?;
        }
        if builder.count() == ROWS || (row.is_none() && builder.count() > 0) {
            let (encoded, tally) = builder.finish();
            done.add(&tally);
            builder = parser.rows(each(make(encoded))?);
        }
        if row.is_none() {
            (request.progress)(super::Progress { bytes: total, total });
            return Ok(done);
        }
    }
}

/// The columns of what a query finds. Values have types of their own in every row, so that columns
/// have none.
pub(crate) fn columns(path: &Path, query: Option<&str>) -> Result<Vec<SampleColumn>, Error> {
    let database = Database::open(path)?;
    let names = names(&database.prepare(query)?);
    Ok(names.into_iter().map(|name| SampleColumn { name, stored: StoredType::Untyped }).collect())
}

/// Shows every field of the first `most_rows` rows to `visit`, as column and text.
pub(crate) fn visit(
    path: &Path,
    query: Option<&str>,
    most_rows: u64,
    progress: &dyn Fn(super::Progress),
    visit: &mut impl FnMut(usize, &[u8]),
) -> Result<(), Error> {
    let database = Database::open(path)?;
    let mut statement = database.prepare(query)?;
    let columns = statement.column_count();
    let mut rows = database.rows(&mut statement)?;
    let (mut seen, mut field) = (0, Vec::new());
    while seen < most_rows
        && let Some(row) = rows.next()?
    {
        for i in 0..columns {
            write_text(value(row, i, path)?, &mut field);
            visit(i, crate::schema::trimmed(&field));
        }
        seen += 1;
    }
    let total = super::files::length(path);
    progress(super::Progress { bytes: total, total });
    Ok(())
}

/// An SQLite file of somebody else.
struct Database<'p> {
    connection: Connection,
    path: &'p Path,
    /// Rows that a query may give.
    most_rows: u64,
}

/// Steps from one look at their number to the next.
const A_LOOK: u16 = 10_000;

impl<'p> Database<'p> {
    fn open(path: &'p Path) -> Result<Database<'p>, Error> {
        // An honest query looks at what is in its file.
        let length = super::files::length(path);
        Database::open_within(path, QUERIED_STEPS.max(length.saturating_mul(STEPS_PER_BYTE)))
    }

    fn open_within(path: &'p Path, most_steps: u64) -> Result<Database<'p>, Error> {
        // For the messages about files that are not there.
        source::open(path)?;
        let mut steps = 0;
        let has_worked = move || {
            steps += u64::from(A_LOOK);
            steps > most_steps
        };
        let guarded = || -> rusqlite::Result<Connection> {
            let mut connection = sqlite::look(path)?;
            connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, bytes(LONGEST_RECORD))?;
            connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
            // Functions and tables named in a file from elsewhere are not run.
            connection.pragma_update(None, "trusted_schema", false)?;
            connection.pragma_update(None, "cell_size_check", true)?;
            // What is sorted stays out of temporary files, which a view without end fills a disk
            // with. SQLite counts the memory of all files that this process has open.
            connection.pragma_update(None, "temp_store", "MEMORY")?;
            connection.pragma_update(None, "hard_heap_limit", bytes(QUERIED_MEMORY))?;
            connection.authorizer(Some(only_reading))?;
            connection.progress_handler(A_LOOK.into(), Some(has_worked))?;
            Ok(connection)
        };
        let connection = guarded().map_err(|error| failed(path, &error))?;
        let most_rows = super::files::length(path).max(QUERIED_ROWS);
        Ok(Database { connection, path, most_rows })
    }

    fn prepare(&self, query: Option<&str>) -> Result<Statement<'_>, Error> {
        let refuse = |problem| Location::file(self.path).error(Problem::from(problem));
        let query = query.ok_or_else(|| refuse(ReadingProblem::NoQuery))?;
        let statement = self.connection.prepare(query).map_err(|error| match error {
            error
                if error.sqlite_error_code()
                    == Some(ErrorCode::AuthorizationForStatementDenied) =>
            {
                refuse(ReadingProblem::NotAQuery)
            }
            error => failed(self.path, &error),
        })?;
        if statement.column_count() == 0 || !statement.readonly() {
            return Err(refuse(ReadingProblem::NotAQuery));
        }
        let each = (QUERIED / statement.column_count()).min(LONGEST_RECORD);
        self.connection
            .set_limit(Limit::SQLITE_LIMIT_LENGTH, bytes(each))
            .map_err(|error| failed(self.path, &error))?;
        Ok(statement)
    }

    fn rows<'s>(&'s self, statement: &'s mut Statement<'_>) -> Result<Queried<'s>, Error> {
        let rows = statement.query([]).map_err(|error| failed(self.path, &error))?;
        Ok(Queried { rows, seen: 0, database: self })
    }
}

/// The rows of a query, up to their largest number.
struct Queried<'s> {
    rows: Rows<'s>,
    seen: u64,
    database: &'s Database<'s>,
}

impl Queried<'_> {
    fn next(&mut self) -> Result<Option<&Row<'_>>, Error> {
        let Database { path, most_rows: most, .. } = *self.database;
        self.seen += 1;
        let place = Location::new(path, Place::Row(self.seen));
        let row = self.rows.next().map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::TooBig) => place.error(too_long()),
            Some(ErrorCode::OperationInterrupted) => {
                place.error(Problem::from(ReadingProblem::LongQuery))
            }
            Some(ErrorCode::OutOfMemory) => {
                let megabytes = QUERIED_MEMORY >> 20;
                place.error(Problem::from(ReadingProblem::LargeQuery { megabytes }))
            }
            _ => failed(path, &error),
        })?;
        match row {
            Some(_) if self.seen > most => {
                let problem = Problem::from(ReadingProblem::EndlessQuery { most });
                Err(Location::file(path).error(problem))
            }
            row => Ok(row),
        }
    }
}

/// A query reads; it attaches no other file and changes no setting.
fn only_reading(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Select
        | AuthAction::Read { .. }
        | AuthAction::Function { .. }
        | AuthAction::Recursive => Authorization::Allow,
        _ => Authorization::Deny,
    }
}

fn bytes(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

fn too_long() -> Problem {
    Problem::EndlessRow { megabytes: LONGEST_RECORD >> 20 }
}

fn value<'r>(row: &'r Row<'_>, column: usize, path: &Path) -> Result<ValueRef<'r>, Error> {
    row.get_ref(column).map_err(|error| failed(path, &error))
}

fn names(statement: &Statement<'_>) -> Vec<String> {
    statement.column_names().map(|name| name.trim().to_owned()).collect()
}

fn failed(path: &Path, error: &rusqlite::Error) -> Error {
    Location::file(path).error(Problem::from(ReadingProblem::Sqlite(error.to_string())))
}

/// From here on a floating-point number stands for several whole ones.
const INEXACT: u64 = 1 << f64::MANTISSA_DIGITS;

fn is_inexact(value: ValueRef<'_>) -> bool {
    matches!(value, ValueRef::Real(number) if number.is_finite() && number.abs() >= INEXACT as f64)
}

/// A value as a text file would have it.
fn write_text(value: ValueRef<'_>, into: &mut Vec<u8>) {
    into.clear();
    match value {
        ValueRef::Null => {}
        ValueRef::Integer(number) => {
            write!(into, "{number}").expect("writing to memory cannot fail")
        }
        // The shortest decimal that reads back as the number.
        ValueRef::Real(number) => write!(into, "{number}").expect("writing to memory cannot fail"),
        ValueRef::Text(text) | ValueRef::Blob(text) => {
            into.extend_from_slice(crate::schema::trimmed(text))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Mutex, MutexGuard, PoisonError};

    /// The memory of SQLite is that of all tests of this process.
    fn alone() -> MutexGuard<'static, ()> {
        static ALONE: Mutex<()> = Mutex::new(());
        ALONE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The rows are counted, and none is ever found.
    #[test]
    fn a_query_that_finds_no_row_ends() {
        let _alone = alone();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("endless.sqlite");
        let made = Connection::open(&path).unwrap();
        let view =
            "create view endless as with recursive n(i) as (select 1 union all select i + 1 from n)
                    select count(*) as many from n";
        made.execute_batch(view).unwrap();
        let database = Database::open_within(&path, 1_000_000).unwrap();
        let mut statement = database.prepare(Some("select many from endless")).unwrap();
        let mut rows = database.rows(&mut statement).unwrap();
        let error = rows.next().err().unwrap().to_string();
        assert!(error.contains("worked for very long and is not done"), "{error}");
    }

    /// Each row is found at once, and there are rows without end.
    #[test]
    fn steps_are_counted_over_all_rows() {
        let _alone = alone();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("slow.sqlite");
        Connection::open(&path).unwrap().execute_batch("create table t (a)").unwrap();
        let database = Database::open_within(&path, 1_000_000).unwrap();
        let query =
            "with recursive n(i) as (select 1 union all select i + 1 from n) select i from n";
        let mut statement = database.prepare(Some(query)).unwrap();
        let mut rows = database.rows(&mut statement).unwrap();
        let error = (0..900_000).find_map(|_| rows.next().err()).unwrap().to_string();
        assert!(error.contains("worked for very long and is not done"), "{error}");
    }

    /// Sorted in a temporary file, it would fill the disk.
    #[test]
    fn what_is_sorted_has_a_bound() {
        let _alone = alone();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sorted.sqlite");
        let view =
            "create view endless as with recursive n(i) as (select 1 union all select i + 1 from n)
                    select randomblob(1000000) as a from n order by a";
        Connection::open(&path).unwrap().execute_batch(view).unwrap();
        let database = Database::open(&path).unwrap();
        let mut statement = database.prepare(Some("select a from endless")).unwrap();
        let mut rows = database.rows(&mut statement).unwrap();
        let error = rows.next().err().unwrap().to_string();
        assert!(error.contains("more than 256 MB of memory"), "{error}");
    }

    /// Each value alone would be allowed, and together they would take sixteen gigabytes.
    #[test]
    fn many_columns_have_shorter_values() {
        let _alone = alone();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wide.sqlite");
        let view = "create view wide as select randomblob(8000000) as a";
        Connection::open(&path).unwrap().execute_batch(view).unwrap();
        let asked = |columns: usize| {
            let database = Database::open(&path).unwrap();
            let query = format!("select {} from wide", vec!["a"; columns].join(", "));
            let mut statement = database.prepare(Some(&query)).unwrap();
            let mut rows = database.rows(&mut statement).unwrap();
            rows.next().map(|row| row.is_some()).map_err(|error| error.to_string())
        };
        assert_eq!((asked(1), asked(8)), (Ok(true), Ok(true)));
        assert!(asked(64).unwrap_err().contains("longer than 8 MB"));
        assert!(asked(2000).unwrap_err().contains("longer than 8 MB"));
    }
}
