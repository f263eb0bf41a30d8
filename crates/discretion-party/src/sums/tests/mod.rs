//! Rounds in memory: the sum, the noise in it, what is refused, what is seen.

pub(crate) mod cheating;
mod refusals;
mod simulated;
mod sums;
mod transcript;

use crate::{Aggregator, RoundError, Scheme};
use discretion::erm::Oracle;
use discretion::erm::matrix::{Batch, Layout, Matrix, Norm};
use discretion::joint::{
    Contribution, Holders, Joint, Plan, Round, SecretSharing, Sharing, Weighting,
};
use discretion::loss::LossKind;
use discretion::noise::Seeded;
use discretion::privacy::Budget;
use prio::field::{Field128, FieldElementWithInteger};

const KEY: [u8; 32] = [7; 32];
const ATTEMPT: [u8; 16] = [3; 16];

/// Rows of an intercept and `width` numbers, with labels that follow the first number loosely.
pub(crate) fn rows(count: usize, width: usize, source: &mut Seeded) -> Matrix {
    let entry = (0.999 / (width as f64 + 1.0).sqrt()) as f32;
    let mut matrix =
        Matrix::new(Layout::new(Norm::Scale, entry, vec![entry; width], vec![]).unwrap());
    let mut batch = Batch::default();
    for _ in 0..count {
        let numbers: Vec<f32> =
            (0..width).map(|_| (2.0 * source.unit() - 1.0) as f32 * entry).collect();
        let score = 6.0 * f64::from(numbers[0]) + 0.5;
        batch.numeric.extend(numbers);
        batch.positive.push(source.unit() < 1.0 / (1.0 + (-score).exp()));
    }
    matrix.push(batch);
    matrix
}

/// Rows of one label.
pub(crate) fn one_class(count: usize, positive: bool) -> Matrix {
    let mut matrix = Matrix::new(Layout::new(Norm::Scale, 0.7, vec![0.7], vec![]).unwrap());
    matrix.push(Batch {
        numeric: vec![0.6; count],
        codes: vec![],
        positive: vec![positive; count],
    });
    matrix
}

pub(crate) fn joint(aggregators: usize, colluders: usize) -> Joint {
    Joint {
        loss: LossKind::Logistic,
        lambda: 0.05,
        weighting: Weighting::BySize,
        sharing: Sharing::new(aggregators, colluders).unwrap(),
        budget: Budget::Pure { epsilon: 1.0 },
        step: None,
    }
}

pub(crate) fn plan(joint: Joint, tables: &[Matrix]) -> Plan {
    let facts: Vec<_> = tables.iter().map(|table| table.all().facts()).collect();
    let sizes: Vec<usize> = facts.iter().map(|facts| facts.rows).collect();
    joint.plan(&Holders::new(&sizes, facts[0].dimension, facts[0].row_terms).unwrap()).unwrap()
}

pub(crate) fn contributions(plan: &Plan, tables: &[Matrix]) -> Vec<Contribution> {
    tables.iter().enumerate().map(|(j, table)| plan.contribute(j, &table.all()).unwrap()).collect()
}

fn aggregators(scheme: &Scheme) -> Vec<Aggregator<'_>> {
    (0..scheme.aggregators()).map(|number| Aggregator::new(scheme, number, KEY)).collect()
}

/// Hands one holder's messages to all aggregators and has them check its proof.
fn submit(
    aggregators: &mut [Aggregator<'_>],
    messages: &[Vec<u8>],
) -> Result<Vec<Vec<u8>>, RoundError> {
    let received = aggregators.iter_mut().zip(messages).map(|(one, message)| one.receive(message));
    let checks = received.collect::<Result<Vec<_>, _>>()?;
    aggregators.iter_mut().try_for_each(|aggregator| aggregator.verify(&checks))?;
    Ok(checks)
}

/// The numbers themselves.
pub(crate) struct Reveal;

impl SecretSharing for Reveal {
    type Shares = Vec<u128>;

    fn split(&self, numbers: &[u128]) -> Vec<u128> {
        numbers.to_vec()
    }
}

fn signed(residue: u128) -> i128 {
    let p = Field128::modulus();
    if residue <= p / 2 { residue as i128 } else { -((p - residue) as i128) }
}

/// The noise that so many aggregators draw from this seed, one after the other, added up.
fn noise(round: &Round, aggregators: usize, seed: u64) -> Vec<i128> {
    let source = &mut Seeded::new(seed);
    let mut sum = vec![0i128; round.lattice().dimension()];
    for _ in 0..aggregators {
        let share = round.noise_share(source).unwrap().modulo(Field128::modulus());
        sum.iter_mut().zip(share).for_each(|(sum, x)| *sum += signed(x));
    }
    sum
}
