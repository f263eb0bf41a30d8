//! The fit of a number: plan, charge, compute, release, in this order, while Python may do other
//! things.

use crate::arrow_stream::with_columns;
use crate::budget::{Numbers, budget};
use crate::errors::{Raise, input};
use crate::fit::{EvaluateArgument, FitSource, check_cluster, named};
use crate::number_model::NumberModel;
use crate::number_rows::NumberBuilder;
use crate::payer::{Payer, Table};
use crate::person_ids::{PersonIds, add_persons, how_many};
use crate::remote::RemoteRows;
use crate::repeat::Repeat;
use crate::table::{check_array, read_schema, stop_at_mistakes};
use discretion::Refusal;
use discretion::erm::matrix::{Batch, Matrix};
use discretion::privacy::Unit;
use discretion::train::Method;
use discretion_jobs::number::{NumberJob, NumberKnots};
use discretion_jobs::support::Features;
use discretion_table::{
    Counts, EvaluateSettings, NumberLoss, Purpose, Schema, encode_marked, encode_numbers,
};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use std::sync::{Arc, atomic::AtomicBool};

/// Encoded rows with a number as outcome, on their way to a fit. They are the custodian's.
#[pyclass]
pub struct EncodedNumber {
    /// Until a fit takes them.
    rows: Option<Matrix>,
    /// Whose each of them is, if the guarantee is about persons.
    persons: Option<Vec<u128>>,
    /// Of the rows, for the ledger.
    digest: Vec<u8>,
    schema: Schema,
}

#[pymethods]
impl EncodedNumber {
    /// Encodes a frame and the outcomes of each of its rows, one behind the other.
    #[staticmethod]
    #[pyo3(signature = (frame, schema, outcomes, accept_check, persons=None))]
    fn of_frame(
        py: Python<'_>,
        frame: &Bound<'_, PyAny>,
        schema: &str,
        outcomes: PyReadonlyArray1<'_, f64>,
        accept_check: bool,
        persons: Option<Vec<String>>,
    ) -> PyResult<EncodedNumber> {
        let schema = read_schema(py, schema)?;
        let (on_grid, outcomes) = (schema.on_grid(), outcomes.as_slice()?);
        with_columns(frame, |columns| {
            encode((&schema, &on_grid), outcomes, (accept_check, persons), |each| {
                encode_marked(columns, &on_grid, Purpose::Features, |batch, marks| {
                    each(batch, &marks.persons)
                })
            })
        })
    }

    /// Encodes an array, whose columns are those of the schema in their order.
    #[staticmethod]
    #[pyo3(signature = (array, schema, outcomes, accept_check, persons=None))]
    fn of_array(
        py: Python<'_>,
        array: PyReadonlyArray2<'_, f64>,
        schema: &str,
        outcomes: PyReadonlyArray1<'_, f64>,
        accept_check: bool,
        persons: Option<Vec<String>>,
    ) -> PyResult<EncodedNumber> {
        let schema = read_schema(py, schema)?;
        let (array, outcomes) = (array.as_array(), outcomes.as_slice()?);
        // Further outcomes are no columns of the array.
        let on_grid = schema.on_grid();
        let columns = on_grid.of_outcome(0);
        check_array(py, array, &columns)?;
        let row = |row| array.row(row).into_iter().copied();
        let encoded = py.detach(|| {
            encode((&schema, &on_grid), outcomes, (accept_check, persons), |each| {
                encode_numbers(array.nrows(), row, (&columns, Purpose::Features), |batch| {
                    each(batch, &[])
                })
            })
        });
        encoded.map_err(|failure| failure.raise(py))
    }
}

fn encode(
    // Knots that are still to be found are found on a grid.
    (schema, on_grid): (&Schema, &Schema),
    outcomes: &[f64],
    (accept_check, persons): (bool, Option<Vec<String>>),
    rows: impl FnOnce(&mut dyn FnMut(Batch, &[u128]) -> Result<(), Refusal>) -> Result<Counts, Refusal>,
) -> Result<EncodedNumber, Refusal> {
    let (mut persons, mut built) =
        (PersonIds::new(schema, persons), NumberBuilder::new(on_grid, outcomes)?);
    let mut counts = rows(&mut |batch, whose| {
        persons.add(whose);
        built.take(batch)
    })?;
    let (matrix, digest) = built.finish(&mut counts)?;
    let persons = persons.of_rows(matrix.rows())?;
    stop_at_mistakes(&counts, accept_check)?;
    let mut digest = digest.to_bytes();
    add_persons(&mut digest, persons.as_deref());
    Ok(EncodedNumber { rows: Some(matrix), persons, digest, schema: schema.clone() })
}

