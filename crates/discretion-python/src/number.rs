//! The fit of a number: plan, charge, compute, release, in this order, while Python may do other things.

use crate::arrow_stream::with_columns;
use crate::budget::{Numbers, budget};
use crate::digest::RowsDigest;
use crate::errors::{Raise, input};
use crate::fit::{EvaluateArgument, named};
use crate::interrupt::{listening, outcome};
use crate::ledger::Ledger;
use crate::payer::{Payer, Table};
use crate::repeat::{Looked, Repeat};
use crate::save::save;
use crate::table::{check_array, read_schema, stop_at_mistakes, unequal};
use crate::whose::{Whose, add_persons, how_many};
use discretion::Refusal;
use discretion::erm::matrix::{Batch, Matrix, margins};
use discretion::privacy::Unit;
use discretion::train::Method;
use discretion_formats::{Artefact, NumberModel as Published};
use discretion_jobs::Job;
use discretion_jobs::evaluate::{HeldOutNumber, HeldOutRows};
use discretion_jobs::number::{NumberJob, NumberRows};
use discretion_report::{report, terminal};
use discretion_table::{
    ColumnCounts, Counts, EvaluateSettings, Lost, NumberLoss, Purpose, Schema, add_outcome, encode_batches,
    encode_marked, encode_numbers,
};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use std::path::PathBuf;
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
    /// Encodes a frame and the outcome of each of its rows.
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
        check_array(py, array, &schema)?;
        let row = |row| array.row(row).into_iter().copied();
        let encoded = py.detach(|| {
            encode(&schema, outcomes, (accept_check, persons), |each| {
                encode_numbers(array.nrows(), row, (&schema, Purpose::Features), |batch| each(batch, &[]))
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
    let Some(scale) = schema.outcome_scale() else {
        return Err(Refusal::bad_input("the outcome of this schema is no number".to_owned()));
    };
    let plain = schema.encoder().layout();
    let mut matrix = Matrix::new(schema.layout_with_outcome().0);
    let (mut digest, mut done, mut clipped) = (RowsDigest::default(), 0, [0; 2]);
    let mut counts = rows(&mut |batch, whose| {
        persons.add(whose);
        let count = plain.rows_of(&batch);
        let own = outcomes.get(done..done + count).ok_or_else(unequal)?;
        done += count;
        let batch = add_outcome(schema, batch, own, &mut clipped);
        digest.update(&batch);
        matrix.push(batch);
        Ok(())
    })?;
    if done != outcomes.len() {
        return Err(unequal());
    }
    let [low, high] = clipped;
    let lost = Lost::Number { range: scale.range(), low, high, missing: 0 };
    counts.columns.push(ColumnCounts { name: schema.target().column.clone(), lost });
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

    /// What people read, as the command line prints it.
    fn summary(&self) -> String {
        terminal::number(&self.0, &[])
    }

    /// Writes the model file, whole or not at all, and notes in the ledger that it left.
    #[pyo3(signature = (path, ledger=None))]
    fn save(&self, py: Python<'_>, path: PathBuf, ledger: Option<Py<Ledger>>) -> PyResult<Option<String>> {
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

    /// The outcome that is predicted for each row of a frame.
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
        check_array(py, array, &self.0.schema)?;
        let row = |row| array.row(row).into_iter().copied();
        let found = py.detach(|| {
            self.predictions(|each| {
                encode_numbers(array.nrows(), row, (&self.0.schema, Purpose::Predict), each)
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
        let (theta, layout, scale) = (self.0.theta(), self.0.schema.encoder().layout(), self.0.scale());
        let mut found = Vec::new();
        encode(&mut |batch| {
            found.extend(margins(&layout, batch, &theta).into_iter().map(|place| scale.value(place)));
            Ok(())
        })?;
        Ok(found)
    }
}
