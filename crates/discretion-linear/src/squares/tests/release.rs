//! No neighbour moves further than the noise allows for, some go as far, and what leaves has the
//! law of the proof.

use super::{OUTCOME, Row, random_row, table};
use crate::erm::{Facts, Oracle};
use crate::interval::joint::sum_error;
use crate::interval::squares::{MatrixNoise, Scheme, computed_sensitivity, products_of_rows};
use crate::interval::tests::gauge;
use crate::loss::MomentsLoss;
use crate::squares::{Plan, SquaresError};
use discretion_privacy::Budget;
use discretion_privacy::account::Spend;
use discretion_privacy::account::amount;
use discretion_privacy::noise::{Receipt, Seeded};
use discretion_privacy::trusted::Open;
use std::ops::Range;

pub(super) const N: usize = 5;
const SHAPED: MatrixNoise = MatrixNoise::Shaped { epsilon: 0.5, mask: 1e-3 };
pub(super) const LAWS: [MatrixNoise; 3] = [
    SHAPED,
    MatrixNoise::Gaussian { rho: 0.1 },
    MatrixNoise::Spherical { epsilon: 0.5, mask: 1e-3 },
];

/// How far replacing the first row moves what is released, as a share of what the noise allows for.
fn share(noise: MatrixNoise, old: Row, new: Row) -> f64 {
    let tables = [old, new].map(|row| table(&[&[row][..], &[REST; N - 1]].concat()));
    share_between(noise, [&tables[0].all(), &tables[1].all()], &OUTCOME)
}

pub(super) const REST: Row = Row { numbers: [0.3, -0.2], codes: [1, 1] };

/// The same for two tables with these outcomes.
pub(super) fn share_between(
    noise: MatrixNoise,
    tables: [&dyn Oracle; 2],
    outcomes: &Range<usize>,
) -> f64 {
    let facts = tables[0].facts();
    assert_eq!(facts, tables[1].facts());
    let scheme = Scheme::with_outcomes(noise, &facts, outcomes);
    let [here, there] =
        tables.map(|table| scheme.coordinates(&products_of_rows(table).unwrap().into_inner()));
    let moved: Vec<f64> = here.iter().zip(&there).map(|(a, b)| a - b).collect();
    match noise {
        MatrixNoise::Shaped { epsilon, .. } => {
            gauge(&scheme.law(scheme.movement(MomentsLoss::MOST, &facts)), &moved) / epsilon
        }
        _ => {
            moved.iter().map(|x| x * x).sum::<f64>().sqrt()
                / computed_sensitivity(MomentsLoss::MOST, &facts)
        }
    }
}

#[test]
fn random_neighbours_never_exceed_what_the_noise_allows_for() {
    let mut source = Seeded::new(29);
    for _ in 0..600 {
        let (old, new) = (random_row(&mut source), random_row(&mut source));
        for noise in LAWS {
            let found = share(noise, old, new);
            assert!(found <= 1.0 + 1e-6, "{noise:?} {old:?} {new:?}: {found}");
        }
    }
}

/// Rows as large as they can be, with numbers of opposite signs or none, and other values.
#[test]
fn adversarial_neighbours_reach_it() {
    let row = |a: f32, y: f32, codes: [u16; 2]| Row { numbers: [a, y], codes };
    let pairs = [
        // Products of numbers from one end to the other, and every category changes.
        (SHAPED, row(1.0, 1.0, [0, 0]), row(1.0, -1.0, [1, 1]), 0.999),
        // Squares of numbers from all to nothing: with half their size they go as far as products
        // do.
        (SHAPED, row(1.0, 1.0, [0, 0]), row(0.0, 0.0, [1, 1]), 0.999),
        (LAWS[1], row(1.0, 1.0, [0, 0]), row(-1.0, -1.0, [1, 1]), 0.8),
        (LAWS[2], row(1.0, 1.0, [0, 0]), row(-1.0, -1.0, [1, 1]), 0.8),
    ];
    for (noise, old, new, least) in pairs {
        let found = share(noise, old, new);
        assert!(found > least && found <= 1.0 + 1e-6, "{noise:?}: {found}");
    }
}

