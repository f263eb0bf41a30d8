//! The program: its sums against plain ones, its solutions by their gradient in wide arithmetic,
//! its outputs against the law of b.

use super::*;
use crate::erm::matrix::{Batch, Layout, Matrix, Norm};
use crate::erm::solver::Problem;
use crate::erm::{AskOracle, Oracle, Order};
use crate::outcome::Logistic;
use crate::train::not_private;
use discretion_privacy::noise::{NoiseVector, Seeded, exact, norm};
use discretion_privacy::trusted::Open;

fn layout() -> Layout {
    Layout::new(Norm::Scale, 0.4, vec![0.5, 0.3], vec![(3, 0.4)]).unwrap()
}

/// Rows of a small congruential generator.
fn table(rows: usize, classes: usize) -> Matrix {
    let mut state = 12_345u64;
    let mut next = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1u32 << 31)
    };
    let mut table = Matrix::new(layout().of_classes(classes));
    let (mut numeric, mut codes, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rows {
        let x = [next() - 0.5, 0.6 * next() - 0.3];
        numeric.extend(x.map(|x| x as f32));
        codes.push((next() * 4.0) as u16);
        labels.push((((x[0] + 0.5) * 0.7 + 0.3 * next()) * classes as f64) as u16);
    }
    table.push_labelled(Batch { numeric, codes, positive: Vec::new() }, &labels);
    table
}

#[test]
fn gradients_and_hessians_are_those_of_the_values() {
    for classes in [2, 3, 9] {
        let table = table(700, classes);
        let (d, loss) = (table.all().facts().row_dimension(), LossKind::Logistic.loss());
        assert_eq!((d, table.all().facts().dimension), (6, 6 * classes));
        let theta: Vec<f64> = (0..classes * d).map(|i| ((i * 7 % 11) as f64 - 5.0) / 3.0).collect();
        let at = |theta: &[f64], order| table.all().sums(loss, theta, order).unwrap().into_inner();
        let here = at(&theta, Order::Hessian);
        let h = 1e-5;
        for i in 0..theta.len() {
            let moved = |by: f64| {
                let mut theta = theta.clone();
                theta[i] += by;
                at(&theta, Order::Gradient)
            };
            let (up, down) = (moved(h), moved(-h));
            let slope = (up.value - down.value) / (2.0 * h);
            assert!((slope - here.gradient[i]).abs() < 1e-8, "{classes} classes, {i}");
            for j in 0..=i {
                let curvature = (up.gradient[j] - down.gradient[j]) / (2.0 * h);
                let stated = here.hessian[i * theta.len() + j];
                assert!(
                    (curvature - stated).abs() < 1e-8,
                    "{classes} classes, {i} {j}: {curvature} {stated}"
                );
            }
        }
        let rough = at(&theta, Order::Curvature).hessian;
        assert!(rough.iter().zip(&here.hessian).all(|(a, b)| (a - b).abs() < 1e-4));
        let big: Vec<_> = theta.iter().map(|&t| exact(t).with_precision(200).value()).collect();
        let wide = table.all().big_gradient(loss, &big, 200).unwrap().into_inner();
        assert!(
            wide.iter().zip(&here.gradient).all(|(a, b)| (a.to_f64().value() - b).abs() < 1e-14)
        );
    }
}

/// Newton, L-BFGS behind the bound of Böhning and Lindsay, and noise beyond what doubles can do.
#[test]
fn every_solution_is_within_its_public_tolerance() {
    for (classes, lambda, push) in
        [(3, 1e-4, 30.0), (3, 1.0, 1e30), (4, 1.0, 0.0), (170, 1e-1, 5.0)]
    {
        let rows = 40;
        let table = table(rows, classes);
        let (d, all) = (table.all().facts().dimension, table.all());
        let outcome = Softmax::new(classes);
        let problem = Problem::new(&all, &outcome, lambda, 100.0);
        let b: Vec<f64> =
            (0..d).map(|i| push * ((i * 5 % 7) as f64 - 3.0) / (9.0 * d as f64).sqrt()).collect();
        let noise =
            NoiseVector::fixed(b.iter().map(|&x| exact(x).with_precision(400).value()).collect());
        let theta = problem.minimise(Some(&noise)).unwrap().into_inner();
        let theta: Vec<_> = theta.into_iter().map(|x| x.with_precision(400).value()).collect();
        let gradient =
            table.all().big_gradient(LossKind::Logistic.loss(), &theta, 400).unwrap().into_inner();
        let n = exact(rows as f64).with_precision(400).value();
        let all = gradient.iter().zip(&theta).zip(noise.coordinates());
        let whole: Vec<_> = all.map(|((g, t), b)| g + t * exact(lambda) + b / &n).collect();
        let distance = norm(&whole, 400).to_f64().value() / lambda;
        assert!(
            distance <= problem.accuracy().tolerance,
            "{classes} classes, λ = {lambda}: {distance}"
        );
    }
}

