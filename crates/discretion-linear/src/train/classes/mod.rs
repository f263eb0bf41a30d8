//! Several classes: one softmax for all of them, not one model a class with a part of the budget
//! each. `PROOF.md` beside this file proves every constant of [`Softmax`](crate::outcome::Softmax).
//!
//! Plans, noise and the gate are those of one margin. Coefficients come class after class, and noise
//! is drawn where classes differ: along what all of them have in common nothing is learned.

mod tests;
