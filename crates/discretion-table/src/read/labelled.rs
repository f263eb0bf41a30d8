//! Rows with their outcome, whatever it is.

use super::persons::PersonKey;
use super::{EncodedRows, Progress, Purpose, Request};
use crate::counts::Counts;
use crate::encode::Encoder;
use crate::error::Error;
use crate::schema::Schema;
use crate::table_source::Table;
use discretion::erm::matrix::{Batch, Layout, Matrix};
use std::path::PathBuf;

impl Schema {
    /// The layout of rows with their outcome: where it is a number, it is one of their columns.
    pub fn labelled_layout(&self) -> Layout {
        self.labelled_encoder().0.layout()
    }

    /// The same of rows that are stored with their class, where there are several.
    pub fn stored_layout(&self) -> Layout {
        let layout = self.labelled_layout();
        match self.target().labels.several() {
            None => layout,
            Some(count) => layout.of_classes(count),
        }
    }

    /// What encodes rows with their outcome, and what they are read for.
    fn labelled_encoder(&self) -> (Encoder, Purpose) {
        match self.outcome_scale() {
            // The outcome is a column like others.
            Some(_) => (self.encoder_with_outcome(), Purpose::Describe),
            None => (self.encoder(), Purpose::Train),
        }
    }
}

/// What reads rows for training, and makes them into design matrices.
pub(super) struct RowReader<'s> {
    schema: &'s Schema,
    encoder: Encoder,
    layout: Layout,
    purpose: Purpose,
}

impl<'s> RowReader<'s> {
    /// Of rows of two classes.
    pub fn two_classes(schema: &'s Schema) -> RowReader<'s> {
        let encoder = schema.encoder().of_cohort(schema);
        RowReader { schema, layout: encoder.layout(), encoder, purpose: Purpose::Train }
    }

    /// Of rows with their outcome, whatever it is.
    pub fn labelled(schema: &'s Schema) -> RowReader<'s> {
        let (encoder, purpose) = schema.labelled_encoder();
        let encoder = match purpose {
            Purpose::Train => encoder.of_cohort(schema),
            _ => encoder,
        };
        RowReader { schema, layout: schema.stored_layout(), encoder, purpose }
    }

    /// The same, which says where each row's person comes in the order of this key.
    pub fn of_persons_by(self, key: PersonKey) -> RowReader<'s> {
        RowReader { encoder: self.encoder.of_persons_by(key, self.schema), ..self }
    }

    /// The same, which says whose each row is.
    pub fn of_persons(self) -> RowReader<'s> {
        RowReader { encoder: self.encoder.of_persons(self.schema), ..self }
    }

    /// The layout of the rows.
    pub fn layout(&self) -> Layout {
        self.layout.clone()
    }

    /// Hands the rows to `each`, in the order of the file and a few at a time, with the persons
    /// that they belong to if these are read. They are made into design matrices on all cores.
    pub fn read_pieces(
        &self,
        table: &(impl Table + ?Sized),
        files: &[PathBuf],
        progress: &dyn Fn(Progress),
        mut each: impl FnMut(&Matrix, &[u128]) -> Result<(), Error>,
    ) -> Result<Counts, Error> {
        let make = |mut encoded: EncodedRows| {
            let persons = std::mem::take(&mut encoded.persons);
            (encoded.into_matrix(&self.layout, self.purpose), persons)
        };
        self.request(table, progress).read(files, &make, &mut |(piece, mut persons)| {
            each(&piece, &persons)?;
            persons.clear();
            Ok(EncodedRows { persons, ..EncodedRows::in_memory_of(piece.into_memory()) })
        })
    }

    /// What is counted of the rows. None is kept.
    pub fn read_counts(
        &self,
        table: &(impl Table + ?Sized),
        progress: &dyn Fn(Progress),
    ) -> Result<Counts, Error> {
        let request = self.request(table, progress);
        request.read(&table.files()?, &|rows| rows, &mut |_| Ok(EncodedRows::default()))
    }

    fn request<'r>(
        &'r self,
        table: &'r (impl Table + ?Sized),
        progress: &'r dyn Fn(Progress),
    ) -> Request<'r> {
        let request = Request::of(self.schema, &self.encoder, self.purpose, progress).asking(table);
        Request { any_classes: self.layout.classes().is_some(), ..request }
    }
}

/// Hands encoded rows to `each` in the order of the file, and returns what was counted. Of two
/// classes the batch says which rows are positive; of several classes the codes say which each row
/// has; a number is a column of the batch ([`Schema::layout_with_outcome`]).
///
/// `progress` and `each` are called from the calling thread. Reading stops at the first error, of
/// the table or of `each`.
pub fn read_labelled<E: From<Error>>(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    progress: &dyn Fn(Progress),
    mut each: impl FnMut(Batch, &[u16]) -> Result<(), E>,
) -> Result<Counts, E> {
    read(table, schema, |encoder| encoder, progress, |batch, classes, _| each(batch, classes))
}

/// The same where rows belong to persons: with the place of each row's person.
pub fn read_labelled_of_persons<E: From<Error>>(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    key: PersonKey,
    progress: &dyn Fn(Progress),
    mut each: impl FnMut(Batch, &[u16], &[u128]) -> Result<(), E>,
) -> Result<Counts, E> {
    read(
        table,
        schema,
        |encoder| encoder.of_persons_by(key, schema),
        progress,
        |batch, classes, places| each(batch, classes, &places),
    )
}

fn read<E: From<Error>>(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    whose: impl FnOnce(Encoder) -> Encoder,
    progress: &dyn Fn(Progress),
    mut each: impl FnMut(Batch, &[u16], Vec<u128>) -> Result<(), E>,
) -> Result<Counts, E> {
    let several = schema.target().labels.several().is_some();
    let is_number = schema.outcome_scale().is_some();
    let (encoder, purpose) = schema.labelled_encoder();
    let layout = encoder.layout();
    let encoder = whose(encoder);
    let request = Request {
        any_classes: several,
        ..Request::of(schema, &encoder, purpose, progress).asking(table)
    };
    request.read(&table.files()?, &|encoded| encoded, &mut |mut encoded: EncodedRows| {
        let persons = std::mem::take(&mut encoded.persons);
        let classes = if several { std::mem::take(&mut encoded.classes) } else { Vec::new() };
        let mut batch = encoded.into_batch();
        if several || is_number {
            batch.positive = vec![false; layout.rows_of(&batch)];
        }
        each(batch, &classes, persons)?;
        Ok(EncodedRows::default())
    })
}
