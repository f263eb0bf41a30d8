//! The fit: plan, charge, compute, release, in this order, while Python may do other things.

use crate::budget::{Numbers, budget};
use crate::errors::{Raise, input};
use crate::interrupt::{listening, outcome};
use crate::model::Model;
use crate::payer::{Payer, Table};
use crate::person_ids::how_many;
use crate::remote::RemoteRows;
use crate::repeat::{EarlierRun, Repeat};
use crate::table::{Encoded, read_schema};
use discretion::Refusal;
use discretion::erm::matrix::Matrix;
use discretion::loss::LossKind;
use discretion::privacy::Unit;
use discretion_jobs::Job;
use discretion_jobs::evaluate::{Evaluable, HeldOut, HeldOutFit, HeldOutRows};
use discretion_jobs::fit::{FitJob, TwoStepFit};
use discretion_jobs::plan::plan_of;
use discretion_jobs::support::{self, Feature, Features};
use discretion_table::{
    EvaluateSettings, IntervalSettings, Lambda, ModelSettings, Schema, TuneSettings,
};
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What is better on most tables.
const AUTO: &str = "lam=\"auto\" looks at no row and leaves the model the whole budget, which is better on most tables";

/// λ as Python has it.
#[derive(FromPyObject)]
pub enum LambdaArgument {
    /// This one.
    Fixed(f64),
    /// One of these.
    Grid(Vec<f64>),
}

/// Encoded rows, as Python has them.
#[derive(FromPyObject)]
pub enum EncodedArgument<'py> {
    /// In this process.
    Here(PyRefMut<'py, Encoded>),
    /// With the workers of a cluster.
    Remote(Py<RemoteRows>),
}

/// Where a fit gets them from.
pub enum FitSource {
    /// Rows, and whose each is.
    Here(Box<Matrix>, Option<Vec<u128>>),
    /// With the workers of a cluster.
    Remote(Py<RemoteRows>),
}

/// Fits a linear classifier to encoded rows, which it takes. Returns the model, and notes for the
/// user.
#[pyfunction]
#[pyo3(signature = (encoded, *, payer, loss, lam, method, spend, level, repeat, columns=None, evaluate=None, reference=None, base_rate=false, largest_effect=None))]
#[allow(clippy::too_many_arguments)] // They are the keywords of one Python call.
pub fn fit(
    py: Python<'_>,
    encoded: EncodedArgument<'_>,
    payer: Payer,
    loss: &str,
    lam: Option<LambdaArgument>,
    method: &str,
    spend: Numbers,
    level: Option<f64>,
    repeat: Repeat,
    columns: Option<Vec<String>>,
    evaluate: Option<EvaluateArgument>,
    reference: Option<usize>,
    base_rate: bool,
    largest_effect: Option<f64>,
) -> PyResult<(Model, Vec<String>)> {
    let (schema, digest, count, rows) = match encoded {
        EncodedArgument::Here(mut encoded) => {
            let rows = encoded.rows.take();
            let rows = rows.ok_or_else(|| input(py, "these rows were fitted before".to_owned()))?;
            let digest = std::mem::take(&mut encoded.digest);
            let persons = encoded.persons.take();
            let count = how_many(persons.as_deref(), rows.rows());
            let rows = match encoded.classes.take() {
                Some(classes) => {
                    let count = encoded.schema.target().labels.names().len();
                    rows.with_classes(classes, count).expect("every row has one of the classes")
                }
                None => rows,
            };
            (encoded.schema.clone(), digest, count, FitSource::Here(Box::new(rows), persons))
        }
        EncodedArgument::Remote(rows) => {
            let held = rows.get();
            (held.schema.clone(), held.digest.clone(), held.rows(), FitSource::Remote(rows))
        }
    };
    let stop = Arc::new(AtomicBool::new(false));
    let unit = match &rows {
        FitSource::Here(_, Some(_)) => Unit::Person,
        FitSource::Remote(_) => schema.unit(),
        _ => Unit::Row,
    };
    let intervals = level.map(|level| (level, columns));
    let named = reference.and_then(|place| schema.target().labels.names().get(place).cloned());
    let job = job(py, schema, (loss, method), lam, spend, intervals)?;
    let mut job = FitJob { unit, base_rate, stop: Some(stop.clone()), ..job };
    if let Some(settings) = &mut job.intervals {
        settings.reference.clone_from(&named);
        settings.largest_effect = largest_effect.unwrap_or(settings.largest_effect);
    }
    let evaluate = evaluate.map(|(share, by)| EvaluateSettings { share, by });
    if matches!(rows, FitSource::Remote(_)) {
        check_cluster(Features::of_fit(&job), evaluate.as_ref())
            .map_err(|failure| failure.raise(py))?;
    }
    let paid = (&payer, &repeat, &Table::Rows(digest));
    let about_list = || match job.model.lambda {
        Lambda::Grid(_) if evaluate.is_none() => {
            let plan = plan_of(&job, count).map_err(|failure| failure.raise(py))?;
            repeat.tell(py, format!("lam is a list: {}; {AUTO}", plan.how_lambda_is_chosen()))
        }
        _ => Ok(()),
    };
    let (model, notes) = match TwoStepFit::of(job.clone()) {
        Some(job) => rows.fit(py, job, evaluate.as_ref(), (count, about_list), paid, &stop),
        None => rows.fit(py, job.clone(), evaluate.as_ref(), (count, about_list), paid, &stop),
    }?;
    Ok((Model(model), notes))
}

