//! The samplers against their laws: step by step in exact arithmetic, and as a whole at fixed
//! seeds. tests/peer compares them with OpenDP's.

use super::*;
use crate::noise::source::{Provenance, sealed::Sealed};
use crate::noise::{Receipt, Seeded};

/// Fixed words, and no others.
struct Scripted<'w>(std::slice::Iter<'w, u64>);

impl Sealed for Scripted<'_> {}

impl Source for Scripted<'_> {
    fn provenance(&self) -> Provenance {
        Provenance::TestSeed
    }

    fn fill(&mut self, words: &mut [u64]) -> Result<usize, NoiseError> {
        words[0] = *self.0.next().ok_or_else(|| NoiseError("the script is over".to_owned()))?;
        Ok(1)
    }
}

/// Calls `see` with every order of these items.
fn orders(items: &mut [u64], fixed: usize, see: &mut impl FnMut(&[u64])) {
    if fixed == items.len() {
        return see(items);
    }
    for other in fixed..items.len() {
        items.swap(fixed, other);
        orders(items, fixed + 1, see);
        items.swap(fixed, other);
    }
}

/// An exponential looks at nothing but the order of its words, and all orders are equally likely.
/// Of the 7! orders of seven words, (7 − 1 − k)!·C(r, k) begin with a falling run of more than k
/// words from the one that r others are below. So Σ(−1)^k·C(r, k)·(6 − k)! of them end the first
/// trial with a run of odd length: e^{−u}, in whole numbers.
#[test]
fn an_exponential_is_accepted_for_as_many_orders_of_words_as_the_proof_counts() {
    const WORDS: usize = 7;
    let mut accepted = [0i64; WORDS];
    orders(&mut [0, 1, 2, 3, 4, 5, 6], 0, &mut |order| {
        let mut source = Scripted(order.iter());
        // Orders that leave it undecided, or reject the first trial, are not counted.
        let Ok(mut drawn) = Real::exponential(&mut source) else { return };
        let cut = drawn.cut(64, &mut source).unwrap();
        if let Ok(rank) = u64::try_from(cut)
            && rank < WORDS as u64
        {
            accepted[rank as usize] += 1;
        }
    });
    let factorial = |n: i64| (1..=n).product::<i64>();
    for (r, &count) in accepted.iter().enumerate() {
        let r = r as i64;
        let choose = |k: i64| (0..k).map(|i| r - i).product::<i64>() / factorial(k);
        let expected: i64 =
            (0..=5).map(|k| (if k % 2 == 0 { 1 } else { -1 }) * choose(k) * factorial(6 - k)).sum();
        assert_eq!(count, expected, "rank {r}");
    }
}

fn rational(text: &str) -> RBig {
    text.parse().unwrap()
}

/// Both ends of an interval of width 2⁻⁶⁴⁰ around the exponential have the whole part that was
/// found with fewer bits.
#[test]
fn a_geometric_number_is_the_whole_part_of_the_exact_product() {
    let source = &mut Seeded::new(11);
    let huge = format!("{}/3", UBig::ONE << 200);
    for scale in ["0", "1/1000", "1/3", "1", "20/7", "1000003/7", "36893488147419103232/5", &huge] {
        let scale = rational(scale);
        for _ in 0..2_000 {
            let mut drawn = Real::exponential(source).unwrap();
            let (n, d) = parts(&scale);
            let whole = drawn.whole_part_of_product(&n, d, source).unwrap();
            let cut = drawn.cut(640, source).unwrap();
            for end in [cut.clone(), cut + IBig::ONE] {
                let product = RBig::from_parts(end, UBig::ONE << 640) * &scale;
                assert_eq!(product.floor(), IBig::from(whole.clone()), "{scale}");
            }
        }
    }
}

/// |z|/t + excess(z) − z²/(2σ²) is the same rational number for every z, so what is kept has the law, exactly.
#[test]
fn what_is_kept_of_laplace_noise_is_gaussian_in_exact_arithmetic() {
    for sigma in ["1/1000", "1/2", "1", "7/2", "100", "123456789/1024"] {
        let sigma = rational(sigma);
        let proposal = Proposal::new(&sigma);
        let exponent = |z: i64| {
            let z = IBig::from(z);
            let excess = RBig::from_parts(proposal.excess(&z).into(), proposal.unit.clone());
            let z = RBig::from(z.unsigned_abs());
            &z / &proposal.scale + excess - &z * &z / (RBig::from(2) * &sigma * &sigma)
        };
        assert!(proposal.scale > sigma);
        assert!((-300..=300).all(|z| exponent(z) == exponent(0)), "{sigma}");
    }
}

/// −ln of a law's probabilities, but for a constant.
type Law = fn(f64, f64) -> f64;
const LAPLACE: Law = |z, scale| z.abs() / scale;
const GAUSSIAN: Law = |z, scale| 0.5 * (z / scale).powi(2);

