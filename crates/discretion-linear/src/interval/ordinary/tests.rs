//! Curvature, aliases and coverage of the ordinary coefficients, on rows drawn from known models.

use crate::erm::matrix::{Batch, Layout, Matrix, Norm, Rows};
use crate::erm::{AskOracle, Oracle, Order};
use crate::interval::matrices::{MatrixNoise, products_of_rows};
use crate::interval::ordinary::{Known, Ordinary, RowMoments, release};
use crate::interval::tests::unit;
use crate::interval::{Interval, Intervals, Plan, Split, Symmetric};
use crate::loss::{Logistic, LossKind};
use crate::train::{Method, Training, not_private};
use discretion_privacy::Budget;
use discretion_privacy::noise::{Receipt, Seeded};
use discretion_privacy::trusted::Open;
use faer::linalg::solvers::DenseSolveCore;
use faer::{Mat, Side};

/// Two numbers whose declared ranges are much too wide and three categories, of which all depend on
/// one hidden number; and the coefficients of a logistic model, in units of their columns.
const VALUES: [u16; 3] = [2, 5, 4];
const TRUTH: [f64; 14] =
    [-0.8, 1.5, -1.0, 0.3, -0.3, 0.5, -0.5, 0.0, 0.8, -0.8, 0.2, 0.6, -0.4, -0.4];
const LARGEST: f64 = 4.0;

fn size() -> f32 {
    (1.0 / 6f32.sqrt()) * 0.999_999
}

fn normal(source: &mut Seeded) -> f64 {
    (-2.0 * unit(source).ln()).sqrt() * (std::f64::consts::TAU * unit(source)).cos()
}

fn layout() -> Layout {
    let c = size();
    let categories = VALUES.map(|values| (usize::from(values), c)).to_vec();
    Layout::new(Norm::Scale, c, vec![c; 2], categories).unwrap()
}

pub(crate) fn table(n: usize, source: &mut Seeded) -> Matrix {
    Matrix::of(layout(), batch(n, source))
}

/// Rows whose weights say nothing about their outcomes.
fn weighed(n: usize, source: &mut Seeded) -> Matrix {
    let mut matrix = Matrix::of(layout().weighted(), batch(n, source));
    let weights: Vec<f32> = (0..n).map(|_| unit(source) as f32).collect();
    matrix.weigh(&weights);
    matrix
}

/// Persons with one to three rows, all alike: they say no more than one row.
fn persons(n: usize, source: &mut Seeded) -> Rows<'static> {
    let rows = |person: usize| vec![person; 1 + person % 3];
    let rows: Vec<usize> = (0..n).flat_map(rows).collect();
    let identifiers: Vec<u128> = rows.iter().map(|&person| person as u128).collect();
    Rows::group(table(n, source).gather(&rows), &identifiers)
}

fn batch(n: usize, source: &mut Seeded) -> Batch {
    let c = size();
    let mut batch = Batch::default();
    for _ in 0..n {
        let hidden = normal(source);
        let mut margin = TRUTH[0];
        for (j, spread) in [0.3, 0.15].into_iter().enumerate() {
            let x = (spread * (0.5 * hidden + 0.9 * normal(source)) - 0.2).clamp(-1.0, 1.0);
            margin += TRUTH[1 + j] * x;
            batch.numeric.push((x as f32) * c);
        }
        let mut first = 3;
        for values in VALUES {
            let score = |value: u16, source: &mut Seeded| {
                let level = f64::from(value) / f64::from(values);
                0.4 * hidden * (level - 0.5) - 0.4 * f64::from(value) - (-unit(source).ln()).ln()
            };
            let scores: Vec<f64> = (0..values).map(|value| score(value, source)).collect();
            let best = (0..values)
                .max_by(|&a, &b| scores[usize::from(a)].total_cmp(&scores[usize::from(b)]));
            let value = best.unwrap();
            margin += TRUTH[first + usize::from(value)];
            first += usize::from(values);
            batch.codes.push(value);
        }
        batch.positive.push(unit(source) < 1.0 / (1.0 + (-margin).exp()));
    }
    batch
}

/// Differences of coefficients in units of their columns: a number's own, a value's to the first of
/// its category.
pub(crate) fn effects() -> Vec<Vec<f64>> {
    let c = f64::from(size());
    let mut effects = Vec::new();
    let one = |plus: usize, minus: Option<usize>| {
        let mut weights = vec![0.0; TRUTH.len()];
        weights[plus] = c;
        minus.into_iter().for_each(|at| weights[at] = -c);
        weights
    };
    effects.extend([one(1, None), one(2, None)]);
    let mut first = 3;
    for values in VALUES.map(usize::from) {
        effects.extend((1..values).map(|value| one(first + value, Some(first))));
        first += values;
    }
    effects
}

