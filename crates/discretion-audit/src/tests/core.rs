use super::*;
use crate::fixtures::{gaussian, laplace, written};

fn settings(trials: usize, seed: u64) -> Settings {
    Settings { trials, confidence: 0.999, seed: Some(seed) }
}

/// 0 or 1 with Laplace noise.
fn noisy_bit(scale: f64) -> impl Mechanism {
    written(move |side, source| Ok(vec![f64::from(side as u8) + laplace(scale, source)?]))
}

/// The promise of the whole module: over 400 seeds the audit of a mechanism that keeps its claim,
/// and could not claim less, fails no more often than its level says. At 90 % confidence 40
/// failures are allowed for; more than 71 have a probability of 1e-6 (binomial tail), if every
/// single audit failed with probability 0.1.
#[test]
fn a_true_claim_is_refuted_no_more_often_than_the_level_says() {
    const SEEDS: u64 = 400;
    const MOST: usize = 71;
    let audits = |mechanism: &dyn Mechanism, claim: Claim| {
        let mut found = (0usize, 0.0f64);
        for seed in 0..SEEDS {
            let settings = Settings { trials: 2000, confidence: 0.9, seed: Some(seed) };
            let finding = audit(mechanism, claim, settings, &quiet).unwrap();
            found.0 += usize::from(finding.verdict == Verdict::Violated);
            found.1 += finding.share() / SEEDS as f64;
        }
        found
    };
    let pure = Claim { epsilon: 1.0, delta: 0.0 };
    let (failures, share) = audits(&Response { epsilon: 1.0 }, pure);
    assert!(failures <= MOST, "{failures} of {SEEDS}");
    assert!(share > 0.7, "an audit that sees nothing raises no alarm either: {share}");
    // The Gaussian mechanism at its own exact δ.
    let sigma = 1.0;
    let delta = discretion_privacy::analytic_gaussian_delta(1.0, sigma, 0.5);
    let noisy =
        written(move |side, source| Ok(vec![f64::from(side as u8) + gaussian(sigma, source)?]));
    let (failures, share) = audits(&noisy, Claim { epsilon: 0.5, delta });
    assert!(failures <= MOST && share > 0.3, "{failures} of {SEEDS}, share {share}");
}

/// Noise at half its scale is caught; at its scale it is not, and most of the claim is seen.
#[test]
fn laplace_noise_is_measured() {
    let claim = Claim { epsilon: 1.0, delta: 0.0 };
    let noisy = noisy_bit;
    let right = audit(&noisy(1.0), claim, settings(20_000, 1), &quiet).unwrap();
    assert_eq!(right.verdict, Verdict::Consistent, "{right:?}");
    assert!(right.share() > 0.85, "{right:?}");
    let half = audit(&noisy(0.5), claim, settings(20_000, 1), &quiet).unwrap();
    assert_eq!(half.verdict, Verdict::Violated, "{half:?}");
    assert!(half.epsilon_at_least > 1.7 && half.epsilon_at_least < 2.0, "{half:?}");
    assert!(half.delta_at_least > 0.1, "{half:?}");
}

#[test]
fn findings_do_not_depend_on_the_number_of_threads() {
    let claim = Claim { epsilon: 1.0, delta: 0.0 };
    let noisy = noisy_bit(1.0);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| audit(&noisy, claim, settings(5000, 3), &quiet).unwrap())
    };
    assert_eq!(on(1), on(5));
    assert_ne!(on(1).happened, audit(&noisy, claim, settings(5000, 4), &quiet).unwrap().happened);
}

#[test]
fn progress_ends_at_the_number_of_runs() {
    let last = std::sync::atomic::AtomicUsize::new(0);
    let tell = |done: usize, of: usize| {
        assert!(done <= of && of == 2 * 1234);
        last.fetch_max(done, std::sync::atomic::Ordering::Relaxed);
    };
    audit(&Response { epsilon: 1.0 }, Claim { epsilon: 1.0, delta: 0.0 }, settings(1234, 1), &tell)
        .unwrap();
    assert_eq!(last.into_inner(), 2 * 1234);
}

#[test]
fn what_is_no_audit_is_refused() {
    let claim = Claim { epsilon: 1.0, delta: 0.0 };
    let mechanism = Response { epsilon: 1.0 };
    for trials in [0, 1, 99] {
        let refusal = audit(&mechanism, claim, settings(trials, 1), &quiet);
        assert_eq!(refusal, Err(AuditError::Trials(trials)));
    }
    for confidence in [0.0, 1.0, -0.1, 1.5, f64::NAN] {
        let refusal =
            audit(&mechanism, claim, Settings { confidence, ..settings(1000, 1) }, &quiet);
        assert!(matches!(refusal, Err(AuditError::Confidence(_))), "{confidence}");
    }
    for (epsilon, delta) in
        [(-1.0, 0.0), (f64::NAN, 0.0), (f64::INFINITY, 0.0), (1.0, 1.0), (1.0, -0.1)]
    {
        let refusal = audit(&mechanism, Claim { epsilon, delta }, settings(1000, 1), &quiet);
        assert!(matches!(refusal, Err(AuditError::Claim(..))), "{epsilon} {delta}");
    }
}

#[test]
fn outputs_that_cannot_be_compared_are_refused() {
    struct Odd(fn(Side) -> Vec<f64>);
    impl Mechanism for Odd {
        fn run(&self, side: Side, _: &mut Noise) -> Result<Vec<f64>, AuditError> {
            Ok((self.0)(side))
        }
    }
    let refusal = |output: fn(Side) -> Vec<f64>| {
        let claim = Claim { epsilon: 1.0, delta: 0.0 };
        audit(&Odd(output), claim, settings(1000, 1), &quiet).unwrap_err()
    };
    assert_eq!(refusal(|_| vec![]), AuditError::Empty);
    assert!(matches!(refusal(|_| vec![1.0, f64::NAN]), AuditError::NotFinite(_)));
    let by_side = refusal(|side| if side == Side::Left { vec![0.0] } else { vec![0.0, 1.0] });
    assert_eq!(by_side, AuditError::Width { expected: 1, found: 2 });
}

/// A claim of ε = 0 is one too: both sides are the same.
#[test]
fn equal_sides_prove_nothing() {
    let noisy = written(|_, source| Ok(vec![laplace(1.0, source)?]));
    let finding =
        audit(&noisy, Claim { epsilon: 0.0, delta: 0.0 }, settings(10_000, 9), &quiet).unwrap();
    assert_eq!(finding.verdict, Verdict::Consistent, "{finding:?}");
}
