//! The exact laws of designs that answer every query, and how far apart two of them are.

use crate::design::{Design, Exponential, Maximum};
use discretion_privacy::normal_cdf;

/// The probability of each label, and of each label called sure where that is told: from the exact
/// law.
pub(super) fn law(design: &Design, counts: &[u32]) -> Vec<f64> {
    match design {
        Design::Exponential(Exponential { eta, .. }) => {
            let most = f64::from(*counts.iter().max().unwrap());
            let weights: Vec<f64> =
                counts.iter().map(|&c| (eta * (f64::from(c) - most)).exp()).collect();
            let total: f64 = weights.iter().sum();
            weights.iter().map(|weight| weight / total).collect()
        }
        Design::Maximum(Maximum { sigma, lead, .. }) => {
            // P(label ahead of all others by more than `by`), integrated over its own noise.
            let ahead = |label: usize, by: f64| -> f64 {
                let step = 0.005;
                let places = (-1800..=1800).map(|k| f64::from(k) * step);
                let density = |z: f64| (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
                let others = |z: f64| -> f64 {
                    (0..counts.len())
                        .filter(|&other| other != label)
                        .map(|other| {
                            normal_cdf(
                                z + (f64::from(counts[label]) - f64::from(counts[other]) - by)
                                    / sigma,
                            )
                        })
                        .product()
                };
                places.map(|z| density(z) * others(z) * step).sum()
            };
            let labels = 0..counts.len();
            match lead {
                None => labels.map(|label| ahead(label, 0.0)).collect(),
                Some(lead) => labels
                    .flat_map(|label| {
                        let sure = ahead(label, *lead as f64);
                        [sure, ahead(label, 0.0) - sure]
                    })
                    .collect(),
            }
        }
        _ => unreachable!("these have no label for every query"),
    }
}

/// D_α(p ‖ q), without outcomes so rare that the integration does not know them.
pub(super) fn renyi(p: &[f64], q: &[f64], alpha: f64) -> f64 {
    let known = p.iter().zip(q).filter(|(p, q)| p.min(**q) > 1e-9);
    known.map(|(p, q)| p.powf(alpha) * q.powf(1.0 - alpha)).sum::<f64>().ln() / (alpha - 1.0)
}

/// Σ (p − e^ε q)₊.
pub(super) fn hockey_stick(p: &[f64], q: &[f64], epsilon: f64) -> f64 {
    p.iter().zip(q).map(|(p, q)| (p - epsilon.exp() * q).max(0.0)).sum()
}

/// Every pair of ballots on `labels` labels between which one of `votes` moves.
pub(super) fn neighbours(votes: u32, labels: usize) -> Vec<[Vec<u32>; 2]> {
    let mut ballots = vec![vec![]];
    for _ in 1..labels {
        ballots = ballots
            .iter()
            .flat_map(|some: &Vec<u32>| {
                let left = votes - some.iter().sum::<u32>();
                (0..=left).map(|count| [some.clone(), vec![count]].concat()).collect::<Vec<_>>()
            })
            .collect();
    }
    let mut pairs = Vec::new();
    for mut ballot in ballots {
        ballot.push(votes - ballot.iter().sum::<u32>());
        for (from, to) in (0..labels).flat_map(|from| (0..labels).map(move |to| (from, to))) {
            if from != to && ballot[from] > 0 {
                let mut moved = ballot.clone();
                moved[from] -= 1;
                moved[to] += 1;
                pairs.push([ballot.clone(), moved]);
            }
        }
    }
    pairs
}
