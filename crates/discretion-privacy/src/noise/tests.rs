//! Distribution tests. Each has a false-alarm rate of at most 1e-6: by the
//! Dvoretzky–Kiefer–Wolfowitz inequality with Massart's constant, P(sup |Fₙ − F| > ε) ≤ 2
//! exp(−2nε²), for discrete laws too.

use super::gate::{Certified, Gate, Mask};
use super::vector::exact;
use super::*;
use crate::{Pure, Zcdp, normal_cdf};
use dashu_ratio::RBig;

const FALSE_ALARM: f64 = 1e-6;

/// Panics if the sample is not from the law with this distribution function (P(X ≤ x), and P(X <
/// x)).
fn assert_law(
    mut sample: Vec<f64>,
    cdf: impl Fn(f64) -> f64,
    cdf_below: impl Fn(f64) -> f64,
    what: &str,
) {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let limit = ((2.0 / FALSE_ALARM).ln() / (2.0 * n)).sqrt();
    let mut worst: f64 = 0.0;
    for (i, &x) in sample.iter().enumerate() {
        let last_equal = sample.get(i + 1) != Some(&x);
        let first_equal = i == 0 || sample[i - 1] != x;
        if last_equal {
            worst = worst.max(((i as f64 + 1.0) / n - cdf(x)).abs());
        }
        if first_equal {
            worst = worst.max((i as f64 / n - cdf_below(x)).abs());
        }
    }
    assert!(worst <= limit, "{what}: distance {worst} from the law, limit {limit}");
}

fn assert_continuous(sample: Vec<f64>, cdf: impl Fn(f64) -> f64, what: &str) {
    assert_law(sample, &cdf, &cdf, what);
}

fn laplace_cdf(z: f64, scale: f64) -> f64 {
    let q = (-1.0 / scale).exp();
    if z < 0.0 { q.powf(-z) / (1.0 + q) } else { 1.0 - q.powf(z + 1.0) / (1.0 + q) }
}

fn discrete_gaussian_cdf(z: f64, scale: f64) -> f64 {
    let weight = |k: i64| (-0.5 * (k as f64 / scale).powi(2)).exp();
    let reach = (scale * 12.0) as i64 + 2;
    let total: f64 = (-reach..=reach).map(weight).sum();
    (-reach..=(z as i64)).map(weight).sum::<f64>() / total
}

/// P(Gamma(d, 1) ≤ x) for whole d.
fn gamma_cdf(x: f64, d: usize) -> f64 {
    let mut term = 1.0;
    let mut sum = 1.0;
    for k in 1..d {
        term *= x / k as f64;
        sum += term;
    }
    1.0 - (-x).exp() * sum
}

/// Runs the same checks on both sources.
macro_rules! on_both_sources {
    ($name:ident, $source:ident, $body:block) => {
        mod $name {
            use super::*;

            #[test]
            fn from_the_operating_system() {
                #[allow(unused_mut)]
                let mut $source = OperatingSystem;
                $body
            }

            #[test]
            fn from_a_seed() {
                let mut $source = Seeded::new(7);
                $body
            }
        }
    };
}

on_both_sources!(discrete_laplace_has_its_law, source, {
    for scale in ["1/3", "1", "7/2", "1000"] {
        let rational: RBig = scale.parse().unwrap();
        let sample = (0..20_000)
            .map(|_| discrete_laplace(&rational, &mut source).unwrap().to_f64().value())
            .collect();
        let s = rational.to_f64().value();
        assert_law(
            sample,
            |z| laplace_cdf(z, s),
            |z| laplace_cdf(z - 1.0, s),
            &format!("scale {scale}"),
        );
    }
});

on_both_sources!(exponential_has_its_law, source, {
    let mut one = || {
        let cut = Real::exponential(&mut source).unwrap().cut(64, &mut source).unwrap();
        cut.to_f64().value() * (-64f64).exp2()
    };
    assert_continuous((0..200_000).map(|_| one()).collect(), |x| 1.0 - (-x).exp(), "exponential");
});

on_both_sources!(spherical_vectors_have_their_law, source, {
    let law = Law::Spherical { scale: 2.5 };
    for d in [1, 2, 3, 20] {
        let mut norms = Vec::new();
        let mut firsts = Vec::new();
        for _ in 0..10_000 {
            let b = law.draw(d, 1e-9, &mut source).unwrap();
            let b: Vec<f64> = b.coordinates().iter().map(|x| x.to_f64().value()).collect();
            let norm = b.iter().map(|x| x * x).sum::<f64>().sqrt();
            norms.push(norm);
            firsts.push(b[0] / norm);
        }
        assert_continuous(norms, |x| gamma_cdf(x / 2.5, d), &format!("norm, d = {d}"));
        match d {
            // The first coordinate of a direction: a sign, an arc-sine law, Archimedes' uniform
            // law.
            1 => assert_law(
                firsts.iter().map(|x| x.round()).collect(),
                |x| if x < 1.0 { 0.5 } else { 1.0 },
                |x| if x < 1.0 { 0.0 } else { 0.5 },
                "sign",
            ),
            2 => assert_continuous(
                firsts,
                |x| 0.5 + x.clamp(-1.0, 1.0).asin() / std::f64::consts::PI,
                "angle",
            ),
            3 => assert_continuous(firsts, |x| 0.5 * (1.0 + x), "height"),
            _ => {}
        }
    }
});

on_both_sources!(gaussian_vectors_have_their_law, source, {
    let law = Law::Gaussian { sigma: 3.0 };
    let mut sample = Vec::new();
    for _ in 0..30_000 {
        let b = law.draw(5, 1e-9, &mut source).unwrap();
        sample.extend(b.coordinates().iter().map(|x| x.to_f64().value()));
    }
    assert_continuous(sample, |x| normal_cdf(x / 3.0), "normal coordinates");
});

