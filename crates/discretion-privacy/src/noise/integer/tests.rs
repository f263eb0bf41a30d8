use super::*;
use crate::Budget;
use crate::account::Spend;
use crate::noise::Receipt;

const EPSILON: f64 = 0.7;
const LAPLACE: IntegerNoise =
    IntegerNoise::Laplace { sensitivity: 2, budget: Pure { epsilon: EPSILON } };
const GAUSSIAN: IntegerNoise =
    IntegerNoise::Gaussian { squared_sensitivity: 2, budget: Zcdp { rho: 0.1 } };

/// A row that leaves one count for another, under exact log-probabilities; half the scale fails.
#[test]
fn one_row_costs_what_was_declared_and_half_the_noise_costs_more() {
    let scale = LAPLACE.scale().to_f64().value();
    for share in [1.0, 0.5] {
        // ln P(z) − ln P′(z) for z far on one side in both coordinates.
        let log_ratio = (1.0 + 1.0) / (share * scale);
        assert_eq!(log_ratio <= EPSILON * (1.0 + 1e-12), share == 1.0, "{log_ratio}");
        let sigma = share * GAUSSIAN.deviation();
        let rho = 2.0 / (2.0 * sigma * sigma);
        assert_eq!(rho <= 0.1, share == 1.0, "{rho}");
    }
    assert!((LAPLACE.deviation() - 8f64.sqrt() / EPSILON).abs() < 1e-12);
}

#[test]
fn the_event_costs_the_budget() {
    for (noise, cap) in
        [(LAPLACE, Budget::Pure { epsilon: EPSILON }), (GAUSSIAN, Budget::Zcdp { rho: 0.1 })]
    {
        let price = Spend::of(&noise.event()).unwrap().price(cap).unwrap();
        assert!(
            price.within(cap) && price.amount > 0.999 * crate::account::amount(cap),
            "{price:?}"
        );
    }
}

/// The program's output against the exact discrete Laplace law; false alarm 1e-6 by
/// Dvoretzky–Kiefer–Wolfowitz.
#[test]
fn the_program_s_output_has_the_law_that_the_proof_is_about() {
    let runs = 20_000;
    let centre = 17;
    let mut sample: Vec<i64> = (0..runs)
        .map(|_| {
            LAPLACE
                .release(Sensitive::new(vec![centre]), Receipt::nobody_remembers().noise())
                .unwrap()[0]
                - centre
        })
        .collect();
    sample.sort_unstable();
    let q = (-EPSILON / 2.0).exp();
    let cdf = |z: i64| {
        if z < 0 { q.powi(-z as i32) / (1.0 + q) } else { 1.0 - q.powi(z as i32 + 1) / (1.0 + q) }
    };
    let limit = ((2.0f64 / 1e-6).ln() / (2.0 * f64::from(runs))).sqrt();
    for z in -40..=40 {
        let share = sample.partition_point(|&x| x <= z) as f64 / f64::from(runs);
        assert!((share - cdf(z)).abs() < limit, "{z}: {share} against {}", cdf(z));
    }
}

#[test]
fn numbers_at_the_end_of_their_range_do_not_overflow() {
    let values = vec![i64::MAX, i64::MIN, 0];
    let wide = IntegerNoise::Laplace { sensitivity: 1_000_000, budget: Pure { epsilon: 1e-9 } };
    for noise in [LAPLACE, GAUSSIAN, wide] {
        let released = noise
            .release(Sensitive::new(values.clone()), Receipt::nobody_remembers().noise())
            .unwrap();
        assert!(released[0] > 0 && released[1] < 0, "the noise is far smaller than the numbers");
        assert_eq!(noise.draw(3, Receipt::nobody_remembers().noise()).unwrap().len(), 3);
    }
}

const ROUNDED: IntegerNoise =
    IntegerNoise::Rounded { squared_sensitivity: 2, budget: Zcdp { rho: 0.1 } };

/// Rounded noise has the law of a normal number, rounded, and costs what continuous noise does.
/// False alarm 1e-6 by Dvoretzky–Kiefer–Wolfowitz; a deviation that is off by a tenth fails.
#[test]
fn rounded_noise_is_normal_and_costs_what_normal_noise_does() {
    let runs = 40_000;
    let (centre, sigma) = (-5, 10f64.sqrt());
    let source = &mut crate::noise::Seeded::new(11);
    let released = ROUNDED.release(Sensitive::new(vec![centre; runs]), source).unwrap();
    let mut sample: Vec<i64> = released.iter().map(|x| x - centre).collect();
    sample.sort_unstable();
    let limit = ((2.0f64 / 1e-6).ln() / (2.0 * runs as f64)).sqrt();
    let distance = |sigma: f64| {
        let off = |z: i64| {
            let share = sample.partition_point(|&x| x <= z) as f64 / runs as f64;
            (share - crate::normal_cdf((z as f64 + 0.5) / sigma)).abs()
        };
        (-20..=20).map(off).fold(0.0, f64::max)
    };
    assert!(distance(sigma) < limit, "{}", distance(sigma));
    assert!(distance(0.9 * sigma) > limit && distance(1.1 * sigma) > limit);
    let squares = sample.iter().map(|&x| (x * x) as f64).sum::<f64>() / runs as f64;
    // The relative deviation of that mean is √(2/40,000); seven of them.
    assert!((squares / ROUNDED.deviation().powi(2) - 1.0).abs() < 0.05, "{squares}");
    let Event::Gaussian { sensitivity, sigma } = ROUNDED.event() else { panic!() };
    let rho = 0.5 * (sensitivity / sigma).powi(2);
    assert!(rho <= 0.1 && rho > 0.1 * (1.0 - 1e-11), "{rho}");
}
