//! Files that appear whole or not at all, and never on top of another by accident.

use discretion::Refusal;
pub use discretion_disk::existing::{Existing, keep_input};
pub use discretion_disk::files::{Draft, Readers, parent};
pub use discretion_disk::folder::OutputFolder;
pub use discretion_jobs::fit::page_of;
use std::path::Path;

/// A whole file at once.
pub fn write(path: &Path, readers: Readers, text: &str) -> Result<(), Refusal> {
    discretion_disk::files::write(path, readers, text)
}
