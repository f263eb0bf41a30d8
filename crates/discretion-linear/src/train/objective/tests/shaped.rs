//! Noise with the shape of the rows: exact densities of θ̃ on a grid in two and three dimensions,
//! for schemas with categories, and laws that are wrong in ways that must be seen.

use super::super::shaped::{column_gaussian, groups, row_norm};
use super::*;
use discretion_privacy::noise::{Column, Columns, ShapedLaw};

/// A row y·x in up to three dimensions.
type Row3 = [f64; 3];

/// −ln of a density of noise, up to a constant, at b.
type Gauge<'g> = &'g dyn Fn(Row3) -> f64;

/// A schema: its columns, and rows that it allows, as w = yx.
struct Schema {
    columns: Columns,
    rows: Vec<Row3>,
}

/// Every combination of one part from each column, with both labels. A number takes its bounds and
/// values between; a category column one of its values, or none if the value is not declared.
fn schema(columns: &[(usize, f64)], undeclared: bool) -> Schema {
    let mut rows = vec![[0.0; 3]];
    let mut first = 0;
    for (place, &(k, size)) in columns.iter().enumerate() {
        let mut parts: Vec<Row3> = Vec::new();
        let mut part = |i: usize, value: f64| {
            let mut entries = [0.0; 3];
            entries[i] = value;
            parts.push(entries);
        };
        match (place, k) {
            (0, 1) => part(first, size),
            (_, 1) => [-1.0, 0.7, 1.0].iter().for_each(|v| part(first, v * size)),
            _ => (0..k).for_each(|i| part(first + i, size)),
        }
        if k > 1 && undeclared {
            part(first, 0.0);
        }
        rows = rows
            .iter()
            .flat_map(|row| parts.iter().map(move |part| std::array::from_fn(|i| row[i] + part[i])))
            .collect();
        first += k;
    }
    let rows = rows.iter().flat_map(|row: &Row3| [*row, row.map(|x| -x)]).collect();
    let columns =
        columns.iter().map(|&(coefficients, size)| Column { coefficients, size }).collect();
    Schema { columns: Columns::new(columns).unwrap(), rows }
}

/// Two and three dimensions, all with ‖x‖₂ ≤ 1.
fn schemas(undeclared: bool) -> Vec<Schema> {
    vec![
        schema(&[(1, 0.6), (1, 0.8)], undeclared),
        schema(&[(2, 1.0)], undeclared),
        schema(&[(1, 0.6), (2, 0.8)], undeclared),
        schema(&[(1, 0.5), (1, 0.5), (1, 0.7)], undeclared),
        schema(&[(3, 1.0)], undeclared),
    ]
}

/// b(θ) and ln |det ∂b/∂θ| of a table of one row and n − 1 others that are alike, in three
/// dimensions; unused ones add the same constant everywhere.
fn noise_at_3(
    row: Row3,
    other: Row3,
    n: usize,
    loss: &dyn Loss,
    lambda: f64,
    theta: Row3,
) -> (Row3, f64) {
    let strength = n as f64 * lambda;
    let mut b = theta.map(|t| -strength * t);
    let mut h = [[0.0; 3]; 3];
    (0..3).for_each(|i| h[i][i] = strength);
    for (w, count) in [(row, 1.0), (other, (n - 1) as f64)] {
        let m: f64 = w.iter().zip(theta).map(|(w, t)| w * t).sum();
        let (slope, curvature) = (count * loss.slope(m), count * loss.curvature(m));
        for i in 0..3 {
            b[i] -= slope * w[i];
            (0..3).for_each(|j| h[i][j] += curvature * w[i] * w[j]);
        }
    }
    let minor = |a: usize, b: usize| h[1][a] * h[2][b] - h[1][b] * h[2][a];
    let determinant = h[0][0] * minor(1, 2) - h[0][1] * minor(0, 2) + h[0][2] * minor(0, 1);
    (b, determinant.ln())
}

/// ‖b_j‖₁ of each column.
fn sums(columns: &Columns, b: Row3) -> Vec<f64> {
    columns.ranges().map(|range| b[range].iter().map(|x| x.abs()).sum()).collect()
}

