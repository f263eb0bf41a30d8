//! Matrices with the shape of the rows: nothing is lost, no neighbour moves further than the noise
//! allows for, and some go as far.

use super::{distance_from_law, signed_unit};
use crate::erm::matrix::{Batch, Layout, Matrix, Norm, OTHER};
use crate::erm::{AskOracle, Facts, Oracle, Order};
use crate::interval::matrices::{
    MatrixNoise, Scheme, computed_movement, computed_sensitivity, products_of_rows, release,
};
use crate::loss::{LossKind, MomentsLoss, Weight, Weighted};
use discretion_privacy::Budget;
use discretion_privacy::noise::{Column, Columns, Provenance, Receipt, Seeded, ShapedLaw, Source};
use discretion_privacy::trusted::{self, Open};

const N: usize = 5;
const SHAPED: MatrixNoise = MatrixNoise::Shaped { epsilon: 0.5, mask: 1e-3 };
pub(super) const LAWS: [MatrixNoise; 3] = [
    SHAPED,
    MatrixNoise::Gaussian { rho: 0.1 },
    MatrixNoise::Spherical { epsilon: 0.5, mask: 1e-3 },
];

/// A constant, two numbers, and categories of three and two values: eight coefficients.
const SIZES: [f32; 5] = [0.4, 0.3, 0.5, 0.45, 0.52];

/// A row that stays.
pub(super) const REST: Row = Row { numbers: [0.3, -0.2], codes: [1, 1], is_positive: true };

/// Two rows that are as large and as different as rows can be.
pub(super) const OPPOSITE: [Row; 2] = [
    Row { numbers: [1.0, 1.0], codes: [0, 0], is_positive: true },
    Row { numbers: [-1.0, 1.0], codes: [1, 1], is_positive: true },
];

#[derive(Clone, Copy)]
pub(super) struct Row {
    pub(super) numbers: [f32; 2],
    pub(super) codes: [u16; 2],
    pub(super) is_positive: bool,
}

/// Sizes with hardly any constant, and numbers alike: rows with opposite numbers and other values
/// are at right angles.
const SQUARE: [f32; 5] = [0.001, 0.499, 0.499, 0.499, 0.499];

pub(super) fn table(rows: &[Row]) -> Matrix {
    let layout = layout(SIZES);
    let batch = batch(SIZES, rows);
    Matrix::of(layout, batch)
}

fn layout([constant, one, other, three, two]: [f32; 5]) -> Layout {
    Layout::new(Norm::Scale, constant, vec![one, other], vec![(3, three), (2, two)]).unwrap()
}

/// Rows of weights between 0 and 1, of which those of weight 0 are left out.
pub(super) fn weighed(rows: &[(Row, f32)]) -> Matrix {
    let (rows, weights): (Vec<Row>, Vec<f32>) = rows.iter().copied().unzip();
    let mut matrix = Matrix::of(layout(SQUARE).weighted(), batch(SQUARE, &rows));
    matrix.weigh(&weights);
    matrix.leave_out(&weights.iter().map(|weight| *weight == 0.0).collect::<Vec<_>>());
    matrix
}

fn batch([_, one, other, ..]: [f32; 5], rows: &[Row]) -> Batch {
    Batch {
        numeric: rows
            .iter()
            .flat_map(|row| [row.numbers[0] * one, row.numbers[1] * other])
            .collect(),
        codes: rows.iter().flat_map(|row| row.codes).collect(),
        positive: rows.iter().map(|row| row.is_positive).collect(),
    }
}

pub(super) fn random_row(source: &mut Seeded) -> Row {
    let mut number = || signed_unit(source) as f32;
    let numbers = [number(), number()];
    let mut code = |values: u64| match source.word().unwrap() % (values + 1) {
        code if code == values => OTHER,
        code => code as u16,
    };
    Row { numbers, codes: [code(3), code(2)], is_positive: signed_unit(source) > 0.0 }
}

pub(super) fn matrix_of(oracle: &dyn Oracle, weight: Weight, theta: &[f64], most: f64) -> Vec<f64> {
    let weighted = Weighted::new(LossKind::Logistic, weight, most);
    oracle.sums(&weighted, theta, Order::Hessian).unwrap().into_inner().hessian
}

