//! The fit of a number: plan, charge, compute, release, in this order, while Python may do other things.

use crate::arrow_stream::with_columns;
use crate::budget::{Numbers, budget};
use crate::digest::RowsDigest;
use crate::errors::{Raise, input};
use crate::fit::{EvaluateArgument, named};
use crate::interrupt::{listening, outcome};
use crate::number_model::NumberModel;
use crate::payer::{Payer, Table};
use crate::repeat::{Looked, Repeat};
use crate::table::{check_array, read_schema, stop_at_mistakes, unequal};
use crate::whose::{Whose, add_persons, how_many};
use discretion::Refusal;
use discretion::erm::matrix::{Batch, Matrix};
use discretion::privacy::Unit;
use discretion::train::Method;
use discretion_jobs::Job;
use discretion_jobs::evaluate::{HeldOutNumber, HeldOutRows};
use discretion_jobs::number::{NumberJob, NumberRows};
use discretion_table::{
    ColumnCounts, Counts, EvaluateSettings, Lost, NumberLoss, Purpose, Schema, add_outcomes, encode_marked,
    encode_numbers,
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
        let outcomes = outcomes.as_slice()?;
        with_columns(frame, |columns| {
            encode(&schema, outcomes, (accept_check, persons), |each| {
                encode_marked(columns, &schema, Purpose::Features, |batch, marks| each(batch, &marks.persons))
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
        let columns = schema.of_outcome(0);
        check_array(py, array, &columns)?;
        let row = |row| array.row(row).into_iter().copied();
        let encoded = py.detach(|| {
            encode(&schema, outcomes, (accept_check, persons), |each| {
                encode_numbers(array.nrows(), row, (&columns, Purpose::Features), |batch| each(batch, &[]))
            })
        });
        encoded.map_err(|failure| failure.raise(py))
    }
}

fn encode(
    schema: &Schema,
    outcomes: &[f64],
    (accept_check, persons): (bool, Option<Vec<String>>),
    rows: impl FnOnce(&mut dyn FnMut(Batch, &[u128]) -> Result<(), Refusal>) -> Result<Counts, Refusal>,
) -> Result<EncodedNumber, Refusal> {
    let mut persons = Whose::new(schema, persons);
    let scales = schema.outcome_scales();
    if scales.is_empty() {
        return Err(Refusal::bad_input("the outcome of this schema is no number".to_owned()));
    }
    let plain = schema.encoder().layout();
    let mut matrix = Matrix::new(schema.layout_with_outcome().0);
    let (mut digest, mut done, mut clipped) = (RowsDigest::default(), 0, vec![[0; 2]; scales.len()]);
    let mut counts = rows(&mut |batch, whose| {
        persons.add(whose);
        let count = plain.rows_of(&batch) * scales.len();
        let own = outcomes.get(done..done + count).ok_or_else(unequal)?;
        done += count;
        let batch = add_outcomes(schema, batch, own, &mut clipped);
        digest.update(&batch);
        matrix.push(batch);
        Ok(())
    })?;
    if done != outcomes.len() {
        return Err(unequal());
    }
    for ((target, scale), [low, high]) in schema.outcomes().zip(&scales).zip(clipped) {
        let lost = Lost::Number { range: scale.range(), low, high, missing: 0 };
        counts.columns.push(ColumnCounts { name: target.column.clone(), lost });
    }
    let persons = persons.of_rows(matrix.rows())?;
    stop_at_mistakes(&counts, accept_check)?;
    let mut digest = digest.to_bytes();
    add_persons(&mut digest, persons.as_deref());
    Ok(EncodedNumber { rows: Some(matrix), persons, digest, schema: schema.clone() })
}

/// Fits a number to encoded rows, which it takes. Returns the model, and notes for the user.
#[pyfunction]
#[pyo3(signature = (encoded, *, payer, huber, lam, spend, level, repeat, method="auto", evaluate=None))]
#[allow(clippy::too_many_arguments)] // They are the keywords of one Python call.
pub fn fit_number(
    py: Python<'_>,
    mut encoded: PyRefMut<'_, EncodedNumber>,
    payer: Payer,
    huber: bool,
    lam: Option<f64>,
    spend: Numbers,
    level: f64,
    repeat: Repeat,
    method: &str,
    evaluate: Option<EvaluateArgument>,
) -> PyResult<(NumberModel, Vec<String>)> {
    let rows = encoded.rows.take().ok_or_else(|| input(py, "these rows were fitted before".to_owned()))?;
    let table = Table::Rows(std::mem::take(&mut encoded.digest));
    let stop = Arc::new(AtomicBool::new(false));
    let (persons, schema) = (encoded.persons.take(), encoded.schema.clone());
    let count = how_many(persons.as_deref(), rows.rows());
    let settings =
        NumberSettings { is_huber: huber, lambda: lam, method: named(py, "method", method)?, level };
    let job = number_job(schema, persons.is_some(), settings, spend, Some(stop.clone()))
        .map_err(|failure| failure.raise(py))?;
    if let Some((share, by)) = evaluate {
        let settings = EvaluateSettings { share, by };
        let job = HeldOutNumber::new(job, &settings).map_err(|failure| failure.raise(py))?;
        if let Looked::Released(model, note) = repeat.look(py, &payer, &job, &table)? {
            return Ok((NumberModel(model), vec![note]));
        }
        let work = || {
            // What public numbers refuse is refused with its own sentence.
            job.plan(count)?;
            let rows = match persons {
                Some(persons) => {
                    let (key, places) = payer.places(&persons)?;
                    HeldOutRows::of_persons(&job, (&rows, &[]), (key, &places))?
                }
                None => HeldOutRows::of(&job, &rows, &[])?,
            };
            let (model, notes) = payer.spend(&job, &rows, &table, "fit from Python")?;
            Ok((NumberModel(model), notes))
        };
        return outcome(py, listening(py, &stop, work));
    }
    if let Looked::Released(model, note) = repeat.look(py, &payer, &job, &table)? {
        return Ok((NumberModel(model), vec![note]));
    }
    let work = || {
        let rows = match persons {
            // What public numbers refuse is refused by the job, before anything is charged.
            Some(persons) => NumberRows::Persons(payer.group(rows, &persons)?),
            None => NumberRows::Rows(rows),
        };
        let (model, notes) = payer.spend(&job, &rows, &table, "fit from Python")?;
        Ok((NumberModel(model), notes))
    };
    outcome(py, listening(py, &stop, work))
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
    Ok(NumberJob { schema, unit, spend, loss, method, lambda, level, lambda_at, stop })
}
