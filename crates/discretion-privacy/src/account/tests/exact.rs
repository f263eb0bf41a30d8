//! Prices against privacy profiles computed by enumeration.

use super::*;
use crate::account::optimal::RandomisedResponses;
use crate::analytic_gaussian_delta;

/// δ(ε) of randomised responses by enumerating every outcome of every one of them.
fn brute_force_delta(epsilons: &[f64], epsilon: f64) -> f64 {
    brute_force_outcomes(epsilons)
        .into_iter()
        .map(|(loss, p)| p * (1.0 - (epsilon - loss).exp()).max(0.0))
        .sum()
}

fn brute_force_outcomes(epsilons: &[f64]) -> Vec<(f64, f64)> {
    (0u32..1 << epsilons.len())
        .map(|lies| {
            epsilons.iter().enumerate().fold((0.0, 1.0), |(loss, p), (i, &e)| {
                let truth = 1.0 / (1.0 + (-e).exp());
                if lies >> i & 1 == 0 {
                    (loss + e, p * truth)
                } else {
                    (loss - e, p * (1.0 - truth))
                }
            })
        })
        .collect()
}

#[test]
fn equal_mechanisms_agree_with_the_published_formula() {
    // Kairouz, Oh & Viswanath, Theorem 3.3, in logarithms.
    let formula = |k: u64, epsilon: f64, i: u64| -> f64 {
        let mut choose = 1.0_f64;
        let mut delta = 0.0;
        for l in 0..i {
            let (k, l, i) = (k as f64, l as f64, i as f64);
            let all = k * epsilon.exp().ln_1p();
            let gap = -((2.0 * l - 2.0 * i) * epsilon).exp_m1();
            delta += (choose.ln() + (k - l) * epsilon - all).exp() * gap;
            choose *= (k - l) / (l + 1.0);
        }
        delta
    };
    for (k, epsilon) in [(2, 0.5), (10, 0.1), (50, 0.1), (100, 0.02), (30, 1.0)] {
        let responses = RandomisedResponses::new(&[(epsilon, k)]).unwrap();
        for i in 1..=(k / 2).min(20) {
            let expected = (k - 2 * i) as f64 * epsilon;
            let delta = formula(k, epsilon, i);
            let found = responses.epsilon(delta).unwrap();
            assert!(
                (found - expected).abs() < 1e-6,
                "k {k} ε {epsilon} i {i}: {found} for {expected}"
            );
            assert!(found >= expected - 1e-12);
        }
    }
}

#[test]
fn optimal_composition_is_exact_by_enumeration() {
    let groups: [&[(f64, u64)]; 4] =
        [&[(0.3, 12)], &[(1.5, 5)], &[(0.1, 6), (0.5, 4)], &[(0.07, 3), (0.2, 3), (0.9, 4)]];
    for group in groups {
        let epsilons: Vec<f64> = group.iter().flat_map(|&(e, k)| vec![e; k as usize]).collect();
        let responses = RandomisedResponses::new(group).unwrap();
        for delta in [1e-12, 1e-9, 1e-6, 1e-4, 1e-2] {
            let epsilon = responses.epsilon(delta).unwrap();
            assert!(brute_force_delta(&epsilons, epsilon) <= delta, "{group:?} at {delta}");
            let less = epsilon - 1e-6 * epsilon.max(1.0);
            assert!(
                less < 0.0 || brute_force_delta(&epsilons, less) > delta,
                "{group:?} at {delta}"
            );
        }
    }
}

#[test]
fn many_mechanisms_stay_accurate() {
    // Against the normal limit: k mechanisms of ε act as one Gaussian of μ = ε√k for small ε.
    let responses = RandomisedResponses::new(&[(0.002, 100_000)]).unwrap();
    let found = responses.epsilon(1e-6).unwrap();
    let limit = gaussian::exact_epsilon(0.002 * 100_000f64.sqrt(), 1e-6);
    assert!((found / limit - 1.0).abs() < 1e-3, "{found} {limit}");
}

/// A Gaussian beside randomised responses: δ(ε) = Σ p·δ_μ(ε − loss), exactly.
#[test]
fn every_price_of_a_mixture_is_valid() {
    let delta = 1e-5;
    let cap = Budget::Approximate { epsilon: 1.0, delta };
    for mu in [0.05, 0.5, 2.0] {
        for epsilons in [vec![0.3; 8], vec![0.01, 0.2, 0.2, 1.0, 0.2], vec![]] {
            let mut events: Vec<Event> = epsilons.iter().map(|&epsilon| pure(epsilon)).collect();
            // Three Gaussians of together μ, and a failure probability that comes on top.
            let sigma = 3f64.sqrt() / mu;
            events.extend(vec![Event::Gaussian { sensitivity: 1.0, sigma }; 3]);
            events.push(Event::Approximate { epsilon: 0.0, delta: 2e-6, what: "test".into() });
            let prices = of(&events).prices(cap).unwrap();
            assert!(prices.len() >= 4);
            for price in prices {
                let exact: f64 = brute_force_outcomes(&epsilons)
                    .into_iter()
                    .map(|(loss, p)| p * analytic_gaussian_delta(mu, 1.0, price.amount - loss))
                    .sum();
                assert!(
                    exact <= (delta - 2e-6) * (1.0 + 1e-9),
                    "μ {mu}, {epsilons:?}: {price:?} {exact}"
                );
            }
        }
    }
}

/// (ε, δ) mechanisms at their worst: reveal everything with probability δ, else answer at random.
#[test]
fn approximate_mechanisms_are_priced_at_their_worst() {
    let (epsilon, each) = (0.4, 1e-7);
    let event = Event::Approximate { epsilon, delta: each, what: "test".into() };
    for count in [1u64, 5, 9] {
        for price in times(&event, count).prices(AT_A_MILLIONTH).unwrap() {
            let silent = (1.0 - each).powi(count as i32);
            let exact = 1.0 - silent
                + silent * brute_force_delta(&vec![epsilon; count as usize], price.amount);
            assert!(exact <= 1e-6 * (1.0 + 1e-9), "{count}: {price:?} {exact}");
        }
    }
}
