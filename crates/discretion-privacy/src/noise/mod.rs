//! Randomness, exact samplers, sensitive values, and the gate through which they leave.
//!
//! `PROOF.md` beside this file says what law each sampler has and how far a stored number may be
//! from it; `gate/PROOF.md` says why what leaves is private although a program computed it,
//! `integer/PROOF.md` what whole numbers need instead.

mod classes;
pub mod gate;
mod integer;
mod operating_system;
mod parts;
mod read_ahead;
mod real;
mod receipt;
mod runs;
mod seeded;
mod sensitive;
mod shaped;
mod source;
mod vector;

pub use crate::account::{Column, Columns, Law, ShapedLaw, TrainingLaw};
pub use classes::{ClassNoise, unit_variance};
pub use integer::{IntegerNoise, discrete_gaussian, discrete_laplace, geometric};
use operating_system::OperatingSystem;
pub use read_ahead::ReadAhead;
pub use real::Real;
pub use real::below;
pub use receipt::{Noise, Payment, Receipt, random_word};
pub use seeded::Seeded;
pub use sensitive::{NotPrivate, Released, Sensitive};
pub use source::{NoiseError, Provenance, Source};
pub use vector::{BigFloat, NoiseVector, exact, norm};

#[cfg(test)]
mod tests;
