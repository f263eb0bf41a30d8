//! Persons: their moments are means of means, and replacing one moves them no further than the
//! noise allows for.

use super::release::{LAWS, N, REST, share_between};
use super::{OUTCOME, Row, random_row, table};
use crate::erm::Oracle;
use crate::erm::matrix::Rows;
use crate::interval::squares::products_of_rows;
use crate::squares::Plan;
use discretion_privacy::account::Spend;
use discretion_privacy::noise::{Receipt, Seeded, Source};
use discretion_privacy::trusted::Open;
use discretion_privacy::{Budget, Unit};

fn grouped(persons: &[Vec<Row>]) -> Rows<'static> {
    let rows: Vec<Row> = persons.iter().flatten().copied().collect();
    let whose: Vec<u128> = (0u128..)
        .zip(persons)
        .flat_map(|(person, rows)| rows.iter().map(move |_| person))
        .collect();
    Rows::group(table(&rows), &whose)
}

fn with_first(first: Vec<Row>) -> Rows<'static> {
    grouped(&[vec![first], vec![vec![REST, REST]; N - 1]].concat())
}

#[test]
fn random_persons_never_exceed_what_the_noise_allows_for_and_some_reach_it() {
    let mut source = Seeded::new(31);
    for _ in 0..200 {
        let [old, new] = [0, 1].map(|_| {
            let rows = 1 + source.word().unwrap() % 4;
            with_first((0..rows).map(|_| random_row(&mut source)).collect())
        });
        for noise in LAWS {
            let found = share_between(noise, [&old, &new], &OUTCOME);
            assert!(found <= 1.0 + 1e-6, "{noise:?}: {found}");
        }
    }
    // However many rows say the same, they move as far as one: the whole way of noise with a shape,
    // and most of the others'.
    let row = |x: f32, y: f32, codes: [u16; 2]| Row { numbers: [x, y], codes };
    let old = with_first(vec![row(1.0, 1.0, [0, 0]); 50]);
    for (noise, (x, least)) in LAWS.into_iter().zip([(1.0, 0.999), (-1.0, 0.8), (-1.0, 0.8)]) {
        let found = share_between(noise, [&old, &with_first(vec![row(x, -1.0, [1, 1])])], &OUTCOME);
        assert!(found > least && found <= 1.0 + 1e-6, "{noise:?}: {found}");
    }
}

#[test]
fn moments_of_persons_are_means_of_means_and_what_is_public_does_not_tell_rows() {
    let mut source = Seeded::new(5);
    let persons: Vec<Vec<Row>> = [1usize, 2, 7, 3, 1]
        .iter()
        .map(|&rows| (0..rows).map(|_| random_row(&mut source)).collect())
        .collect();
    let found = products_of_rows(&grouped(&persons)).unwrap().into_inner();
    let mut expected = vec![0.0; found.len()];
    for person in &persons {
        let own = products_of_rows(&table(person).all()).unwrap().into_inner();
        expected.iter_mut().zip(own).for_each(|(sum, x)| *sum += x / persons.len() as f64);
    }
    assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12));

    let budget = Budget::Pure { epsilon: 1.0 };
    let tables = [1, 50].map(|rows| grouped(&vec![vec![REST; rows]; 40]));
    let [few, many] = [0, 1].map(|i| Plan::new(budget, tables[i].facts(), OUTCOME).unwrap());
    assert_eq!((few.event(), &few), (many.event(), &many));
    assert_eq!((few.facts().rows, few.facts().unit), (40, Unit::Person));
    assert!(Spend::of(&few.event()).unwrap().price(budget).unwrap().within(budget));
    let moments = few.run(&tables[1], Receipt::nobody_remembers().noise()).unwrap();
    assert_eq!(moments.rows(), 40);
}