pub(crate) fn truth(effect: &[f64]) -> f64 {
    effect.iter().zip(TRUTH).map(|(weight, theta)| weight / f64::from(size()) * theta).sum()
}

pub(crate) fn largest() -> Vec<f64> {
    vec![LARGEST / f64::from(size()); TRUTH.len()]
}

fn of_table(table: &Matrix) -> RowMoments {
    let d = TRUTH.len();
    let square = products_of_rows(&table.all()).unwrap().into_inner();
    let columns = table.all().facts().columns.unwrap();
    RowMoments::exact(columns, Symmetric::of_lower(&square, d))
}

/// From exact moments, deviations of effects are those of the exact Hessian.
#[test]
fn curvature_follows_from_the_moments_of_the_rows() {
    let (n, lambda) = (20_000, 1e-4);
    let table = table(n, &mut Seeded::new(3));
    let theta = not_private(&table.all(), LossKind::Logistic, lambda).unwrap().into_inner();
    let d = theta.len();
    let sums = table.all().sums(&Logistic, &theta, Order::Hessian).unwrap().into_inner();
    let exact = Mat::from_fn(d, d, |i, j| {
        sums.hessian[i.max(j) * d + i.min(j)] + if i == j { lambda } else { 0.0 }
    });
    let exact = exact.llt(Side::Lower).unwrap().inverse();
    let found = Ordinary::new(&of_table(&table), n, &theta, None, lambda).unwrap();
    assert!(found.aliases.is_empty(), "{:?}", found.aliases);
    for effect in effects() {
        let along = |inverse: &Mat<f64>| -> f64 {
            (0..d)
                .flat_map(|i| (0..d).map(move |j| (i, j)))
                .map(|(i, j)| effect[i] * inverse[(i, j)] * effect[j])
                .sum::<f64>()
                .sqrt()
        };
        let ratio = along(&found.inverse) / along(&exact);
        assert!((ratio - 1.0).abs() < 0.06, "{effect:?}: {ratio}");
    }
}

/// A second category that is a copy of the first, and a number that is one of its values.
#[test]
fn aliases_are_told_by_the_moments() {
    let c = 0.5 * 0.999_999;
    let layout = Layout::new(Norm::Scale, c, vec![c], vec![(3, c), (2, c)]).unwrap();
    let mut source = Seeded::new(5);
    for (is_copy, expected) in [(true, true), (false, false)] {
        let mut batch = Batch::default();
        for _ in 0..5_000 {
            let code = (unit(&mut source) * 3.0) as u16;
            let other = if is_copy { code } else { (unit(&mut source) * 3.0) as u16 };
            batch.codes.extend([code, u16::from(unit(&mut source) < 0.5)]);
            batch.numeric.push(c * (f32::from(other) - 1.0));
            batch.positive.push(unit(&mut source) < 0.5);
        }
        let mut matrix = Matrix::new(layout.clone());
        matrix.push(batch);
        let d = 7;
        let square = products_of_rows(&matrix.all()).unwrap().into_inner();
        let columns = matrix.all().facts().columns.unwrap();
        let moments = RowMoments::exact(columns, Symmetric::of_lower(&square, d));
        let found = Ordinary::new(&moments, 5_000, &vec![0.0; d], None, 1e-3).unwrap().aliases;
        let same: Vec<_> =
            found.iter().filter(|alias| alias.is_same).map(|of| of.columns).collect();
        assert_eq!(same, if expected { vec![(1, 2)] } else { vec![] }, "{found:?}");
    }
}

fn intervals(plan: &Plan, table: &dyn Oracle, source: &mut Seeded) -> Vec<Interval> {
    let theta = plan.training().fit(table, source).unwrap();
    let evidence = plan.run(table, &theta, source).unwrap();
    let intervals = Intervals::of_ordinary(&evidence, &theta, largest()).unwrap();
    effects().iter().map(|effect| intervals.effect(effect, 0.95).unwrap()).collect()
}

