//! The fit: plan, charge, compute, release, in this order, while Python may do other things.

use crate::errors::{Failure, input};
use crate::interrupt::{listening, outcome};
use crate::model::Model;
use crate::payer::{Numbers, Payer, budget};
use crate::table::Encoded;
use discretion::erm::LossKind;
use discretion::fit::FitError;
use discretion_publish::fit::{Job, Rows, left_out};
use discretion_publish::model::Model as Published;
use discretion_publish::request;
use discretion_table::{IntervalSettings, Lambda, ModelSettings, TuneSettings};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// λ as Python has it.
#[derive(FromPyObject)]
pub enum LambdaAsked {
    /// This one.
    Fixed(f64),
    /// One of these.
    Grid(Vec<f64>),
}

/// Fits a linear classifier to encoded rows, which it takes. Returns the model, and notes for the user.
#[pyfunction]
#[pyo3(signature = (encoded, *, payer, loss, lam, method, spend, level))]
#[allow(clippy::too_many_arguments)] // They are the keywords of one Python call.
pub fn fit(
    py: Python<'_>,
    mut encoded: PyRefMut<'_, Encoded>,
    payer: Payer,
    loss: &str,
    lam: Option<LambdaAsked>,
    method: &str,
    spend: Numbers,
    level: Option<f64>,
) -> PyResult<(Model, Vec<String>)> {
    let lambda = match lam {
        None => Lambda::Auto,
        Some(LambdaAsked::Fixed(lambda)) => Lambda::Fixed(lambda),
        Some(LambdaAsked::Grid(lambdas)) => Lambda::Grid(lambdas),
    };
    let job = Job {
        schema: encoded.schema.clone(),
        spend: budget(spend).map_err(|failure| failure.raise(py))?,
        model: ModelSettings {
            loss: named::<LossKind>(py, "loss", loss)?,
            lambda,
            method: named(py, "method", method)?,
        },
        tune: TuneSettings::default(),
        intervals: level.map(|level| IntervalSettings { level, ..IntervalSettings::default() }),
    };
    let rows = encoded.rows.take().ok_or_else(|| input(py, "these rows were fitted before".to_owned()))?;
    let digest = std::mem::take(&mut encoded.digest);
    let stop = AtomicBool::new(false);
    let work = || {
        let explain = |error: FitError| Failure::from(request::explain(&error, &"fit"));
        let request = job.request();
        let rows = Rows::new(rows, &request).map_err(explain)?;
        let plan = rows.plan(&request).map_err(explain)?;
        let mut paid = payer.pay(&plan.event(), Some(&digest), "fit from Python")?;
        let fitted = rows.run_until(&stop, &plan, &mut paid.source);
        if stop.load(Ordering::Relaxed) {
            return Err(Failure::Stopped(paid.stopped()));
        }
        let fitted = fitted.map_err(|error| paid.failed(explain(error)))?;
        let model = Published::released(&fitted, &job, &plan, paid.entry.clone())
            .map_err(|error| paid.failed(explain(error.into())))?;
        paid.notes.extend(left_out(&plan));
        Ok((Model(model), paid.notes))
    };
    outcome(py, listening(py, &stop, work))
}

/// One of the names that study files know.
pub fn named<T: serde::de::DeserializeOwned>(py: Python<'_>, what: &str, name: &str) -> PyResult<T> {
    serde_json::from_value(name.into())
        .map_err(|error| input(py, format!("there is no {what} {name:?}: {error}")))
}
