//! A model of a number, as Python has it.

use crate::arrow_stream::with_columns;
use crate::errors::{Raise, input};
use crate::ledger::Ledger;
use crate::save::save;
use crate::table::check_array;
use discretion::Refusal;
use discretion::erm::matrix::{Batch, all_margins};
use discretion_formats::{Artefact, NumberModel as Published};
use discretion_report::{report, terminal};
use discretion_table::{Counts, Purpose, encode_batches, encode_numbers};
use numpy::{PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use std::path::PathBuf;

/// A model of a number, with everything that its file says.
#[pyclass(frozen)]
pub struct NumberModel(pub Published);

#[pymethods]
impl NumberModel {
    /// From the text of a model file.
    #[staticmethod]
    fn from_json(py: Python<'_>, json: &str) -> PyResult<NumberModel> {
        Published::from_json(json).map(NumberModel).map_err(|sentence| input(py, sentence))
    }

    /// The text of the model file.
    fn to_json(&self) -> String {
        self.0.to_json()
    }

    /// The same, with a file that promises nothing for this reason.
    fn uncovered(&self, reason: &str) -> NumberModel {
        let mut file = self.0.clone();
        file.warning = file.privacy.withdraw(reason).or(file.warning);
        NumberModel(file)
    }

    /// What people read, as the command line prints it.
    fn summary(&self) -> String {
        terminal::number(&self.0, &[])
    }

    /// Writes the model file, whole or not at all, and notes in the ledger that it left.
    #[pyo3(signature = (path, ledger=None))]
    fn save(
        &self,
        py: Python<'_>,
        path: PathBuf,
        ledger: Option<Py<Ledger>>,
    ) -> PyResult<Option<String>> {
        let charge = self.0.ledger.as_ref().map(|entry| entry.charge);
        save(py, &path, &self.0.to_json(), self.0.warning.is_none(), ledger.zip(charge))
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
        let page = report::number_html(&self.0, &model, ledger.as_deref());
        save(py, &path, &page, self.0.warning.is_none(), None).map(|_| ())
    }

    /// The outcomes that are predicted for each row of a frame, one behind the other.
    fn predict_frame<'py>(
        &self,
        py: Python<'py>,
        frame: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let schema = &self.0.schema;
        let found = with_columns(frame, |columns| {
            self.predictions(|each| encode_batches(columns, schema, Purpose::Predict, each))
        });
        Ok(PyArray1::from_vec(py, found?))
    }

    /// The same for an array, whose columns are those of the model's schema in their order.
    fn predict_array<'py>(
        &self,
        py: Python<'py>,
        array: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let array = array.as_array();
        // Further outcomes are no columns of the array.
        let columns = self.0.schema.of_outcome(0);
        check_array(py, array, &columns)?;
        let row = |row| array.row(row).into_iter().copied();
        let found = py.detach(|| {
            self.predictions(|each| {
                encode_numbers(array.nrows(), row, (&columns, Purpose::Predict), each)
            })
        });
        Ok(PyArray1::from_vec(py, found.map_err(|failure| failure.raise(py))?))
    }
}

impl NumberModel {
    /// The predictions for the batches that `encode` hands over.
    fn predictions(
        &self,
        encode: impl FnOnce(&mut dyn FnMut(Batch) -> Result<(), Refusal>) -> Result<Counts, Refusal>,
    ) -> Result<Vec<f64>, Refusal> {
        let (layout, each) = (self.0.schema.encoder().layout(), self.0.each());
        let thetas: Vec<f64> = each.iter().flat_map(Published::theta).collect();
        let scales: Vec<_> = each.iter().map(Published::scale).collect();
        let mut found = Vec::new();
        encode(&mut |batch| {
            let rows = all_margins(&layout, batch, &thetas).into_iter();
            found.extend(rows.flat_map(|places| {
                let values = scales.iter().zip(places).map(|(scale, place)| scale.value(place));
                values.collect::<Vec<f64>>()
            }));
            Ok(())
        })?;
        Ok(found)
    }
}
