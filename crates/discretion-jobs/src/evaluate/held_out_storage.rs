//! Tables on their way to a fit that holds rows out, which need not fit into memory.

use super::held_out::{Evaluable, HeldOut};
use super::held_out_rows::{HeldOutReader, HeldOutRows, unreadable};
use discretion::Refusal;
use discretion::choose::split::validation_rows;
use discretion::erm::matrix::{Batch, Layout, Matrix};
use discretion_table::{Limits, OneEach, PersonKey, PersonsWithin, RowsWithin, Schema};

/// Rows, by position.
pub struct HeldOutStorage<'a> {
    reader: HeldOutReader,
    layout: Layout,
    parts: [RowsWithin<'a>; 2],
}

impl<'a> HeldOutStorage<'a> {
    /// No row yet. Both parts together keep to the limits.
    pub fn new<J: Evaluable>(job: &HeldOut<J>, limits: Limits<'a>) -> HeldOutStorage<'a>
    where
        J::Rows: Sized,
    {
        let (reader, layout) = (job.reader(), job.fit().schema().stored_layout());
        let of = |share: f64, validation: Option<f64>| {
            let memory = (limits.memory as f64 * share) as u64;
            RowsWithin::new(layout.clone(), Limits { memory, validation, ..limits })
        };
        let parts = [of(1.0 - job.share(), limits.validation), of(job.share(), None)];
        HeldOutStorage { reader, layout, parts }
    }

    /// Adds rows, in the order of the table, with the class of each where there are several.
    pub fn push(&mut self, batch: &Batch, classes: &[u16]) -> Result<(), Refusal> {
        self.reader.push(batch, classes);
        let parts = std::mem::take(&mut self.reader.parts);
        for (rows, into) in parts.into_iter().zip(&mut self.parts) {
            into.append(&Matrix::labelled(self.layout.clone(), rows.batch, &rows.classes))?;
        }
        Ok(())
    }

    /// All of them, as the fit needs them.
    pub fn finish<J: Evaluable>(self, job: &HeldOut<J>) -> Result<HeldOutRows<J::Rows>, Refusal>
    where
        J::Rows: Sized,
    {
        let [training, held_out] = self.parts.map(RowsWithin::finish);
        let held_out = held_out.rows.into();
        Ok(HeldOutRows { training: job.fit().stored(training)?, held_out })
    }
}

/// The same for rows of persons, as in [`HeldOutPersonsReader`](super::HeldOutPersonsReader).
pub struct HeldOutPersonsStorage<'a> {
    key: PersonKey,
    layout: Layout,
    limits: Limits<'a>,
    rows: PersonsWithin<'a>,
}

impl<'a> HeldOutPersonsStorage<'a> {
    /// No row yet.
    pub fn new(schema: &Schema, key: PersonKey, limits: Limits<'a>) -> HeldOutPersonsStorage<'a> {
        let layout = schema.stored_layout();
        HeldOutPersonsStorage {
            key,
            rows: PersonsWithin::new(layout.clone(), limits, 0),
            layout,
            limits,
        }
    }

    /// Adds rows, in the order of the table, with the class of each where there are several, and
    /// the places of the persons that they belong to.
    pub fn push(&mut self, batch: Batch, classes: &[u16], places: &[u128]) -> Result<(), Refusal> {
        Ok(self.rows.append(&Matrix::labelled(self.layout.clone(), batch, classes), places)?)
    }

    /// All of them, as the fit needs them.
    pub fn finish<J: Evaluable>(self, job: &HeldOut<J>) -> Result<HeldOutRows<J::Rows>, Refusal>
    where
        J::Rows: Sized,
    {
        let mut one_each = RowsWithin::new(self.layout.clone(), self.limits);
        let mut places = Vec::new();
        let persons = self.rows.finish(&mut |place| places.push(place))?;
        let training = persons.units() - validation_rows(persons.units(), job.share());
        for some in persons.pieces(training..persons.units()) {
            let ((batch, classes), starts) =
                persons.labelled(some.clone()).map_err(unreadable)?.into_inner();
            let of_person = |(person, own): (&u128, &[usize])| vec![*person; own[1] - own[0]];
            let places = places[some].iter().zip(starts.windows(2)).flat_map(of_person);
            let mut counted = OneEach::new(self.key);
            counted.push(&batch, &classes, &places.collect::<Vec<u128>>());
            let (batch, classes) = counted.into_rows();
            one_each.append(&Matrix::labelled(self.layout.clone(), batch, &classes))?;
        }
        let training = job.fit().stored(persons.view(0..training).into())?;
        Ok(HeldOutRows { training, held_out: one_each.finish().rows.into() })
    }
}
