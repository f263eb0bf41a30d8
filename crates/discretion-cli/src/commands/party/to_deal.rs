//! A table that is dealt to holders, each of whom holds some of its rows out.

use crate::args::AcceptCheck;
use crate::progress::Reading;
use crate::run::stop_at_mistakes;
use discretion::Refusal;
use discretion::erm::matrix::{Batch, Rows};
use discretion_jobs::evaluate::{HeldOutPersonsReader, HeldOutReader};
use discretion_party::deal;
use discretion_table::{PersonKey, Schema, Study, read_labelled, read_labelled_of_persons};

/// All rows with their outcome, and whose they are if they are somebody's.
pub struct TableToDeal {
    rows: Batch,
    persons: Option<(PersonKey, Vec<u128>)>,
}

impl TableToDeal {
    /// Reads the table of a study.
    pub fn read(
        study: &Study,
        key: PersonKey,
        accept: AcceptCheck,
    ) -> Result<TableToDeal, Refusal> {
        let (path, schema) = (&study.data.path, &study.schema);
        let reading = Reading::of(path);
        let progress = |progress| reading.update(progress);
        let (mut rows, mut places) = (Batch::default(), Vec::new());
        let mut add = |batch: Batch, whose: &[u128]| {
            rows.numeric.extend(batch.numeric);
            rows.codes.extend(batch.codes);
            rows.positive.extend(batch.positive);
            places.extend_from_slice(whose);
            Ok::<(), Refusal>(())
        };
        let is_row = schema.unit().is_row();
        let counts = match is_row {
            true => read_labelled(path, schema, &progress, |batch, _| add(batch, &[]))?,
            false => read_labelled_of_persons(path, schema, key, &progress, |batch, _, whose| {
                add(batch, whose)
            })?,
        };
        stop_at_mistakes(&counts, path, accept)?;
        Ok(TableToDeal { rows, persons: (!is_row).then_some((key, places)) })
    }

    /// How many rows there are, or how many persons.
    pub fn count(&self) -> usize {
        match &self.persons {
            None => self.rows.positive.len(),
            Some((_, places)) => permuted(places).len(),
        }
    }

    /// For each of these holders the rows that train and those that are held out.
    pub fn deal(&self, sizes: &[usize], schema: &Schema, share: f64) -> Vec<[Rows<'static>; 2]> {
        let all = self.rows.positive.len();
        let picked = |hand: &[usize]| {
            let mut picked = Batch::default();
            hand.iter().for_each(|&row| picked.copy_row(None, &self.rows, row, all));
            picked
        };
        let Some((key, places)) = &self.persons else {
            let each = |hand: &Vec<usize>| {
                let mut reader = HeldOutReader::new(schema, share);
                reader.push(&picked(hand), &[]);
                reader.into_parts().map(Rows::from)
            };
            return deal(sizes).iter().map(each).collect();
        };
        // Their order says nothing about their rows: each holder gets the next ones.
        let persons = permuted(places);
        let mut next = 0;
        let each = |&size: &usize| {
            let own = &persons[next..next + size];
            next += size;
            let hand: Vec<usize> = (0..all)
                .filter(|&row| own[0] <= places[row] && places[row] <= own[size - 1])
                .collect();
            let whose: Vec<u128> = hand.iter().map(|&row| places[row]).collect();
            let mut reader = HeldOutPersonsReader::new(*key);
            reader.push(picked(&hand), &[], &whose);
            reader.into_parts(schema, share)
        };
        sizes.iter().map(each).collect()
    }
}

/// Everybody once.
fn permuted(places: &[u128]) -> Vec<u128> {
    let mut persons = places.to_vec();
    persons.sort_unstable();
    persons.dedup();
    persons
}
