//! Tables from whatever speaks the Arrow PyCapsule interface: pandas, polars, pyarrow.

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::input;

/// The columns of a frame, where they are: nothing is copied.
pub fn reader(frame: &Bound<'_, PyAny>) -> PyResult<RecordBatchStreamReader> {
    let capsule = frame.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
    let stream = take(&capsule)?;
    RecordBatchStreamReader::try_new(stream)
        .map_err(|error| input(frame.py(), format!("this frame cannot be read as Arrow columns ({error})")))
}

/// Moves the stream out of its capsule, which keeps an empty one.
#[allow(unsafe_code)] // A C structure behind a pointer is the whole of this interface; nothing else here needs it.
fn take(capsule: &Bound<'_, PyCapsule>) -> PyResult<FFI_ArrowArrayStream> {
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: by the PyCapsule interface a capsule of this name points to a valid ArrowArrayStream that its consumer may
    // move out. `from_raw` leaves an empty stream behind, so the capsule's destructor finds nothing to release.
    Ok(unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr().cast()) })
}
