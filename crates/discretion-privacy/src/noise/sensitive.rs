//! Values that depend on rows, and the two ways out: the gate, or a name that says NOT PRIVATE.

use super::Provenance;
use serde::Serialize;
use std::ops::Deref;

/// A value that depends on rows. It cannot be printed, compared, serialised or taken apart:
///
/// ```compile_fail
/// # use discretion_privacy::noise::Sensitive;
/// let average_income = Sensitive::new(31_415.9);
/// println!("{average_income:?}"); // no Debug
/// ```
///
/// ```compile_fail
/// # use discretion_privacy::noise::Sensitive;
/// let (ours, theirs) = (Sensitive::new(1.0), Sensitive::new(2.0));
/// assert!(ours != theirs); // no PartialEq: a comparison is an answer too
/// ```
///
/// ```compile_fail
/// # use discretion_privacy::noise::Sensitive;
/// fn publish(value: impl serde::Serialize) {}
/// publish(Sensitive::new(31_415.9)); // no Serialize
/// ```
///
/// ```compile_fail
/// # use discretion_privacy::noise::Sensitive;
/// let inside: f64 = Sensitive::new(31_415.9).0; // the field is private
/// ```
///
/// Nothing outside this crate's gate can turn it into a [`Released`] value:
///
/// ```compile_fail
/// # use discretion_privacy::noise::{Released, Sensitive};
/// fn publish(value: Released<f64>) {}
/// publish(Sensitive::new(31_415.9)); // the gate was forgotten
/// ```
///
/// The same lines compile once the value has taken a named way out:
///
/// ```
/// # use discretion_privacy::noise::Sensitive;
/// fn publish(value: impl std::fmt::Debug) {}
/// let average_income = Sensitive::new(31_415.9);
/// publish(average_income.not_private().into_inner());
/// ```
#[must_use]
pub struct Sensitive<T>(T);

impl<T> Sensitive<T> {
    /// Marks a value as depending on rows.
    pub fn new(value: T) -> Sensitive<T> {
        Sensitive(value)
    }

    /// Hands the value to its custodian, as something that must not be published.
    pub fn not_private(self) -> NotPrivate<T> {
        NotPrivate(self.0)
    }

    /// For the mechanisms of this crate alone, whose proofs account for every use.
    pub(crate) fn into_inner(self) -> T {
        self.0
    }
}

/// A value for the custodian's eyes. Whoever writes it to a file says NOT PRIVATE in the first
/// line.
#[must_use]
pub struct NotPrivate<T>(T);

impl<T> NotPrivate<T> {
    /// The value itself.
    pub fn into_inner(self) -> T {
        self.0
    }

    /// A function of it, which is no more private than it was.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> NotPrivate<U> {
        NotPrivate(f(self.0))
    }
}

/// A value that left through the gate. Only the gate makes one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Released<T> {
    value: T,
    provenance: Provenance,
}

impl<T> Released<T> {
    /// Only for mechanisms whose `PROOF.md` covers `value`.
    pub(crate) fn new(value: T, provenance: Provenance) -> Released<T> {
        Released { value, provenance }
    }

    /// Where the noise came from. Anything but the operating system means **not private**.
    pub fn provenance(&self) -> Provenance {
        self.provenance
    }

    /// Post-processing: any function of a released value is released.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Released<U> {
        Released { value: f(self.value), provenance: self.provenance }
    }
}

impl<T> Deref for Released<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}
