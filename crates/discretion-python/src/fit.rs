//! The fit: plan, charge, compute, release, in this order, while Python may do other things.

use crate::errors::{Failure, input};
use crate::model::Model;
use crate::table::Encoded;
use discretion::erm::LossKind;
use discretion::erm::matrix::Matrix;
use discretion::fit::FitError;
use discretion::noise::{OperatingSystem, Seeded};
use discretion::privacy::Budget;
use discretion_ledger::Ledger;
use discretion_publish::fit::{Job, Rows};
use discretion_publish::model::{LedgerEntry, Model as Published};
use discretion_publish::request;
use discretion_table::{IntervalSettings, Lambda, ModelSettings, TuneSettings};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

/// How often Python is asked whether somebody pressed Ctrl-C.
const LISTEN: Duration = Duration::from_millis(100);

/// ε, δ and ρ, as far as they are given.
type Numbers = (Option<f64>, Option<f64>, Option<f64>);

/// λ as Python has it.
#[derive(FromPyObject)]
pub enum LambdaAsked {
    /// This one.
    Fixed(f64),
    /// One of these.
    Grid(Vec<f64>),
}

/// Who pays.
enum Payer {
    /// Nobody: the noise is known to whoever knows the seed.
    Seed(u64),
    /// An account in a ledger, with its lifetime cap.
    Account { ledger: Option<PathBuf>, name: String, cap: Budget },
    /// Nobody remembers it; the caller has been told.
    Unremembered,
}

/// Fits a linear classifier to encoded rows, which it takes.
#[pyfunction]
#[pyo3(signature = (encoded, *, loss, lam, spend, level=None, seed=None, account=None, ledger=None, cap=None))]
#[allow(clippy::too_many_arguments)] // They are the keywords of one Python call.
pub fn fit(
    py: Python<'_>,
    mut encoded: PyRefMut<'_, Encoded>,
    loss: &str,
    lam: Option<LambdaAsked>,
    spend: Numbers,
    level: Option<f64>,
    seed: Option<u64>,
    account: Option<String>,
    ledger: Option<PathBuf>,
    cap: Option<Numbers>,
) -> PyResult<Model> {
    let budget = |(epsilon, delta, rho): Numbers| {
        Budget::new(epsilon, delta, rho).map_err(|error| input(py, error.to_string()))
    };
    let loss = match loss {
        "logistic" => LossKind::Logistic,
        "hinge" => LossKind::Hinge,
        other => {
            return Err(input(py, format!("there is no loss {other:?}; take \"logistic\" or \"hinge\"")));
        }
    };
    let lambda = match lam {
        None => Lambda::Auto,
        Some(LambdaAsked::Fixed(lambda)) => Lambda::Fixed(lambda),
        Some(LambdaAsked::Grid(lambdas)) => Lambda::Grid(lambdas),
    };
    let spend = budget(spend)?;
    let job = Job {
        schema: encoded.schema.clone(),
        spend,
        model: ModelSettings { loss, lambda, ..ModelSettings::default() },
        tune: TuneSettings::default(),
        intervals: level.map(|level| IntervalSettings { level, ..IntervalSettings::default() }),
    };
    let payer = match (seed, account) {
        (Some(seed), _) => Payer::Seed(seed),
        (None, Some(name)) => Payer::Account { ledger, name, cap: cap.map_or(Ok(spend), budget)? },
        (None, None) => Payer::Unremembered,
    };
    let rows = encoded.rows.take().ok_or_else(|| input(py, "these rows were fitted before".to_owned()))?;
    let stop = AtomicBool::new(false);
    let (fitted, interrupted) = py.detach(|| listening(&stop, || run(&job, rows, payer, &stop)));
    match interrupted {
        Some(interrupt) => Err(interrupt),
        None => fitted.map(Model).map_err(|failure| failure.raise(py)),
    }
}

/// Does `work` on a thread of its own while this one listens for Ctrl-C, which sets `stop`.
fn listening<T: Send>(stop: &AtomicBool, work: impl FnOnce() -> T + Send) -> (T, Option<PyErr>) {
    thread::scope(|scope| {
        let (done, is_done) = sync_channel::<()>(1);
        let worker = scope.spawn(move || {
            // Dropped at the end, or by a panic: either way the listener wakes.
            let _done = done;
            work()
        });
        let mut interrupted = None;
        while let Err(RecvTimeoutError::Timeout) = is_done.recv_timeout(LISTEN) {
            if interrupted.is_none() {
                interrupted = Python::attach(|py| py.check_signals()).err();
                stop.store(interrupted.is_some(), Ordering::Relaxed);
            }
        }
        match worker.join() {
            Ok(result) => (result, interrupted),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

fn run(job: &Job, rows: Matrix, payer: Payer, stop: &AtomicBool) -> Result<Published, Failure> {
    let explain = |error: FitError| Failure::from(request::explain(&error, &"fit"));
    let request = job.request();
    let rows = Rows::new(rows, &request).map_err(explain)?;
    let plan = rows.plan(&request).map_err(explain)?;
    let (fitted, entry) = match payer {
        Payer::Seed(seed) => (rows.run_until(stop, &plan, &mut Seeded::new(seed)), None),
        Payer::Unremembered => (rows.run_until(stop, &plan, &mut OperatingSystem), None),
        Payer::Account { ledger, name, cap } => {
            let ledger = Ledger::open_default(ledger.as_deref())?;
            let account = ledger.account(&name, cap)?;
            let charge = account.charge(&plan.event(), None, "fit from Python")?;
            (rows.run_until(stop, &plan, &mut OperatingSystem), Some(LedgerEntry::of(&account, &charge)))
        }
    };
    let fitted = fitted.map_err(explain)?;
    Published::released(&fitted, job, &plan, entry).map_err(|error| explain(error.into()))
}