/// Rows that are held out, as Python says it: their share, and the column by whose values they are
/// counted apart.
pub type EvaluateArgument = (f64, Option<String>);

/// Refuses a fit of classes that a cluster cannot do, before any of its rows is read.
#[pyfunction]
#[pyo3(signature = (schema, *, loss, lam, method, spend, level, columns=None, evaluate=None, base_rate=false, largest_effect=None))]
#[allow(clippy::too_many_arguments)] // They are the keywords of `fit`.
pub fn check_fit_on_cluster(
    py: Python<'_>,
    schema: &str,
    loss: &str,
    lam: Option<LambdaArgument>,
    method: &str,
    spend: Numbers,
    level: Option<f64>,
    columns: Option<Vec<String>>,
    evaluate: Option<EvaluateArgument>,
    base_rate: bool,
    largest_effect: Option<f64>,
) -> PyResult<()> {
    let _ = largest_effect;
    let intervals = level.map(|level| (level, columns));
    let job = job(py, read_schema(py, schema)?, (loss, method), lam, spend, intervals)?;
    let job = FitJob { base_rate, ..job };
    let evaluate = evaluate.map(|(share, by)| EvaluateSettings { share, by });
    check_cluster(Features::of_fit(&job), evaluate.as_ref()).map_err(|failure| failure.raise(py))
}

/// Refuses what a cluster cannot do.
pub fn check_cluster(
    features: Features,
    evaluate: Option<&EvaluateSettings>,
) -> Result<(), Refusal> {
    support::check(&features.held_out(evaluate).and(Feature::Cluster, ""))
}

/// A fit that holds rows out.
pub fn held_out(
    py: Python<'_>,
    job: FitJob,
    (share, by): EvaluateArgument,
) -> PyResult<HeldOutFit> {
    HeldOutFit::new(job, &EvaluateSettings { share, by }).map_err(|failure| failure.raise(py))
}

impl FitSource {
    /// Fits a job to these rows, of which there are so many; some are held out, if that is said.
    /// `before` is called before anything is charged, unless an earlier run will do.
    pub fn fit<J: Evaluable + Sync>(
        self,
        py: Python<'_>,
        job: J,
        evaluate: Option<&EvaluateSettings>,
        (count, before): (usize, impl FnOnce() -> PyResult<()>),
        paid: (&Payer, &Repeat, &Table),
        stop: &AtomicBool,
    ) -> PyResult<(J::Artefact, Vec<String>)>
    where
        J::Rows: Sized,
        J::Artefact: Send,
    {
        let Some(settings) = evaluate else {
            return spent(py, &job, (count, before), |payer| self.trained(&job, payer), paid, stop);
        };
        let job = HeldOut::new(job, settings).map_err(|failure| failure.raise(py))?;
        spent(py, &job, (count, before), |payer| self.held_out(&job, payer), paid, stop)
    }

