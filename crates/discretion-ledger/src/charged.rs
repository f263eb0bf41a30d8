//! Whether this process has charged anything: what fails from then on has been paid for.

use crate::explain::Explain;
use std::sync::atomic::{AtomicBool, Ordering};

static CHARGED: AtomicBool = AtomicBool::new(false);

/// A charge is on the disk. One in memory is forgotten with the process and does not count.
pub(crate) fn remember(explain: &Explain) {
    if explain.is_on_disk() {
        CHARGED.store(true, Ordering::Relaxed);
    }
}

/// Whether this process has charged a ledger on the disk, whatever became of it afterwards.
pub fn has_charged() -> bool {
    CHARGED.load(Ordering::Relaxed)
}
