use super::*;
use crate::exact::{Exact, noisy_least, output_density};
use discretion_privacy::analytic_gaussian_delta;
use discretion_privacy::noise::{Law, Real, Receipt};

/// Against the closed forms, and red with half the noise.
#[test]
fn known_laws_cost_what_they_are_known_to() {
    let laplace = |scale| {
        let law = Law::Spherical { scale };
        Exact::line(output_density(0.0, law), output_density(1.0, law), 30.0)
    };
    let claim = Claim { epsilon: 1.0, delta: 0.0 };
    assert_eq!(laplace(1.0).finding(claim).verdict, Verdict::Consistent);
    assert!((laplace(1.0).epsilon(0.0) - 1.0).abs() < 1e-9);
    assert_eq!(laplace(0.5).finding(claim).verdict, Verdict::Violated);

    let law = Law::Gaussian { sigma: 2.0 };
    let gaussian = Exact::line(output_density(0.0, law), output_density(1.0, law), 30.0);
    for epsilon in [0.1, 0.5, 1.0] {
        let exact = analytic_gaussian_delta(1.0, 2.0, epsilon);
        assert!((gaussian.delta(epsilon) - exact).abs() < 1e-6, "{epsilon}: {exact}");
        assert!((gaussian.epsilon(exact) - epsilon).abs() < 1e-3);
    }
}

/// The plane: spherical noise in two dimensions costs the distance over its scale.
#[test]
fn a_plane_is_summed_too() {
    let spherical = |at: f64| -> exact::LnDensity<[f64; 2]> {
        Box::new(move |[x, y]: [f64; 2]| -(x - at).hypot(y) - (2.0 * std::f64::consts::PI).ln())
    };
    let law = Exact::plane(spherical(-0.5), spherical(0.5), 15.0);
    assert!((law.epsilon(0.0) - 1.0).abs() < 1e-9);
    assert!((law.delta(0.0) - law.delta(1e-9)).abs() < 1e-6 && law.delta(1.0) < 1e-12);
}

/// The formula against a hundred thousand draws of what it is about; each of the nine frequencies
/// is off by more than five deviations with probability 6e-7.
#[test]
fn the_chances_of_a_noisy_choice_are_right() {
    for penalties in [vec![0.0, 1.0], vec![0.3, 0.0, 2.0], vec![0.0, 0.1, 0.1, 4.0]] {
        let chances = noisy_least(&penalties);
        assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{chances:?}");
        let (draws, mut wins) = (100_000usize, vec![0usize; penalties.len()]);
        let mut receipt = Receipt::seeded(7);
        let source = receipt.noise();
        for _ in 0..draws {
            let noisy: Vec<f64> = penalties
                .iter()
                .map(|a| {
                    let cut = Real::exponential(source).unwrap().cut(40, source).unwrap();
                    a - cut.to_f64().value() / (1u64 << 40) as f64
                })
                .collect();
            let least = (0..noisy.len()).min_by(|&i, &j| noisy[i].total_cmp(&noisy[j])).unwrap();
            wins[least] += 1;
        }
        for (&won, &chance) in wins.iter().zip(&chances) {
            let spread = (draws as f64 * chance * (1.0 - chance)).sqrt();
            assert!(
                (won as f64 - draws as f64 * chance).abs() < 5.0 * spread,
                "{wins:?} {chances:?}"
            );
        }
    }
}