/// −ln of the density that the documentation of a law states.
fn gauge(law: &ShapedLaw, b: Row3) -> f64 {
    let sums = sums(law.columns(), b);
    match law {
        ShapedLaw::Groups { columns, group_of, epsilons } => {
            let mut largest = vec![0.0f64; epsilons.len()];
            for ((sum, column), &group) in sums.iter().zip(columns.iter()).zip(group_of) {
                largest[group] = largest[group].max(sum / (2.0 * column.size));
            }
            largest.iter().zip(epsilons).map(|(q, epsilon)| epsilon * q).sum()
        }
        ShapedLaw::RowNorm { epsilon, .. } => {
            0.5 * epsilon * sums.iter().map(|s| s * s).sum::<f64>().sqrt()
        }
        ShapedLaw::ColumnGaussian { .. } => unreachable!("it has no pure price"),
    }
}

/// The largest log-ratio of densities of θ̃ over neighbours, surroundings and θ.
fn worst(schema: &Schema, gauge: Gauge<'_>, loss: &dyn Loss, n: usize, lambda: f64) -> f64 {
    let dimension = schema.columns.dimension();
    let line: Vec<f64> =
        [0.0, 0.3, 0.9, 2.5, 9.0, 40.0].iter().flat_map(|&t| [t, -t]).skip(1).collect();
    let third: Vec<f64> = if dimension == 3 { line.clone() } else { vec![0.0] };
    let plane = line.iter().flat_map(|&x| line.iter().map(move |&y| [x, y]));
    let grid: Vec<Row3> = plane.flat_map(|[x, y]| third.iter().map(move |&z| [x, y, z])).collect();
    let mut surroundings = vec![[0.0; 3]];
    surroundings.extend(schema.rows.iter().step_by(schema.rows.len().div_ceil(3)));
    let mut worst = f64::NEG_INFINITY;
    for other in surroundings {
        let at: Vec<Vec<f64>> = schema
            .rows
            .iter()
            .map(|&row| {
                let density = |&theta: &Row3| {
                    let (b, ln_jacobian) = noise_at_3(row, other, n, loss, lambda, theta);
                    ln_jacobian - gauge(b)
                };
                grid.iter().map(density).collect()
            })
            .collect();
        for p in &at {
            for q in &at {
                worst = p.iter().zip(q).map(|(p, q)| p - q).fold(worst, f64::max);
            }
        }
    }
    worst
}

/// Every grouping of up to three columns, with uneven shares, and the norm of the whole row.
fn laws(columns: &Columns, left: f64) -> Vec<ShapedLaw> {
    let groupings: &[&[usize]] = match columns.count() {
        1 => &[&[0]],
        2 => &[&[0, 0], &[0, 1]],
        _ => &[&[0, 0, 0], &[0, 0, 1], &[0, 1, 2]],
    };
    let of = |group_of: &&[usize]| {
        let shares = [0.5, 0.2, 0.3];
        let count = group_of.iter().max().unwrap() + 1;
        groups(columns, group_of.to_vec(), &shares[..count], left)
    };
    groupings.iter().map(of).chain([row_norm(columns, left)]).collect()
}

#[test]
fn every_density_ratio_is_within_epsilon_and_with_half_the_noise_it_is_not() {
    for kind in [LossKind::Logistic, LossKind::Hinge] {
        let loss = kind.loss();
        let t = kind.of_margin().bounds().curvature;
        for schema in schemas(true) {
            let mut caught = 0;
            let (mut tried, mut highest) = (0, 0.0f64);
            for (n, lambda) in [(1, 2.0), (3, 0.5), (20, 5.0)] {
                for epsilon in [0.5, 3.0] {
                    let Some(left) =
                        left_for_noise(curvature_price(1, n, lambda, t), Pure { epsilon })
                    else {
                        continue;
                    };
                    for law in laws(&schema.columns, left) {
                        let found = worst(&schema, &|b| gauge(&law, b), loss, n, lambda);
                        assert!(
                            found <= epsilon,
                            "{kind:?} {law:?} n={n} λ={lambda} ε={epsilon}: {found}"
                        );
                        let half = worst(&schema, &|b| 2.0 * gauge(&law, b), loss, n, lambda);
                        caught += usize::from(half > epsilon);
                        tried += 1;
                        highest = highest.max(found / epsilon);
                    }
                }
            }
            assert!(
                caught > 0,
                "{kind:?} {:?}: half the noise passes {tried} times",
                schema.columns
            );
            assert!(highest > 0.5, "{kind:?} {:?}: at most {highest} of ε is seen", schema.columns);
        }
    }
}

/// Hinge loss, ε = 2, and a λ at which curvature costs little.
fn left_of_two() -> (usize, f64, f64) {
    (
        4,
        5.0,
        left_for_noise(
            curvature_price(1, 4, 5.0, LossKind::Hinge.of_margin().bounds().curvature),
            Pure { epsilon: 2.0 },
        )
        .unwrap(),
    )
}

