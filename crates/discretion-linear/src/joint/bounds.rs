//! How far an average of models can be from the model of all rows, for every table: what replaces
//! Theorems 4.2 to 4.4 of Pathak, Rane & Raj 2010, which do not hold (docs/errata.md).

use super::{Holders, Weighting};
use crate::loss::LossKind;

/// A bound on ‖θ̄ − θ*‖: (2/λ)Σ wⱼ(1 − nⱼ/n), which is (2/λ)(1 − Σ(nⱼ/n)²) for weights by size.
pub fn distance_of_average(holders: &Holders, weighting: Weighting, lambda: f64) -> f64 {
    let n = holders.rows() as f64;
    let terms = holders.facts().iter().enumerate().map(|(holder, facts)| {
        weighting.weight(holders, holder).to_f64().value() * (1.0 - facts.rows as f64 / n)
    });
    2.0 / lambda * terms.sum::<f64>()
}

/// A bound on J(θ̃) − J(θ*) for a θ̃ that is `noise` from an average that is `distance` from θ*:
/// ½(λ + t)(distance + noise)².
pub fn excess_risk(loss: LossKind, lambda: f64, distance: f64, noise: f64) -> f64 {
    0.5 * (lambda + loss.of_margin().bounds().curvature) * (distance + noise).powi(2)
}
