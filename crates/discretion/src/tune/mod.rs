//! Choosing among candidates (a parameter, a number of bins) with privacy.

pub mod split;