/// 60 tables for each budget and 10 effects, which intervals of the penalised coefficients miss
/// half of the time. If each were covered with probability 0.95, 11 misses of one effect would have
/// a probability of 1e-4 (binomial), and 60 of all together 1e-5 however they depend.
#[test]
fn intervals_cover_the_ordinary_coefficients() {
    let n = 3_000;
    for budget in [
        Budget::Approximate { epsilon: 1.0, delta: 1e-6 },
        Budget::Zcdp { rho: 0.5 },
        Budget::Pure { epsilon: 3.0 },
    ] {
        let training =
            Training { loss: LossKind::Logistic, lambda: None, method: Method::Auto, budget };
        let facts = table(n, &mut Seeded::new(0)).all().facts();
        let plan = Plan::new(&training, Split::WITH_ROWS, facts).unwrap();
        let mut source = Seeded::new(12);
        let effects = effects();
        let mut misses = vec![0; effects.len()];
        let mut lengths = vec![0.0; effects.len()];
        for _ in 0..60 {
            let table = table(n, &mut source);
            for (j, interval) in intervals(&plan, &table.all(), &mut source).iter().enumerate() {
                let is_in = (interval.lower..=interval.upper).contains(&truth(&effects[j]));
                misses[j] += usize::from(!is_in);
                lengths[j] += interval.half_width() / 60.0;
            }
        }
        assert!(misses.iter().all(|&of| of < 11), "{budget}: {misses:?}");
        assert!(misses.iter().sum::<usize>() < 60, "{budget}: {misses:?}");
        // An interval that said nothing would be as long as the declared bound.
        let shortest = lengths.iter().fold(f64::INFINITY, |a, &b| a.min(b));
        assert!(shortest < 0.3 * LARGEST, "{budget}: {lengths:?}");
    }
}

/// Forty evenly filled numbers, of which the first decides most, and so few rows that noise hides
/// what columns vary by. If each interval held with probability 0.95, four misses in 24 would have a
/// probability of 0.03, seven one of 1e-4.
#[test]
fn a_strong_effect_among_many_columns_is_not_overstated() {
    let (n, columns) = (2_000, 40u16);
    let c = (1.0 / f64::from(columns + 1)).sqrt() as f32 * 0.999_999;
    let layout = Layout::new(Norm::Scale, c, vec![c; usize::from(columns)], vec![]).unwrap();
    let mut source = Seeded::new(21);
    let budget = Budget::Approximate { epsilon: 3.0, delta: 1e-6 };
    let training =
        Training { loss: LossKind::Logistic, lambda: None, method: Method::Auto, budget };
    let d = usize::from(columns) + 1;
    let mut wanted = vec![0.0; d];
    wanted[1] = f64::from(c);
    let (strong, mut misses) = (2.6, 0);
    for _ in 0..24 {
        let mut batch = Batch::default();
        for _ in 0..n {
            let x: Vec<f64> = (0..columns).map(|_| signed(&mut source)).collect();
            batch.numeric.extend(x.iter().map(|x| *x as f32 * c));
            batch.positive.push(unit(&mut source) < 1.0 / (1.0 + (-strong * x[0]).exp()));
        }
        let mut table = Matrix::new(layout.clone());
        table.push(batch);
        let table = Rows::from(table);
        let plan = Plan::new(&training, Split::WITH_ROWS, table.facts()).unwrap();
        let theta = plan.training().fit(&table, &mut source).unwrap();
        let evidence = plan.run(&table, &theta, &mut source).unwrap();
        let largest = vec![LARGEST / f64::from(c); d];
        let intervals = Intervals::of_ordinary(&evidence, &theta, largest).unwrap();
        let interval = intervals.effect(&wanted, 0.95).unwrap();
        misses += usize::from(!(interval.lower..=interval.upper).contains(&strong));
    }
    assert!(misses < 7, "{misses} of 24");
}

/// 40 tables of each kind. If each effect were covered with probability 0.95, 10 misses of one would
/// have a probability of 4e-5 (binomial).
#[test]
fn intervals_cover_with_weights_and_for_persons() {
    type Drawn = fn(usize, &mut Seeded) -> Box<dyn Oracle>;
    let kinds: [Drawn; 2] = [
        |n, source| Box::new(Rows::from(weighed(n, source))),
        |n, source| Box::new(persons(n, source)),
    ];
    let n = 3_000;
    let budget = Budget::Approximate { epsilon: 1.0, delta: 1e-6 };
    let training =
        Training { loss: LossKind::Logistic, lambda: None, method: Method::Auto, budget };
    for drawn in kinds {
        let mut source = Seeded::new(14);
        let facts = drawn(n, &mut source).facts();
        let unit = facts.unit;
        let plan = Plan::new(&training, Split::WITH_ROWS, facts).unwrap();
        let effects = effects();
        let mut misses = vec![0; effects.len()];
        let mut lengths = vec![0.0; effects.len()];
        for _ in 0..40 {
            let table = drawn(n, &mut source);
            for (j, interval) in intervals(&plan, &*table, &mut source).iter().enumerate() {
                let is_in = (interval.lower..=interval.upper).contains(&truth(&effects[j]));
                misses[j] += usize::from(!is_in);
                lengths[j] += interval.half_width() / 40.0;
            }
        }
        assert!(misses.iter().all(|&of| of < 10), "{unit:?}: {misses:?}");
        let shortest = lengths.iter().fold(f64::INFINITY, |a, &b| a.min(b));
        assert!(shortest < 0.3 * LARGEST, "{unit:?}: {lengths:?}");
    }
}

