use super::*;
use crate::joint::noise::{SharedNoise, UnitNoise};
use dashu_ratio::RBig;
use discretion_audit::exact::discrete_laplace;
use discretion_privacy::Pure;
use discretion_privacy::noise::{Law, Sensitive, exact};

/// ln P(one share = z) in one dimension with one honest aggregator: a Laplace variable of this
/// scale in steps, rounded, plus the mask, by summing over what the mask may be.
fn ln_share(z: i64, scale: f64, mask: f64) -> f64 {
    let ln_mask = discrete_laplace(mask);
    let ln_cell = |k: i64| {
        let k = k.unsigned_abs() as f64;
        if k == 0.0 {
            (-(-0.5 / scale).exp_m1()).ln()
        } else {
            // ½(e^{−(k−½)/s} − e^{−(k+½)/s})
            -k / scale + (0.5 / scale).sinh().ln()
        }
    };
    let reach = (40.0 * mask) as i64;
    let terms: Vec<f64> = (-reach..=reach).map(|m| ln_mask(m) + ln_cell(z - m)).collect();
    let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest + terms.iter().map(|x| (x - largest).exp()).sum::<f64>().ln()
}

/// The largest log-ratio between a share and the same moved by `moved` steps, over points where it
/// is largest.
fn ratio(moved: i64, scale: f64, mask: f64) -> f64 {
    let reach = (3.0 * scale) as i64;
    let points = (0..=12).map(|i| -reach + i * (2 * reach + moved) / 12);
    points
        .map(|z| (ln_share(z, scale, mask) - ln_share(z - moved, scale, mask)).abs())
        .fold(0.0, f64::max)
}

/// Exact: the lattice law of one aggregator's share in one dimension costs no more than is
/// recorded, nearly as much, and more with half of the noise or without the sensitivity's last
/// parts.
#[test]
fn one_share_costs_what_is_recorded() {
    let tables = [labels((0..6).map(|i| i % 2 == 0)), labels((0..5).map(|i| i % 2 == 0))];
    let budget = Budget::Pure { epsilon: 1.0 };
    let joint = Joint { sharing: Sharing::new(2, 1).unwrap(), ..joint(0.3, budget) };
    let noise = joint.plan(&holders(&tables)).unwrap().average().noise();
    let step = noise.lattice().step();
    let Law::Spherical { scale } = noise.law() else { panic!("pure budgets buy spherical noise") };
    let (scale, moved) = (scale / step, (noise.sensitivity() / step).floor() as i64);
    let mask = noise.mask_scale();
    let found = ratio(moved, scale, mask);
    assert!(found <= 1.0 && found > 0.99, "{found}");
    assert!(ratio(moved, 0.5 * scale, mask) > 1.9);
}

/// The mask by itself hides what rounding may do: two tolerances, with its thousandth of ε.
#[test]
fn the_mask_hides_two_tolerances() {
    let tables = [labels((0..6).map(|i| i % 2 == 0))];
    for (aggregators, colluders) in [(2, 1), (3, 1), (20, 10)] {
        let sharing = Sharing::new(aggregators, colluders).unwrap();
        let joint = Joint { sharing, ..joint(0.3, Budget::Pure { epsilon: 1.0 }) };
        let noise = joint.plan(&holders(&tables)).unwrap().average().noise();
        let apart = 2.0 * sharing.honest() as f64 * (0.5 + 0.25);
        let epsilon = apart / noise.mask_scale();
        let Pure { epsilon: paid } = Pure { epsilon: 1e-3 };
        assert!(epsilon <= paid && epsilon > 0.9 * paid, "{epsilon}");
        // And stays far below the noise.
        assert!(noise.mask_deviation() < 0.1 * noise.deviation());
    }
}