/// ε times the norm that noise of this law allows to move by 1.
pub(crate) fn gauge(law: &ShapedLaw, moved: &[f64]) -> f64 {
    let ShapedLaw::Groups { columns, group_of, epsilons } = law else { panic!("cells") };
    let mut most = vec![0.0f64; epsilons.len()];
    for ((column, range), &group) in columns.iter().zip(columns.ranges()).zip(group_of) {
        let part = moved[range].iter().map(|x| x.abs()).sum::<f64>() / (2.0 * column.size);
        most[group] = most[group].max(part);
    }
    most.iter().zip(epsilons).map(|(most, epsilon)| most * epsilon).sum()
}

/// How far replacing the first row moves what a scheme releases, as a share of what its noise
/// allows for. Without a weight: of the rows' own moments.
fn share(noise: MatrixNoise, old: Row, new: Row, theta: &[f64], weight: Option<Weight>) -> f64 {
    let length = theta.iter().map(|x| x * x).sum::<f64>().sqrt();
    let most = weight.map_or(MomentsLoss::MOST, |of| of.most(LossKind::Logistic, length));
    let tables = [old, new].map(|row| table(&[&[row][..], &[REST; N - 1]].concat()));
    let squares = tables.each_ref().map(|table| match weight {
        Some(weight) => matrix_of(&table.all(), weight, theta, most),
        None => products_of_rows(&table.all()).unwrap().into_inner(),
    });
    share_of_noise(noise, &tables[0].all().facts(), most, squares)
}

/// How far apart two matrices are, as a share of what noise allows for.
pub(super) fn share_of_noise(
    noise: MatrixNoise,
    facts: &Facts,
    most: f64,
    squares: [Vec<f64>; 2],
) -> f64 {
    let scheme = Scheme::new(noise, facts);
    let [here, there] = squares.map(|square| scheme.coordinates(&square));
    let moved: Vec<f64> = here.iter().zip(&there).map(|(a, b)| a - b).collect();
    match noise {
        MatrixNoise::Shaped { epsilon, .. } => {
            gauge(&scheme.law(computed_movement(most, facts)), &moved) / epsilon
        }
        _ => moved.iter().map(|x| x * x).sum::<f64>().sqrt() / computed_sensitivity(most, facts),
    }
}

/// The same of the moments of two tables.
pub(super) fn share_of_moments(noise: MatrixNoise, tables: [&dyn Oracle; 2]) -> f64 {
    let squares = tables.map(|table| products_of_rows(table).unwrap().into_inner());
    share_of_noise(noise, &tables[0].facts(), MomentsLoss::MOST, squares)
}

#[test]
fn random_neighbours_never_exceed_what_the_noise_allows_for() {
    let mut source = Seeded::new(26);
    for _ in 0..2000 {
        let (old, new) = (random_row(&mut source), random_row(&mut source));
        let size = 10f64.powf(2.0 * signed_unit(&mut source));
        let theta: Vec<f64> = (0..8).map(|_| size * signed_unit(&mut source)).collect();
        for noise in LAWS {
            for weight in [Some(Weight::Curvature), Some(Weight::SquaredSlope), None] {
                let found = share(noise, old, new, &theta, weight);
                assert!(found <= 1.0, "{noise:?} {weight:?}: {found}");
            }
        }
    }
}

/// Rows as large as they can be. In cells: numbers of opposite signs and other values. In a ball:
/// with nothing in common but the constant, which the bound does not know.
#[test]
fn adversarial_neighbours_reach_it() {
    let [old, new] = OPPOSITE;
    for (noise, least) in [(SHAPED, 0.6), (LAWS[1], 0.7), (LAWS[2], 0.7)] {
        for weight in [Some(Weight::Curvature), None] {
            let found = share(noise, old, new, &[0.0; 8], weight);
            assert!(found > least && found <= 1.0, "{noise:?} {weight:?}: {found}");
        }
    }
    // Categories alone: a cell's worth each.
    let Row { codes, .. } = new;
    let found = share(SHAPED, old, Row { codes, ..old }, &[0.0; 8], Some(Weight::Curvature));
    let law = Scheme::new(SHAPED, &table(&[old]).all().facts()).law(1.0);
    let ShapedLaw::Groups { epsilons, .. } = law else { panic!("cells") };
    // All but the first group, which is of numbers: three values and two in cells of their own,
    // then the pair.
    let expected = (epsilons[1] + epsilons[4] + epsilons[6]) / 0.5;
    assert!((found / expected - 1.0).abs() < 1e-3, "{found} {expected}");
}

