//! A published model, as Python holds it.

use crate::arrow_stream::with_columns;
use crate::errors::{Raise, input};
use crate::ledger::Ledger;
use crate::save::save;
use crate::table::check_array;
use discretion::Refusal;
use discretion::erm::matrix::{Batch, all_margins};
use discretion_formats::Model as Published;
use discretion_report::{report, terminal};
use discretion_table::{Counts, Purpose, encode_batches, encode_numbers};
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

    /// The same, with a file that promises nothing for this reason.
    fn uncovered(&self, reason: &str) -> Model {
        let mut file = self.0.clone();
        file.warning = file.privacy.withdraw(reason).or(file.warning);
        Model(file)
    }

    /// What people read, as the command line prints it.
    fn summary(&self) -> String {
        terminal::model(&self.0, &[])
    }

    /// Writes the model file, whole or not at all, and notes in the ledger that it left.
    #[pyo3(signature = (path, ledger=None))]
    fn save(
        &self,
        py: Python<'_>,
        path: PathBuf,
        ledger: Option<Py<Ledger>>,
    ) -> PyResult<Option<String>> {
        let json = self.0.to_json();
        let charge = self.0.ledger.as_ref().map(|entry| entry.charge);
        save(py, &path, &json, self.0.warning.is_none(), ledger.zip(charge))
    }

    /// Writes the page about the model, whose file is or will be at `model`.
    #[pyo3(signature = (path, model, ledger=None))]
    fn report(
        &self,
        py: Python<'_>,
        path: PathBuf,
        model: PathBuf,
        ledger: Option<Py<Ledger>>,
    ) -> PyResult<()> {
        let ledger = ledger.and_then(|ledger| ledger.get().path());
        let page = report::html(&self.0, &model, ledger.as_deref());
        save(py, &path, &page, self.0.warning.is_none(), None).map(|_| ())
    }

    /// θ·x for the rows of a frame; of several classes, one number for each class and row.
    fn margins_of_frame<'py>(
        &self,
        py: Python<'py>,
        frame: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let schema = &self.0.schema;
        let scores = with_columns(frame, |columns| {
            self.scores(|each| encode_batches(columns, schema, Purpose::Predict, each))
        });
        Ok(PyArray1::from_vec(py, scores?))
    }

    /// θ·x for the rows of an array, whose columns are those of the model's schema in their order.
    fn margins_of_array<'py>(
        &self,
        py: Python<'py>,
        array: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let array = array.as_array();
        check_array(py, array, &self.0.schema)?;
        let row = |row| array.row(row).into_iter().copied();
        let scores = py.detach(|| {
            self.scores(|each| {
                encode_numbers(array.nrows(), row, (&self.0.schema, Purpose::Predict), each)
            })
        });
        Ok(PyArray1::from_vec(py, scores.map_err(|failure| failure.raise(py))?))
    }
}

impl Model {
    /// The margins of the batches that `encode` hands over.
    fn scores(
        &self,
        encode: impl FnOnce(&mut dyn FnMut(Batch) -> Result<(), Refusal>) -> Result<Counts, Refusal>,
    ) -> Result<Vec<f64>, Refusal> {
        let (theta, layout) = (self.0.theta(), self.0.schema.encoder().layout());
        let mut scores = Vec::new();
        encode(&mut |batch| {
            scores.extend(all_margins(&layout, batch, &theta).into_iter().flatten());
            Ok(())
        })?;
        Ok(scores)
    }
}
