//! Of every person one row: for what counts rows, and must count a person once.

use super::persons::{PersonKey, read_batches_of_persons, read_columns_of_persons};
use super::{Progress, Purpose, read_batches, read_columns};
use crate::counts::Counts;
use crate::error::Error;
use crate::schema::{Column, Schema};
use crate::table_source::Table;
use discretion::erm::matrix::Batch;
use discretion::privacy::Unit;
use std::collections::HashMap;

/// Hands to `each` the rows for training of a table whose rows are nobody's, or one row of each person; and returns what was counted.
/// As [`read_batches`] otherwise.
pub fn read_each_once(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    key: PersonKey,
    progress: &dyn Fn(Progress),
    each: impl FnMut(Batch),
) -> Result<Counts, Error> {
    match schema.unit() {
        Unit::Row => read_batches(table, schema, Purpose::Train, progress, unfailing(each)),
        Unit::Person => once(key, each, |kept| read_batches_of_persons(table, schema, key, progress, kept)),
    }
}

/// The same of chosen columns, as [`read_columns`] hands them out.
pub fn read_columns_once(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    columns: &[Column],
    key: PersonKey,
    progress: &dyn Fn(Progress),
    each: impl FnMut(Batch),
) -> Result<Counts, Error> {
    match schema.unit() {
        Unit::Row => read_columns(table, schema, columns, progress, unfailing(each)),
        Unit::Person => {
            once(key, each, |kept| read_columns_of_persons(table, schema, columns, key, progress, kept))
        }
    }
}

fn unfailing(mut each: impl FnMut(Batch)) -> impl FnMut(Batch) -> Result<(), Error> {
    move |batch| {
        each(batch);
        Ok(())
    }
}

/// Hands on one row of each person that a reader hands out.
fn once(
    key: PersonKey,
    mut each: impl FnMut(Batch),
    read: impl FnOnce(&mut dyn FnMut(Batch, &[u128]) -> Result<(), Error>) -> Result<Counts, Error>,
) -> Result<Counts, Error> {
    let mut kept = OneEach::new(key);
    let counts = read(&mut |batch, places| {
        kept.push(&batch, places);
        Ok(())
    })?;
    each(kept.into_rows());
    Ok(counts)
}

/// One row of each person, each of the person's rows with the same chance. Which one it is follows from the key, the person and
/// the number of the row among the person's own: no other person's rows have a say.
pub struct OneEach {
    key: PersonKey,
    rows: Batch,
    /// Where each person's row is, and how many were seen.
    of: HashMap<u128, (usize, u64)>,
}

impl OneEach {
    /// Of nobody yet.
    pub fn new(key: PersonKey) -> OneEach {
        OneEach { key, rows: Batch::default(), of: HashMap::new() }
    }

    /// Looks at rows, in the order of the table, and the places of the persons that they belong to.
    pub fn push(&mut self, batch: &Batch, places: &[u128]) {
        for (row, &place) in places.iter().enumerate() {
            let next = self.of.len();
            let (at, seen) = self.of.entry(place).or_insert((next, 0));
            *seen += 1;
            if *seen == 1 {
                self.rows.copy_row(None, batch, row, places.len());
            } else if self.key.draw(place, *seen) {
                self.rows.copy_row(Some(*at), batch, row, places.len());
            }
        }
    }

    /// How many persons there are.
    pub fn persons(&self) -> usize {
        self.of.len()
    }

    /// Their rows, in the order of persons, which says nothing about rows: where a person first comes in the table does.
    pub fn into_rows(self) -> Batch {
        let mut order: Vec<(u128, usize)> = self.of.iter().map(|(&place, &(at, _))| (place, at)).collect();
        order.sort_unstable();
        let mut rows = Batch::default();
        order.iter().for_each(|&(_, at)| rows.copy_row(None, &self.rows, at, self.of.len()));
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2,000 persons with the rows 0, 1 and 2 each: a row that is not taken as often as the others would be 6 deviations off with
    /// probability 2e-9.
    #[test]
    fn every_row_of_a_person_has_the_same_chance_and_nobody_else_a_say() {
        let (persons, key) = (2000, PersonKey::of_seed(5));
        let mut kept = OneEach::new(key);
        let places: Vec<u128> = (0..persons).map(|person| key.place(person)).collect();
        for number in 0..3 {
            let numeric = vec![number as f32; places.len()];
            kept.push(
                &Batch { numeric, codes: vec![7; 2 * places.len()], positive: vec![true; places.len()] },
                &places,
            );
        }
        assert_eq!(kept.persons(), 2000);
        let rows = kept.into_rows();
        assert_eq!((rows.codes.len(), rows.positive.len()), (4000, 2000));
        for number in 0..3 {
            let count = rows.numeric.iter().filter(|&&x| x == number as f32).count() as f64;
            assert!((count - 2000.0 / 3.0).abs() < 6.0 * (2000.0f64 * 2.0 / 9.0).sqrt(), "{number}: {count}");
        }
        // One person alone keeps the same row, and has its place among the others whenever it comes.
        for person in [3, 1999] {
            let mut alone = OneEach::new(key);
            for number in 0..3 {
                alone.push(
                    &Batch { numeric: vec![number as f32], ..Batch::default() },
                    &places[person..][..1],
                );
            }
            let rank = places.iter().filter(|&&place| place < places[person]).count();
            assert_eq!(alone.into_rows().numeric[0], rows.numeric[rank]);
        }
    }
}