/// b(Θ̃) of the program's own output has the law of b: its gauge is a Gamma or its squares are a
/// χ².
#[test]
fn what_leaves_has_the_law_that_is_stated() {
    let (rows, lambda, draws) = (100, 0.05, 200);
    let table = table(rows, 3);
    let limit = ((2.0f64 / 1e-6).ln() / (2.0 * f64::from(draws))).sqrt();
    let d = 2 * table.all().facts().row_dimension();
    for wanted in ["spherical", "shaped"] {
        let is_wanted = |law: &TrainingLaw| match law {
            TrainingLaw::Round(Law::Spherical { .. }) => wanted == "spherical",
            TrainingLaw::Shaped(ShapedLaw::Groups { .. }) => wanted == "shaped",
            _ => false,
        };
        let training = Training {
            loss: LossKind::Logistic,
            lambda: Some(lambda),
            method: Method::Objective,
            budget: Budget::Pure { epsilon: 1.0 },
        };
        let plan = training.plan(table.all().facts()).unwrap().with_law(is_wanted);
        assert!(is_wanted(plan.chosen().law()));
        let source = &mut Seeded::new(11);
        let mut gauges = Vec::new();
        for _ in 0..draws {
            let theta = plan.fit(&table.all(), source).unwrap();
            let sums = table
                .all()
                .sums(LossKind::Logistic.loss(), &theta, Order::Gradient)
                .unwrap()
                .into_inner();
            let b: Vec<f64> = sums
                .gradient
                .iter()
                .zip(&*theta)
                .map(|(g, t)| -(rows as f64) * (g + lambda * t))
                .collect();
            gauges.push(gauge(plan.chosen().law(), &b));
        }
        let groups = gauges[0].len();
        let total: Vec<f64> = gauges.iter().map(|each| each.iter().sum()).collect();
        assert!(groups >= 1);
        let distance = kolmogorov(total, |x| gamma_cdf(d, x));
        assert!(distance < limit, "{wanted}: {distance}");
    }
}

/// ε times the norm, of each group: their sum is Gamma((K − 1)d).
fn gauge(law: &TrainingLaw, b: &[f64]) -> Vec<f64> {
    match law {
        TrainingLaw::Round(Law::Spherical { scale }) => {
            vec![b.iter().map(|x| x * x).sum::<f64>().sqrt() / scale]
        }
        TrainingLaw::Shaped(ShapedLaw::Groups { columns, group_of, epsilons }) => {
            let mut all = vec![0.0f64; epsilons.len()];
            let each = columns.dimension();
            for ((range, column), &group) in columns.ranges().zip(columns.iter()).zip(group_of) {
                let places = b.chunks_exact(each).flat_map(|class| &class[range.clone()]);
                let sum = places.map(|x| x.abs()).sum::<f64>() / (4.0 * column.size);
                all[group] = all[group].max(epsilons[group] * sum);
            }
            all
        }
        _ => unreachable!("no such law here"),
    }
}

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

/// Two classes with λ are one margin with λ/2, and twice the coefficients of the second class.
#[test]
fn two_classes_are_one_margin() {
    use crate::erm::matrix::Matrix;
    let classed = table(500, 2);
    let lambda = 0.02;
    let theta = not_private(&classed.all(), LossKind::Logistic, lambda).unwrap().into_inner();
    // The same rows once more, with a sign.
    let mut state = 12_345u64;
    let mut next = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1u32 << 31)
    };
    let (mut numeric, mut codes, mut positive) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..500 {
        let x = [next() - 0.5, 0.6 * next() - 0.3];
        numeric.extend(x.map(|x| x as f32));
        codes.push((next() * 4.0) as u16);
        positive.push((((x[0] + 0.5) * 0.7 + 0.3 * next()) * 2.0) as u16 == 1);
    }
    let matrix = Matrix::of(layout(), Batch { numeric, codes, positive });
    let one = not_private(&matrix.all(), LossKind::Logistic, 0.5 * lambda).unwrap().into_inner();
    for (i, one) in one.iter().enumerate() {
        assert!((theta[6 + i] - theta[i] - one).abs() < 1e-9, "{i}");
        assert!((theta[6 + i] + theta[i]).abs() < 1e-9);
    }
}

/// The length of a row's computed p − e_y is off by less than (2K + 16) units, and by nearly K where
/// every class but one adds less to a sum than its rounding.
#[test]
fn slopes_of_several_classes_are_off_by_what_their_bound_says() {
    let unit = 0.5f64.powi(53);
    let loss = LossKind::Logistic.loss();
    let layout = || Layout::new(Norm::Scale, 1.0, vec![], vec![]).unwrap();
    assert_eq!(Logistic.bounds().rounding.to_bits(), 16f64.to_bits());
    for classes in [2u16, 3, 100, 1000] {
        let mut table = Matrix::new(layout().of_classes(usize::from(classes)));
        table.push_labelled(Batch::default(), &[0]);
        let k = f64::from(classes);
        let bounds = Softmax::new(usize::from(classes)).bounds();
        assert_eq!(bounds.rounding.to_bits(), (16.0 + 2.0 * k).to_bits());
        let mut largest: f64 = 0.0;
        for score in [36.75, 36.0, 20.3, 3.1, 0.9, 0.0] {
            let mut theta = vec![0.0; usize::from(classes)];
            theta[0] = score;
            let found =
                table.all().sums(loss, &theta, Order::Gradient).unwrap().into_inner().gradient;
            // p is 1/(1 + (K − 1)q) for the first class, q = e^{−score}, and q times that for others.
            let big = |x: f64| exact(x).with_precision(200).value();
            let q = (-big(score)).exp();
            let p = big(1.0) / (big(1.0) + big(k - 1.0) * &q);
            let exact_slopes = (0..classes).map(|class| match class {
                0 => &p - big(1.0),
                _ => &p * &q,
            });
            let off: Vec<_> = exact_slopes.zip(&found).map(|(p, &x)| p - big(x)).collect();
            largest = largest.max(norm(&off, 200).to_f64().value() / unit);
        }
        assert!(largest < bounds.rounding, "{classes}: {largest} units");
        assert!(classes < 100 || largest > 0.97 * k, "{classes}: {largest} units");
    }
}