/// How far a sample is from a law, in units of what a true one exceeds with probability 1e-6: the
/// worse of χ² over all values that are not rare, and of the mean of −ln p, in which a wrong scale
/// shows most.
fn distance(sample: &[i64], law: Law, scale: f64) -> f64 {
    let ln_doubt = 1e6f64.ln();
    let (n, reach) = (sample.len() as f64, (40.0 * scale) as i64 + 40);
    let weights: Vec<f64> = (-reach..=reach).map(|z| (-law(z as f64, scale)).exp()).collect();
    let total: f64 = weights.iter().sum();
    let mut counts = vec![0.0; weights.len()];
    sample.iter().for_each(|z| counts[(z + reach) as usize] += 1.0);
    // Rare values are one cell.
    let (mut square, mut cells, mut rare) = (0.0, 0.0, (0.0, 0.0));
    for (weight, count) in weights.iter().zip(&counts) {
        let expected = n * weight / total;
        if expected < 20.0 {
            rare = (rare.0 + expected, rare.1 + count);
        } else {
            square += (count - expected).powi(2) / expected;
            cells += 1.0;
        }
    }
    square += (rare.1 - rare.0).powi(2) / rare.0.max(20.0);
    let square_limit = cells + 2.0 * (cells * ln_doubt).sqrt() + 2.0 * ln_doubt;
    let moment = |power: i32| {
        let each =
            (-reach..=reach).zip(&weights).map(|(z, w)| law(z as f64, scale).powi(power) * w);
        each.sum::<f64>() / total
    };
    let (mean, deviation) = (moment(1), (moment(2) - moment(1).powi(2)).sqrt());
    let seen = sample.iter().map(|&z| law(z as f64, scale)).sum::<f64>() / n;
    let off = (seen - mean).abs() * n.sqrt() / deviation;
    (square / square_limit).max(off / (2.0 * ln_doubt).sqrt())
}

/// A sampler of whole numbers.
type Draw = fn(&RBig, &mut dyn Source) -> Result<IBig, NoiseError>;

/// Enough to see a scale that is wrong by 2 %.
const COUNT: usize = 200_000;

fn sample(scale: &RBig, draw: Draw) -> Vec<i64> {
    let source = &mut Seeded::new(3);
    (0..COUNT).map(|_| draw(scale, source).unwrap().try_into().unwrap()).collect()
}

#[test]
fn both_laws_at_every_scale() {
    for scale in ["1/20", "1/3", "1", "7/2", "50", "1000/3"] {
        let scale = rational(scale);
        let s = scale.to_f64().value();
        for (law, draw) in [(LAPLACE, discrete_laplace as Draw), (GAUSSIAN, discrete_gaussian)] {
            let off = distance(&sample(&scale, draw), law, s);
            assert!(off < 1.0, "scale {scale}: {off} times as far from the law as is believable");
        }
    }
}

/// Samplers with one mistake each; the same test, with as many draws, refutes all of them.
#[test]
fn a_wrong_scale_a_second_zero_and_a_forgotten_rejection_are_seen() {
    let mistakes: [(&str, Law, Draw); 6] = [
        ("Laplace noise of 1.02 times the scale", LAPLACE, |scale, source| {
            discrete_laplace(&(scale * rational("102/100")), source)
        }),
        ("Laplace noise of 0.98 times the scale", LAPLACE, |scale, source| {
            discrete_laplace(&(scale * rational("98/100")), source)
        }),
        ("a zero of each sign", LAPLACE, |scale, source| {
            let size = IBig::from(geometric(scale, source)?);
            Ok(if source.word()? & 1 == 1 { -size } else { size })
        }),
        ("Gaussian noise of 1.02 times the scale", GAUSSIAN, |scale, source| {
            discrete_gaussian(&(scale * rational("102/100")), source)
        }),
        ("nothing rejected", GAUSSIAN, |scale, source| {
            discrete_laplace(&Proposal::new(scale).scale, source)
        }),
        ("rejected around 0", GAUSSIAN, |scale, source| {
            let proposal = Proposal { peak: UBig::ZERO, ..Proposal::new(scale) };
            loop {
                let z = discrete_laplace(&proposal.scale, source)?;
                if with_chance_of_exp(&proposal.excess(&z), &proposal.unit, source)? {
                    return Ok(z);
                }
            }
        }),
    ];
    let scale = rational("7/2");
    for (mistake, law, draw) in mistakes {
        let off = distance(&sample(&scale, draw), law, 3.5);
        assert!(off > 1.0, "{mistake}: taken for the law, at {off}");
    }
}

#[test]
fn no_scale_is_too_small_or_too_large() {
    let mut receipt = Receipt::nobody_remembers();
    let source = receipt.noise();
    for draw in [discrete_laplace, discrete_gaussian] {
        assert_eq!(draw(&RBig::ZERO, source).unwrap(), IBig::ZERO);
        assert_eq!(draw(&rational("1/1000"), source).unwrap(), IBig::ZERO, "e^−1000 never happens");
        let scale = RBig::try_from(f64::MAX).unwrap();
        let sizes = (0..20).map(|_| draw(&scale, source).unwrap().unsigned_abs());
        let longest = sizes.max().unwrap();
        assert!((UBig::ONE << 1000..UBig::ONE << 1032).contains(&longest), "{longest}");
        let least = RBig::try_from(f64::from_bits(1)).unwrap();
        assert_eq!(draw(&least, source).unwrap(), IBig::ZERO);
    }
}
