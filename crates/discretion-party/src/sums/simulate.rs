//! All parts in one process, for trying a study out.

use super::scheme::nonce;
use crate::{Aggregator, RoundError, Scheme};
use discretion::erm::Oracle;
use discretion::erm::matrix::{Matrix, Rows};
use discretion::joint::{Contribution, Holders, Joint, Plan, Round, Stepped};
use discretion::noise::{Released, Source};
use discretion::privacy::account::Event;
use discretion_jobs::joint::HeldOutCounts;

/// What a simulated study gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    /// The public numbers.
    pub plan: Plan,
    /// The released average.
    pub average: Released<Vec<f64>>,
    /// The model after a Newton step, with what its intervals are computed from, if there was one.
    pub stepped: Option<Stepped>,
    /// Counts of its scores on rows that were held out, if some were.
    pub counts: Option<Released<Vec<f64>>>,
    /// The bytes that one holder sent, to all aggregators and in all rounds together.
    pub bytes_per_holder: usize,
}

impl Simulation {
    /// The model: after the Newton step if there was one.
    pub fn coefficients(&self) -> &Released<Vec<f64>> {
        self.stepped.as_ref().map_or(&self.average, |stepped| &stepped.coefficients)
    }

    /// What it cost every holder.
    pub fn event(&self) -> Event {
        self.plan.event()
    }
}

/// Which rows each holder gets, if holders of these sizes are dealt rows in turn: each gets its
/// share of any stretch of the table, so that a sorted table does no harm.
pub fn deal(sizes: &[usize]) -> Vec<Vec<usize>> {
    let n: usize = sizes.iter().sum();
    let mut hands: Vec<Vec<usize>> = sizes.iter().map(|&size| Vec::with_capacity(size)).collect();
    for row in 0..n {
        // Whoever is furthest behind its share of row + 1 rows, times n to stay in whole numbers.
        let behind = |holder: usize| {
            let due = (sizes[holder] as i128) * (row as i128 + 1);
            due - (hands[holder].len() as i128) * n as i128
        };
        let open = (0..sizes.len()).filter(|&holder| hands[holder].len() < sizes[holder]);
        let next = open.max_by_key(|&holder| (behind(holder), std::cmp::Reverse(holder)));
        hands[next.expect("sizes add up to n")].push(row);
    }
    hands
}

/// Deals a table to holders of these sizes and runs a study among them, every message as bytes.
pub fn simulate(
    joint: &Joint,
    matrix: &Matrix,
    sizes: &[usize],
    source: &mut dyn Source,
) -> Result<Simulation, RoundError> {
    let dealt: usize = sizes.iter().sum();
    if dealt != matrix.rows() {
        return Err(RoundError::Dealt { rows: matrix.rows(), dealt });
    }
    let facts = matrix.all().facts();
    let holders = Holders::new(sizes, facts.dimension, facts.row_terms)?;
    let columns = facts.columns.filter(|_| joint.has_intervals());
    let holders = match columns {
        Some(columns) => holders.of_columns(&columns, &facts.entries),
        None => holders,
    };
    let plan = joint.plan(&holders)?;
    let tables: Vec<Rows<'_>> = deal(sizes).iter().map(|hand| matrix.gather(hand).into()).collect();
    let tables: Vec<&dyn Oracle> = tables.iter().map(|table| table as &dyn Oracle).collect();
    simulate_plan(plan, &tables, &[], source)
}

/// Runs a plan among holders of these tables, and of the rows that each of them holds out if the
/// plan has a round for them.
pub fn simulate_plan(
    plan: Plan,
    tables: &[&dyn Oracle],
    held_out: &[HeldOutCounts],
    source: &mut dyn Source,
) -> Result<Simulation, RoundError> {
    let mut bytes = 0;
    let contributed = |(j, &table): (usize, &&dyn Oracle)| plan.contribute(j, table);
    let contributions =
        tables.iter().enumerate().map(contributed).collect::<Result<Vec<_>, _>>()?;
    let average = run(plan.average(), &contributions, &mut bytes, source)?;
    let stepped = match plan.step(&average)? {
        None => None,
        Some(step) => {
            let mut sums: Vec<Vec<Contribution>> =
                step.rounds().iter().map(|_| Vec::new()).collect();
            for (j, &table) in tables.iter().enumerate() {
                for (sum, one) in sums.iter_mut().zip(step.contribute(j, table)?) {
                    sum.push(one);
                }
            }
            let mut released = Vec::new();
            for (round, sum) in step.rounds().iter().zip(&sums) {
                released.push(run(round, sum, &mut bytes, source)?);
            }
            Some(step.finish(released)?)
        }
    };
    let mut simulation =
        Simulation { plan, average, stepped, counts: None, bytes_per_holder: bytes / tables.len() };
    if let Some(counts) = simulation.plan.counts() {
        let contributed = |(j, rows): (usize, &HeldOutCounts)| {
            counts.contribute(j, &rows.tally(counts, simulation.coefficients()))
        };
        let contributions =
            held_out.iter().enumerate().map(contributed).collect::<Result<Vec<_>, _>>()?;
        simulation.counts = Some(run(counts.round(), &contributions, &mut bytes, source)?);
        simulation.bytes_per_holder = bytes / tables.len();
    }
    Ok(simulation)
}

/// One round among holders and aggregators in this process.
fn run(
    round: &Round,
    contributions: &[Contribution],
    bytes: &mut usize,
    source: &mut dyn Source,
) -> Result<Released<Vec<f64>>, RoundError> {
    let scheme = Scheme::new(round, b"simulated", &nonce()?)?;
    let mut key = [0; 32];
    key[..16].copy_from_slice(&nonce()?);
    key[16..].copy_from_slice(&nonce()?);
    let mut aggregators: Vec<Aggregator<'_>> =
        (0..scheme.aggregators()).map(|number| Aggregator::new(&scheme, number, key)).collect();
    for (holder, contribution) in contributions.iter().enumerate() {
        let messages = scheme.report(holder, contribution)?;
        *bytes += messages.iter().map(Vec::len).sum::<usize>();
        let received =
            aggregators.iter_mut().zip(&messages).map(|(one, message)| one.receive(message));
        let checks = received.collect::<Result<Vec<_>, _>>()?;
        for aggregator in &mut aggregators {
            aggregator.verify(&checks)?;
        }
    }
    let finished = aggregators.into_iter().map(|one| one.finish(source));
    scheme.open(&finished.collect::<Result<Vec<_>, _>>()?)
}
