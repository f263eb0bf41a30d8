//! A table from Python as encoded rows.

use crate::arrow_stream::with_columns;
use crate::digest::RowsDigest;
use crate::errors::{Raise, input};
use crate::person_ids::{PersonIds, add_persons};
use crate::weights::weighed;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{DataType, Field, Schema as ArrowSchema};
use discretion::Refusal;
use discretion::erm::matrix::{Batch, Matrix};
use discretion_jobs::check;
use discretion_table::{
    Column, Counts, Kind, OutcomeCounts, Purpose, RowMarks, Schema, encode_marked, encode_numbers,
};
use numpy::ndarray::{ArrayView2, Axis};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// Rows of an array that are turned into columns at a time.
const ROWS: usize = 16 * 8192;

/// Encoded rows, on their way to a fit. They are the custodian's.
#[pyclass]
pub struct Encoded {
    /// Until a fit takes them.
    pub rows: Option<Matrix>,
    /// The class of each of them, if there are several.
    pub classes: Option<Vec<u16>>,
    /// Whose each of them is, if the guarantee is about persons.
    pub persons: Option<Vec<u128>>,
    /// Of the rows, for the ledger. It could confirm a guess, so it stays here: the ledger keeps it
    /// under its own key.
    pub digest: Vec<u8>,
    /// What they were encoded by.
    pub schema: Schema,
}

