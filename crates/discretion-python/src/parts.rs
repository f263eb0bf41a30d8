//! A part of a table, as a worker of a cluster holds it: made of its slices once, and asked again and again.

use crate::pieces::{DealArguments, Dealt, damaged, deal};
use discretion::erm::matrix::Matrix;
use discretion::erm::remote::{Ask, PersonsPart};
use discretion_jobs::fit::remote::Deal;
use discretion_jobs::fit::remote_persons::PersonsDeal;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use twox_hash::XxHash3_128;

/// The rows of a part. Every answer begins with a digest of them, by which rows that were read again are known to be the same.
#[pyclass(frozen)]
pub struct Part {
    of: Of,
    digest: [u8; 16],
}

#[allow(clippy::large_enum_variant)] // One for each part of a table, which is far larger.
enum Of {
    Rows(Deal, Matrix),
    Persons(PersonsDeal, PersonsPart),
}

#[pymethods]
impl Part {
    /// The part of this table whose slices these are, in order.
    #[new]
    fn new<'py>(
        py: Python<'py>,
        dealt: DealArguments,
        table: usize,
        slices: Vec<PyReadonlyArray1<'py, u8>>,
    ) -> PyResult<Part> {
        let deal = deal(py, &dealt)?;
        let slices: Vec<&[u8]> = slices.iter().map(PyReadonlyArray1::as_slice).collect::<Result<_, _>>()?;
        let made = py.detach(|| {
            let read = slices.iter().copied();
            let of = match deal {
                Dealt::Rows(deal) => {
                    let rows = deal.part(read).ok()?;
                    Of::Rows(deal, rows)
                }
                Dealt::Persons(layout, deal) => {
                    let part = deal.part(&layout, table, read).ok()?;
                    Of::Persons(deal, part)
                }
            };
            Some(Part { of, digest: digest(&slices) })
        });
        made.ok_or_else(|| damaged(py))
    }

    /// The digest, and the rows that the sample of this table has of this part.
    fn sample<'py>(&self, py: Python<'py>, table: usize, part: usize) -> PyResult<Bound<'py, PyBytes>> {
        let sample = py.detach(|| match &self.of {
            Of::Rows(deal, rows) => Some(deal.sample(table, part, rows).to_bytes().into_inner()),
            Of::Persons(deal, persons) => Some(deal.sample(table, part, persons).ok()?.to_bytes()),
        });
        Ok(self.told(py, &sample.ok_or_else(|| damaged(py))?))
    }

    /// The digest, and the answer to a question.
    fn answer<'py>(&self, py: Python<'py>, ask: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let answer = py.detach(|| {
            let ask = Ask::from_bytes(ask)?;
            let answer = match &self.of {
                Of::Rows(_, rows) => ask.answer(rows),
                Of::Persons(_, persons) => ask.answer(persons),
            };
            Some(answer?.into_inner())
        });
        Ok(self.told(py, &answer.ok_or_else(|| damaged(py))?))
    }
}

impl Part {
    fn told<'py>(&self, py: Python<'py>, more: &[u8]) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &[&self.digest[..], more].concat())
    }
}

fn digest(slices: &[&[u8]]) -> [u8; 16] {
    let mut digest = XxHash3_128::new();
    slices.iter().for_each(|slice| digest.write(slice));
    digest.finish_128().to_le_bytes()
}
