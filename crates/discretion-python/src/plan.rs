//! Plans, as JSON and as text.

use crate::budget::{Numbers, budget};
use crate::errors::Raise;
use crate::fit::{EvaluateArgument, LambdaArgument, held_out, job, named};
use crate::number::{NumberSettings, number_job};
use crate::payer::Payer;
use crate::table::read_schema;
use discretion::Refusal;
use discretion_jobs::arguments::Arguments;
use discretion_jobs::evaluate::HeldOutNumber;
use discretion_jobs::fit::FitJob;
use discretion_jobs::number::NumberPlan;
use discretion_jobs::plan::{left, plan_holding_out, plan_of, training, vote};
use discretion_table::{EvaluateSettings, Study};
use pyo3::prelude::*;
use std::path::PathBuf;

/// What a budget buys of a linear model. λ is a number or, without one, what the rule says;
/// `lam_given` tells this from a λ that is left to the study.
#[pyfunction]
#[pyo3(signature = (*, study, rows, coefficients, lam, lam_given, spend, account, loss, method))]
#[allow(clippy::too_many_arguments)] // They are the keywords of one Python call.
pub fn plan(
    py: Python<'_>,
    study: Option<PathBuf>,
    rows: usize,
    coefficients: Option<usize>,
    lam: Option<f64>,
    lam_given: bool,
    spend: Option<Numbers>,
    account: Option<Payer>,
    loss: Option<&str>,
    method: Option<&str>,
) -> PyResult<(String, String)> {
    let loss = loss.map(|loss| named(py, "loss", loss)).transpose()?;
    let method = method.map(|method| named(py, "method", method)).transpose()?;
    let lambda = lam_given
        .then(|| lam.map_or(training::LambdaOverride::Auto, training::LambdaOverride::Number));
    let work = || -> Result<training::Report, Refusal> {
        let budget = match (&account, spend) {
            (Some(account), None) => Some(account.with_account(left)?),
            (_, spend) => spend.map(budget).transpose()?,
        };
        let study = study.map(|path| Study::read_to_spend(path, budget)).transpose()?;
        let (study, arguments) = (study.as_ref(), Arguments::Keywords);
        let request = training::TrainingPlanRequest {
            study,
            rows,
            coefficients,
            lambda,
            budget,
            loss,
            method,
            arguments,
        };
        let report = request.plan()?;
        match account {
            Some(account) => account.with_account(|account| report.charged_to(account)),
            None => Ok(report),
        }
    };
    let report = py.detach(work).map_err(|failure| failure.raise(py))?;
    Ok((report.json(), report.text()))
}

/// What a fit of rows with this schema would do, by the rules that `fit` goes by.
#[pyfunction]
#[pyo3(signature = (*, schema, rows, lam, method, loss, spend, level, account, columns=None, evaluate=None, base_rate=false))]
#[allow(clippy::too_many_arguments)] // They are the keywords of one Python call.
pub fn plan_fit(
    py: Python<'_>,
    schema: &str,
    rows: usize,
    lam: Option<LambdaArgument>,
    method: &str,
    loss: &str,
    spend: Numbers,
    level: Option<f64>,
    account: Option<Payer>,
    columns: Option<Vec<String>>,
    evaluate: Option<EvaluateArgument>,
    base_rate: bool,
) -> PyResult<(String, String)> {
    let intervals = level.map(|level| (level, columns));
    let job = job(py, read_schema(py, schema)?, (loss, method), lam, spend, intervals)?;
    let job = FitJob { base_rate, ..job };
    let holding_out = evaluate.map(|evaluate| held_out(py, job.clone(), evaluate)).transpose()?;
    let work = || -> Result<training::Report, Refusal> {
        let report = match &holding_out {
            Some(job) => plan_holding_out(job, rows)?,
            None => plan_of(&job, rows)?,
        };
        match account {
            Some(account) => account.with_account(|account| report.charged_to(account)),
            None => Ok(report),
        }
    };
    let report = py.detach(work).map_err(|failure| failure.raise(py))?;
    Ok((report.json(), report.text()))
}

/// What a fit of a number would release, by the rules that `fit_number` goes by.
#[pyfunction]
#[pyo3(signature = (*, schema, rows, huber, lam, spend, level, method="auto", evaluate=None))]
#[allow(clippy::too_many_arguments)] // They are the keywords of one Python call.
pub fn plan_number(
    py: Python<'_>,
    schema: &str,
    rows: usize,
    huber: bool,
    lam: Option<f64>,
    spend: Numbers,
    level: f64,
    method: &str,
    evaluate: Option<EvaluateArgument>,
) -> PyResult<(String, String)> {
    let settings = NumberSettings {
        is_huber: huber,
        lambda: lam,
        method: named(py, "method", method)?,
        level,
    };
    let work = |schema| {
        let job = number_job(schema, false, settings, spend, None)?;
        match evaluate {
            Some((share, by)) => NumberPlan::holding_out(
                &HeldOutNumber::new(job, &EvaluateSettings { share, by })?,
                rows,
            ),
            None => NumberPlan::of(&job, rows),
        }
    };
    let plan = work(read_schema(py, schema)?).map_err(|failure| failure.raise(py))?;
    Ok((plan.json(), plan.text()))
}

/// How many voting models a budget needs, or what a number of them can serve.
#[pyfunction]
#[pyo3(signature = (*, study, spend, queries, answer, confidence, unstable, miss, agreement, scores, rows, chunks))]
#[allow(clippy::too_many_arguments)] // They are the keywords of one Python call.
pub fn plan_vote(
    py: Python<'_>,
    study: Option<PathBuf>,
    spend: Option<Numbers>,
    queries: Option<u64>,
    answer: Option<&str>,
    confidence: Option<f64>,
    unstable: Option<u64>,
    miss: Option<f64>,
    agreement: Option<f64>,
    scores: bool,
    rows: Option<u64>,
    chunks: Option<u64>,
) -> PyResult<(String, String)> {
    let work = || -> Result<vote::Report, Refusal> {
        let budget = spend.map(budget).transpose()?;
        let study = study.map(|path| Study::read_to_spend(path, budget)).transpose()?;
        let request = vote::VotePlanRequest {
            study: study.as_ref(),
            budget,
            queries,
            answer,
            confidence,
            unstable,
            miss,
            agreement,
            scores,
            rows,
            chunks,
            arguments: Arguments::Keywords,
        };
        request.plan()
    };
    let report = py.detach(work).map_err(|failure| failure.raise(py))?;
    Ok((report.json(), report.text()))
}