    /// The rows, as a fit needs them.
    fn trained<J: Evaluable>(self, job: &J, payer: &Payer) -> Result<J::Rows, Refusal>
    where
        J::Rows: Sized,
    {
        match self {
            FitSource::Here(matrix, None) => job.stored((*matrix).into()),
            FitSource::Here(matrix, Some(persons)) => {
                job.stored(payer.group(*matrix, &persons)?.into())
            }
            FitSource::Remote(rows) => {
                Ok(job.remote(rows.get().tables(job.row_split(), || payer.person_key())?))
            }
        }
    }

    /// The same rows in two parts.
    fn held_out<J: Evaluable>(
        self,
        job: &HeldOut<J>,
        payer: &Payer,
    ) -> Result<HeldOutRows<J::Rows>, Refusal>
    where
        J::Rows: Sized,
    {
        match self {
            FitSource::Here(rows, None) => HeldOutRows::of(job, &rows),
            FitSource::Here(rows, Some(persons)) => {
                let (key, places) = payer.places(&persons)?;
                HeldOutRows::of_persons(job, &rows, (key, &places))
            }
            FitSource::Remote(rows) => {
                let tables = rows.get().tables(job.row_split(), || payer.person_key())?;
                Ok(HeldOutRows::remote(job, tables))
            }
        }
    }
}

/// Looks for an earlier run, and else plans, brings rows to where they are needed, charges and
/// computes.
fn spent<J: Job + Sync>(
    py: Python<'_>,
    job: &J,
    (count, before): (usize, impl FnOnce() -> PyResult<()>),
    rows: impl FnOnce(&Payer) -> Result<J::Rows, Refusal> + Send,
    (payer, repeat, table): (&Payer, &Repeat, &Table),
    stop: &AtomicBool,
) -> PyResult<(J::Artefact, Vec<String>)>
where
    J::Rows: Sized,
    J::Artefact: Send,
{
    if let EarlierRun::Released(model, note) = repeat.look(py, payer, job, table)? {
        return Ok((model, vec![note]));
    }
    before()?;
    let work = || {
        // What public numbers refuse is refused before rows are moved, and a failure to move them
        // is free.
        job.plan(count)?;
        payer.spend(job, &rows(payer)?, table, "fit from Python")
    };
    outcome(py, listening(py, stop, work))
}

/// What a fit from Python is to do.
pub fn job(
    py: Python<'_>,
    schema: Schema,
    (loss, method): (&str, &str),
    lam: Option<LambdaArgument>,
    spend: Numbers,
    intervals: Option<(f64, Option<Vec<String>>)>,
) -> PyResult<FitJob> {
    if let Some((_, Some(columns))) = &intervals {
        let checked = schema.check_interval_columns(columns);
        checked.map_err(|problem| input(py, format!("intervals: {problem}")))?;
    }
    let lambda = match lam {
        None => Lambda::Auto,
        Some(LambdaArgument::Fixed(lambda)) => Lambda::Fixed(lambda),
        Some(LambdaArgument::Grid(lambdas)) => Lambda::Grid(lambdas),
    };
    Ok(FitJob {
        unit: schema.unit(),
        schema,
        spend: budget(spend).map_err(|failure| failure.raise(py))?,
        model: ModelSettings {
            loss: named::<LossKind>(py, "loss", loss)?,
            lambda,
            method: named(py, "method", method)?,
        },
        base_rate: false,
        tune: TuneSettings::default(),
        intervals: intervals.map(|(level, columns)| IntervalSettings {
            level,
            columns,
            reference: None,
            ..IntervalSettings::default()
        }),
        lambda_at: "fit".to_owned(),
        stop: None,
    })
}

/// One of the names that study files know.
pub fn named<T: serde::de::DeserializeOwned>(
    py: Python<'_>,
    what: &str,
    name: &str,
) -> PyResult<T> {
    serde_json::from_value(name.into())
        .map_err(|error| input(py, format!("there is no {what} {name:?}: {error}")))
}
