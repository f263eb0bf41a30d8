//! Drawn vectors against the exact law of their gauge. Kolmogorov distances have a false-alarm rate
//! of 1e-6; seeds are fixed all the same.

use super::*;
use crate::noise::Seeded;

fn columns() -> Columns {
    let column = |coefficients, size| Column { coefficients, size };
    Columns::new(vec![column(1, 0.5), column(3, 0.4), column(1, 0.6)]).unwrap()
}

fn drawn(law: &TrainingLaw, classes: usize, draws: usize) -> Vec<Vec<f64>> {
    let source = &mut Seeded::new(7);
    let noise = ClassNoise::new(law, classes, 5);
    let one = |_| {
        noise.draw(1e-9, source).unwrap().coordinates().iter().map(|x| x.to_f64().value()).collect()
    };
    (0..draws).map(one).collect()
}

/// P(Gamma(d) ≤ x) for a whole d.
fn gamma_cdf(d: usize, x: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 0.0);
    for i in 0..d {
        sum += term;
        term *= x / (i + 1) as f64;
    }
    1.0 - (-x).exp() * sum
}

fn kolmogorov(mut sample: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
    sample.sort_by(f64::total_cmp);
    let count = sample.len() as f64;
    let gap = |(i, &x): (usize, &f64)| (cdf(x) - (i as f64 + 0.5) / count).abs();
    sample.iter().enumerate().map(gap).fold(0.0, f64::max)
}

fn laws() -> Vec<TrainingLaw> {
    let groups = |group_of: Vec<usize>, epsilons: Vec<f64>| {
        TrainingLaw::from(ShapedLaw::Groups { columns: columns(), group_of, epsilons })
    };
    vec![
        groups(vec![0, 0, 0], vec![0.7]),
        groups(vec![0, 1, 0], vec![0.3, 0.9]),
        Law::Spherical { scale: 2.0 }.into(),
        Law::Gaussian { sigma: 3.0 }.into(),
        ShapedLaw::ColumnGaussian { columns: columns(), deviations: vec![1.0, 2.0, 0.5] }.into(),
    ]
}

#[test]
fn classes_add_up_to_nothing_and_variances_are_as_stated() {
    let draws = 1500;
    for law in laws() {
        for classes in [2, 3, 5] {
            let sample = drawn(&law, classes, draws);
            for b in &sample {
                for i in 0..5 {
                    let sum: f64 = (0..classes).map(|class| b[class * 5 + i]).sum();
                    assert!(sum.abs() < 1e-7, "{law:?}, {classes} classes: {sum}");
                }
            }
            let noise = ClassNoise::new(&law, classes, 5);
            let length = sample.iter().flatten().map(|x| x * x).sum::<f64>() / draws as f64;
            // The relative deviation of the mean square of a gauge like these is below 2/√draws;
            // six of them.
            let ratio = length / noise.typical_length().powi(2);
            assert!((ratio - 1.0).abs() < 0.3, "{law:?}, {classes} classes: {ratio}");
            let long = sample
                .iter()
                .filter(|b| b.iter().map(|x| x * x).sum::<f64>().sqrt() > noise.ordinary_length());
            assert_eq!(long.count(), 0);
        }
    }
}

/// The gauge of a group is Gamma((K − 1)D); with a ball of one dimension more or less it would not
/// be.
#[test]
fn the_gauge_of_a_group_has_its_law() {
    let draws = 1500;
    let limit = ((2.0f64 / 1e-6).ln() / (2.0 * draws as f64)).sqrt() + 1e-3;
    for classes in [2, 3, 6] {
        for law in laws().into_iter().take(2) {
            let TrainingLaw::Shaped(ShapedLaw::Groups { columns, group_of, epsilons }) = &law
            else {
                panic!()
            };
            let sample = drawn(&law, classes, draws);
            for (group, epsilon) in epsilons.iter().enumerate() {
                let gauge = |b: &Vec<f64>| {
                    let of = columns.ranges().zip(columns.iter()).zip(group_of);
                    let of = of.filter(|(_, of)| **of == group).map(|((range, column), _)| {
                        let all = (0..classes)
                            .flat_map(|class| range.clone().map(move |i| class * 5 + i));
                        all.map(|i| b[i].abs()).sum::<f64>() / (4.0 * column.size)
                    });
                    epsilon * of.fold(0.0, f64::max)
                };
                let d = (classes - 1)
                    * ShapedLaw::group_dimensions(columns, group_of, epsilons.len())[group];
                let gauges: Vec<f64> = sample.iter().map(gauge).collect();
                let distance = kolmogorov(gauges.clone(), |x| gamma_cdf(d, x));
                assert!(distance < limit, "{classes} classes, group {group}: {distance}");
                let other = kolmogorov(gauges, |x| gamma_cdf(d + d.div_ceil(3), x));
                assert!(
                    other > limit,
                    "{classes} classes, group {group}: another law fits too, {other}"
                );
            }
        }
    }
}

