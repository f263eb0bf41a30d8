//! Randomness, exact samplers, sensitive values, and the gate through which they leave.
//!
//! `PROOF.md` beside this file says what law each sampler has and how far a stored number may be from it;
//! `gate/PROOF.md` says why what leaves is private although a program computed it, `whole/PROOF.md` what whole numbers
//! need instead.

mod any_source;
pub mod gate;
mod operating_system;
mod parts;
mod read_ahead;
mod real;
mod runs;
mod seeded;
mod sensitive;
mod source;
mod vector;
mod whole;

pub use any_source::AnySource;
pub use operating_system::OperatingSystem;
pub use read_ahead::ReadAhead;
pub use real::Real;
pub use real::below;
pub use seeded::Seeded;
pub use sensitive::{NotPrivate, Released, Sensitive};
pub use source::{NoiseError, Provenance, Source};
pub use vector::{BigFloat, Law, NoiseVector, exact, norm};
pub use whole::{Whole, discrete_gaussian, discrete_laplace, geometric};

#[cfg(test)]
mod tests;
