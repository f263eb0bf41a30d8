//! A table from Python as encoded rows.

use crate::arrow_stream;
use crate::errors::{Failure, input};
use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{DataType, Field, Schema as ArrowSchema};
use discretion::erm::matrix::{Batch, Matrix};
use discretion_table::{Column, Kind, Purpose, Schema, encode_batches};
use numpy::ndarray::{ArrayView2, Axis};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Rows of an array that are turned into columns at a time.
const ROWS: usize = 16 * 8192;

/// Encoded rows, on their way to a fit. They are the custodian's.
#[pyclass]
pub struct Encoded {
    /// Until a fit takes them.
    pub rows: Option<Matrix>,
    /// Of the rows, for the ledger. It could confirm a guess, so it stays here: the ledger keeps it under its own key.
    pub digest: [u8; 32],
    /// What they were encoded by.
    pub schema: Schema,
}

#[pymethods]
impl Encoded {
    /// Encodes a frame. Without labels its target column is read.
    #[staticmethod]
    fn of_frame(
        py: Python<'_>,
        frame: &Bound<'_, PyAny>,
        schema: &str,
        labels: Option<PyReadonlyArray1<'_, bool>>,
    ) -> PyResult<Encoded> {
        let schema = read_schema(py, schema)?;
        let reader = arrow_stream::reader(frame)?;
        let labels = labels.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
        py.detach(|| encode(reader, schema, labels)).map_err(|failure| failure.raise(py))
    }

    /// Encodes an array, whose columns are those of the schema in their order.
    #[staticmethod]
    fn of_array(
        py: Python<'_>,
        array: PyReadonlyArray2<'_, f64>,
        schema: &str,
        labels: PyReadonlyArray1<'_, bool>,
    ) -> PyResult<Encoded> {
        let schema = read_schema(py, schema)?;
        let (array, labels) = (array.as_array(), labels.as_slice()?);
        py.detach(|| encode(columns_of(array, schema.columns()), schema.clone(), Some(labels)))
            .map_err(|failure| failure.raise(py))
    }
}

/// A schema, checked on its way in.
pub fn read_schema(py: Python<'_>, json: &str) -> PyResult<Schema> {
    serde_json::from_str(json).map_err(|error| input(py, format!("this schema cannot be used: {error}")))
}

fn encode(
    table: impl RecordBatchReader,
    schema: Schema,
    labels: Option<&[bool]>,
) -> Result<Encoded, Failure> {
    let of_kind = |wanted: fn(&Kind) -> bool| schema.columns().iter().filter(|c| wanted(&c.kind)).count();
    let numbers = of_kind(|kind| matches!(kind, Kind::Number { .. }));
    let categories = of_kind(|kind| matches!(kind, Kind::Category { .. }));
    let mut rows = Matrix::new(schema.encoder().layout());
    let purpose = if labels.is_some() { Purpose::Queries } else { Purpose::Train };
    let mut digest = RowsDigest::default();
    let mut done = 0;
    encode_batches(table, &schema, purpose, |mut batch: Batch| {
        if let Some(labels) = labels {
            let count =
                batch.numeric.len().checked_div(numbers).unwrap_or_else(|| batch.codes.len() / categories);
            batch.positive = labels.get(done..done + count).ok_or_else(unequal)?.to_vec();
            done += count;
        }
        digest.update(&batch);
        rows.push(batch);
        Ok::<(), Failure>(())
    })?;
    match labels {
        Some(labels) if labels.len() != done => Err(unequal()),
        _ => Ok(Encoded { rows: Some(rows), digest: digest.finish(), schema }),
    }
}

/// A digest of rows, the same however they are cut into batches.
#[derive(Default)]
struct RowsDigest {
    numbers: Sha256,
    codes: Sha256,
    labels: Sha256,
}

impl RowsDigest {
    fn update(&mut self, batch: &Batch) {
        self.numbers.update(bytemuck::cast_slice(&batch.numeric));
        self.codes.update(bytemuck::cast_slice(&batch.codes));
        self.labels.update(bytemuck::cast_slice(&batch.positive));
    }

    fn finish(self) -> [u8; 32] {
        let parts = [self.numbers, self.codes, self.labels].map(Sha256::finalize);
        Sha256::digest(parts.concat()).into()
    }
}

fn unequal() -> Failure {
    Failure::Input("X and y have different numbers of rows; pass one label for each row".to_owned())
}

/// The columns of an array, some rows at a time.
pub fn columns_of<'a>(array: ArrayView2<'a, f64>, columns: &[Column]) -> impl RecordBatchReader + use<'a> {
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