/// With two classes an entry of a number alone is Laplace noise of scale 2c/ε, as one margin has
/// it.
#[test]
fn two_classes_have_the_noise_of_one_margin() {
    let columns = Columns::new(vec![Column { coefficients: 1, size: 0.5 }]).unwrap();
    let law: TrainingLaw =
        ShapedLaw::Groups { columns: columns.clone(), group_of: vec![0], epsilons: vec![0.8] }
            .into();
    let noise = ClassNoise::new(&law, 2, 1);
    let TrainingLaw::Shaped(of_margin) = &law else { panic!() };
    assert!((noise.variances()[0] / of_margin.variances()[0] - 1.0).abs() < 1e-12);
    let source = &mut Seeded::new(3);
    let sample: Vec<f64> = (0..2000)
        .map(|_| noise.draw(1e-9, source).unwrap().coordinates()[0].to_f64().value())
        .collect();
    let scale = 2.0 * 0.5 / 0.8;
    let laplace =
        |x: f64| if x < 0.0 { 0.5 * (x / scale).exp() } else { 1.0 - 0.5 * (-x / scale).exp() };
    assert!(kolmogorov(sample, laplace) < ((2.0f64 / 1e-6).ln() / 4000.0).sqrt());
}

fn distance(coarse: &[BigFloat], fine: &[BigFloat]) -> f64 {
    let precision = 400;
    let apart: Vec<BigFloat> = coarse.iter().zip(fine).map(|(a, b)| a - b).collect();
    crate::noise::norm(&apart, precision).to_f64().value()
}

/// One draw, taken coarsely and then finely: the promised distance is kept, and no more than that.
#[test]
fn a_vector_of_groups_is_as_near_to_the_exact_draw_as_promised() {
    let source = &mut Seeded::new(5);
    for classes in [2, 3, 6] {
        for law in laws().into_iter().take(2) {
            let TrainingLaw::Shaped(ShapedLaw::Groups { columns, group_of, epsilons }) = &law
            else {
                panic!()
            };
            for _ in 0..20 {
                let mut draw =
                    ClassGroups::draw(classes, columns, group_of, epsilons, source).unwrap();
                let (coarse, error) = draw.at(24, source).unwrap().unwrap();
                let (fine, _) = draw.at(160, source).unwrap().unwrap();
                let (apart, most) = (distance(&coarse, &fine), error.to_f64().value());
                assert!(0.0 < apart && apart <= most, "{classes}: {apart} > {most}");
                let refined = draw.refined(1e-30, source).unwrap();
                let finer = draw.at(600, source).unwrap().unwrap().0;
                assert!(distance(refined.coordinates(), &finer) <= 1e-30);
            }
        }
    }
}

/// Shares are off by at most 2k steps over their sum, and nearly that far if every number but the
/// largest loses a whole step: half the bound would be too little.
#[test]
fn shares_are_off_by_two_steps_for_each_at_most() {
    let bits = 12;
    let mut shares = vec![Real::fixed(1 << 20, &[0; 8])];
    shares.extend((0..8).map(|_| Real::fixed(0, &[u64::MAX; 8])));
    let mut column = ClassColumn { group: 0, epsilon: 1.0, size: 1.0, shares, points: vec![] };
    let source = &mut Seeded::new(1);
    let (coarse, error) = column.cut_shares(bits, source).unwrap().unwrap();
    let (fine, _) = column.cut_shares(500, source).unwrap().unwrap();
    let off: f64 = coarse.iter().zip(&fine).map(|(a, b)| (a - b).to_f64().value().abs()).sum();
    let bound = error.to_f64().value();
    assert!(off <= bound && off > 0.8 * bound, "{off:e} of {bound:e}");
}

/// A law in all directions, or with a deviation for each column, is drawn at half the resolution:
/// the other half is for the way into the subspace. The bits that were drawn tell.
#[test]
fn the_basis_has_half_of_the_resolution() {
    let columns = Columns::new(vec![Column { coefficients: 1, size: 0.5 }]).unwrap();
    let by_column = ShapedLaw::ColumnGaussian { columns, deviations: vec![1.0] };
    for (law, drawn_at) in [
        (TrainingLaw::from(Law::Gaussian { sigma: 1.0 }), 0.5),
        (TrainingLaw::from(by_column), 0.5),
    ] {
        let resolution = 1.0 / f64::from(1 << 20);
        let drawn = ClassNoise::new(&law, 2, 1).draw(resolution, &mut Seeded::new(2)).unwrap();
        // Of two classes φ is √2 times either coordinate.
        let x = &drawn.coordinates()[0];
        let free = x.to_f64().value().abs() * 2f64.sqrt();
        let size = (free.log2().floor() + 1.0).max(0.0) as usize;
        let bits = 16 + (2.0 / (drawn_at * resolution)).log2().ceil() as usize;
        assert_eq!(x.precision(), precision_for(bits) + size + 64, "{law:?} {free}");
    }
}
