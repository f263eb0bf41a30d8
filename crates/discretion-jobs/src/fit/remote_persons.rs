//! Rows of persons that others hold, laid out so that they sum to the bits of persons in memory.
//!
//! A person's rows may be with several workers. Workers encode what they have into [`PersonPiece`]s and tell which persons have rows
//! there. Whoever puts that together knows how many persons there are, in the order of a keyed hash, and at which place in that
//! order every part begins: a [`PersonsDeal`]. With it each row finds its part, where all rows of a person meet.

use super::remote::{Slice, tables_of};
use discretion::erm::matrix::{BytesError, Layout, Matrix, PersonCut, Persons};
use discretion::erm::remote::PersonsPart;
use discretion_table::PersonKey;
use serde::{Deserialize, Serialize};

/// Bytes of a person.
const PERSON: usize = 16;

/// Encoded rows, each with a number that stands for the person whose it is.
pub struct PersonPiece {
    /// The rows.
    pub rows: Matrix,
    /// Whose each is.
    pub persons: Vec<u128>,
}

impl PersonPiece {
    /// As bytes. They are the rows.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = persons_to_bytes(&self.persons);
        bytes.extend(self.rows.to_bytes().into_inner());
        bytes
    }

    /// From bytes that were written under the same layout.
    pub fn from_bytes(layout: Layout, bytes: &[u8]) -> Result<PersonPiece, BytesError> {
        let (persons, rest) = persons_from_bytes(bytes).ok_or(BytesError::Length)?;
        let rows = Matrix::from_bytes(layout, rest)?;
        match rows.rows() == persons.len() {
            true => Ok(PersonPiece { rows, persons }),
            false => Err(BytesError::Length),
        }
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

/// Where the rows of persons go. It has the key of their order, and places of some of them: it is for workers alone.
#[derive(Clone, Serialize, Deserialize)]
pub struct PersonsDeal {
    key: [u8; 32],
    /// How many persons each table has: all of them and, where λ is chosen, those that train and those that validate.
    tables: Vec<usize>,
    /// The place at which each part of each table begins.
    starts: Vec<Vec<u128>>,
}

impl PersonsDeal {
    /// Where these persons' rows of this layout go, for a request with this share of persons who validate.
    pub fn new(
        layout: &Layout,
        persons: impl Iterator<Item = u128>,
        key: [u8; 32],
        validation: Option<f64>,
    ) -> PersonsDeal {
        let of_key = PersonKey::new(key);
        let mut places: Vec<u128> = persons.map(|person| of_key.place(person)).collect();
        places.sort_unstable();
        places.dedup();
        let tables = tables_of(places.len(), validation);
        let starts_of = |table: usize| {
            let first = if table == 2 { tables[1] } else { 0 };
            let cut = PersonCut::of(tables[table], layout);
            (0..cut.parts()).map(|part| places[first + cut.persons_of(part).start]).collect()
        };
        let starts = (0..tables.len()).map(starts_of).collect();
        PersonsDeal { key, tables, starts }
    }

    /// How many persons each table has.
    pub fn tables(&self) -> &[usize] {
        &self.tables
    }

    /// How many parts each table has.
    pub fn parts(&self) -> Vec<usize> {
        self.starts.iter().map(Vec::len).collect()
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
        let is_beyond = table == 1 && place >= self.starts[2][0];
        let parts = self.starts[table].partition_point(|&start| start <= place);
        parts.checked_sub(1).filter(|_| !is_beyond)
    }

    /// The rows of a piece, of which the first is at `first` among all, on their way: those of a part together, and each with its
    /// person's place.
    pub fn slices(&self, first: usize, piece: &PersonPiece) -> Vec<Slice> {
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
                let bytes = PersonPiece { rows: piece.rows.gather(&rows), persons }.to_bytes();
                slices.push(Slice { table, part, position: first, bytes });
            }
        }
        slices
    }

    /// The part whose slices these are, in order.
    pub fn part<'b>(
        &self,
        layout: &Layout,
        table: usize,
        slices: impl IntoIterator<Item = &'b [u8]>,
    ) -> Result<PersonsPart, BytesError> {
        let (mut rows, mut places) = (Matrix::new(layout.clone()), Vec::new());
        for slice in slices {
            let piece = PersonPiece::from_bytes(layout.clone(), slice)?;
            rows.append(&piece.rows);
            places.extend(piece.persons);
        }
        let of = PersonCut::of(*self.tables.get(table).ok_or(BytesError::OtherLayout)?, layout);
        Ok(PersonsPart { persons: Persons::group(rows, &places), of })
    }

    /// The persons of a part whom the sample of its table has, as a piece whose persons are their numbers in the table.
    pub fn sample(&self, table: usize, part: usize, of: &PersonsPart) -> Result<PersonPiece, BytesError> {
        let here = of.of.persons_of(part);
        if here.len() != of.persons.count() {
            return Err(BytesError::Length);
        }
        let first = PersonCut::sample(self.tables[table]).unwrap_or(0);
        let sampled = of.persons.some(0..first.clamp(here.start, here.end) - here.start);
        let records = sampled.records().map_err(|_| BytesError::Length)?;
        let (bytes, starts) = records.into_inner();
        let mut rows = Matrix::new(of.persons.layout().clone());
        rows.push_rows(&bytes);
        let number = |(person, own): (usize, &[usize])| vec![(here.start + person) as u128; own[1] - own[0]];
        Ok(PersonPiece { rows, persons: starts.windows(2).enumerate().flat_map(number).collect() })
    }
}