/// What the program draws: two of three shares in one dimension are Laplace noise together, with
/// one holder's scale. Kolmogorov distance, false alarm 1e-6; shares made for three honest
/// aggregators fail.
#[test]
fn honest_shares_alone_have_the_law() {
    let tables = [labels((0..6).map(|i| i % 2 == 0))];
    let draws = 4000;
    let limit = ((2.0f64 / 1e-6).ln() / (2.0 * f64::from(draws))).sqrt() + 2e-3;
    let source = &mut Seeded::new(3);
    let mut gap = |colluders: usize| {
        let sharing = Sharing::new(3, colluders).unwrap();
        let plan = Joint { sharing, ..joint(0.3, Budget::Pure { epsilon: 1.0 }) }
            .plan(&holders(&tables))
            .unwrap();
        let round = plan.average();
        let centre = average_in_the_clear(&plan, &tables)[0];
        let contribution = [plan.contribute(0, &tables[0].all()).unwrap()];
        let mut sample: Vec<f64> = (0..draws)
            .map(|_| {
                let shares = [0, 1].map(|_| round.noise_share(source).unwrap());
                clear::open(round, &contribution, &shares)[0] - centre
            })
            .collect();
        sample.sort_by(f64::total_cmp);
        let scale = round.noise().sensitivity() / 0.999;
        let cdf =
            |x: f64| if x < 0.0 { 0.5 * (x / scale).exp() } else { 1.0 - 0.5 * (-x / scale).exp() };
        let gap = |(i, &x): (usize, &f64)| (cdf(x) - (i as f64 + 0.5) / f64::from(draws)).abs();
        sample.iter().enumerate().map(gap).fold(0.0, f64::max)
    };
    assert!(gap(1) < limit);
    // Three honest aggregators of one coefficient: degrees are rounded up to 1 each, so two of them
    // are already enough.
    assert!(gap(0) < limit);
    // With two colluders every share is enough, and two are too much: the test sees a difference of
    // this size.
    assert!(gap(2) > limit);
}

/// All shares together have the deviation that is stated (false alarm below 1e-6 for each of four:
/// the sample variance of 3 × 4000 numbers with a kurtosis of at most 6 is off by 15 % with more
/// than five deviations), and are seldom longer than stated.
#[test]
fn all_shares_have_the_stated_deviation_and_length() {
    let source = &mut Seeded::new(9);
    let tables = [rows(60, source), rows(30, source)];
    for budget in [Budget::Pure { epsilon: 1.0 }, Budget::Approximate { epsilon: 1.0, delta: 1e-6 }]
    {
        for (aggregators, colluders) in [(2, 0), (5, 2)] {
            let sharing = Sharing::new(aggregators, colluders).unwrap();
            let plan = Joint { sharing, ..joint(0.1, budget) }.plan(&holders(&tables)).unwrap();
            let round = plan.average();
            let zero = average_in_the_clear(&plan, &tables);
            let contributions: Vec<_> =
                (0..2).map(|j| plan.contribute(j, &tables[j].all()).unwrap()).collect();
            let mut squares = 0.0;
            let rarely = round.noise().length_exceeded_by((1e9f64).ln());
            for _ in 0..4000 {
                let shares: Vec<_> =
                    (0..aggregators).map(|_| round.noise_share(source).unwrap()).collect();
                let length = distance(&clear::open(round, &contributions, &shares), &zero);
                assert!(length < rarely, "{length} {rarely}");
                squares += length * length;
            }
            let found = (squares / (3.0 * 4000.0)).sqrt();
            let stated = round.noise().deviation();
            assert!((found / stated - 1.0).abs() < 0.08, "{budget} {sharing:?}: {found} {stated}");
        }
    }
}

/// Two vectors of one holder that are as far apart as they may be, and are then rounded away from
/// each other in every coordinate: half a step each. The sensitivity is what their lattice points
/// are apart, and no more than the rounding of this test above it.
#[test]
fn the_sensitivity_has_the_rounding_of_two_vectors() {
    struct Open;
    impl SecretSharing for Open {
        type Shares = Vec<f64>;
        fn split(&self, numbers: &[u128]) -> Vec<f64> {
            numbers.iter().map(|&x| x as f64).collect()
        }
    }
    let sharing = Sharing::new(2, 1).unwrap();
    for dimension in [1, 4, 9] {
        let unit = UnitNoise::within(Budget::Pure { epsilon: 1.0 }, sharing, dimension);
        // 2¹⁵ steps, and a little more, in every coordinate.
        let (step, steps) = (0.5f64.powi(20), f64::from(1 << 15) * (1.0 + 1e-8));
        let across = (dimension as f64).sqrt();
        let noise = SharedNoise::new(unit, sharing, dimension, steps * step * across, 1.0).unwrap();
        assert_eq!(noise.lattice().step(), step);
        let low = 0.5 - 1e-4;
        let encoded = [low, low + steps].map(|x| {
            let vector = Sensitive::new(vec![exact(x * step); dimension]);
            noise.lattice().encode(&RBig::ONE, vector).share(&Open)
        });
        let found = distance(&encoded[0], &encoded[1]) * step / noise.sensitivity();
        assert!(found <= 1.0 && found > 1.0 - 1e-7, "{dimension}: {found}");
    }
}