/// Two numbers whose correlation is 0.975, and one that is not like them. Hardly any noise and hardly
/// any penalty: half widths are 1.96 deviations, and a quarter more.
#[test]
fn intervals_of_near_aliases_are_a_quarter_longer() {
    let (n, c) = (5_000, 0.499);
    let mut source = Seeded::new(6);
    let mut batch = Batch::default();
    for _ in 0..n {
        let [a, other, own] = [(); 3].map(|()| 0.25 * normal(&mut source));
        let b = 0.975 * a + (1.0f64 - 0.975 * 0.975).sqrt() * other;
        batch.numeric.extend([a, b, own].map(|x| c * x.clamp(-1.0, 1.0) as f32));
        batch.positive.push(unit(&mut source) < 1.0 / (1.0 + (-a).exp()));
    }
    let table =
        Rows::from(Matrix::of(Layout::new(Norm::Scale, c, vec![c; 3], vec![]).unwrap(), batch));
    let (loss, budget) = (LossKind::Logistic, Budget::Zcdp { rho: 1e5 });
    let training = Training { loss, lambda: Some(1e-6), method: Method::Auto, budget };
    let plan = Plan::new(&training, Split::WITH_ROWS, table.facts()).unwrap();
    let theta = plan.training().fit(&table, &mut source).unwrap();
    let evidence = plan.run(&table, &theta, &mut source).unwrap();
    let c = f64::from(c);
    let intervals = Intervals::of_ordinary(&evidence, &theta, vec![LARGEST / c; 4]).unwrap();
    let found: Vec<_> = intervals.aliases().iter().map(|of| (of.columns, of.is_same)).collect();
    assert_eq!(found, [((1, 2), false)]);
    for (place, longer) in [(1, 1.25), (2, 1.25), (3, 1.0)] {
        assert_eq!(intervals.same_as(place), None);
        let weights: Vec<f64> = (0..4).map(|i| if i == place { c } else { 0.0 }).collect();
        let interval = intervals.effect(&weights, 0.95).unwrap();
        let deviation = interval.sampling_deviation.hypot(interval.privacy_deviation);
        let ratio = interval.half_width() / (1.959_964 * deviation);
        assert!((longer..1.04 * longer).contains(&ratio), "{place}: {ratio} {interval:?}");
    }
}

