//! Tables from whatever speaks the Arrow PyCapsule interface: pandas, polars, pyarrow.

use crate::errors::{Raise, input};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use discretion::Refusal;
use discretion_table::{Column, Kind};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::sync::OnceLock;

/// What missing numbers are. pandas does not tell a missing number from one that is not a number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// An error, unless the column declares what they count as.
    Refused,
    /// As on the command line: the middle of the range, or what the column declares.
    Counted,
}

impl Missing {
    /// `counted` or not.
    pub fn new(counted: bool) -> Missing {
        if counted { Missing::Counted } else { Missing::Refused }
    }
}

/// Calls `work` with the columns of a frame, where they are: nothing is copied. Other threads of Python go on meanwhile.
pub fn with_columns<T: Send>(
    frame: &Bound<'_, PyAny>,
    declared: &[Column],
    missing: Missing,
    work: impl FnOnce(Columns<'_>) -> Result<T, Refusal> + Send,
) -> PyResult<T> {
    let py = frame.py();
    let capsule = frame.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
    let reader = RecordBatchStreamReader::try_new(take(&capsule)?)
        .map_err(|error| input(py, format!("this frame cannot be read as Arrow columns ({error})")))?;
    let refuses = |column: &&Column| matches!(column.kind, Kind::Number { missing: None, .. });
    let whole = match missing {
        Missing::Refused => declared.iter().filter(refuses).map(|column| column.name.as_str()).collect(),
        Missing::Counted => Vec::new(),
    };
    let found = OnceLock::new();
    let columns = Columns { reader, whole, found: &found };
    py.detach(|| work(columns)).map_err(|failure| match found.get() {
        Some(column) => input(
            py,
            format!(
                "column `{column}` has missing values; fill them from public knowledge, or declare what they count as: \
                 {{\"min\": …, \"max\": …, \"missing\": …}}"
            ),
        ),
        None => failure.raise(py),
    })
}

/// The columns of a frame.
pub struct Columns<'f> {
    reader: RecordBatchStreamReader,
    /// Those in which nothing may be missing.
    whole: Vec<&'f str>,
    /// The first in which something is.
    found: &'f OnceLock<String>,
}

impl Iterator for Columns<'_> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.reader.next()?;
        let lacks = |batch: &RecordBatch, name: &&str| {
            batch.column_by_name(name).is_some_and(|column| column.logical_null_count() > 0)
        };
        let lacking = batch.as_ref().ok().and_then(|batch| self.whole.iter().find(|name| lacks(batch, name)));
        match lacking {
            None => Some(batch),
            Some(name) => {
                // What is wrong is told once, by whoever called; the error only ends the reading.
                let _ = self.found.set((*name).to_owned());
                Some(Err(ArrowError::InvalidArgumentError("missing values".to_owned())))
            }
        }
    }
}

impl RecordBatchReader for Columns<'_> {
    fn schema(&self) -> SchemaRef {
        self.reader.schema()
    }
}

/// Moves the stream out of its capsule, which keeps an empty one.
#[allow(unsafe_code)] // A C structure behind a pointer is the whole of this interface; nothing else here needs it.
fn take(capsule: &Bound<'_, PyCapsule>) -> PyResult<FFI_ArrowArrayStream> {
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: by the PyCapsule interface a capsule of this name points to a valid ArrowArrayStream that its consumer may
    // move out. `from_raw` leaves an empty stream behind, so the capsule's destructor finds nothing to release.
    Ok(unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr().cast()) })
}
