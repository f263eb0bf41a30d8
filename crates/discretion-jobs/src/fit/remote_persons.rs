//! Rows of persons that others hold, laid out so that they sum to the bits of persons in memory.
//!
//! A person's rows may be with several workers. Workers encode what they have into [`PersonPiece`]s
//! and tell which persons have rows there. Whoever puts that together knows how many persons there
//! are, in the order of a keyed hash, and at which place in that order every part begins: a
//! [`PersonsDeal`]. With it each row finds its part, where all rows of a person meet.

use super::remote::Slice;
use super::remote_piece::{HeldPart, RowKind, RowPiece};
use super::row_split::RowSplit;
use discretion::erm::matrix::{BytesError, Cut, Matrix, Rows};
use discretion::erm::remote::{Cluster, Workers};
use discretion::privacy::Unit;
use discretion_table::{OneEach, PersonKey};
use serde::{Deserialize, Serialize};

/// Bytes of a person.
const PERSON: usize = 16;

/// Encoded rows, each with a number that stands for the person whose it is.
pub struct PersonPiece {
    /// The rows.
    pub rows: RowPiece,
    /// Whose each is.
    pub persons: Vec<u128>,
}

impl PersonPiece {
    /// As bytes of this kind of rows. They are the rows.
    pub fn to_bytes(&self, kind: &RowKind) -> Vec<u8> {
        let mut bytes = persons_to_bytes(&self.persons);
        bytes.extend(self.rows.to_bytes(kind));
        bytes
    }

    /// From bytes that were written of the same kind.
    pub fn from_bytes(kind: &RowKind, bytes: &[u8]) -> Result<PersonPiece, BytesError> {
        let mut piece = PersonPiece { rows: RowPiece::empty(kind), persons: Vec::new() };
        piece.push_bytes(kind, bytes)?;
        Ok(piece)
    }

    fn push_bytes(&mut self, kind: &RowKind, bytes: &[u8]) -> Result<(), BytesError> {
        let (persons, rest) = persons_from_bytes(bytes).ok_or(BytesError::Length)?;
        self.rows.push_bytes(kind, rest)?;
        self.persons.extend(persons);
        match self.rows.rows.rows() == self.persons.len() {
            true => Ok(()),
            false => Err(BytesError::Length),
        }
    }

    fn joined<'b>(
        kind: &RowKind,
        pieces: impl IntoIterator<Item = &'b [u8]>,
    ) -> Result<PersonPiece, BytesError> {
        let mut joined = PersonPiece { rows: RowPiece::empty(kind), persons: Vec::new() };
        pieces.into_iter().try_for_each(|piece| joined.push_bytes(kind, piece))?;
        Ok(joined)
    }
}

/// Persons as bytes: how many, and each.
pub fn persons_to_bytes(persons: &[u128]) -> Vec<u8> {
    let count = (persons.len() as u64).to_le_bytes();
    count.into_iter().chain(persons.iter().flat_map(|person| person.to_le_bytes())).collect()
}

/// Persons from the front of bytes, and what follows them.
pub fn persons_from_bytes(bytes: &[u8]) -> Option<(Vec<u128>, &[u8])> {
    let (count, rest) = bytes.split_first_chunk()?;
    let size = usize::try_from(u64::from_le_bytes(*count)).ok()?.checked_mul(PERSON)?;
    let (persons, rest) = rest.split_at_checked(size)?;
    Some((persons.as_chunks().0.iter().map(|person| u128::from_le_bytes(*person)).collect(), rest))
}

/// Where the rows of persons go. It has the key of their order, and places of some of them: it is
/// for workers alone.
#[derive(Clone, Serialize, Deserialize)]
pub struct PersonsDeal {
    key: [u8; 32],
    split: RowSplit,
    persons: usize,
    /// The place at which each part of each table begins, and the place of the first person behind
    /// the table, if there is one.
    tables: Vec<(Vec<u128>, Option<u128>)>,
}

impl PersonsDeal {
    /// Where these persons' rows of this kind go, which are split like this.
    pub fn new(
        kind: &RowKind,
        persons: impl Iterator<Item = u128>,
        key: [u8; 32],
        split: RowSplit,
    ) -> PersonsDeal {
        let of_key = PersonKey::new(key);
        let mut places: Vec<u128> = persons.map(|person| of_key.place(person)).collect();
        places.sort_unstable();
        places.dedup();
        let tables = split.tables(places.len()).into_iter().map(|persons| {
            let cut = kind.cut(Unit::Person, persons.len());
            let start = |part| places[persons.start + cut.units_of(part).start];
            ((0..cut.parts()).map(start).collect(), places.get(persons.end).copied())
        });
        PersonsDeal { key, split, persons: places.len(), tables: tables.collect() }
    }

