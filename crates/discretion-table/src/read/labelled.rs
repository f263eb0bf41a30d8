//! Rows with their outcome, whatever it is.

use super::persons::PersonKey;
use super::{EncodedRows, Progress, Purpose, Request};
use crate::counts::Counts;
use crate::encode::Encoder;
use crate::error::Error;
use crate::schema::Schema;
use crate::table_source::Table;
use discretion::erm::matrix::{Batch, Layout};

impl Schema {
    /// The layout of rows with their outcome: where it is a number, it is one of their columns.
    pub fn labelled_layout(&self) -> Layout {
        match self.outcome_scale() {
            Some(_) => self.layout_with_outcome().0,
            None => self.encoder().layout(),
        }
    }
}

/// Hands encoded rows to `each` in the order of the file, and returns what was counted. Of two classes the batch says which rows are
/// positive; of several classes the codes say which each row has; a number is a column of the batch
/// ([`Schema::layout_with_outcome`]).
///
/// `progress` and `each` are called from the calling thread. Reading stops at the first error, of the table or of `each`.
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
    let (encoder, purpose) = match is_number {
        // The outcome is a column like others.
        true => (schema.encoder_with_outcome(), Purpose::Describe),
        false => (schema.encoder(), Purpose::Train),
    };
    let layout = encoder.layout();
    let encoder = whose(encoder);
    let request =
        Request { any_classes: several, ..Request::of(schema, &encoder, purpose, progress).asking(table) };
    request.read(&table.files()?, &|encoded| encoded, &mut |encoded: EncodedRows| {
        let EncodedRows { numeric, codes, classes, persons, .. } = encoded;
        let mut batch = Batch { numeric, codes, positive: Vec::new() };
        batch.positive = match several || is_number {
            true => vec![false; layout.rows_of(&batch)],
            false => classes.iter().map(|&class| class == 1).collect(),
        };
        each(batch, if several { &classes } else { &[] }, persons)?;
        Ok(EncodedRows::default())
    })
}
