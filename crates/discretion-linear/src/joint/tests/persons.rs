//! Holders of persons: what they send is about each person's mean, and their numbers of rows are
//! nobody's business.

use super::*;
use crate::erm::Facts;
use crate::erm::matrix::Rows;
use discretion_privacy::noise::Provenance;
use discretion_privacy::{Unit, trusted};

const STEP: Step =
    Step { lambda: None, gradient: 0.25, hessian: 0.25, covariance: 0.25, damping: 0.0 };

/// Everything that holders of these tables send, opened without noise: the average, then the rounds
/// of the step.
fn sent(plan: &Plan, tables: &[&dyn Oracle]) -> Vec<Vec<f64>> {
    let average: Vec<Contribution> =
        tables.iter().enumerate().map(|(j, &table)| plan.contribute(j, table).unwrap()).collect();
    let average = clear::open(plan.average(), &average, &[]).to_vec();
    let theta = trusted::released(vec![0.3, 2.0, -1.0], Provenance::TestSeed);
    let rounds = plan.step(&theta).unwrap().unwrap();
    let of = |k: usize, round: &Round| {
        let all = tables.iter().enumerate();
        let sent: Vec<Contribution> =
            all.map(|(j, &table)| rounds.contribute(j, table).unwrap().swap_remove(k)).collect();
        clear::open(round, &sent, &[]).to_vec()
    };
    let step: Vec<Vec<f64>> =
        rounds.rounds().iter().enumerate().map(|(k, round)| of(k, round)).collect();
    [vec![average], step].concat()
}

/// Whoever has the same row four times has it once, for every round; and a plan knows persons only.
#[test]
fn a_person_counts_once_with_every_holder() {
    let sizes = [40, 80, 30];
    let tables: Vec<Matrix> =
        (4..7).map(|seed| rows(sizes[seed - 4], &mut Seeded::new(seed as u64))).collect();
    let several = |times: fn(usize) -> usize| -> Vec<Rows<'static>> {
        let repeated = tables.iter().map(|table| {
            let each = |row: usize| std::iter::repeat_n(row, times(row));
            let positions: Vec<usize> = (0..table.rows()).flat_map(each).collect();
            let identifiers: Vec<u128> = positions.iter().map(|&row| row as u128).collect();
            Rows::group(table.gather(&positions), &identifiers)
        });
        repeated.collect()
    };
    let (once, often) = (several(|_| 1), several(|row| 1 + row % 4));
    let as_oracles = |tables: &[Rows<'static>]| -> Vec<Vec<f64>> {
        let holders = holders_of(&sizes);
        let plan = Joint { step: Some(STEP), ..joint(0.05, Budget::Zcdp { rho: 0.5 }) }
            .plan(&holders)
            .unwrap();
        assert_eq!(plan.holders().unit(), Unit::Person);
        sent(&plan, &tables.iter().map(|table| table as &dyn Oracle).collect::<Vec<_>>())
    };
    for (one, other) in as_oracles(&once).iter().zip(&as_oracles(&often)) {
        assert!(distance(one, other) < 1e-6, "{one:?} {other:?}");
    }
    // Rows are not taken for persons, nor persons for rows.
    let plan = joint(0.05, Budget::Zcdp { rho: 0.5 }).plan(&holders_of(&sizes)).unwrap();
    assert!(plan.contribute(0, &tables[0].all()).is_err());
    let plan = joint(0.05, Budget::Zcdp { rho: 0.5 }).plan(&holders(&tables)).unwrap();
    assert!(plan.contribute(0, &once[0]).is_err());
}

fn holders_of(sizes: &[usize]) -> Holders {
    let Facts { dimension, row_terms, .. } = rows(1, &mut Seeded::new(1)).all().facts();
    Holders::new(sizes, dimension, row_terms).unwrap().of_persons()
}