    /// How many parts each table has.
    pub fn parts(&self) -> Vec<usize> {
        self.tables.iter().map(|(starts, _)| starts.len()).collect()
    }

    /// In writing, for workers.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a deal is plain data")
    }

    /// From writing.
    pub fn from_json(json: &str) -> Option<PersonsDeal> {
        serde_json::from_str(json).ok()
    }

    /// The part of a table to which a place belongs; nothing if it is in another table.
    fn part_of(&self, table: usize, place: u128) -> Option<usize> {
        let (starts, end) = &self.tables[table];
        let parts = starts.partition_point(|&start| start <= place);
        parts.checked_sub(1).filter(|_| end.is_none_or(|end| place < end))
    }

    /// The rows of a piece of this kind, of which the first is at `first` among all, on their way:
    /// those of a part together, and each with its person's place.
    pub fn slices(&self, kind: &RowKind, first: usize, piece: &PersonPiece) -> Vec<Slice> {
        let key = PersonKey::new(self.key);
        let places: Vec<u128> = piece.persons.iter().map(|&person| key.place(person)).collect();
        let mut slices = Vec::new();
        for (table, parts) in self.parts().into_iter().enumerate() {
            let mut mine = vec![Vec::new(); parts];
            for (row, &place) in places.iter().enumerate() {
                if let Some(part) = self.part_of(table, place) {
                    mine[part].push(row);
                }
            }
            for (part, rows) in mine.into_iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
                let persons = rows.iter().map(|&row| places[row]).collect();
                let bytes = PersonPiece { rows: piece.rows.gather(&rows), persons }.to_bytes(kind);
                slices.push(Slice { table, part, position: first, bytes });
            }
        }
        slices
    }

    fn cut(&self, kind: &RowKind, table: usize) -> Result<Cut, BytesError> {
        let tables = self.split.tables(self.persons);
        let persons = tables.get(table).ok_or(BytesError::OtherLayout)?;
        Ok(kind.cut(Unit::Person, persons.len()))
    }

    /// Joins the slices of a part of a table, which come in order.
    pub fn part<'b>(
        &self,
        kind: &RowKind,
        table: usize,
        slices: impl IntoIterator<Item = &'b [u8]>,
    ) -> Result<HeldPart, BytesError> {
        let PersonPiece { rows, persons: places } = PersonPiece::joined(kind, slices)?;
        let (of, rows) = (self.cut(kind, table)?, rows.labelled(kind)?);
        let is_held_out = self.split.held_out.is_some() && table + 1 == self.tables.len();
        let rows = match is_held_out {
            true => OneEach::of(PersonKey::new(self.key), &rows, &places),
            false => Rows::group(rows, &places),
        };
        Ok(HeldPart::new(rows, of))
    }

    /// Returns the persons of a part whom the sample of its table has, as a piece whose persons are
    /// their numbers in the table.
    pub fn sample(
        &self,
        kind: &RowKind,
        part: usize,
        held: &HeldPart,
    ) -> Result<Vec<u8>, BytesError> {
        let here = held.of.units_of(part);
        if held.rows.units() != here.len() {
            return Err(BytesError::Length);
        }
        let last = held.of.sample_len().unwrap_or(0).clamp(here.start, here.end);
        let mut sample =
            PersonPiece { rows: Matrix::new(kind.labelled_layout()).into(), persons: Vec::new() };
        if last > here.start {
            let first = held.rows.view(0..last - here.start);
            let (bytes, starts) = first.records().map_err(|_| BytesError::Length)?.into_inner();
            let mut rows = Matrix::new(kind.labelled_layout());
            rows.push_rows(&bytes);
            let number = |(person, own): (usize, &[usize])| {
                vec![(here.start + person) as u128; own[1] - own[0]]
            };
            sample.rows = rows.into();
            sample.persons = starts.windows(2).enumerate().flat_map(number).collect();
        }
        Ok(sample.to_bytes(kind))
    }

    /// The oracle over a table, from whoever has its parts and what they have of its sample.
    pub fn remote(
        &self,
        kind: &RowKind,
        table: usize,
        workers: Box<dyn Workers>,
        samples: &[Vec<u8>],
    ) -> Result<Cluster, BytesError> {
        let cut = self.cut(kind, table)?;
        let PersonPiece { rows, persons } =
            PersonPiece::joined(kind, samples.iter().map(Vec::as_slice))?;
        let rows = rows.labelled(kind)?;
        let sample = cut.sample_len().map(|_| Rows::group(rows, &persons));
        if sample.as_ref().map(Rows::units) != cut.sample_len() {
            return Err(BytesError::Length);
        }
        let layout = kind.labelled_layout();
        Ok(Cluster::new(workers, cut, layout, sample))
    }
}

#[cfg(test)]
#[path = "remote_persons_tests.rs"]
pub(crate) mod tests;
