//! Rows with the persons they belong to.
//!
//! The column that says whose a row is, is hashed under a key of the account while rows are
//! encoded, and nothing else is kept of it. Persons come in the order of that hash, which is as
//! good as random and the same for every run. Where rows are encoded before the account is known, a
//! number stands for the person meanwhile.
//!
//! Two spellings of one person would be two persons, and the guarantee would be about half of one.
//! Two persons that count as one lose a little weight and no privacy. So whatever may be another
//! spelling counts as the same ([`spelling`]), and `check` tells how many persons have several.

use super::encoded_rows::EncodedRows;
use super::labelled::RowReader;
use super::sip_hash::{sip_hash, sip_hash_each};
use super::spelling;
use super::{Progress, Purpose, Request, rows_at_most};
use crate::counts::Counts;
use crate::encode::Encoder;
use crate::error::Error;
use crate::na::Na;
use crate::problem::Problem;
use crate::schema::{Column, Schema, trimmed};
use crate::table_source::Table;
use discretion::erm::matrix::{Batch, DealtRows, Rows};
use std::collections::HashSet;

/// A key under which persons are put in order.
#[derive(Clone, Copy)]
pub struct PersonKey([u8; 32]);

impl PersonKey {
    /// The name of the rule that puts persons in order. Who keeps what follows from that order
    /// keeps this name with it: models of chunks in two orders could have one person twice.
    pub const RULE: &str =
        "SipHash-2-4-128 of short texts and of hashes of long ones, in a spelling without case";

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
        PersonKey(blake3::derive_key(
            "discretion: the order of persons under a seed",
            &seed.to_le_bytes(),
        ))
    }

    /// Whether the row with this number among a person's own, from 1, takes the place of an earlier
    /// one: with chance 1 in so many.
    pub(super) fn draw(&self, place: u128, number: u64) -> bool {
        let mut drawn = blake3::Hasher::new_keyed(&self.0);
        drawn.update(&place.to_le_bytes()).update(&number.to_le_bytes());
        first_bits(drawn.finalize()).is_multiple_of(u128::from(number))
    }

    /// Where a person comes in the order of persons.
    pub fn place(&self, person: u128) -> u128 {
        let mut place = [person];
        self.place_each(&mut place);
        place[0]
    }

    /// Puts each person's place where the person was.
    fn place_each(&self, persons: &mut [u128]) {
        sip_hash_each(*self.0.first_chunk().expect("a key has 32 bytes"), persons);
    }
}

/// Of a billion persons two share 128 bits of a hash with probability 2⁻⁶⁹, and count as one person
/// then.
fn first_bits(hash: blake3::Hash) -> u128 {
    u128::from_le_bytes(*hash.as_bytes().first_chunk().expect("a hash has 32 bytes"))
}

/// The column that says whose row a row is, and how it is read.
pub(crate) struct PersonCode {
    pub name: String,
    /// Texts that mean that there is no identifier.
    na: Na,
    /// The key of their order, where that is asked for.
    key: Option<PersonKey>,
}

impl PersonCode {
    /// Nothing where rows are nobody's.
    pub fn new(schema: &Schema) -> Option<PersonCode> {
        let na = Na::new(&schema.target().na);
        schema.person().map(|name| PersonCode { name: name.to_owned(), na, key: None })
    }

    /// The same, which says where persons come in the order of this key.
    pub fn in_order_of(self, key: PersonKey) -> PersonCode {
        PersonCode { key: Some(key), ..self }
    }

    /// The person that a field names, who is as good as named by it.
    pub fn person(&self, field: &[u8]) -> Result<u128, Problem> {
        let text = trimmed(field);
        let spelling = spelling::common(text);
        if spelling.is_empty() || self.na.has(text) {
            return Err(Problem::NoPerson { column: self.name.clone() });
        }
        Ok(person_of_spelling(&spelling))
    }

    /// Puts each person's place where the person was, if the key is known: of many at once, which
    /// is faster.
    pub fn place_each(&self, persons: &mut [u128]) {
        if let Some(key) = self.key {
            key.place_each(persons);
        }
    }
}

/// The person of an identifier: a number that stands for it, and is as telling.
pub fn person(identifier: &[u8]) -> u128 {
    person_of_spelling(&spelling::common(trimmed(identifier)))
}

