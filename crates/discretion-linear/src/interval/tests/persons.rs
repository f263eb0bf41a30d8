//! Matrices and intervals of persons: their mean gradients can have anything in a column, and are
//! no longer than one row's.

use super::shape::{
    LAWS, OPPOSITE, REST, Row, gauge, random_row, share_of_moments, share_of_noise, table, weighed,
};
use super::{signed_unit, unit};
use crate::erm::matrix::{Batch, Layout, Matrix, Norm, Rows};
use crate::erm::{Answer, Facts, Oracle, OracleError, Question};
use crate::interval::matrices::{
    MatrixNoise, Scheme, computed, computed_movement, facts_of, release,
};
use crate::interval::{Intervals, Plan, Split};
use crate::loss::{LossKind, Weight};
use crate::train::{Method, Training, not_private};
use dashu_ratio::RBig;
use discretion_privacy::Budget;
use discretion_privacy::noise::{Provenance, Receipt, Seeded, ShapedLaw, Source};
use discretion_privacy::trusted::{self, Open};
use std::sync::Mutex;

const KIND: LossKind = LossKind::Logistic;
const WEIGHTS: [Weight; 2] = [Weight::Curvature, Weight::SquaredSlope];

/// Persons with these rows.
fn persons(rows: &[Vec<Row>]) -> Rows<'static> {
    let identifiers =
        rows.iter().enumerate().flat_map(|(person, rows)| vec![person as u128; rows.len()]);
    Rows::group(table(&rows.concat()), &identifiers.collect::<Vec<_>>())
}

fn matrix_of(persons: &Rows<'static>, weight: Weight, theta: &[f64]) -> Vec<f64> {
    let most = weight.most(KIND, theta.iter().map(|x| x * x).sum::<f64>().sqrt());
    computed(persons, KIND, weight, theta, most).unwrap().into_inner()
}

/// How far replacing the first person's rows moves what a scheme releases, as a share of what its
/// noise allows for.
fn share(noise: MatrixNoise, rows: [&[Row]; 2], theta: &[f64], weight: Weight) -> f64 {
    let most = weight.most(KIND, theta.iter().map(|x| x * x).sum::<f64>().sqrt());
    let tables =
        rows.map(|rows| persons(&[rows.to_vec(), vec![REST; 3], vec![REST], vec![REST; 2]]));
    let facts = facts_of(weight, &tables[0].facts());
    share_of_noise(noise, &facts, most, tables.map(|table| matrix_of(&table, weight, theta)))
}

/// The same of the rows' moments, if rows have weights.
fn share_of_persons(noise: MatrixNoise, rows: [Vec<(Row, f32)>; 2]) -> f64 {
    let tables = rows.map(|rows| {
        let identifiers = [vec![0; rows.len()], vec![1, 1, 1, 2, 3, 3]].concat();
        Rows::group(weighed(&[rows, vec![(REST, 0.6); 6]].concat()), &identifiers)
    });
    share_of_moments(noise, [&tables[0], &tables[1]])
}

/// A person's part is a mean of xxᵀ, at most as far from another's as two rows can be; persons whose
/// rows are all alike are as far apart.
#[test]
fn moments_of_persons_move_by_their_sensitivity() {
    let [old, new] = OPPOSITE;
    for noise in LAWS {
        let found = share_of_persons(noise, [vec![(old, 1.0); 7], vec![(new, 1.0); 2]]);
        assert!(found > 0.97 && found <= 1.0, "{noise:?}: {found}");
    }
    let mut source = Seeded::new(29);
    for _ in 0..500 {
        let mut rows = || {
            let count = 1 + source.word().unwrap() % 6;
            let mut row = |_| {
                let weight = (1.2 * signed_unit(&mut source)).clamp(0.0, 1.0);
                (random_row(&mut source), weight as f32)
            };
            (0..count).map(&mut row).collect::<Vec<_>>()
        };
        let (old, new) = (rows(), rows());
        for noise in LAWS {
            let found = share_of_persons(noise, [old.clone(), new.clone()]);
            assert!(found <= 1.0, "{noise:?}: {found}");
        }
    }
}

#[test]
fn random_neighbours_never_exceed_what_the_noise_allows_for() {
    let mut source = Seeded::new(27);
    for _ in 0..1000 {
        let mut rows = || {
            let count = 1 + source.word().unwrap() % 6;
            (0..count).map(|_| random_row(&mut source)).collect::<Vec<Row>>()
        };
        let (old, new) = (rows(), rows());
        let size = 10f64.powf(2.0 * signed_unit(&mut source));
        let theta: Vec<f64> = (0..8).map(|_| size * signed_unit(&mut source)).collect();
        for noise in LAWS {
            for weight in WEIGHTS {
                let found = share(noise, [&old, &new], &theta, weight);
                assert!(found <= 1.0, "{noise:?} {weight:?}: {found}");
            }
        }
    }
    // And some come near, however many rows they have.
    let [old, new] = OPPOSITE;
    for noise in LAWS {
        for weight in WEIGHTS {
            let found = share(noise, [&[old; 7], &[new; 2]], &[0.0; 8], weight);
            assert!(found > 0.5, "{noise:?} {weight:?}: {found}");
        }
    }
}

