//! A part of a table, as a worker of a cluster holds it: made of its slices once, and asked again
//! and again.

use crate::pieces::{DealArguments, Dealt, damaged, deal};
use discretion::erm::remote::Ask;
use discretion_jobs::fit::remote_piece::HeldPart;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use twox_hash::XxHash3_128;

/// The rows of a part. Every answer begins with a digest of them, by which rows that were read
/// again are known to be the same.
#[pyclass(frozen)]
pub struct Part {
    deal: Dealt,
    held: HeldPart,
    digest: [u8; 16],
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
        let slices: Vec<&[u8]> =
            slices.iter().map(PyReadonlyArray1::as_slice).collect::<Result<_, _>>()?;
        let held = py.detach(|| Some((deal.part(table, &slices)?, digest(&slices))));
        let (held, digest) = held.ok_or_else(|| damaged(py))?;
        Ok(Part { deal, held, digest })
    }

    /// The digest, and the rows that the sample of the table has of this part.
    fn sample<'py>(&self, py: Python<'py>, part: usize) -> PyResult<Bound<'py, PyBytes>> {
        let sample = py.detach(|| self.deal.sample(part, &self.held));
        Ok(self.told(py, &sample.ok_or_else(|| damaged(py))?))
    }

    /// The digest, and the answer to a question.
    fn answer<'py>(&self, py: Python<'py>, ask: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let answer = py.detach(|| Some(self.held.answer(&Ask::from_bytes(ask)?)?.into_inner()));
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
