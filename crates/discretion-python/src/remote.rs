//! Rows that a cluster holds: Python knows how to reach its workers, Rust knows what to ask them.

use crate::digest::RowsDigest;
use crate::errors::Raise;
use crate::number_rows::nothing;
use crate::pieces::damaged;
use crate::table::{read_schema, stop_at_mistakes};
use discretion::density::{Points, Wanted};
use discretion::erm::OracleError;
use discretion::erm::remote::{Ask, Cluster, Workers};
use discretion::{Refusal, RefusalKind};
use discretion_formats::axis;
use discretion_jobs::density::{CountRows, CountedPoints};
use discretion_jobs::fit::RowSplit;
use discretion_jobs::fit::remote::Partition;
use discretion_jobs::fit::remote_persons::{PersonsDeal, persons_from_bytes};
use discretion_jobs::fit::remote_piece::RowKind;
use discretion_table::{Column, Counts, PersonKey, Schema};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use std::collections::HashSet;

/// Rows that others hold, on their way to a fit.
///
/// `workers` is a Python object with two methods. `arrange(split, parts, deal)` brings the
/// rows to their parts, of which each table has so many, and returns for each table what it has of
/// the sample, by part. `ask(table, question)` returns the answers of a table's parts, in order.
#[pyclass(frozen)]
pub struct RemoteRows {
    workers: Py<PyAny>,
    rows: usize,
    /// Who has rows, if they belong to persons.
    persons: Option<HashSet<u128>>,
    /// Of the rows, for the ledger.
    pub digest: Vec<u8>,
    /// What they were encoded by.
    pub schema: Schema,
}

#[pymethods]
impl RemoteRows {
    /// Rows that were encoded in pieces, whose sizes and heads come in the order of the rows.
    #[new]
    #[pyo3(signature = (schema, pieces, workers, accept_check=false))]
    fn new(
        py: Python<'_>,
        schema: &str,
        pieces: Vec<(usize, Vec<u8>)>,
        workers: Py<PyAny>,
        accept_check: bool,
    ) -> PyResult<RemoteRows> {
        let schema = read_schema(py, schema)?;
        let mut persons = schema.person().map(|_| HashSet::new());
        let several = schema.target().labels.several().is_some();
        let (mut whose, mut classes) = (RowsDigest::default(), RowsDigest::default());
        let (mut rows, mut digest, mut counts) =
            (0, RowsDigest::default(), nothing(&schema.on_grid()));
        for (more, head) in pieces {
            rows += more;
            let mut head = &head[..];
            if let Some(persons) = &mut persons {
                let (here, rest) = persons_from_bytes(head).ok_or_else(|| damaged(py))?;
                persons.extend(here);
                let (next, rest) = RowsDigest::from_bytes(rest).ok_or_else(|| damaged(py))?;
                whose.append(next);
                head = rest;
            }
            if several {
                let (next, rest) = RowsDigest::from_bytes(head).ok_or_else(|| damaged(py))?;
                classes.append(next);
                head = rest;
            }
            let (next, counted) = RowsDigest::from_bytes(head).ok_or_else(|| damaged(py))?;
            digest.append(next);
            counts.add_bytes(counted).ok_or_else(|| damaged(py))?;
        }
        stop_at_mistakes(&counts, accept_check).map_err(|refusal| refusal.raise(py))?;
        let mut digest = digest.to_bytes();
        if persons.is_some() {
            digest.extend(whose.to_bytes());
        }
        if several {
            digest.extend(classes.to_bytes());
        }
        Ok(RemoteRows { workers, rows, persons, digest, schema })
    }
}

impl RemoteRows {
    /// The public number of rows, or of persons.
    pub fn rows(&self) -> usize {
        self.persons.as_ref().map_or(self.rows, HashSet::len)
    }

    /// Has the rows brought to the tables of a split; those of persons in the order of this key.
    pub fn tables(
        &self,
        split: RowSplit,
        key: impl FnOnce() -> Result<PersonKey, Refusal>,
    ) -> Result<Vec<Cluster>, Refusal> {
        let kind = RowKind::of(&self.schema);
        match &self.persons {
            None => {
                let deal = Partition::new(kind, self.rows, split);
                let samples = self.arranged(split, deal.parts(), None)?;
                let table = |(at, samples): (usize, &Vec<Vec<u8>>)| {
                    deal.remote(at, self.cluster(at), samples)
                };
                samples.iter().enumerate().map(table).collect::<Result<_, _>>()
            }
            Some(persons) => {
                let persons = persons.iter().copied();
                let deal = PersonsDeal::new(&kind, persons, key()?.to_bytes(), split);
                let samples = self.arranged(split, deal.parts(), Some(deal.to_json()))?;
                let table = |(at, samples): (usize, &Vec<Vec<u8>>)| {
                    deal.remote(&kind, at, self.cluster(at), samples)
                };
                samples.iter().enumerate().map(table).collect::<Result<_, _>>()
            }
        }
        .map_err(|_| another_sample())
    }