/// Encoded rows, as Python has them.
#[derive(FromPyObject)]
pub enum NumberArgument<'py> {
    /// In this process.
    Here(PyRefMut<'py, EncodedNumber>),
    /// With the workers of a cluster.
    Remote(Py<RemoteRows>),
}

/// Fits a number to encoded rows, which it takes. Returns the model, and notes for the user.
#[pyfunction]
#[pyo3(signature = (encoded, *, payer, huber, lam, spend, level, repeat, method="auto", evaluate=None))]
#[allow(clippy::too_many_arguments)] // They are the keywords of one Python call.
pub fn fit_number(
    py: Python<'_>,
    encoded: NumberArgument<'_>,
    payer: Payer,
    huber: bool,
    lam: Option<f64>,
    spend: Numbers,
    level: f64,
    repeat: Repeat,
    method: &str,
    evaluate: Option<EvaluateArgument>,
) -> PyResult<(NumberModel, Vec<String>)> {
    let (schema, digest, count, rows) = match encoded {
        NumberArgument::Here(mut encoded) => {
            let rows = encoded.rows.take();
            let rows = rows.ok_or_else(|| input(py, "these rows were fitted before".to_owned()))?;
            let (digest, persons) = (std::mem::take(&mut encoded.digest), encoded.persons.take());
            let count = how_many(persons.as_deref(), rows.rows());
            (encoded.schema.clone(), digest, count, FitSource::Here(Box::new(rows), persons))
        }
        NumberArgument::Remote(rows) => {
            let held = rows.get();
            (held.schema.clone(), held.digest.clone(), held.rows(), FitSource::Remote(rows))
        }
    };
    let stop = Arc::new(AtomicBool::new(false));
    let settings = NumberSettings {
        is_huber: huber,
        lambda: lam,
        method: named(py, "method", method)?,
        level,
    };
    let is_of_persons = matches!(&rows, FitSource::Here(_, Some(_)));
    let job = number_job(schema, is_of_persons, settings, spend, Some(stop.clone()))
        .map_err(|failure| failure.raise(py))?;
    let evaluate = evaluate.map(|(share, by)| EvaluateSettings { share, by });
    if matches!(rows, FitSource::Remote(_)) {
        check_cluster(Features::of_number(&job), evaluate.as_ref())
            .map_err(|failure| failure.raise(py))?;
    }
    let (paid, before) = ((&payer, &repeat, &Table::Rows(digest)), || Ok(()));
    let (model, notes) = match NumberKnots::of(job.clone()) {
        Some(job) => rows.fit(py, job, evaluate.as_ref(), (count, before), paid, &stop),
        None => rows.fit(py, job, evaluate.as_ref(), (count, before), paid, &stop),
    }?;
    Ok((NumberModel(model), notes))
}

/// Refuses a fit of a number that a cluster cannot do, before any of its rows is read.
#[pyfunction]
#[pyo3(signature = (schema, *, huber, spend, evaluate=None))]
pub fn check_number_on_cluster(
    py: Python<'_>,
    schema: &str,
    huber: bool,
    spend: Numbers,
    evaluate: Option<EvaluateArgument>,
) -> PyResult<()> {
    let settings =
        NumberSettings { is_huber: huber, lambda: None, method: Method::Auto, level: 0.95 };
    let evaluate = evaluate.map(|(share, by)| EvaluateSettings { share, by });
    let schema = read_schema(py, schema)?;
    number_job(schema, false, settings, spend, None)
        .and_then(|job| check_cluster(Features::of_number(&job), evaluate.as_ref()))
        .map_err(|failure| failure.raise(py))
}

/// What is made small, and how.
pub struct NumberSettings {
    pub is_huber: bool,
    pub lambda: Option<f64>,
    pub method: Method,
    pub level: f64,
}

/// The job of a fit with these keywords.
pub fn number_job(
    schema: Schema,
    is_of_persons: bool,
    settings: NumberSettings,
    spend: Numbers,
    stop: Option<Arc<AtomicBool>>,
) -> Result<NumberJob, Refusal> {
    let spend = budget(spend)?;
    let NumberSettings { is_huber, lambda, method, level } = settings;
    let loss = if is_huber { NumberLoss::Huber } else { NumberLoss::Squares };
    let unit = if is_of_persons { Unit::Person } else { schema.unit() };
    let lambda_at = "fit".to_owned();
    Ok(NumberJob { schema, unit, spend, loss: Some(loss), method, lambda, level, lambda_at, stop })
}
