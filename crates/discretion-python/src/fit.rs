//! The fit: plan, charge, compute, release, in this order, while Python may do other things.

use crate::elsewhere::Elsewhere;
use crate::errors::{Raise, input};
use crate::interrupt::{listening, outcome};
use crate::model::Model;
use crate::payer::{Numbers, Payer, budget};
use crate::table::Encoded;
use discretion::Refusal;
use discretion::erm::matrix::Matrix;
use discretion::fit::{FitError, TableFacts};
use discretion::loss::LossKind;
use discretion_formats::Model as Published;
use discretion_jobs::fit::{Job, Rows, check_rows, left_out};
use discretion_jobs::request;
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

/// Encoded rows, as Python has them.
#[derive(FromPyObject)]
pub enum Given<'py> {
    /// In this process.
    Here(PyRefMut<'py, Encoded>),
    /// With the workers of a cluster.
    Elsewhere(Py<Elsewhere>),
}

/// The same, on their way.
enum Taken {
    Here(Matrix),
    Elsewhere(Py<Elsewhere>),
}

/// Fits a linear classifier to encoded rows, which it takes. Returns the model, and notes for the user.
#[pyfunction]
#[pyo3(signature = (encoded, *, payer, loss, lam, method, spend, level))]
#[allow(clippy::too_many_arguments)] // They are the keywords of one Python call.
pub fn fit(
    py: Python<'_>,
    encoded: Given<'_>,
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
    let (schema, digest, rows) = match encoded {
        Given::Here(mut encoded) => {
            let rows = encoded.rows.take();
            let rows = rows.ok_or_else(|| input(py, "these rows were fitted before".to_owned()))?;
            (encoded.schema.clone(), std::mem::take(&mut encoded.digest), Taken::Here(rows))
        }
        Given::Elsewhere(rows) => {
            (rows.get().schema.clone(), rows.get().digest.clone(), Taken::Elsewhere(rows))
        }
    };
    let job = Job {
        schema,
        spend: budget(spend).map_err(|failure| failure.raise(py))?,
        model: ModelSettings {
            loss: named::<LossKind>(py, "loss", loss)?,
            lambda,
            method: named(py, "method", method)?,
        },
        tune: TuneSettings::default(),
        intervals: level.map(|level| IntervalSettings { level, ..IntervalSettings::default() }),
    };
    let stop = AtomicBool::new(false);
    let work = || {
        let explain = |error: FitError| Refusal::from(request::explain(&error, &"fit"));
        let request = job.request();
        let (rows, plan) = match rows {
            Taken::Here(matrix) => {
                let rows = Rows::new(matrix, &request).map_err(explain)?;
                let plan = rows.plan(&request).map_err(explain)?;
                (rows, plan)
            }
            Taken::Elsewhere(rows) => {
                // What public numbers refuse is refused before rows are moved, and a failure to move them is free.
                let (rows, layout) = (rows.get(), job.schema.encoder().layout());
                check_rows(rows.rows(), &request).map_err(explain)?;
                let (dimension, terms) = (layout.dimension(), layout.row_terms());
                let facts = TableFacts::of_matrix(rows.rows(), dimension, terms, request.validation());
                let plan = request.plan(facts).map_err(explain)?;
                (Rows::elsewhere(rows.tables(&request)?, &request), plan)
            }
        };
        let mut paid = payer.pay(&plan.event(), Some(&digest), "fit from Python")?;
        let fitted = rows.run_until(&stop, &plan, &mut paid.source);
        if stop.load(Ordering::Relaxed) {
            return Err(Refusal::new(RefusalKind::Stopped, paid.stopped()));
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