/// A short text is a number as it is, so that no two of them are one person: its letters, and how
/// many they are in the last byte. A longer text is 15 bytes of a hash. Who finds two such texts of
/// one hash, for which no secret is needed, has two persons count as one.
fn person_of_spelling(text: &[u8]) -> u128 {
    const KEY: [u8; 16] = *b"whose row it is.";
    const LONG: u128 = 0xff << 120;
    let mut short = [0; 16];
    match short[..15].get_mut(..text.len()) {
        Some(room) => {
            room.copy_from_slice(text);
            short.make_ascii_lowercase();
            u128::from_le_bytes(short) | (text.len() as u128) << 120
        }
        None => sip_hash(KEY, &text.to_ascii_lowercase()) | LONG,
    }
}

/// The whole table for training, grouped by the persons that a column names; and what was counted.
///
/// `progress` is called from the calling thread.
pub fn read_persons(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    key: PersonKey,
    progress: &dyn Fn(Progress),
) -> Result<(Rows<'static>, Counts), Error> {
    let (files, reader) = (table.files()?, RowReader::two_classes(schema).of_persons_by(key));
    let mut rows = DealtRows::new(reader.layout(), rows_at_most(&files, schema));
    let counts = reader.read_pieces(table, &files, progress, |piece, places| {
        rows.append(piece, places);
        Ok(())
    })?;
    Ok((rows.group(), counts))
}

/// How many persons the table has, and what was counted. No row is kept.
pub fn count_persons(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    progress: &dyn Fn(Progress),
) -> Result<(usize, Counts), Error> {
    let mut all = HashSet::new();
    let reader = RowReader::labelled(schema).of_persons();
    let counts = reader.read_pieces(table, &table.files()?, progress, |_, persons| {
        all.extend(persons.iter().copied());
        Ok(())
    })?;
    Ok((all.len(), counts))
}

/// Hands encoded rows for training to `each` in the order of the file, with the places of the
/// persons that they belong to; and returns what was counted. As
/// [`read_batches`](super::read_batches) otherwise.
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
    read_with_places(
        table,
        (schema, Encoder::describing(columns)),
        Purpose::Describe,
        key,
        progress,
        each,
    )
}

fn read_with_places<E: From<Error>>(
    table: &(impl Table + ?Sized),
    (schema, encoder): (&Schema, Encoder),
    purpose: Purpose,
    key: PersonKey,
    progress: &dyn Fn(Progress),
    mut each: impl FnMut(Batch, &[u128]) -> Result<(), E>,
) -> Result<Counts, E> {
    let encoder = encoder.of_persons_by(key, schema);
    let request = Request::of(schema, &encoder, purpose, progress).asking(table);
    let make = |mut encoded: EncodedRows| {
        let places = std::mem::take(&mut encoded.persons);
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
    fn letters_of_short_and_long_identifiers_have_one_case() {
        let long = [b'x'; 100];
        for text in [&b"AB-1"[..], &long[..15], &long[..16], &long] {
            assert_eq!(person(text), person(&text.to_ascii_lowercase()));
            assert_eq!(person(text), person(&text.to_ascii_uppercase()));
        }
    }

    /// Whatever their lengths: a short text is its own number, and no long one has that.
    #[test]
    fn texts_of_every_length_are_other_persons() {
        let text = [b'x'; 40];
        let mut all: Vec<u128> = (1..=40).map(|length| person(&text[..length])).collect();
        all.extend([&b"x\0"[..], b"y", b"yx", b"xxxxxxxxxxxxxxy", b"xxxxxxxxxxxxxxxy"].map(person));
        let distinct: HashSet<u128> = all.iter().copied().collect();
        assert_eq!(distinct.len(), all.len());
        assert!(
            all.iter().zip(1..=40).all(|(person, length)| (person >> 120 == 0xff) == (length > 15))
        );
    }

    #[test]
    fn another_key_gives_another_order() {
        let [one, other] = [1, 2].map(PersonKey::of_seed);
        let seven = person(b"7");
        assert_eq!(one.place(seven), PersonKey::of_seed(1).place(seven));
        assert_ne!(one.place(seven), other.place(seven));
    }
}
