//! A published density, as Python holds it.

use crate::arrow_stream::with_columns;
use crate::errors::{Raise, input};
use crate::interrupt::{listening, outcome};
use crate::ledger::Ledger;
use crate::save::save;
use crate::table::columns_of;
use arrow_array::RecordBatchReader;
use discretion::erm::matrix::Batch;
use discretion::noise::random_word;
use discretion::{Refusal, RefusalKind};
use discretion_formats::{DensityFile, Drawn};
use discretion_jobs::density::log_densities;
use discretion_report::report::of_file;
use discretion_report::terminal;
use discretion_table::{Column, Purpose, encode_columns};
use numpy::{PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// Rows that are drawn between two looks at whether somebody pressed Ctrl-C.
const AT_ONCE: usize = 4096;

/// A density, with everything that its file says.
#[pyclass(frozen)]
pub struct Density(pub DensityFile);

#[pymethods]
impl Density {
    /// From the text of a density file.
    #[staticmethod]
    fn from_json(py: Python<'_>, json: &str) -> PyResult<Density> {
        DensityFile::from_json(json).map(Density).map_err(|sentence| input(py, sentence))
    }

    /// The text of the density file.
    fn to_json(&self) -> String {
        self.0.to_json()
    }

    /// The same, with a file that promises nothing for this reason.
    fn uncovered(&self, reason: &str) -> Density {
        let mut file = self.0.clone();
        file.warning = file.privacy.withdraw(reason).or(file.warning);
        Density(file)
    }

    /// What people read, as the command line prints it.
    fn summary(&self) -> String {
        terminal::density(&self.0, &[])
    }

    /// Writes the density file, whole or not at all, and notes in the ledger that it left.
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

    /// Writes the page about the density, whose file is or will be at `density`.
    #[pyo3(signature = (path, density, ledger=None))]
    fn report(
        &self,
        py: Python<'_>,
        path: PathBuf,
        density: PathBuf,
        ledger: Option<Py<Ledger>>,
    ) -> PyResult<()> {
        let ledger = ledger.and_then(|ledger| ledger.get().path());
        let page = of_file::report(&self.0, &density, ledger.as_deref()).to_html();
        save(py, &path, &page, self.0.warning.is_none(), None).map(|_| ())
    }

    /// The shares of one column's cells, whatever the others are.
    fn marginal<'py>(&self, py: Python<'py>, column: usize) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.0.marginal(column))
    }

    /// The logarithm of the density at the rows of a frame.
    fn log_densities_of_frame<'py>(
        &self,
        py: Python<'py>,
        frame: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let logs = with_columns(frame, |columns| self.log_densities(columns));
        Ok(PyArray1::from_vec(py, logs?))
    }

    /// The logarithm of the density at the rows of an array, whose columns are the density's in
    /// their order.
    fn log_densities_of_array<'py>(
        &self,
        py: Python<'py>,
        array: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (array, columns) = (array.as_array(), self.columns());
        let logs = py
            .detach(|| self.log_densities(columns_of(array, &columns)))
            .map_err(|failure| failure.raise(py))?;
        Ok(PyArray1::from_vec(py, logs))
    }

    /// Synthetic rows, column by column: an array of numbers, or a list of names.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        rows: usize,
        seed: Option<u64>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let stop = AtomicBool::new(false);
        let drawn = outcome(py, listening(py, &stop, || self.draw(rows, seed, &stop)))?;
        let python = |values| match values {
            Values::Numbers(numbers) => Ok(PyArray1::from_vec(py, numbers).into_any()),
            Values::Names(names) => names.into_pyobject(py),
            Values::Dates(dates) => dates.into_pyobject(py),
        };
        drawn.into_iter().map(python).collect()
    }
}

/// The drawn values of a column.
enum Values<'f> {
    Numbers(Vec<f64>),
    Names(Vec<&'f str>),
    Dates(Vec<String>),
}

impl Density {
    fn columns(&self) -> Vec<Column> {
        self.0.columns.iter().map(|column| column.column()).collect()
    }

    fn log_densities(&self, table: impl RecordBatchReader) -> Result<Vec<f64>, Refusal> {
        let mut logs = Vec::new();
        encode_columns(table, &self.columns(), Purpose::Predict, |batch: Batch| {
            log_densities(&self.0, &batch, &mut logs);
            Ok::<(), Refusal>(())
        })?;
        Ok(logs)
    }

    fn draw(
        &self,
        rows: usize,
        seed: Option<u64>,
        stop: &AtomicBool,
    ) -> Result<Vec<Values<'_>>, Refusal> {
        let seed = match seed {
            Some(seed) => seed,
            None => {
                random_word().map_err(|error| Refusal::from_error(RefusalKind::Refused, error))?
            }
        };
        let is_numeric = |column: &discretion_formats::DensityColumn| column.names.is_empty();
        let mut columns: Vec<Values<'_>> = self
            .0
            .columns
            .iter()
            .map(|column| match is_numeric(column) {
                _ if column.kind.date(0.0).is_some() => Values::Dates(Vec::new()),
                true => Values::Numbers(Vec::new()),
                false => Values::Names(Vec::new()),
            })
            .collect();
        for (done, row) in self.0.draw(seed).take(rows).enumerate() {
            if done % AT_ONCE == 0 && stop.load(Ordering::Relaxed) {
                return Err(Refusal::new(
                    RefusalKind::Stopped,
                    "stopped while drawing rows".to_owned(),
                ));
            }
            for (column, value) in columns.iter_mut().zip(row) {
                match (column, value) {
                    (Values::Numbers(numbers), Drawn::Number(text)) => {
                        numbers.push(text.parse().expect("a number was written"));
                    }
                    (Values::Names(names), Drawn::Name(name)) => names.push(name),
                    (Values::Dates(dates), Drawn::Date(date)) => dates.push(date),
                    _ => unreachable!("a column has numbers, names or dates"),
                }
            }
        }
        Ok(columns)
    }
}