#[test]
fn discrete_gaussian_has_its_law() {
    for scale in ["1/2", "1", "7/2", "100"] {
        let rational: RBig = scale.parse().unwrap();
        let mut source = OperatingSystem;
        let sample = (0..10_000)
            .map(|_| discrete_gaussian(&rational, &mut source).unwrap().to_f64().value())
            .collect();
        let s = rational.to_f64().value();
        let (at, below) = (|z| discrete_gaussian_cdf(z, s), |z| discrete_gaussian_cdf(z - 1.0, s));
        assert_law(sample, at, below, &format!("scale {scale}"));
    }
}

#[test]
#[should_panic(expected = "from the law")]
fn the_test_itself_catches_a_scale_that_is_off_by_a_tenth() {
    let scale: RBig = "100".parse().unwrap();
    let sample = (0..100_000)
        .map(|_| {
            discrete_laplace(&scale, Receipt::nobody_remembers().noise()).unwrap().to_f64().value()
        })
        .collect();
    assert_law(sample, |z| laplace_cdf(z, 110.0), |z| laplace_cdf(z - 1.0, 110.0), "wrong scale");
}

#[test]
fn asking_for_more_bits_refines_the_same_number() {
    for _ in 0..200 {
        let mut draw = Real::normal(Receipt::nobody_remembers().noise()).unwrap();
        let coarse = draw.cut(40, Receipt::nobody_remembers().noise()).unwrap();
        let fine = draw.cut(400, Receipt::nobody_remembers().noise()).unwrap();
        let again = draw.cut(40, Receipt::nobody_remembers().noise()).unwrap();
        assert_eq!(coarse, again);
        let cut_again = (BigFloat::from(fine) >> 360).trunc().to_int().value();
        assert_eq!(coarse, cut_again);
    }
}

#[test]
fn a_released_vector_is_a_lattice_point_near_the_candidate() {
    for mask in [Mask::Laplace(Pure { epsilon: 1e-3 }), Mask::Gaussian(Zcdp { rho: 1e-6 })] {
        let gate = Gate::new(3, 1e-9, mask);
        let ideal = [0.25, -1e6, 1.0 / 3.0];
        let candidate =
            Certified { vector: ideal.iter().map(|&x| exact(x)).collect(), tolerance: 1e-9 };
        let released =
            gate.release(Sensitive::new(candidate), Receipt::nobody_remembers().noise()).unwrap();
        assert_eq!(released.provenance(), Provenance::OperatingSystem);
        for (out, ideal) in released.iter().zip(ideal) {
            let steps = out / gate.step();
            assert_eq!(steps, steps.round(), "not on the lattice");
            // Forty standard deviations of either mask.
            assert!((out - ideal).abs() < 40.0 * gate.mask_deviation(), "{out} {ideal}");
        }
    }
}

#[test]
#[should_panic(expected = "another gate")]
fn a_candidate_with_a_larger_error_than_the_gate_s_is_refused() {
    let gate = Gate::new(1, 1e-9, Mask::Laplace(Pure { epsilon: 1.0 }));
    let candidate = Certified { vector: vec![exact(0.0)], tolerance: 1e-8 };
    let _ = gate.release(Sensitive::new(candidate), Receipt::nobody_remembers().noise());
}

/// The mask's exact price between the two farthest candidates it must hide.
#[test]
fn the_mask_hides_two_tolerances() {
    let (d, tolerance) = (4, 1e-6);
    for share in [1.0, 0.5] {
        // Ideal outputs coincide; program errors are τ along (1, …, 1)/√d and its opposite, then
        // rounded.
        let apart = |gate: &Gate| 2.0 * tolerance / f64::from(d).sqrt() + gate.step();
        let epsilon = 0.05;
        let gate = Gate::new(d as usize, tolerance, Mask::Laplace(Pure { epsilon }));
        let scale = gate.mask_deviation() / 2f64.sqrt() * share;
        let log_ratio = f64::from(d) * apart(&gate) / scale;
        assert_eq!(log_ratio <= epsilon * 1.0001, share == 1.0, "share {share}: {log_ratio}");
        let rho = 0.001;
        let gate = Gate::new(d as usize, tolerance, Mask::Gaussian(Zcdp { rho }));
        let sigma = gate.mask_deviation() * share;
        let price = 0.5 * f64::from(d) * (apart(&gate) / sigma).powi(2);
        assert_eq!(price <= rho * 1.0001, share == 1.0, "share {share}: {price}");
    }
}

#[test]
fn rounding_to_the_lattice_is_to_the_nearest_point() {
    // A mask this cheap is a few steps wide; its mean over many releases shows where the centre is.
    let gate = Gate::new(1, 1.0, Mask::Laplace(Pure { epsilon: 50.0 }));
    let centre = 0.9 * gate.step();
    let mut total = 0.0;
    const RUNS: u32 = 20_000;
    for _ in 0..RUNS {
        let candidate = Certified { vector: vec![exact(centre)], tolerance: 1.0 };
        total += gate
            .release(Sensitive::new(candidate), Receipt::nobody_remembers().noise())
            .unwrap()[0]
            / gate.step();
    }
    // The nearest point is 1; the mask has mean 0 and a deviation below 2 steps: six deviations of
    // the mean.
    let mean = total / f64::from(RUNS);
    assert!((mean - 1.0).abs() < 6.0 * 2.0 / f64::from(RUNS).sqrt(), "{mean}");
}

#[test]
fn a_seed_is_never_called_private() {
    assert_eq!(Seeded::new(1).provenance(), Provenance::TestSeed);
    assert_eq!(OperatingSystem.provenance(), Provenance::OperatingSystem);
}