/// What the values of one category have with each other: nothing in a row, and up to a third of the
/// whole for a person whose rows have three values alike. A smaller size would be wrong.
#[test]
fn products_within_a_column_are_as_large_as_they_are_said_to_be() {
    let row = |code: u16| Row { numbers: [1.0, 1.0], codes: [code, code % 2], is_positive: true };
    let one = persons(&[vec![row(0), row(1), row(2)]]);
    let facts = facts_of(Weight::SquaredSlope, &one.facts());
    let scheme = Scheme::new(LAWS[0], &facts);
    let most = Weight::SquaredSlope.most(KIND, 0.0);
    let mut square = matrix_of(&one, Weight::SquaredSlope, &[0.0; 8]);
    // Of the whole only what three values have with each other: one part, with a share of its own.
    let is_within = |(i, j): (usize, usize)| (3..=5).contains(&i) && (3..=5).contains(&j) && i != j;
    let all = (0..8).flat_map(|i| (0..8).map(move |j| (i, j)));
    all.zip(&mut square).for_each(|(at, x)| *x = if is_within(at) { *x } else { 0.0 });
    let moved = scheme.coordinates(&square);
    let law = scheme.law(computed_movement(most, &facts));
    let ShapedLaw::Groups { epsilons, group_of, columns } = &law else { panic!("cells") };
    let at = moved.iter().position(|x| *x != 0.0).unwrap();
    let column = columns.ranges().position(|range| range.contains(&at)).unwrap();
    // Half of what two tables may be apart: the other half is the other person's.
    let found = gauge(&law, &moved) / epsilons[group_of[column]];
    assert!((found - 0.5).abs() < 1e-3, "{found}");
}

/// The whole matrix comes back, and would not if a person's mean were taken for a row.
#[test]
fn a_matrix_follows_from_its_numbers() {
    let mut source = Seeded::new(3);
    let rows: Vec<Vec<Row>> = (0..30)
        .map(|person| (0..1 + person % 4).map(|_| random_row(&mut source)).collect())
        .collect();
    let table = persons(&rows);
    let square = matrix_of(&table, Weight::SquaredSlope, &[0.2; 8]);
    let is_back = |noise: MatrixNoise, weight: Weight| {
        let scheme = Scheme::new(noise, &facts_of(weight, &table.facts()));
        let back = scheme.matrix(&scheme.coordinates(&square));
        let lower = (0..8).flat_map(|i| (0..=i).map(move |j| (i, j)));
        lower.into_iter().all(|(i, j)| (back.entry(i, j) - square[8 * i + j]).abs() < 1e-7)
    };
    for noise in LAWS {
        assert!(is_back(noise, Weight::SquaredSlope), "{noise:?}");
        assert!(!is_back(noise, Weight::Curvature), "{noise:?}");
    }
}

/// What a scheme says of its noise is what is drawn, within a column too.
#[test]
fn noise_is_as_large_as_it_is_said_to_be() {
    let row = |code: u16| Row { numbers: [0.5, -0.5], codes: [code, 1], is_positive: true };
    let table = persons(&[vec![row(0), row(1)], vec![row(2)], vec![row(0)]]);
    let (weight, theta) =
        (Weight::SquaredSlope, trusted::released(vec![0.0; 8], Provenance::OperatingSystem));
    let facts = facts_of(weight, &table.facts());
    for noise in LAWS {
        let scheme = Scheme::new(noise, &facts);
        let centre = scheme.matrix(&scheme.coordinates(&matrix_of(&table, weight, &theta)));
        let said = scheme.numbers().matrix(&scheme.deviations(weight.most(KIND, 0.0), &facts));
        const DRAWS: usize = 1500;
        let mut squares = [[0.0f64; 8]; 8];
        for _ in 0..DRAWS {
            let out =
                release(&table, KIND, weight, &theta, noise, Receipt::nobody_remembers().noise())
                    .unwrap();
            for (i, row) in squares.iter_mut().enumerate() {
                for (j, square) in row.iter_mut().enumerate() {
                    *square += (out.entry(i, j) - centre.entry(i, j)).powi(2) / DRAWS as f64;
                }
            }
        }
        for (i, row) in squares.iter().enumerate() {
            for (j, square) in row.iter().enumerate() {
                let ratio = square.sqrt() / said.entry(i, j);
                assert!((0.75..1.25).contains(&ratio), "{noise:?} {i} {j}: {ratio}");
            }
        }
    }
}

/// A population of kinds of persons: rows of one person share a value and mostly a label.
struct Population {
    kinds: Vec<Vec<(u16, u16, bool)>>,
}

