//! The experiment on tuning.

use crate::{Failed, Options, Progress, Results};

/// Runs it.
pub fn run(options: &Options, progress: Progress<'_>) -> Result<Results, Failed> {
    let _ = (options, progress);
    Err(Failed("not written yet".to_owned()))
}
