//! Of every person one row: for what counts rows, and must count a person once.

use super::persons::{PersonKey, read_columns_of_persons};
use super::{Progress, read_columns, read_labelled, read_labelled_of_persons};
use crate::counts::Counts;
use crate::error::Error;
use crate::schema::{Column, Schema};
use crate::table_source::Table;
use discretion::erm::matrix::{Batch, Matrix, Rows};
use discretion::privacy::Unit;
use std::collections::HashMap;

/// Hands to `each` the rows of a table whose rows are nobody's, or one row of each person, as
/// [`read_labelled`] has them; and returns what was counted.
pub fn read_labelled_once(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    key: PersonKey,
    progress: &dyn Fn(Progress),
    mut each: impl FnMut(Batch, &[u16]),
) -> Result<Counts, Error> {
    match schema.unit() {
        Unit::Row => read_labelled(table, schema, progress, |batch, classes| {
            each(batch, classes);
            Ok(())
        }),
        Unit::Person => {
            let mut kept = OneEach::new(key);
            let counts = read_labelled_of_persons(
                table,
                schema,
                key,
                progress,
                |batch, classes, places| {
                    kept.push(&batch, classes, places);
                    Ok::<(), Error>(())
                },
            )?;
            let (batch, classes) = kept.into_rows();
            each(batch, &classes);
            Ok(counts)
        }
    }
}

/// The same of chosen columns, as [`read_columns`] hands them out.
pub fn read_columns_once(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    columns: &[Column],
    key: PersonKey,
    progress: &dyn Fn(Progress),
    mut each: impl FnMut(Batch),
) -> Result<Counts, Error> {
    match schema.unit() {
        Unit::Row => read_columns(table, schema, columns, progress, |batch| {
            each(batch);
            Ok(())
        }),
        Unit::Person => {
            let mut kept = OneEach::new(key);
            let counts =
                read_columns_of_persons(table, schema, columns, key, progress, |batch, places| {
                    kept.push(&batch, &[], places);
                    Ok::<(), Error>(())
                })?;
            each(kept.into_rows().0);
            Ok(counts)
        }
    }
}

/// One row of each person, each of the person's rows with the same chance. Which one it is follows
/// from the key, the person and the number of the row among the person's own: no other person's
/// rows have a say.
pub struct OneEach {
    key: PersonKey,
    rows: Batch,
    /// The class of each row, where there are several.
    classes: Vec<u16>,
    /// Where each person's row is, and how many were seen.
    of: HashMap<u128, (usize, u64)>,
}

impl OneEach {
    /// Of nobody yet.
    pub fn new(key: PersonKey) -> OneEach {
        OneEach { key, rows: Batch::default(), classes: Vec::new(), of: HashMap::new() }
    }

    /// Returns one of these rows of each person, as persons. Rows come in the order of the table,
    /// with the places of the persons that they belong to.
    pub fn of(key: PersonKey, rows: &Matrix, places: &[u128]) -> Rows<'static> {
        let mut kept = OneEach::new(key);
        let (batch, classes) = rows.to_labelled().into_inner();
        kept.push(&batch, &classes, places);
        let persons = kept.persons();
        let (batch, classes) = kept.into_rows();
        let rows = Matrix::labelled(rows.layout().clone(), batch, &classes);
        Rows::of_persons(rows, (0..=persons).collect())
    }

    /// Looks at rows, in the order of the table, with the class of each where there are several,
    /// and the places of the persons that they belong to.
    pub fn push(&mut self, batch: &Batch, classes: &[u16], places: &[u128]) {
        assert!(classes.is_empty() || classes.len() == places.len(), "a class for each row");
        for (row, &place) in places.iter().enumerate() {
            let next = self.of.len();
            let (at, seen) = self.of.entry(place).or_insert((next, 0));
            *seen += 1;
            if *seen == 1 {
                self.rows.copy_row(None, batch, row, places.len());
                self.classes.extend(classes.get(row));
            } else if self.key.draw(place, *seen) {
                self.rows.copy_row(Some(*at), batch, row, places.len());
                if let (Some(own), Some(class)) = (self.classes.get_mut(*at), classes.get(row)) {
                    *own = *class;
                }
            }
        }
    }

    /// How many persons there are.
    pub fn persons(&self) -> usize {
        self.of.len()
    }

    /// Their rows with the class of each, in the order of persons, which says nothing about rows:
    /// where a person first comes in the table does.
    pub fn into_rows(self) -> (Batch, Vec<u16>) {
        let mut order: Vec<(u128, usize)> =
            self.of.iter().map(|(&place, &(at, _))| (place, at)).collect();
        order.sort_unstable();
        let mut rows = Batch::default();
        order.iter().for_each(|&(_, at)| rows.copy_row(None, &self.rows, at, self.of.len()));
        (rows, order.iter().filter_map(|&(_, at)| self.classes.get(at).copied()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2,000 persons with the rows 0, 1 and 2 each: a row that is not taken as often as the others
    /// would be 6 deviations off with probability 2e-9.
    #[test]
    fn every_row_of_a_person_has_the_same_chance_and_nobody_else_a_say() {
        let (persons, key) = (2000, PersonKey::of_seed(5));
        let mut kept = OneEach::new(key);
        let places: Vec<u128> = (0..persons).map(|person| key.place(person)).collect();
        for number in 0..3 {
            let numeric = vec![number as f32; places.len()];
            let batch = Batch {
                numeric,
                codes: vec![7; 2 * places.len()],
                positive: vec![true; places.len()],
            };
            kept.push(&batch, &vec![number as u16; places.len()], &places);
        }
        assert_eq!(kept.persons(), 2000);
        let (rows, classes) = kept.into_rows();
        // A row and its class are of one piece.
        assert!(rows.numeric.iter().zip(&classes).all(|(x, class)| *x == f32::from(*class)));
        assert_eq!(classes.len(), 2000);
        assert_eq!((rows.codes.len(), rows.positive.len()), (4000, 2000));
        for number in 0..3 {
            let count = rows.numeric.iter().filter(|&&x| x == number as f32).count() as f64;
            assert!(
                (count - 2000.0 / 3.0).abs() < 6.0 * (2000.0f64 * 2.0 / 9.0).sqrt(),
                "{number}: {count}"
            );
        }
        // Without classes the rows are the same.
        let mut without = OneEach::new(key);
        for number in 0..3 {
            let batch = Batch { numeric: vec![number as f32; places.len()], ..Batch::default() };
            without.push(&batch, &[], &places);
        }
        let (same, none) = without.into_rows();
        assert!(same.numeric == rows.numeric && none.is_empty());
        // One person alone keeps the same row, and has its place among the others whenever it
        // comes.
        for person in [3, 1999] {
            let mut alone = OneEach::new(key);
            for number in 0..3 {
                let batch = Batch { numeric: vec![number as f32], ..Batch::default() };
                alone.push(&batch, &[], &places[person..][..1]);
            }
            let rank = places.iter().filter(|&&place| place < places[person]).count();
            assert_eq!(alone.into_rows().0.numeric[0], rows.numeric[rank]);
        }
    }
}
