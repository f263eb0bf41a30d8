//! A published model, as Python holds it.

use crate::arrow_stream;
use crate::errors::{Failure, input};
use crate::table::columns_of;
use arrow_array::RecordBatchReader;
use discretion::erm::matrix::{Batch, margins};
use discretion_publish::model::Model as Published;
use discretion_publish::report;
use discretion_table::{Purpose, encode_batches};
use numpy::{PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use std::path::PathBuf;

/// A model, with everything that its file says.
#[pyclass(frozen)]
pub struct Model(pub Published);

#[pymethods]
impl Model {
    /// From the text of a model file.
    #[staticmethod]
    fn from_json(py: Python<'_>, json: &str) -> PyResult<Model> {
        Published::from_json(json).map(Model).map_err(|sentence| input(py, sentence))
    }

    /// The text of the model file.
    fn to_json(&self) -> String {
        self.0.to_json()
    }

    /// The page about the model, whose file is or will be at `path`.
    fn report(&self, path: PathBuf) -> String {
        report::html(&self.0, &path, None)
    }

    /// θ·x for the rows of a frame.
    fn margins_of_frame<'py>(
        &self,
        py: Python<'py>,
        frame: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let reader = arrow_stream::reader(frame)?;
        let scores = py.detach(|| self.scores(reader)).map_err(|failure| failure.raise(py))?;
        Ok(PyArray1::from_vec(py, scores))
    }

    /// θ·x for the rows of an array, whose columns are those of the model's schema in their order.
    fn margins_of_array<'py>(
        &self,
        py: Python<'py>,
        array: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let array = array.as_array();
        let scores = py
            .detach(|| self.scores(columns_of(array, &self.0.schema)))
            .map_err(|failure| failure.raise(py))?;
        Ok(PyArray1::from_vec(py, scores))
    }
}

impl Model {
    fn scores(&self, table: impl RecordBatchReader) -> Result<Vec<f64>, Failure> {
        let (theta, layout) = (self.0.theta(), self.0.schema.encoder().layout());
        let mut scores = Vec::new();
        encode_batches(table, &self.0.schema, Purpose::Predict, |batch: Batch| {
            scores.extend(margins(&layout, batch, &theta));
            Ok::<(), Failure>(())
        })?;
        Ok(scores)
    }
}