/// The constant's square is public: neither released nor noisy, and the matrix follows from the
/// other numbers.
#[test]
fn what_is_public_has_no_noise_and_nothing_is_lost() {
    let mut source = Seeded::new(3);
    let rows: Vec<Row> = (0..50).map(|_| random_row(&mut source)).collect();
    let table = table(&rows);
    let facts = table.all().facts();
    let exact = products_of_rows(&table.all()).unwrap().into_inner();
    for noise in LAWS {
        let scheme = Scheme::with_outcomes(noise, &facts, &OUTCOME);
        let back = scheme.matrix(&scheme.coordinates(&exact));
        let d = facts.dimension;
        for i in 0..d {
            for j in 0..=i {
                let expected = if i + j == 0 { 0.0 } else { exact[i * d + j] };
                assert!((back.entry(i, j) - expected).abs() < 1e-8, "{noise:?} {i} {j}");
            }
        }
        // 36 numbers of 8 coefficients without the constant's square, four zeros within categories
        // and five copies.
        assert_eq!(scheme.numbers().count(), 36 - 1 - 4 - 5);
    }
}

/// The deviation of every number over 1500 releases: the error of one is 1.8 % (normal), or 3 % for
/// the heavier tails of cells, and 20 % is more than six of those. A scale that is wrong by a
/// factor 1.5, or a square without its half, is caught.
#[test]
fn what_is_released_has_the_deviations_that_are_noted() {
    let table = table(&[Row { numbers: [0.3, -0.2], codes: [1, 0] }; 4]);
    let exact = products_of_rows(&table.all()).unwrap().into_inner();
    let d = table.all().facts().dimension;
    for budget in [Budget::Pure { epsilon: 1.0 }, Budget::Zcdp { rho: 0.5 }] {
        let plan = Plan::new(budget, table.all().facts(), OUTCOME).unwrap();
        let mut receipt = Receipt::nobody_remembers();
        let mut squares = vec![0.0; d * d];
        let releases = 1500;
        let mut noted = None;
        for _ in 0..releases {
            let moments = plan.run(&table.all(), receipt.noise()).unwrap();
            let noisy = moments.noisy();
            for i in 0..d {
                for j in 0..=i {
                    squares[i * d + j] += (noisy.entries[(i, j)] - exact[i * d + j]).powi(2);
                }
            }
            noted = Some(noisy.deviations);
        }
        let noted = noted.unwrap();
        for i in 0..d {
            for j in 0..=i {
                let found = (squares[i * d + j] / f64::from(releases)).sqrt();
                let expected = noted[(i, j)];
                assert!(
                    (found - expected).abs() <= 0.2 * expected + 1e-9,
                    "{budget} {i} {j}: {found} {expected}"
                );
            }
        }
        assert_eq!(noted[(0, 0)], 0.0);
    }
}

#[test]
fn a_plan_costs_what_its_budget_says() {
    let table = table(&[Row { numbers: [0.3, -0.2], codes: [1, 0] }; 40]);
    for budget in [
        Budget::Pure { epsilon: 0.7 },
        Budget::Zcdp { rho: 0.2 },
        Budget::Approximate { epsilon: 0.7, delta: 1e-6 },
    ] {
        let plan = Plan::new(budget, table.all().facts(), OUTCOME).unwrap();
        let price = Spend::of(&plan.event()).unwrap().price(budget).unwrap();
        assert!(
            price.amount <= amount(budget) && price.amount > 0.9 * amount(budget),
            "{budget}: {price:?}"
        );
    }
}

#[test]
fn what_cannot_be_is_refused_before_a_row_is_looked_at() {
    let facts = table(&[Row { numbers: [0.3, -0.2], codes: [1, 0] }; 40]).all().facts();
    let budget = Budget::Pure { epsilon: 1.0 };
    let refused = |facts| Plan::new(budget, facts, OUTCOME).unwrap_err();
    assert_eq!(refused(Facts { columns: None, ..facts }), SquaresError::RowNorm);
}

/// A square x² ≤ c² moves by c²/n and is off by e·c² on either side. Its size is counted as ½c², so
/// in sizes that is 2/n and 4e. A product, of size c·c′, moves by 2/n and is off by 2e: that is all
/// where no square has half its size. With ten million rows e is a share of 1/n that can be seen.
#[test]
fn squares_of_half_the_size_have_all_of_their_rounding() {
    let n = 10_000_000;
    let facts = Facts::of_layout(n, table(&[REST]).layout());
    let error = sum_error(MomentsLoss::MOST, &facts);
    assert!(error > 1e-3 / n as f64, "{error}");
    for (outcomes, errors) in [(OUTCOME, 4.0), (0..0, 2.0)] {
        let scheme = Scheme::with_outcomes(SHAPED, &facts, &outcomes);
        let found = scheme.movement(MomentsLoss::MOST, &facts);
        let share = found / (2.0 / n as f64 + errors * error);
        assert!((1.0..1.0 + 1e-11).contains(&share), "{outcomes:?}: {share}");
    }
}