/// Without noise, what the penalty takes is within the bound, and it can be all of it: of a value
/// that is so rare that only the penalty speaks.
#[test]
fn the_bound_holds_what_the_penalty_takes() {
    let (n, lambda) = (4_000, 2e-3);
    let table = table(n, &mut Seeded::new(9));
    let [ordinary, penalised] = [1e-7, lambda]
        .map(|lambda| not_private(&table.all(), LossKind::Logistic, lambda).unwrap().into_inner());
    let evidence =
        crate::interval::not_private(&table.all(), LossKind::Logistic, lambda, &penalised).unwrap();
    let intervals = Intervals::of_ordinary(&evidence.into_inner(), &penalised, largest()).unwrap();
    for effect in effects() {
        let of = |theta: &[f64]| effect.iter().zip(theta).map(|(w, x)| w * x).sum::<f64>();
        let interval = intervals.whole_effect(&effect, 0.95).unwrap();
        let taken = (of(&ordinary) - of(&penalised)).abs();
        assert!(taken < interval.largest_bias, "{effect:?}: {taken} of {interval:?}");
        assert!(interval.half_width() > interval.largest_bias);
        assert!((interval.shares().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

/// What moments say of their noise is what was drawn: 400 draws know a deviation to a seventh (five
/// deviations of their mean square).
#[test]
fn released_moments_have_the_noise_that_they_say() {
    let table = table(30, &mut Seeded::new(4));
    let d = TRUTH.len();
    let exact = products_of_rows(&table.all()).unwrap().into_inner();
    for noise in
        [MatrixNoise::Gaussian { rho: 0.2 }, MatrixNoise::Shaped { epsilon: 1.0, mask: 1e-3 }]
    {
        let mut squares = Mat::<f64>::zeros(d, d);
        let mut said = Mat::<f64>::zeros(d, d);
        for _ in 0..400 {
            let moments =
                release(&table.all(), noise, Receipt::nobody_remembers().noise()).unwrap();
            let noisy = moments.noisy();
            for i in 0..d {
                for j in 0..=i {
                    squares[(i, j)] += (noisy.entries[(i, j)] - exact[i * d + j]).powi(2) / 400.0;
                }
            }
            said = noisy.deviations;
        }
        for i in 0..d {
            for j in 0..=i {
                let ratio = squares[(i, j)].sqrt() / said[(i, j)];
                let is_known = said[(i, j)] == 0.0 && squares[(i, j)] < 1e-12;
                assert!(is_known || (ratio - 1.0).abs() < 0.25, "{noise:?} {i} {j}: {ratio}");
            }
        }
    }
}

/// What an effect is estimated by is wrong on average by no more than it says, whatever ordinary
/// coefficients are within their bounds, and for some of them by all that was declared. It is no
/// longer than the interval around the trained coefficient.
#[test]
fn the_bias_of_an_effect_is_within_its_bound() {
    let (n, lambda, d) = (4_000, 2e-3, TRUTH.len());
    let table = table(n, &mut Seeded::new(9));
    let theta = not_private(&table.all(), LossKind::Logistic, lambda).unwrap().into_inner();
    let of = Ordinary::new(&of_table(&table), n, &theta, None, lambda).unwrap();
    let gradient = Mat::from_fn(d, d, |i, j| {
        of.curvature[(i, j)] / n as f64 + if i == j { 1e-7 } else { 0.0 }
    });
    let largest = largest();
    let known = Known {
        curvature: &of.curvature,
        inverse: &of.inverse,
        lambda,
        gradient: &gradient,
        largest: &largest,
        theta: &theta,
        way: None,
    };
    let mut source = Seeded::new(10);
    for effect in effects() {
        let best = known.best(&effect).unwrap();
        let weights = Mat::from_fn(d, 1, |i, _| best.weights[i]);
        // u·(A + λI)⁻¹Aθ* is the mean for ordinary coefficients θ*.
        let kept = &of.curvature * (&of.inverse * weights);
        let off: Vec<f64> = (0..d).map(|i| kept[(i, 0)] - effect[i]).collect();
        for _ in 0..200 {
            let wrong: f64 =
                off.iter().zip(&largest).map(|(off, most)| off * most * signed(&mut source)).sum();
            assert!(wrong.abs() <= best.bias, "{effect:?}: {wrong} of {}", best.bias);
        }
        let worst: f64 = off.iter().zip(&largest).map(|(off, most)| off.abs() * most).sum();
        assert!(worst <= best.bias, "{effect:?}: {worst} of {}", best.bias);
        let trained: f64 = (0..d)
            .map(|j| {
                let v: f64 = (0..d).map(|i| of.inverse[(j, i)] * effect[i]).sum();
                lambda * v.abs() * largest[j]
            })
            .sum();
        assert!(best.bias < trained, "{effect:?}: {} of {trained}", best.bias);
    }
}

/// Uniform in (−1, 1).
fn signed(source: &mut Seeded) -> f64 {
    2.0 * unit(source) - 1.0
}

/// No interval goes further than what was declared, those inside are as they were, and what all at
/// once are widened by does not depend on it.
#[test]
fn intervals_end_where_the_declared_bound_does() {
    let (n, lambda) = (60, 2e-2);
    let table = table(n, &mut Seeded::new(3));
    let theta = not_private(&table.all(), LossKind::Logistic, lambda).unwrap().into_inner();
    let evidence = crate::interval::not_private(&table.all(), LossKind::Logistic, lambda, &theta);
    let evidence = evidence.unwrap().into_inner();
    let made = |most: f64| Intervals::of_ordinary(&evidence, &theta, vec![most; TRUTH.len()]);
    let mut cut = 0;
    for most in [0.5, 10.0, 100.0] {
        let intervals = made(most).unwrap();
        for effect in effects() {
            let bound = most * effect.iter().map(|w| w.abs()).sum::<f64>();
            let whole = intervals.whole_effect(&effect, 0.95).unwrap();
            let interval = intervals.effect(&effect, 0.95).unwrap();
            let furthest = bound.max(interval.estimate.abs());
            assert!(interval.lower >= -furthest && interval.upper <= furthest, "{interval:?}");
            assert_eq!(interval.lower, whole.lower.max(-bound.max(-whole.estimate)));
            assert_eq!(interval.upper, whole.upper.min(bound.max(whole.estimate)));
            assert_eq!((interval.estimate, interval.p_value), (whole.estimate, whole.p_value));
            cut += usize::from(interval != whole);
        }
    }
    assert!(cut > 5, "{cut}");
}
