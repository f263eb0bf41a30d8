//! How many threads a command works with.

use crate::exit::Failure;

/// As many as asked for; all cores if nothing was said.
pub fn use_threads(threads: Option<u16>) -> Result<(), Failure> {
    let Some(threads) = threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new()
        .num_threads(usize::from(threads))
        .build_global()
        .map_err(|error| Failure::Refused(format!("--threads {threads}: {error}; ask for fewer")))
}
