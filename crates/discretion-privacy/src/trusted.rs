//! What only mechanisms and the ledger may do, because a `PROOF.md` beside them accounts for every
//! use: look into a sensitive value, vouch for a computed vector, call a value released, write a
//! receipt.
//!
//! Crates that are no mechanisms depend on `discretion`, which leaves this module out. A test of
//! the workspace reads every `Cargo.toml` and sees to it.

use crate::noise::gate::Certified;
use crate::noise::{BigFloat, Provenance, Receipt, Released, Sensitive};

/// Looks into a sensitive value.
pub trait Open {
    /// What is inside.
    type Inside;

    /// The value itself. What is computed from it is as sensitive as it was.
    fn into_inner(self) -> Self::Inside;
}

impl<T> Open for Sensitive<T> {
    type Inside = T;

    fn into_inner(self) -> T {
        Sensitive::into_inner(self)
    }
}

/// A computed vector that is within `tolerance` of an ideal mechanism's output, for every table.
pub fn certified(vector: Vec<BigFloat>, tolerance: f64) -> Certified {
    Certified { vector, tolerance }
}

/// The vector alone, for who releases something else of it.
pub fn uncertified(certified: Certified) -> Vec<BigFloat> {
    certified.vector
}

/// A value that a proof lets go, with noise from such a source.
pub fn released<T>(value: T, provenance: Provenance) -> Released<T> {
    Released::new(value, provenance)
}

/// The receipt for a charge that is on the disk: for a ledger alone.
pub fn receipt_for_charge(account: impl Into<String>, number: u64) -> Receipt {
    Receipt::for_charge(account.into(), number)
}
