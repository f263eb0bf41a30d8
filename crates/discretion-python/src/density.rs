//! A density: plan, charge, compute, release, in this order, while Python may do other things.

use crate::arrow_stream::with_columns;
use crate::budget::{Numbers, budget};
use crate::columns::chosen;
use crate::density_file::Density;
use crate::digest::ColumnsDigest;
use crate::errors::Raise;
use crate::interrupt::{listening, outcome};
use crate::payer::{Payer, Table};
use crate::remote::RemoteColumns;
use crate::repeat::{EarlierRun, Repeat};
use crate::table::{columns_of, stop_at_mistakes};
use arrow_array::RecordBatchReader;
use discretion::Refusal;
use discretion::erm::matrix::Batch;
use discretion_jobs::arguments::Arguments;
use discretion_jobs::density::{CountRows, DensityJob, DensityRows};
use discretion_table::{Column, Purpose, encode_columns};
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Rows of columns that are described, on their way to a density. They are the custodian's.
#[pyclass(frozen)]
pub struct Described {
    rows: DensityRows,
    /// Of what is described, for the ledger.
    digest: Vec<u8>,
    columns: Vec<Column>,
}

#[pymethods]
impl Described {
    /// Columns of a frame: those of these names, or all that the schema uses. What else is in it
    /// does not matter.
    #[staticmethod]
    #[pyo3(signature = (frame, schema, names=None, accept_check=false))]
    fn of_frame(
        py: Python<'_>,
        frame: &Bound<'_, PyAny>,
        schema: &str,
        names: Option<Vec<String>>,
        accept_check: bool,
    ) -> PyResult<Described> {
        let columns = chosen(py, schema, names)?;
        with_columns(frame, |found| describe(found, columns, accept_check))
    }

    /// The columns of an array, which are those of the schema in their order.
    #[staticmethod]
    #[pyo3(signature = (array, schema, accept_check=false))]
    fn of_array(
        py: Python<'_>,
        array: PyReadonlyArray2<'_, f64>,
        schema: &str,
        accept_check: bool,
    ) -> PyResult<Described> {
        let columns = chosen(py, schema, None)?;
        let array = array.as_array();
        py.detach(|| describe(columns_of(array, &columns), columns.clone(), accept_check))
            .map_err(|failure| failure.raise(py))
    }

    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.columns.iter().map(|column| column.name.as_str()).collect()
    }
}

fn describe(
    table: impl RecordBatchReader,
    columns: Vec<Column>,
    accept_check: bool,
) -> Result<Described, Refusal> {
    let (mut rows, mut digest) = (DensityRows::new(&columns)?, ColumnsDigest::new(&columns));
    let counts = encode_columns(table, &columns, Purpose::Describe, |batch: Batch| {
        rows.push(&batch);
        digest.update(&batch);
        Ok::<(), Refusal>(())
    })?;
    stop_at_mistakes(&counts, accept_check)?;
    Ok(Described { rows, digest: digest.of_rows().to_bytes(), columns })
}

/// Rows of these columns as [`describe_piece`](crate::pieces::describe_piece) writes them; nothing
/// if they are something else.
pub fn described(columns: &[Column], bytes: &[u8]) -> Option<Batch> {
    let numbers = columns.iter().filter(|column| column.kind.is_numeric()).count();
    let codes = columns.len() - numbers;
    let rows = bytes.len() / (4 * numbers + 2 * codes);
    let (numeric, codes) = bytes.split_at_checked(4 * numbers * rows)?;
    let (numeric, codes) = (numeric.as_chunks(), codes.as_chunks());
    let batch = Batch {
        numeric: numeric.0.iter().map(|x| f32::from_le_bytes(*x)).collect(),
        codes: codes.0.iter().map(|code| u16::from_le_bytes(*code)).collect(),
        positive: Vec::new(),
    };
    (batch.codes.len() == rows * (columns.len() - numbers) && codes.1.is_empty()).then_some(batch)
}

/// Columns that are described, as Python has them.
#[derive(FromPyObject)]
pub enum DescribedArgument {
    /// In this process.
    Here(Py<Described>),
    /// With the workers of a cluster.
    Remote(Py<RemoteColumns>),
}

impl DescribedArgument {
    fn columns(&self) -> &[Column] {
        match self {
            DescribedArgument::Here(described) => &described.get().columns,
            DescribedArgument::Remote(described) => &described.get().columns,
        }
    }

    fn table(&self) -> Table {
        Table::Columns(match self {
            DescribedArgument::Here(described) => described.get().digest.clone(),
            DescribedArgument::Remote(described) => described.get().digest.clone(),
        })
    }

    fn rows(&self) -> &(dyn CountRows + 'static) {
        match self {
            DescribedArgument::Here(described) => &described.get().rows,
            DescribedArgument::Remote(described) => described.get(),
        }
    }
}

/// The density of described columns. Returns it, and notes for the user.
#[pyfunction]
#[pyo3(signature = (described, *, payer, bins, spend, repeat))]
pub fn fit_density(
    py: Python<'_>,
    described: DescribedArgument,
    payer: Payer,
    bins: Option<Vec<usize>>,
    spend: Numbers,
    repeat: Repeat,
) -> PyResult<(Density, Vec<String>)> {
    let stop = Arc::new(AtomicBool::new(false));
    let (columns, arguments) = (described.columns().to_vec(), Arguments::Keywords);
    let spent = if spend.2.is_some() { "rho" } else { "epsilon" };
    let job = budget(spend).and_then(|spend| {
        DensityJob::new(columns, bins.as_deref(), spend, arguments, spent.to_owned())
    });
    let mut job = job.map_err(|failure| failure.raise(py))?;
    job.stop = Some(stop.clone());
    let table = described.table();
    if let EarlierRun::Released(density, note) = repeat.look(py, &payer, &job, &table)? {
        return Ok((Density(density), vec![note]));
    }
    let work = || {
        let names: Vec<&str> =
            described.columns().iter().map(|column| column.name.as_str()).collect();
        let what = format!("density of {} from Python", names.join(", "));
        let (density, notes) = payer.spend(&job, described.rows(), &table, &what)?;
        Ok((Density(density), notes))
    };
    outcome(py, listening(py, &stop, work))
}