impl Population {
    fn new() -> Population {
        let mut kinds = Vec::new();
        for (a, b, positive, negative) in
            [(0, 0, 9, 5), (0, 1, 4, 8), (0, 2, 6, 6), (1, 0, 3, 7), (1, 1, 2, 11), (1, 2, 8, 9)]
        {
            for (label, count) in [(true, positive), (false, negative)] {
                for k in 0..count {
                    let visits = [1, 1, 2, 5][k % 4];
                    // The second value changes between visits, and so does the label of every
                    // third.
                    let visit =
                        |v: usize| (a, (b + v as u16) % 3, if v % 3 == 2 { !label } else { label });
                    kinds.push((0..visits).map(visit).collect());
                }
            }
        }
        Population { kinds }
    }

    fn table(&self, which: &[usize]) -> Rows<'static> {
        let layout = Layout::new(Norm::Scale, 0.577, vec![], vec![(1, 0.577), (2, 0.577)]).unwrap();
        let (mut batch, mut identifiers) = (Batch::default(), Vec::new());
        for (person, &kind) in which.iter().enumerate() {
            for &(a, b, label) in &self.kinds[kind] {
                batch.codes.extend([a, b]);
                batch.positive.push(label);
                identifiers.push(person as u128);
            }
        }
        Rows::group(Matrix::of(layout, batch), &identifiers)
    }

    fn sample(&self, n: usize, source: &mut Seeded) -> Rows<'static> {
        let chosen: Vec<usize> =
            (0..n).map(|_| (unit(source) * self.kinds.len() as f64) as usize).collect();
        self.table(&chosen)
    }
}

/// 200 samples for each case and four coefficients. If each were covered with probability 0.95, 120
/// misses in all would need 30 of one coefficient, which has probability 2e-7 for any of the four
/// (binomial).
#[test]
fn intervals_cover_what_persons_have_in_common() {
    let population = Population::new();
    let (lambda, n) = (0.01, 3000);
    let everybody = population.table(&(0..population.kinds.len()).collect::<Vec<_>>());
    let at_penalty = not_private(&everybody, KIND, lambda).unwrap().into_inner();
    for budget in [Budget::Pure { epsilon: 2.0 }, Budget::Zcdp { rho: 0.2 }] {
        let training =
            Training { loss: KIND, lambda: Some(lambda), method: Method::Objective, budget };
        let plan =
            Plan::new(&training, Split::DEFAULT, population.sample(n, &mut Seeded::new(0)).facts())
                .unwrap();
        let exact = crate::interval::not_private(&everybody, KIND, lambda, &at_penalty)
            .unwrap()
            .into_inner();
        let truth = Intervals::new(&exact, &at_penalty).unwrap().coefficients(0.95).unwrap();
        let (mut source, mut misses) = (Seeded::new(78), 0);
        for _ in 0..200 {
            let table = population.sample(n, &mut source);
            let theta = plan.training().fit(&table, &mut source).unwrap();
            let evidence = plan.run(&table, &theta, &mut source).unwrap();
            let intervals = Intervals::new(&evidence, &theta).unwrap().coefficients(0.95).unwrap();
            misses += intervals
                .iter()
                .zip(&truth)
                .filter(|(i, t)| !(i.lower..=i.upper).contains(&t.estimate))
                .count();
        }
        assert!(misses < 4 * 30, "{budget}: {misses} of 800 missed");
        assert!(misses > 0, "{budget}: nothing missed, so intervals are too long");
    }
}

/// Persons that note where slopes are cut off.
struct Noting {
    persons: Rows<'static>,
    cut: Mutex<f64>,
}

impl Oracle for Noting {
    fn facts(&self) -> Facts {
        self.persons.facts()
    }

    fn answer(&self, question: Question<'_>) -> Result<Answer, OracleError> {
        if let Question::Products { most, .. } = question {
            *self.cut.lock().unwrap() = most;
        }
        self.persons.answer(question)
    }
}

/// Slopes are cut off at √s(1 − 3γ_k), where k is 2¹⁶ additions and four products. A computed mean
/// gradient is longer than the exact one by 1 + γ_k at most, and each product of two of its entries
/// is rounded: together they stay within s, in exact arithmetic.
#[test]
fn computed_products_of_a_person_stay_within_the_largest_weight() {
    let row = Row { numbers: [1.0, -0.5], codes: [0, 1], is_positive: true };
    let oracle = Noting { persons: persons(&[vec![row; 3]]), cut: Mutex::new(f64::NAN) };
    let rational = |x: f64| RBig::try_from(x).unwrap();
    let unit = rational(0.5f64.powi(53));
    let product = &unit * RBig::from((1 << 16) + 4);
    let gamma = &product / (RBig::ONE - &product);
    for most in (1..=200).map(|i| f64::from(i) / 200.0) {
        let _ = computed(&oracle, KIND, Weight::SquaredSlope, &[0.0; 8], most).unwrap();
        let cut = *oracle.cut.lock().unwrap();
        let longest = rational(cut) * (RBig::ONE + &gamma);
        assert!(&longest * &longest * (RBig::ONE + &unit) <= rational(most), "{most}");
        let below = (1.0 - cut / most.sqrt()) / gamma.to_f64().value();
        assert!((below - 3.0).abs() < 1e-3, "{most}: {below}");
    }
}