/// The moments of rows that differ in everything but a small constant move as far as noise allows
/// for, whether rows have weights or not; and no further, whatever the weights.
#[test]
fn moments_of_rows_move_by_their_sensitivity() {
    let [old, new] = OPPOSITE;
    let share = |noise, first: [(Row, f32); 2]| {
        let tables = first.map(|row| weighed(&[&[row][..], &[(REST, 0.6); N - 1]].concat()));
        share_of_moments(noise, [&tables[0].all(), &tables[1].all()])
    };
    for noise in LAWS {
        let found = share(noise, [(old, 1.0), (new, 1.0)]);
        assert!(found > 0.97 && found <= 1.0, "{noise:?}: {found}");
        // A row that is left out moves half as far, and in a ball by 1/√2.
        let found = share(noise, [(old, 1.0), (new, 0.0)]);
        let expected = if noise == SHAPED { 0.5 } else { 0.5f64.sqrt() };
        assert!((found / expected - 1.0).abs() < 0.01, "{noise:?}: {found}");
    }
    let mut source = Seeded::new(28);
    for _ in 0..500 {
        let mut weight = || (1.2 * signed_unit(&mut source)).clamp(0.0, 1.0) as f32;
        let weights = [weight(), weight()];
        let rows = [random_row(&mut source), random_row(&mut source)];
        for noise in LAWS {
            let found = share(noise, [(rows[0], weights[0]), (rows[1], weights[1])]);
            assert!(found <= 1.0, "{noise:?} {weights:?}: {found}");
        }
    }
}

/// The whole matrix comes back from its numbers, zeros and copies too.
#[test]
fn a_matrix_follows_from_its_numbers() {
    let mut source = Seeded::new(3);
    let rows: Vec<Row> = (0..50).map(|_| random_row(&mut source)).collect();
    let table = table(&rows);
    let square = matrix_of(&table.all(), Weight::Curvature, &[0.2; 8], 0.25);
    for noise in LAWS {
        let scheme = Scheme::new(noise, &table.all().facts());
        assert_eq!(scheme.numbers().count(), 6 + (3 + 2) * 3 + 6);
        let back = scheme.matrix(&scheme.coordinates(&square));
        for i in 0..8 {
            for j in 0..=i {
                assert!((back.entry(i, j) - square[8 * i + j]).abs() < 1e-7, "{i} {j}");
            }
        }
    }
}

/// What a scheme says of its noise is what is drawn (false-alarm rate 1e-6 for each number, by
/// Chebyshev's fourth moments more than enough), and half of it would not be.
#[test]
fn noise_is_as_large_as_it_is_said_to_be() {
    let table = table(&[Row { numbers: [0.5, -0.5], codes: [0, 1], is_positive: true }; 3]);
    let (weight, kind) = (Weight::Curvature, LossKind::Logistic);
    let theta = trusted::released(vec![0.0; 8], Provenance::OperatingSystem);
    for noise in LAWS {
        let scheme = Scheme::new(noise, &table.all().facts());
        let centre =
            scheme.matrix(&scheme.coordinates(&matrix_of(&table.all(), weight, &theta, 0.25)));
        let deviations = scheme.numbers().matrix(&scheme.deviations(0.25, &table.all().facts()));
        let mut squares = [[0.0f64; 8]; 8];
        const DRAWS: usize = 3000;
        for _ in 0..DRAWS {
            let out = release(
                &table.all(),
                kind,
                weight,
                &theta,
                noise,
                Receipt::nobody_remembers().noise(),
            )
            .unwrap();
            for (i, row) in squares.iter_mut().enumerate() {
                for (j, square) in row.iter_mut().enumerate() {
                    *square += (out.entry(i, j) - centre.entry(i, j)).powi(2) / DRAWS as f64;
                }
            }
        }
        for (i, row) in squares.iter().enumerate() {
            for (j, square) in row.iter().enumerate() {
                let said = deviations.entry(i, j);
                let ratio = square.sqrt() / said;
                assert!(said == 0.0 || (0.8..1.2).contains(&ratio), "{noise:?} {i} {j}: {ratio}");
                assert!(said > 0.0 || *square == 0.0, "{noise:?} {i} {j} is known");
            }
        }
    }
}

