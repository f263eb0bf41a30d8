//! Matrices of tables with curves and slopes: nothing is lost, and no neighbour moves further than
//! the noise allows for.

use super::shape::{LAWS, gauge, matrix_of};
use super::signed_unit;
use crate::erm::matrix::{Batch, Cross, Curve, Layout, Matrix, Norm, OTHER, Stored};
use crate::erm::{Entries, Facts, Oracle};
use crate::interval::matrices::{MatrixNoise, Scheme, computed_movement, computed_sensitivity};
use crate::loss::{LossKind, Weight};
use discretion_privacy::noise::{Seeded, Source};

const C: f32 = 0.44;

/// A constant, a number, a category of three values, a curve of four knots with a level for what is
/// missing, and a slope for each value of the category.
const DIMENSION: usize = 1 + 1 + 3 + 5 + 3;

#[derive(Clone, Copy)]
struct Row(f32, f32, u16);

fn table(rows: &[Row]) -> Matrix {
    let curve = Stored::Curve(Curve { knots: 4, missing: true, value: C });
    let stored = vec![Stored::Number(C), curve];
    let crosses = [Cross::Slopes { category: 0, number: 0 }];
    let layout = Layout::with_curves(Norm::Scale, C, stored, vec![(3, C)], &crosses).unwrap();
    let batch = Batch {
        numeric: rows.iter().flat_map(|row| [row.0 * C, row.1]).collect(),
        codes: rows.iter().map(|row| row.2).collect(),
        positive: rows.iter().map(|row| row.0 > 0.3).collect(),
    };
    Matrix::of(layout, batch)
}

fn random_row(source: &mut Seeded) -> Row {
    let position = 2.0 * signed_unit(source) as f32 + 1.2;
    let code = match source.word().unwrap() % 4 {
        3 => OTHER,
        code => code as u16,
    };
    Row(signed_unit(source) as f32, position, code)
}

/// How far replacing a row moves what is released, as a share of what the noise of these facts
/// allows for.
fn share(noise: MatrixNoise, rows: [Row; 2], theta: &[f64], facts: &Facts) -> f64 {
    let length = theta.iter().map(|x| x * x).sum::<f64>().sqrt();
    let most = Weight::SquaredSlope.most(LossKind::Logistic, length);
    let rest = Row(0.3, 1.5, 1);
    let scheme = Scheme::new(noise, facts);
    let [here, there] = rows.map(|row| {
        let table = table(&[&[row][..], &[rest; 4]].concat());
        scheme.coordinates(&matrix_of(&table.all(), Weight::SquaredSlope, theta, most))
    });
    let moved: Vec<f64> = here.iter().zip(&there).map(|(a, b)| a - b).collect();
    match noise {
        MatrixNoise::Shaped { epsilon, .. } => {
            gauge(&scheme.law(computed_movement(most, facts)), &moved) / epsilon
        }
        _ => moved.iter().map(|x| x * x).sum::<f64>().sqrt() / computed_sensitivity(most, facts),
    }
}

fn facts() -> Facts {
    table(&[Row(0.0, 0.0, 0); 5]).all().facts()
}

#[test]
fn random_neighbours_never_exceed_what_the_noise_allows_for() {
    let (mut source, facts) = (Seeded::new(28), facts());
    for _ in 0..2000 {
        let rows = [random_row(&mut source), random_row(&mut source)];
        let size = 10f64.powf(2.0 * signed_unit(&mut source));
        let theta: Vec<f64> = (0..DIMENSION).map(|_| size * signed_unit(&mut source)).collect();
        for noise in LAWS {
            let found = share(noise, rows, &theta, &facts);
            assert!(found <= 1.0, "{noise:?}: {found}");
        }
    }
    // And some come near.
    for noise in LAWS {
        let found = share(noise, [Row(1.0, 0.0, 0), Row(-1.0, 2.0, 1)], &[0.0; DIMENSION], &facts);
        assert!(found > 0.6, "{noise:?}: {found}");
    }
}

/// The whole matrix comes back, and would not if a curve were taken for a category.
#[test]
fn a_matrix_follows_from_its_numbers() {
    let mut source = Seeded::new(3);
    let rows: Vec<Row> = (0..50).map(|_| random_row(&mut source)).collect();
    let table = table(&rows);
    let square = matrix_of(&table.all(), Weight::SquaredSlope, &[0.2; DIMENSION], 0.4);
    let is_back = |noise: MatrixNoise, facts: &Facts| {
        let scheme = Scheme::new(noise, facts);
        let back = scheme.matrix(&scheme.coordinates(&square));
        let lower = (0..DIMENSION).flat_map(|i| (0..=i).map(move |j| (i, j)));
        lower.into_iter().all(|(i, j)| (back.entry(i, j) - square[DIMENSION * i + j]).abs() < 1e-7)
    };
    for noise in LAWS {
        assert!(is_back(noise, &table.all().facts()), "{noise:?}");
        assert!(!is_back(noise, &Facts { entries: vec![], ..table.all().facts() }), "{noise:?}");
        let mut other = table.all().facts();
        other.entries[3] = Entries::One;
        assert!(!is_back(noise, &other), "{noise:?}: neighbours in a curve are not 0");
    }
}
