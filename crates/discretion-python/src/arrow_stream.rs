//! Tables from whatever speaks the Arrow PyCapsule interface: pandas, polars, pyarrow.

use crate::errors::{Raise, input};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use discretion::Refusal;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// Calls `work` with the columns of a frame, where they are: nothing is copied. Other threads of
/// Python go on meanwhile.
pub fn with_columns<T: Send>(
    frame: &Bound<'_, PyAny>,
    work: impl FnOnce(RecordBatchStreamReader) -> Result<T, Refusal> + Send,
) -> PyResult<T> {
    let py = frame.py();
    let capsule = frame.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
    let reader = RecordBatchStreamReader::try_new(take(&capsule)?).map_err(|error| {
        input(py, format!("this frame cannot be read as Arrow columns ({error})"))
    })?;
    py.detach(|| work(reader)).map_err(|failure| failure.raise(py))
}

/// Moves the stream out of its capsule, which keeps an empty one.
#[allow(unsafe_code)] // A C structure behind a pointer is the whole of this interface; nothing else here needs it.
fn take(capsule: &Bound<'_, PyCapsule>) -> PyResult<FFI_ArrowArrayStream> {
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: by the PyCapsule interface a capsule of this name points to a valid ArrowArrayStream
    // that its consumer may move out. `from_raw` leaves an empty stream behind, so the capsule's
    // destructor finds nothing to release.
    Ok(unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr().cast()) })
}