/// A category's cell in two dimensions, its square and a number with it, has the density of the
/// law: radius Gamma(3), the larger of both numbers over it the larger of two uniform ones.
#[test]
fn a_cell_has_its_density() {
    let layout = Layout::new(Norm::Scale, 0.5, vec![0.6], vec![(1, 0.1), (2, 0.6)]).unwrap();
    let batch =
        Batch { numeric: vec![0.6; 2], codes: vec![0, 0, 0, 0], positive: vec![true, false] };
    let table = Matrix::of(layout, batch);
    let scheme = Scheme::new(SHAPED, &table.all().facts());
    let law = scheme.law(computed_movement(0.25, &table.all().facts()));
    let ShapedLaw::Groups { columns, group_of, epsilons } = &law else { panic!("cells") };
    // The last group is the cell of the last value.
    let group = epsilons.len() - 1;
    let cell: Vec<usize> = (0..group_of.len()).filter(|&k| group_of[k] == group).collect();
    let first = columns.ranges().nth(cell[0]).unwrap().start;
    let sizes: Vec<f64> = cell.iter().map(|&k| columns.iter().nth(k).unwrap().size).collect();
    let draws: Vec<f64> = (0..4000)
        .map(|_| {
            let drawn = law.draw(1e-9, Receipt::nobody_remembers().noise()).unwrap();
            let at =
                |k: usize| drawn.coordinates()[first + k].to_f64().value().abs() / (2.0 * sizes[k]);
            epsilons[group] * (0..cell.len()).map(at).fold(0.0, f64::max)
        })
        .collect();
    // Density ∝ e^{−g} in D dimensions: the gauge itself is Gamma(D).
    assert_eq!(cell.len(), 3);
    let gamma = |x: f64| 1.0 - (-x).exp() * (1.0 + x + 0.5 * x * x);
    let (distance, limit) = distance_from_law(draws.clone(), gamma);
    assert!(distance < limit, "{distance} from the law");
    let (distance, limit) = distance_from_law(draws.iter().map(|x| 0.5 * x).collect(), gamma);
    assert!(distance > limit, "half the noise is taken for the whole");
}

/// Adult's width: 14 columns, of which eight are categories with 98 values.
fn wide() -> Facts {
    let size = (1.0f64 / 15.0).sqrt();
    let counts = [1, 1, 1, 1, 1, 1, 1, 9, 16, 7, 15, 6, 5, 2, 42];
    let columns = counts.map(|coefficients| Column { coefficients, size });
    let columns = Columns::new(columns.to_vec()).unwrap();
    Facts { columns: Some(columns.clone()), ..Facts::of_matrix(32_561, columns.dimension(), 15) }
}

/// In units of (largest weight)/(nε): of what concerns one category or numbers, and of spherical
/// noise on every entry.
#[test]
fn a_wide_matrix_has_a_fraction_of_the_spherical_noise() {
    let facts = wide();
    let units = |noise: MatrixNoise, facts: &Facts| {
        let scheme = Scheme::new(noise, facts);
        let deviations = scheme.numbers().matrix(&scheme.deviations(1.0, facts));
        let rows = facts.rows as f64;
        move |i: usize, j: usize| deviations.entry(i, j) * rows
    };
    let shaped = units(MatrixNoise::Shaped { epsilon: 1.0, mask: 1e-3 }, &facts);
    let plain = Facts { columns: None, ..facts.clone() };
    let spherical = units(MatrixNoise::Spherical { epsilon: 1.0, mask: 1e-3 }, &plain);
    for (i, j) in [(0, 0), (3, 2), (7, 7), (40, 3), (108, 108), (108, 1)] {
        assert!(
            shaped(i, j) < 0.45 * spherical(i, j),
            "{i} {j}: {} {}",
            shaped(i, j),
            spherical(i, j)
        );
    }
    assert_eq!(shaped(8, 7), 0.0);
    for budget in [Budget::Pure { epsilon: 1.0 }, Budget::Pure { epsilon: 0.1 }] {
        assert!(matches!(MatrixNoise::within(budget, &facts), MatrixNoise::Shaped { .. }));
        assert!(matches!(MatrixNoise::within(budget, &plain), MatrixNoise::Spherical { .. }));
    }
}
