//! What a query finds in an SQLite file. The file is opened for reading alone.

use super::Request;
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
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Statement};
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
    let database = open(request.path)?;
    let mut statement = prepare(&database, request.path, request.query)?;
    let names = names(&statement);
    let roles = header::roles(&names, request).map_err(|problem| request.error(problem))?;
    let separators = DeclaredSeparators::of(Path::new(""), TextFormat::default());
    let parser =
        Parser { roles, encoder: request.encoder, labeller: Labeller::new(request)?, separators };
    let total = super::files::length(request.path);
    let mut done = Tally::new(parser.encoder, parser.labeller.as_ref());
    let mut fields = vec![Vec::new(); names.len()];
    let mut rows = statement.query([]).map_err(|error| failed(request.path, &error))?;
    let mut builder = parser.rows(EncodedRows::default());
    loop {
        let row = rows.next().map_err(|error| failed(request.path, &error))?;
        if let Some(row) = row {
            for (i, field) in fields.iter_mut().enumerate() {
                write_text(row.get_ref(i).map_err(|error| failed(request.path, &error))?, field);
            }
            let place = Place::Row(done.rows + builder.count() + 1);
            builder
                .push(&fields)
                .map_err(|problem| Location::new(request.path, place).error(problem))?;
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
    let database = open(path)?;
    let names = names(&prepare(&database, path, query)?);
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
    let database = open(path)?;
    let mut statement = prepare(&database, path, query)?;
    let columns = statement.column_count();
    let mut rows = statement.query([]).map_err(|error| failed(path, &error))?;
    let (mut seen, mut field) = (0, Vec::new());
    while seen < most_rows
        && let Some(row) = rows.next().map_err(|error| failed(path, &error))?
    {
        for i in 0..columns {
            write_text(row.get_ref(i).map_err(|error| failed(path, &error))?, &mut field);
            visit(i, crate::schema::trimmed(&field));
        }
        seen += 1;
    }
    let total = super::files::length(path);
    progress(super::Progress { bytes: total, total });
    Ok(())
}

fn open(path: &Path) -> Result<Connection, Error> {
    // For the messages about files that are not there.
    source::open(path)?;
    Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
    .map_err(|error| failed(path, &error))
}

fn prepare<'d>(
    database: &'d Connection,
    path: &Path,
    query: Option<&str>,
) -> Result<Statement<'d>, Error> {
    let refuse = |problem| Location::file(path).error(Problem::from(problem));
    let query = query.ok_or_else(|| refuse(ReadingProblem::NoQuery))?;
    let statement = database.prepare(query).map_err(|error| failed(path, &error))?;
    if statement.column_count() == 0 || !statement.readonly() {
        return Err(refuse(ReadingProblem::NotAQuery));
    }
    Ok(statement)
}

fn names(statement: &Statement<'_>) -> Vec<String> {
    statement.column_names().map(|name| name.trim().to_owned()).collect()
}

fn failed(path: &Path, error: &rusqlite::Error) -> Error {
    Location::file(path).error(Problem::from(ReadingProblem::Sqlite(error.to_string())))
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
