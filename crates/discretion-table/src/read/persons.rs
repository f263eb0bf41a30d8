//! Rows with the persons they belong to.
//!
//! The column that says whose a row is, is read on its own and kept as hashes under a key, as long as it takes to group the
//! rows. Identifiers are compared as the texts that they are, without blanks around them.

use super::files::OneFile;
use super::sample;
use super::{Progress, read_matrix};
use crate::counts::Counts;
use crate::error::{Error, Excerpt, Hint, Location, Place};
use crate::problem::Problem;
use crate::schema::{Schema, trimmed};
use crate::table_source::Table;
use discretion::erm::matrix::Persons;
use std::path::Path;

/// A key under which persons are put in order.
#[derive(Clone, Copy)]
pub struct PersonKey([u8; 32]);

impl PersonKey {
    /// The key of an account.
    pub fn new(key: [u8; 32]) -> PersonKey {
        PersonKey(key)
    }

    /// The key of a run under a seed, which promises nothing.
    pub fn of_seed(seed: u64) -> PersonKey {
        PersonKey(blake3::derive_key("discretion: the order of persons under a seed", &seed.to_le_bytes()))
    }

    /// 128 bits of a keyed hash: of a billion persons two share one with probability 2⁻⁶⁹, and count as one person then.
    fn hash(&self, identifier: &[u8]) -> u128 {
        let hash = blake3::keyed_hash(&self.0, identifier);
        u128::from_le_bytes(*hash.as_bytes().first_chunk().expect("a hash has 32 bytes"))
    }
}

/// The whole table for training, grouped by the persons that a column names; and what was counted.
///
/// `progress` is called from the calling thread.
pub fn read_persons(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    (person, key): (&str, PersonKey),
    progress: &dyn Fn(Progress),
) -> Result<(Persons, Counts), Error> {
    let (rows, counts) = read_matrix(table, schema, progress)?;
    let mut hashes = Vec::with_capacity(rows.rows());
    let files = table.files()?;
    for path in &files {
        let file = OneFile { path, format: schema.format(), query: table.query() };
        identifiers(file, person, &mut |identifier| hashes.push(key.hash(identifier)))?;
    }
    match hashes.len() == rows.rows() {
        true => Ok((Persons::group(rows, &hashes), counts)),
        false => Err(Location::file(&files[0]).error(Problem::Changed)),
    }
}

/// Hands the identifiers of one file to `each`, in the order of its rows.
fn identifiers(file: OneFile<'_>, person: &str, each: &mut impl FnMut(&[u8])) -> Result<(), Error> {
    let found = sample::columns(file)?;
    let place = found.iter().position(|column| column.name == person).ok_or_else(|| {
        let hint = Hint::nearest(person, found.iter().map(|column| column.name.as_str()));
        Location::file(file.path).error(Problem::NotInTable { column: Excerpt::of(person.as_bytes()), hint })
    })?;
    let (mut row, mut missing) = (0u64, None);
    sample::visit(file, u64::MAX, &|_| {}, &mut |column, text| {
        if column == place {
            row += 1;
            match trimmed(text) {
                b"" => missing = missing.or(Some(row)),
                identifier => each(identifier),
            }
        }
    })?;
    missing.map_or(Ok(()), |row| Err(no_person(file.path, row, person)))
}

fn no_person(path: &Path, row: u64, person: &str) -> Error {
    Location::new(path, Place::Row(row)).error(Problem::NoPerson { column: person.to_owned() })
}
