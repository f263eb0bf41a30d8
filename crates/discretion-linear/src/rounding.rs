//! How far floating-point arithmetic can be off.

/// Half the gap between 1 and the next double.
pub(crate) const UNIT: f64 = f64::EPSILON / 2.0;

/// γ_k = ku/(1 − ku): the relative error of k roundings in a row (Higham 2002, section 3.1).
pub(crate) fn roundings(k: usize) -> f64 {
    let ku = k as f64 * UNIT;
    ku / (1.0 - ku)
}

/// The k for which a bound is γ_k, for tests that count roundings.
#[cfg(test)]
pub(crate) fn roundings_in(bound: f64) -> f64 {
    bound / (1.0 + bound) * (1u64 << 53) as f64
}
