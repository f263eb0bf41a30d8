//! How many threads a command works with.

use crate::exit::Failure;

/// As many as asked for; all cores if nothing was said.
pub 