#[test]
fn a_forgotten_column_is_caught() {
    let (n, lambda, left) = left_of_two();
    let schema = &schemas(true)[2];
    // All of ε to each column: the second was forgotten when shares were made.
    let forgetful = ShapedLaw::Groups {
        columns: schema.columns.clone(),
        group_of: vec![0, 1],
        epsilons: vec![left, left],
    };
    let right = groups(&schema.columns, vec![0, 1], &[1.0, 1.0], left);
    let loss = LossKind::Hinge.loss();
    assert!(worst(schema, &|b| gauge(&right, b), loss, n, lambda) <= 2.0);
    assert!(worst(schema, &|b| gauge(&forgetful, b), loss, n, lambda) > 2.0);
}

/// A radius of Gamma(D) and a point uniform in the ball: density ∝ ∫_q^∞ e^{−r}/r dr, which has no
/// bound at 0.
#[test]
fn a_radius_of_one_degree_less_is_caught() {
    let (n, lambda, left) = left_of_two();
    for schema in schemas(true) {
        let law = laws(&schema.columns, left).remove(0);
        let wrong = |b: Row3| {
            let q = gauge(&law, b).max(1e-9);
            // E₁(q), by the trapezoidal rule in u = ln r.
            let steps = 400;
            let (from, to) = (q.ln(), 60f64.ln().max(q.ln() + 1.0));
            let step = (to - from) / f64::from(steps);
            let sum: f64 = (0..=steps)
                .map(|i| {
                    let weight = if i == 0 || i == steps { 0.5 } else { 1.0 };
                    weight * (-(from + step * f64::from(i)).exp()).exp() * step
                })
                .sum();
            -sum.ln()
        };
        let found = worst(&schema, &wrong, LossKind::Hinge.loss(), n, lambda);
        assert!(found > 2.0, "{:?}: {found}", schema.columns);
    }
}

/// A norm that counts on every value being declared: then the entries of a category add up to the
/// intercept's, and any multiple of the difference is free. Rows with an undeclared value are all
/// zeros there, and see what it costs.
#[test]
fn an_undeclared_value_is_caught() {
    let (n, lambda, left) = left_of_two();
    let columns = [(1, 0.7), (2, 0.7)];
    let counting =
        |b: Row3| left * ((b[1].abs() + b[2].abs()) / 1.4 + 3.0 * (b[0] - b[1] - b[2]).abs());
    let loss = LossKind::Hinge.loss();
    assert!(worst(&schema(&columns, false), &counting, loss, n, lambda) <= 2.0);
    assert!(worst(&schema(&columns, true), &counting, loss, n, lambda) > 2.0);
}

/// Sizes of b are what a row may have, and no less: with the sizes halved the same law is caught.
#[test]
fn a_size_that_is_too_small_is_caught() {
    let (n, lambda, left) = left_of_two();
    for schema in schemas(true) {
        let small = schema
            .columns
            .iter()
            .map(|column| Column { size: 0.5 * column.size, ..column })
            .collect();
        let law = laws(&Columns::new(small).unwrap(), left).remove(0);
        assert!(worst(&schema, &|b| gauge(&law, b), LossKind::Hinge.loss(), n, lambda) > 2.0);
    }
}

/// Theorem 2′: in the coordinates b_j/σ_j it is Theorem 2, so Rényi divergences of the shaped law
/// are under its curve, and with the deviations shrunk they are not. One dimension at a time is
/// enough for the constant: the others have no noise to add.
#[test]
fn deviations_for_each_column_are_those_of_a_row_of_length_1() {
    for schema in schemas(true) {
        let uneven: Vec<f64> = (0..schema.columns.count()).map(|j| 1.0 + j as f64).collect();
        let law = column_gaussian(&schema.columns, &uneven, 5.0);
        let ShapedLaw::ColumnGaussian { deviations, .. } = &law else {
            unreachable!("it is Gaussian")
        };
        let length = |row: &Row3| {
            let parts = schema.columns.ranges().zip(deviations);
            parts
                .map(|(range, s)| row[range].iter().map(|x| (x / s).powi(2)).sum::<f64>())
                .sum::<f64>()
                .sqrt()
        };
        let longest = schema.rows.iter().map(length).fold(0.0, f64::max);
        assert!(longest <= 1.0 / 5.0 && longest > 0.999 / 5.0, "{:?}: {longest}", schema.columns);
    }
}