#[pymethods]
impl Encoded {
    /// Encodes a frame. Without labels its target column is read.
    #[staticmethod]
    #[pyo3(signature = (frame, schema, labels, accept_check=false, persons=None, classes=None, weights=None, unlabelled=None))]
    #[allow(clippy::too_many_arguments)] // They are the keywords of one Python call.
    fn of_frame(
        py: Python<'_>,
        frame: &Bound<'_, PyAny>,
        schema: &str,
        labels: Option<PyReadonlyArray1<'_, bool>>,
        accept_check: bool,
        persons: Option<Vec<String>>,
        classes: Option<PyReadonlyArray1<'_, u16>>,
        weights: Option<(PyReadonlyArray1<'_, f64>, f64)>,
        unlabelled: Option<PyReadonlyArray1<'_, bool>>,
    ) -> PyResult<Encoded> {
        let (schema, weights) = weighed(py, read_schema(py, schema)?, weights)?;
        let labels = Given::of(labels.as_ref(), classes.as_ref())?;
        let unlabelled =
            unlabelled.as_ref().map(PyReadonlyArray1::as_slice).transpose()?.unwrap_or(&[]);
        with_columns(frame, |columns| {
            encode(columns, schema, (labels, unlabelled), (accept_check, persons))
        })
        .and_then(|encoded| encoded.weighed(py, weights))
    }

    /// Encodes an array, whose columns are those of the schema in their order.
    #[staticmethod]
    #[pyo3(signature = (array, schema, labels, accept_check=false, persons=None, classes=None, weights=None))]
    #[allow(clippy::too_many_arguments)] // They are the keywords of one Python call.
    fn of_array(
        py: Python<'_>,
        array: PyReadonlyArray2<'_, f64>,
        schema: &str,
        labels: Option<PyReadonlyArray1<'_, bool>>,
        accept_check: bool,
        persons: Option<Vec<String>>,
        classes: Option<PyReadonlyArray1<'_, u16>>,
        weights: Option<(PyReadonlyArray1<'_, f64>, f64)>,
    ) -> PyResult<Encoded> {
        let (schema, weights) = weighed(py, read_schema(py, schema)?, weights)?;
        let (array, labels) = (array.as_array(), Given::of(labels.as_ref(), classes.as_ref())?);
        check_array(py, array, &schema)?;
        py.detach(|| encode_array(array, schema, labels, (accept_check, persons)))
            .map_err(|failure| failure.raise(py))
            .and_then(|encoded| encoded.weighed(py, weights))
    }
}

/// A schema, checked on its way in.
pub fn read_schema(py: Python<'_>, json: &str) -> PyResult<Schema> {
    let refuse = |problem: &dyn std::fmt::Display| {
        input(py, format!("this schema cannot be used: {problem}"))
    };
    let schema: Schema = serde_json::from_str(json).map_err(|error| refuse(&error))?;
    schema.check_spellings().map_err(|problem| refuse(&problem))?;
    Ok(schema)
}

/// Arrays have numbers alone, and no names.
pub fn check_array(py: Python<'_>, array: ArrayView2<'_, f64>, schema: &Schema) -> PyResult<()> {
    let columns = schema.columns();
    if columns.iter().any(|column| !matches!(column.kind, Kind::Number { .. })) {
        return Err(input(
            py,
            "not all declared columns are numbers; pass a frame with named columns".to_owned(),
        ));
    }
    match array.ncols() == columns.len() {
        true => Ok(()),
        false => Err(input(
            py,
            format!("{} columns are declared and {} given", columns.len(), array.ncols()),
        )),
    }
}

/// Labels that are given beside the rows.
#[derive(Clone, Copy)]
enum Given<'y> {
    /// They are in the table.
    Nothing,
    /// Of two classes: whether a row is positive.
    Positive(&'y [bool]),
    /// Of several: the place of each.
    Classes(&'y [u16]),
}

impl<'y> Given<'y> {
    fn of(
        labels: Option<&'y PyReadonlyArray1<'_, bool>>,
        classes: Option<&'y PyReadonlyArray1<'_, u16>>,
    ) -> PyResult<Given<'y>> {
        Ok(match (labels, classes) {
            (_, Some(classes)) => Given::Classes(classes.as_slice()?),
            (Some(labels), None) => Given::Positive(labels.as_slice()?),
            (None, None) => Given::Nothing,
        })
    }

    fn len(self) -> usize {
        match self {
            Given::Nothing => 0,
            Given::Positive(labels) => labels.len(),
            Given::Classes(classes) => classes.len(),
        }
    }

    /// The signs of some rows: all of them +1 where a row has the place of its class.
    fn signs(self, rows: std::ops::Range<usize>) -> Option<Vec<bool>> {
        match self {
            Given::Nothing => None,
            Given::Positive(labels) => labels.get(rows).map(<[bool]>::to_vec),
            Given::Classes(classes) => classes.get(rows).map(|some| vec![true; some.len()]),
        }
    }

    /// How many of the rows that count are of each class.
    fn counted(self, classes: usize, left_out: &[bool]) -> Vec<u64> {
        let mut counts = vec![0; classes];
        let counting = |row: usize| !left_out.get(row).copied().unwrap_or(false);
        let mut count = |row: usize, place: usize| counts[place] += u64::from(counting(row));
        match self {
            Given::Nothing => {}
            Given::Positive(labels) => {
                labels.iter().enumerate().for_each(|(row, &label)| count(row, usize::from(label)));
            }
            Given::Classes(places) => {
                places.iter().enumerate().for_each(|(row, &place)| count(row, usize::from(place)));
            }
        }
        counts
    }
}

fn encode(
    table: impl RecordBatchReader,
    schema: Schema,
    (labels, unlabelled): (Given<'_>, &[bool]),
    (accept_check, persons): (bool, Option<Vec<String>>),
) -> Result<Encoded, Refusal> {
    let purpose = if matches!(labels, Given::Nothing) { Purpose::Train } else { Purpose::Features };
    // Knots that are still to be found are found on a grid.
    let on_grid = schema.on_grid();
    let mut rows = EncodedBuilder { unlabelled, ..EncodedBuilder::new(&on_grid, labels, persons) };
    let counts = encode_marked(table, &on_grid, purpose, |batch, marks| rows.take(batch, &marks))?;
    rows.finish(schema, counts, accept_check)
}

fn encode_array(
    array: ArrayView2<'_, f64>,
    schema: Schema,
    labels: Given<'_>,
    (accept_check, persons): (bool, Option<Vec<String>>),
) -> Result<Encoded, Refusal> {
    let on_grid = schema.on_grid();
    let mut rows = EncodedBuilder::new(&on_grid, labels, persons);
    let row = |row| array.row(row).into_iter().copied();
    let trains = (&on_grid, Purpose::Features);
    let counts =
        encode_numbers(array.nrows(), row, trains, |batch| rows.take(batch, &RowMarks::default()))?;
    rows.finish(schema, counts, accept_check)
}

/// Rows that are being encoded.
struct EncodedBuilder<'y> {
    matrix: Matrix,
    persons: PersonIds,
    digest: RowsDigest,
    /// Where labels do not come with the rows, and how many of them were taken.
    labels: (Given<'y>, usize),
    /// Which of those labels are missing; none if nothing is said.
    unlabelled: &'y [bool],
    /// Rows that do not count, if some may not; and weights that are in the table.
    left_out: Vec<bool>,
    weights: Vec<f32>,
}

impl<'y> EncodedBuilder<'y> {
    fn new(schema: &Schema, labels: Given<'y>, persons: Option<Vec<String>>) -> EncodedBuilder<'y> {
        let matrix = Matrix::new(schema.encoder().layout());
        EncodedBuilder {
            matrix,
            persons: PersonIds::new(schema, persons),
            digest: RowsDigest::default(),
            labels: (labels, 0),
            unlabelled: &[],
            left_out: Vec::new(),
            weights: Vec::new(),
        }
    }

    fn take(&mut self, mut batch: Batch, marks: &RowMarks) -> Result<(), Refusal> {
        self.persons.add(&marks.persons);
        let first = self.matrix.rows();
        let (labels, done) = &mut self.labels;
        if !matches!(labels, Given::Nothing) {
            let count = self.matrix.layout().rows_of(&batch);
            batch.positive = labels.signs(*done..*done + count).ok_or_else(unequal)?;
            *done += count;
        }
        self.digest.update(&batch);
        let mut rows = Matrix::of(self.matrix.layout().clone(), batch);
        let is_out = |row: usize| {
            marks.left_out.get(row).copied().unwrap_or(false)
                || self.unlabelled.get(first + row).copied().unwrap_or(false)
        };
        let left_out: Vec<bool> = (0..rows.rows()).map(is_out).collect();
        rows.leave_out(&left_out);
        self.left_out.extend(left_out);
        if !marks.weights.is_empty() {
            rows.weigh(&marks.weights);
            self.weights.extend_from_slice(&marks.weights);
        }
        self.matrix.append(&rows);
        Ok(())
    }

    fn finish(
        self,
        schema: Schema,
        mut counts: Counts,
        accept_check: bool,
    ) -> Result<Encoded, Refusal> {
        let (labels, done) = self.labels;
        if !matches!(labels, Given::Nothing) {
            if labels.len() != done {
                return Err(unequal());
            }
            let classes = labels.counted(schema.target().labels.names().len(), &self.left_out);
            counts.left_out = self.left_out.iter().map(|&left_out| u64::from(left_out)).sum();
            counts.outcome = Some(OutcomeCounts { target: schema.target().clone(), classes });
        }
        let persons = self.persons.of_rows(self.matrix.rows())?;
        stop_at_mistakes(&counts, accept_check)?;
        let mut digest = self.digest.to_bytes();
        add_persons(&mut digest, persons.as_deref());
        let classes = match labels {
            Given::Classes(places) => Some(places.to_vec()),
            Given::Nothing | Given::Positive(_) => None,
        };
        // And the same rows of another cohort, or with other weights.
        if !schema.cohort().is_everybody() {
            digest.extend(digest_of(self.left_out.iter().map(|&left_out| u32::from(left_out))));
            digest.extend(digest_of(self.weights.iter().map(|weight| weight.to_bits())));
        }
        // And the same rows of other classes.
        if let Some(classes) = &classes {
            digest.extend(RowsDigest::of_marks(classes).to_bytes());
        }
        Ok(Encoded { rows: Some(self.matrix), classes, persons, digest, schema })
    }
}

/// Whole numbers, one for each row, in a few bytes.
pub fn digest_of(numbers: impl Iterator<Item = u32>) -> [u8; 16] {
    let mix = |sum: u128, number: u32| {
        sum.rotate_left(7).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(u128::from(number) + 1)
    };
    numbers.fold(0, mix).to_le_bytes()
}

/// Stops at what can only be a mistake, before anything is charged.
pub fn stop_at_mistakes(counts: &Counts, accepted: bool) -> Result<(), Refusal> {
    check::stop_at_mistakes(counts, Path::new("table"), accepted)
}

pub fn unequal() -> Refusal {
    Refusal::bad_input(
        "X and y have different numbers of rows; pass one label for each row".to_owned(),
    )
}

/// The columns of an array, some rows at a time.
pub fn columns_of<'a>(
    array: ArrayView2<'a, f64>,
    columns: &[Column],
) -> impl RecordBatchReader + use<'a> {
    let named = |column: &Column| Field::new(column.name.clone(), DataType::Float64, false);
    let header = Arc::new(ArrowSchema::new(columns.iter().map(named).collect::<Vec<_>>()));
    let fields = header.clone();
    let batches = (0..array.nrows()).step_by(ROWS).map(move |start| {
        let rows = array.slice_axis(Axis(0), (start..array.nrows().min(start + ROWS)).into());
        let columns = rows
            .columns()
            .into_iter()
            .map(|column| Arc::new(column.iter().copied().collect::<Float64Array>()) as ArrayRef);
        RecordBatch::try_new(fields.clone(), columns.collect())
    });
    RecordBatchIterator::new(batches, header)
}
