//! Rows with the persons they belong to.
//!
//! The column that says whose a row is, is hashed while rows are encoded, and nothing else is kept of it. Persons come in the order
//! of a hash of that under a key of the account, which is as good as random and the same for every run.
//!
//! Two spellings of one person would be two persons, and the guarantee would be about half of one. Two persons that count as one
//! lose a little weight and no privacy. So whatever may be another spelling counts as the same: blanks around it, small and large
//! letters, zeros before a number and after its point.

use super::encoded_rows::EncodedRows;
use super::{Progress, Purpose, Request, read_pieces, rows_at_most};
use crate::counts::Counts;
use crate::encode::Encoder;
use crate::error::Error;
use crate::na::Na;
use crate::problem::Problem;
use crate::schema::{Column, Schema, trimmed};
use crate::table_source::Table;
use discretion::erm::matrix::{Batch, Matrix, Persons};
use std::collections::HashSet;

/// A key under which persons are put in order.
#[derive(Clone, Copy)]
pub struct PersonKey([u8; 32]);

impl PersonKey {
    /// The key of an account.
    pub fn new(key: [u8; 32]) -> PersonKey {
        PersonKey(key)
    }

    /// For workers that put persons in order, too. It is the account's secret.
    pub fn to_bytes(self) -> [u8; 32] {
        self.0
    }

    /// The key of a run under a seed, which promises nothing.
    pub fn of_seed(seed: u64) -> PersonKey {
        PersonKey(blake3::derive_key("discretion: the order of persons under a seed", &seed.to_le_bytes()))
    }

    /// Whether the row with this number among a person's own, from 1, takes the place of an earlier one: with chance 1 in so many.
    pub(super) fn draw(&self, place: u128, number: u64) -> bool {
        let mut drawn = blake3::Hasher::new_keyed(&self.0);
        drawn.update(&place.to_le_bytes()).update(&number.to_le_bytes());
        first_bits(drawn.finalize()).is_multiple_of(u128::from(number))
    }

    /// Where a person comes in the order of persons.
    pub fn place(&self, person: u128) -> u128 {
        first_bits(blake3::keyed_hash(&self.0, &person.to_le_bytes()))
    }
}

/// Of a billion persons two share 128 bits of a hash with probability 2⁻⁶⁹, and count as one person then.
fn first_bits(hash: blake3::Hash) -> u128 {
    u128::from_le_bytes(*hash.as_bytes().first_chunk().expect("a hash has 32 bytes"))
}

/// The column that says whose row a row is, and how it is read.
pub(crate) struct PersonCode {
    pub name: String,
    /// Texts that mean that there is no identifier.
    na: Na,
}

impl PersonCode {
    /// Nothing where rows are nobody's.
    pub fn new(schema: &Schema) -> Option<PersonCode> {
        let na = Na::new(&schema.target().na);
        schema.person().map(|name| PersonCode { name: name.to_owned(), na })
    }

    /// The person that a field names. It tells who that is to whoever has a list of names: it stays in memory.
    pub fn person(&self, field: &[u8]) -> Result<u128, Problem> {
        let text = trimmed(field);
        if text.is_empty() || self.na.has(text) {
            return Err(Problem::NoPerson { column: self.name.clone() });
        }
        Ok(person(text))
    }
}

/// The person of an identifier.
pub fn person(identifier: &[u8]) -> u128 {
    first_bits(blake3::hash(&one_spelling(trimmed(identifier))))
}

/// What all spellings of an identifier have in common.
fn one_spelling(text: &[u8]) -> Vec<u8> {
    let unsigned = text.strip_prefix(b"+").unwrap_or(text);
    let (whole, fraction) = match memchr::memchr(b'.', unsigned) {
        Some(point) => (&unsigned[..point], &unsigned[point + 1..]),
        None => (unsigned, &b""[..]),
    };
    let is_whole = !whole.is_empty()
        && whole.iter().all(u8::is_ascii_digit)
        && fraction.iter().all(|&digit| digit == b'0');
    if !is_whole {
        return text.to_ascii_lowercase();
    }
    let zeros = whole.iter().take_while(|&&digit| digit == b'0').count();
    whole[zeros.min(whole.len() - 1)..].to_vec()
}

