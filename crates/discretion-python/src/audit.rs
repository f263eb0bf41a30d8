//! Audits, as JSON and as text.

use crate::budget::{Numbers, budget};
use crate::errors::{Raise, input};
use crate::interrupt::listening;
use discretion::audit::shipped::Shipped;
use discretion::audit::{AuditError, Mechanism, Outputs, Settings, Side};
use discretion::noise::{Noise, Provenance, Source};
use discretion::{Refusal, RefusalKind};
use discretion_jobs::audit::{Audit, Shipment, Watch};
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Audits a mechanism of the library, or all of them.
#[pyfunction]
#[pyo3(signature = (*, mechanism, spend, rows, exact, trials, confidence, seed))]
#[allow(clippy::too_many_arguments)] // They are the keywords of one Python call.
pub fn audit_shipped(
    py: Python<'_>,
    mechanism: Option<&str>,
    spend: Option<Numbers>,
    rows: Option<usize>,
    exact: bool,
    trials: usize,
    confidence: f64,
    seed: Option<u64>,
) -> PyResult<(String, String, Vec<String>)> {
    let shipped = match mechanism {
        None => None,
        Some(name) => Some(Shipped::named(name).ok_or_else(|| {
            let names = Shipped::ALL.map(Shipped::name).join(", ");
            input(py, format!("there is no mechanism {name:?}; take one of {names}, or all"))
        })?),
    };
    let spend = spend.map(budget).transpose().map_err(|failure| failure.raise(py))?;
    let shipment = Shipment { rows, exact, ..Shipment::new(shipped, spend) };
    let settings = Settings { trials, confidence, seed };
    let stop = AtomicBool::new(false);
    let watch = Watch { progress: &|_, _| (), stop: &stop };
    let (audit, interrupted) = listening(py, &stop, || shipment.audit(settings, &watch));
    finish(py, audit, interrupted)
}

/// Audits what Python calls a mechanism: `runs(side, count, seed)` gives an iterator over arrays
/// with a row for each run.
#[pyfunction]
#[pyo3(signature = (runs, *, name, neighbours, spend, batch, trials, confidence, seed))]
#[allow(clippy::too_many_arguments)] // They are the keywords of one Python call.
pub fn audit_callable(
    py: Python<'_>,
    runs: Py<PyAny>,
    name: &str,
    neighbours: String,
    spend: Numbers,
    batch: usize,
    trials: usize,
    confidence: f64,
    seed: Option<u64>,
) -> PyResult<(String, String, Vec<String>)> {
    let spend = budget(spend).map_err(|failure| failure.raise(py))?;
    let settings = Settings { trials, confidence, seed };
    let stop = AtomicBool::new(false);
    let watch = Watch { progress: &|_, _| (), stop: &stop };
    let callable = Callable { runs, batch, stop: &stop, raised: Mutex::new(None) };
    // One thread: the interpreter's lock allows no more, and a mechanism that fits something itself
    // waits for all cores.
    let (audit, interrupted) = listening(py, &stop, || {
        Audit::one_by_one(&callable, name, neighbours, spend, settings, &watch)
    });
    let raised = callable.raised.into_inner().unwrap_or_else(PoisonError::into_inner);
    finish(py, audit, interrupted.or(raised))
}

/// JSON, text and a sentence for every refuted claim.
fn finish(
    py: Python<'_>,
    audit: Result<Audit, AuditError>,
    raised: Option<PyErr>,
) -> PyResult<(String, String, Vec<String>)> {
    if let Some(raised) = raised {
        return Err(raised);
    }
    match audit {
        Err(error) => Err(Refusal::from_error(RefusalKind::BadInput, error).raise(py)),
        Ok(audit) if audit.is_empty() => {
            Err(input(py, "exact: the law of this mechanism cannot be written down".to_owned()))
        }
        Ok(audit) => Ok((audit.json(), audit.text(), audit.refutations())),
    }
}

/// A mechanism in Python.
struct Callable<'s> {
    runs: Py<PyAny>,
    batch: usize,
    stop: &'s AtomicBool,
    /// What Python raised, to be raised again when the audit has ended.
    raised: Mutex<Option<PyErr>>,
}

impl Callable<'_> {
    /// Adds a row for each run. The outer error is what Python raised, the inner one an output that
    /// is none.
    fn collect(
        &self,
        py: Python<'_>,
        side: Side,
        count: usize,
        seed: Option<u64>,
        outputs: &mut Outputs,
    ) -> PyResult<Result<(), AuditError>> {
        for part in self.runs.call1(py, (side as u8, count, seed))?.bind(py).try_iter()? {
            if self.stop.load(Ordering::Relaxed) {
                return Ok(Err(AuditError::Run("the audit was stopped".to_owned())));
            }
            let part: PyReadonlyArray2<'_, f64> = part?.extract()?;
            for row in part.as_array().rows() {
                if let Err(error) = outputs.push(&row.to_vec()) {
                    return Ok(Err(error));
                }
            }
        }
        Ok(Ok(()))
    }
}

impl Mechanism for Callable<'_> {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let outputs = self.runs(side, 1, source)?;
        outputs.iter().next().map(<[f64]>::to_vec).ok_or(AuditError::Empty)
    }

    fn runs(&self, side: Side, count: usize, source: &mut Noise) -> Result<Outputs, AuditError> {
        let seed = match source.provenance() {
            Provenance::TestSeed => Some(source.word()?),
            _ => None,
        };
        let mut outputs = Outputs::default();
        match Python::attach(|py| self.collect(py, side, count, seed, &mut outputs)) {
            Ok(collected) => collected.map(|()| outputs),
            Err(error) => {
                let message = error.to_string();
                *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                Err(AuditError::Run(message))
            }
        }
    }

    fn batch(&self) -> usize {
        self.batch
    }
}