/// The persons of a table's sample, from what its parts have of it.
pub fn sampled(layout: &Layout, pieces: &[Vec<u8>]) -> Result<Persons, BytesError> {
    let (mut rows, mut persons) = (Matrix::new(layout.clone()), Vec::new());
    for piece in pieces {
        let piece = PersonPiece::from_bytes(layout.clone(), piece)?;
        rows.append(&piece.rows);
        persons.extend(piece.persons);
    }
    Ok(Persons::group(rows, &persons))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::{FitJob, FitRows, tests::job};
    use discretion::erm::OracleError;
    use discretion::erm::matrix::Batch;
    use discretion::erm::remote::{Ask, Remote, Workers};
    use discretion::fit::{Request, TableFacts};
    use discretion::noise::Seeded;
    use discretion::privacy::Unit;
    use discretion_table::RowStorage;

    const ROWS: usize = 45_011;
    const KEY: [u8; 32] = [7; 32];

    fn piece(job: &FitJob, first: usize, count: usize) -> PersonPiece {
        let mut rows = Matrix::new(job.schema.encoder().layout());
        let numeric = (first..first + count).map(|row| (row * 7 % 101) as f32 / 200.0 - 0.25).collect();
        let positive = (first..first + count).map(|row| row * 7 % 101 > 47 + row % 13).collect();
        rows.push(Batch { numeric, codes: Vec::new(), positive });
        let persons = (first..first + count).map(|row| (row * 7919 % 24_001) as u128).collect();
        PersonPiece { rows, persons }
    }

    /// The parts of a table, in this process.
    struct Here(Vec<PersonsPart>);

    impl Workers for Here {
        fn ask(&self, ask: &Ask) -> Result<Vec<Vec<u8>>, OracleError> {
            let ask = Ask::from_bytes(&ask.to_bytes()).unwrap();
            Ok(self.0.iter().map(|part| ask.answer(part).unwrap().into_inner()).collect())
        }
    }

    /// Pieces of unequal sizes, one of them empty: most persons have rows in two of them.
    fn dealt(job: &FitJob, request: &Request) -> Vec<Remote> {
        let layout = job.schema.encoder().layout();
        let all = piece(job, 0, ROWS).persons;
        let deal = PersonsDeal::new(&layout, all.into_iter(), KEY, request.validation());
        let deal = PersonsDeal::from_json(&deal.to_json()).unwrap();
        let (mut slices, mut first) = (Vec::new(), 0);
        for count in [1, 0, 255, 4097, 20_000, ROWS - 24_353] {
            let bytes = piece(job, first, count).to_bytes();
            slices.extend(deal.slices(first, &PersonPiece::from_bytes(layout.clone(), &bytes).unwrap()));
            first += count;
        }
        slices.reverse();
        slices.sort_by_key(|slice| (slice.table, slice.part, slice.position));
        let table = |(table, &parts): (usize, &usize)| {
            let of = |part: usize| {
                let mine = slices.iter().filter(move |slice| (slice.table, slice.part) == (table, part));
                deal.part(&layout, table, mine.map(|slice| &slice.bytes[..])).unwrap()
            };
            let parts: Vec<PersonsPart> = (0..parts).map(of).collect();
            let bytes = |(number, part)| deal.sample(table, number, part).unwrap().to_bytes();
            let samples: Vec<Vec<u8>> = parts.iter().enumerate().map(bytes).collect();
            let count = deal.tables()[table];
            let sample = PersonCut::sample(count).map(|_| sampled(&layout, &samples).unwrap());
            Remote::of_persons(Box::new(Here(parts)), count, layout.clone(), sample)
        };
        deal.parts().iter().enumerate().map(table).collect()
    }

    #[test]
    fn persons_whom_others_hold_give_the_coefficients_of_persons_in_memory() {
        let intervals = "[intervals]\nlevel = 0.9\n";
        for (lambda, more) in [("0.001", ""), ("[0.001, 0.1]", intervals)] {
            let job = FitJob { unit: Unit::Person, ..job(lambda, more) };
            let request = job.request();
            let all = piece(&job, 0, ROWS);
            let key = PersonKey::new(KEY);
            let places: Vec<u128> = all.persons.iter().map(|&person| key.place(person)).collect();
            let persons = Persons::group(all.rows, &places);
            let facts = TableFacts::of_units(
                Unit::Person,
                persons.count(),
                &job.schema.encoder().layout(),
                request.validation(),
            );
            let plan = request.plan(facts).unwrap();
            let here = FitRows::of(RowStorage::Persons(persons), &request).unwrap();
            let remote = FitRows::remote(dealt(&job, &request), &request);
            let [here, remote] = [here, remote].map(|rows| {
                let fitted = rows.run(&plan, &mut Seeded::new(3)).unwrap();
                (fitted.coefficients, fitted.evidence)
            });
            assert_eq!(here, remote, "lambda = {lambda} {more}");
        }
    }

    #[test]
    fn bytes_of_another_kind_are_refused() {
        let job = job("0.1", "");
        let layout = job.schema.encoder().layout();
        let bytes = piece(&job, 0, 5).to_bytes();
        assert!(PersonPiece::from_bytes(layout.clone(), &bytes[..bytes.len() - 1]).is_err());
        assert!(PersonPiece::from_bytes(layout.clone(), &bytes[..7]).is_err());
        let mut fewer = persons_to_bytes(&[1, 2]);
        fewer.extend(piece(&job, 0, 5).rows.to_bytes().into_inner());
        assert!(PersonPiece::from_bytes(layout, &fewer).is_err());
        assert!(PersonsDeal::from_json("{}").is_none());
    }
}