/// The whole table for training, grouped by the persons that a column names; and what was counted.
///
/// `progress` is called from the calling thread.
pub fn read_persons(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    key: PersonKey,
    progress: &dyn Fn(Progress),
) -> Result<(Persons, Counts), Error> {
    let (files, encoder) = (table.files()?, schema.encoder().of_persons(schema).of_cohort(schema));
    let (mut rows, mut places) = (Matrix::new(encoder.layout()), Vec::new());
    rows.reserve(rows_at_most(&files, schema));
    let counts = read_pieces(table, &files, (schema, &encoder), progress, |piece, persons| {
        rows.append(piece);
        places.extend(persons.iter().map(|&person| key.place(person)));
        Ok(())
    })?;
    Ok((Persons::group(rows, &places), counts))
}

/// How many persons the table has, and what was counted. No row is kept.
pub fn count_persons(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    progress: &dyn Fn(Progress),
) -> Result<(usize, Counts), Error> {
    let (files, encoder) = (table.files()?, schema.encoder().of_persons(schema).of_cohort(schema));
    let mut all = HashSet::new();
    let counts = read_pieces(table, &files, (schema, &encoder), progress, |_, persons| {
        all.extend(persons.iter().copied());
        Ok(())
    })?;
    Ok((all.len(), counts))
}

/// Hands encoded rows for training to `each` in the order of the file, with the places of the persons that they belong to; and returns
/// what was counted. As [`read_batches`](super::read_batches) otherwise.
pub fn read_batches_of_persons<E: From<Error>>(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    key: PersonKey,
    progress: &dyn Fn(Progress),
    each: impl FnMut(Batch, &[u128]) -> Result<(), E>,
) -> Result<Counts, E> {
    read_with_places(table, (schema, schema.encoder()), Purpose::Train, key, progress, each)
}

/// The same of chosen columns, as [`read_columns`](super::read_columns) hands them out.
pub fn read_columns_of_persons<E: From<Error>>(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    columns: &[Column],
    key: PersonKey,
    progress: &dyn Fn(Progress),
    each: impl FnMut(Batch, &[u128]) -> Result<(), E>,
) -> Result<Counts, E> {
    read_with_places(table, (schema, Encoder::describing(columns)), Purpose::Describe, key, progress, each)
}

fn read_with_places<E: From<Error>>(
    table: &(impl Table + ?Sized),
    (schema, encoder): (&Schema, Encoder),
    purpose: Purpose,
    key: PersonKey,
    progress: &dyn Fn(Progress),
    mut each: impl FnMut(Batch, &[u128]) -> Result<(), E>,
) -> Result<Counts, E> {
    let encoder = encoder.of_persons(schema);
    let request = Request::of(schema, &encoder, purpose, progress).asking(table);
    let make = |mut encoded: EncodedRows| {
        let places: Vec<u128> =
            std::mem::take(&mut encoded.persons).into_iter().map(|person| key.place(person)).collect();
        (encoded.into_batch(), places)
    };
    request.read(&table.files()?, &make, &mut |(batch, places)| {
        each(batch, &places)?;
        Ok(EncodedRows::default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_spelling_is_the_same_person_and_another_person_is_not() {
        let same = [&b"7"[..], b"007", b"7.0", b"+7", b" 7.", b"7\t"];
        assert!(same.iter().all(|text| one_spelling(trimmed(text)) == b"7"));
        assert_eq!(one_spelling(b"AB-1"), one_spelling(b"ab-1"));
        assert_eq!(one_spelling(b"000"), one_spelling(b"0.0"));
        let others = [&b"7"[..], b"70", b"7.5", b"-7", b"7e0", b"a7", b".7", b"0", b".", b"+"];
        for (k, one) in others.iter().enumerate() {
            assert!(others[..k].iter().all(|other| one_spelling(one) != one_spelling(other)), "{k}");
        }
    }

    #[test]
    fn another_key_gives_another_order() {
        let [one, other] = [1, 2].map(PersonKey::of_seed);
        let seven = person(b"7");
        assert_eq!(one.place(seven), PersonKey::of_seed(1).place(seven));
        assert_ne!(one.place(seven), other.place(seven));
    }
}
