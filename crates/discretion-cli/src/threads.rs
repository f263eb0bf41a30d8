//! How many threads a command works with.

use discretion::Refusal;

/// As many as asked for; all cores if nothing was said.
pub fn use_threads(threads: Option<u16>) -> Result<(), Refusal> {
    let Some(threads) = threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new()
        .num_threads(usize::from(threads))
        .build_global()
        .map_err(|error| Refusal::refused(format!("--threads {threads}: {error}; ask for fewer")))
}