    /// Has the rows brought to their parts; returns what each part has of its table's sample.
    fn arranged(
        &self,
        split: RowSplit,
        parts: Vec<usize>,
        deal: Option<String>,
    ) -> Result<Vec<Vec<Vec<u8>>>, Refusal> {
        let tables = parts.len();
        let split = serde_json::to_string(&split).expect("a split is plain data");
        let samples: Vec<Vec<Vec<u8>>> = Python::attach(|py| {
            let arranged = self.workers.call_method1(py, "arrange", (split, parts, deal));
            arranged.and_then(|samples| samples.extract(py)).map_err(|error| told(py, &error))
        })
        .map_err(Refusal::refused)?;
        if samples.len() == tables { Ok(samples) } else { Err(another_sample()) }
    }

    fn cluster(&self, table: usize) -> Box<PythonWorkers> {
        Python::attach(|py| Box::new(PythonWorkers { workers: self.workers.clone_ref(py), table }))
    }
}

fn another_sample() -> Refusal {
    Refusal::refused("the workers sent another sample than was asked for".to_owned())
}

/// A cluster of Python's, and which of its tables is asked.
struct PythonWorkers {
    workers: Py<PyAny>,
    table: usize,
}

impl Workers for PythonWorkers {
    fn ask(&self, ask: &Ask) -> Result<Vec<Vec<u8>>, OracleError> {
        Python::attach(|py| {
            let question = PyBytes::new(py, &ask.to_bytes());
            let answers = self.workers.call_method1(py, "ask", (self.table, question));
            answers
                .and_then(|answers| answers.extract(py))
                .map_err(|error| OracleError(told(py, &error)))
        })
    }
}

/// Columns that are described, of rows that others hold. `workers` has a method `tally(wanted)`,
/// which returns what each of them counted.
#[pyclass(frozen)]
pub struct RemoteColumns {
    workers: Py<PyAny>,
    /// The public number of rows.
    pub rows: usize,
    /// Of the rows in these columns, for the ledger.
    pub digest: Vec<u8>,
    /// The columns.
    pub columns: Vec<Column>,
}

#[pymethods]
impl RemoteColumns {
    /// Rows that were described in pieces, whose heads come in the order of the rows.
    #[new]
    #[pyo3(signature = (schema, names, rows, workers, heads=Vec::new(), accept_check=false))]
    fn new(
        py: Python<'_>,
        schema: &str,
        names: Option<Vec<String>>,
        rows: usize,
        workers: Py<PyAny>,
        heads: Vec<Vec<u8>>,
        accept_check: bool,
    ) -> PyResult<RemoteColumns> {
        let columns = crate::columns::chosen(py, schema, names)?;
        let (mut digest, mut counts) = (RowsDigest::default(), Counts::nothing_of(&columns));
        for head in heads {
            let (next, counted) = RowsDigest::from_bytes(&head).ok_or_else(|| damaged(py))?;
            digest.append(next);
            counts.add_bytes(counted).ok_or_else(|| damaged(py))?;
        }
        stop_at_mistakes(&counts, accept_check || rows == 0)
            .map_err(|refusal| refusal.raise(py))?;
        Ok(RemoteColumns { workers, rows, digest: digest.to_bytes(), columns })
    }

    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.columns.iter().map(|column| column.name.as_str()).collect()
    }
}

impl RemoteColumns {
    /// Has the rows counted.
    fn count(&self, wanted: &Wanted) -> Result<Points, Refusal> {
        let written = serde_json::to_string(wanted).expect("what is wanted is plain data");
        let counts: Vec<Vec<u8>> = Python::attach(|py| {
            let counts = self.workers.call_method1(py, "tally", (written,));
            counts.and_then(|counts| counts.extract(py)).map_err(|error| told(py, &error))
        })
        .map_err(Refusal::refused)?;
        let mut tally = wanted.nothing();
        for count in counts {
            tally.add_bytes(&count).ok_or_else(|| {
                Refusal::refused("the workers counted something else than was asked for".to_owned())
            })?;
        }
        let axes = self.columns.iter().map(axis).collect();
        Points::counted(axes, tally)
            .map_err(|error| Refusal::from_error(RefusalKind::BadInput, error))
    }
}

impl CountRows for RemoteColumns {
    fn rows(&self) -> usize {
        self.rows
    }

    fn counted(&self, wanted: &Wanted) -> Result<CountedPoints<'_>, Refusal> {
        Ok(CountedPoints::Remote(self.count(wanted)?))
    }
}

/// What an error of Python says, if it is of our family: others may quote what they were working
/// on.
fn told(py: Python<'_>, error: &PyErr) -> String {
    let family = py.import("discretion._errors").and_then(|module| module.getattr("Error"));
    match family.and_then(|family| Ok(family.cast_into::<PyType>()?)) {
        Ok(family) if error.is_instance(py, &family) => error.value(py).to_string(),
        _ => format!("{} while the workers were asked", error.get_type(py)),
    }
}
