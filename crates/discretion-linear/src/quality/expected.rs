//! How exact an evaluation will be: from public numbers, for a model of some AUC.

use super::auc::area;
use super::cells::{Cells, normal_quantile};
use discretion_privacy::normal_cdf;

/// Half the width of a 95 % interval for the AUC, from sampling alone and in all, if scores of the
/// classes are normal and bins have equally many rows. Nothing where noise would outweigh a class.
pub(super) fn half_width(
    rows: f64,
    bins: usize,
    deviation: f64,
    auc: f64,
    base_rate: f64,
) -> [Option<f64>; 2] {
    let apart = std::f64::consts::SQRT_2 * normal_quantile(auc);
    let share = |score: f64, class: f64| normal_cdf(score - class * apart);
    let pooled = |score: f64| base_rate * share(score, 1.0) + (1.0 - base_rate) * share(score, 0.0);
    let edge = |k: usize| {
        let (mut low, mut high) = (-40.0, 40.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if pooled(middle) < k as f64 / bins as f64 { low = middle } else { high = middle }
        }
        low
    };
    let edges: Vec<f64> = (0..=bins).map(edge).collect();
    let counts = |class: f64, rows: f64| -> Vec<f64> {
        edges
            .windows(2)
            .map(|pair| rows * (share(pair[1], class) - share(pair[0], class)))
            .collect()
    };
    [0.0, deviation].map(|deviation| {
        let cells = Cells {
            positive: counts(1.0, rows * base_rate),
            negative: counts(0.0, rows * (1.0 - base_rate)),
            variance: deviation * deviation,
            excess: 0.0,
            rows: Some(rows),
            level: 0.95,
        };
        area(&cells).map(|area| 0.5 * (area.estimate.upper - area.estimate.lower))
    })
}
