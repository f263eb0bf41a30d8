//! How long one round takes and how much it sends: 20 holders, 1,000 coefficients, by the number of
//! aggregators. `cargo run --release -p discretion-party --example round_speed` With two numbers,
//! of holders and of aggregators, one round as a line of JSON, for `bench/run.py`.

use discretion::erm::Oracle;
use discretion::erm::matrix::{Batch, Layout, Matrix, Norm};
use discretion::joint::{Holders, Joint, MOST_FOR_STEP, Sharing, Step, Weighting};
use discretion::loss::LossKind;
use discretion::noise::{Provenance, Receipt, Seeded};
use discretion::privacy::Budget;
use discretion_party::{Aggregator, Scheme};
use std::time::{Duration, Instant};

const HOLDERS: usize = 20;
const ROWS: usize = 200;
const DIMENSION: usize = 1000;

/// A category column beside an intercept and a number, so many coefficients in all.
fn table(dimension: usize, source: &mut Seeded) -> Matrix {
    let entry = 0.57;
    let layout = Layout::new(Norm::Scale, entry, vec![entry], vec![(dimension - 2, entry)])
        .expect("short rows");
    let mut matrix = Matrix::new(layout);
    let mut batch = Batch::default();
    for _ in 0..ROWS {
        batch.numeric.push((source.unit() - 0.5) as f32);
        batch.codes.push((source.unit() * (dimension - 2) as f64) as u16);
        batch.positive.push(source.unit() < 0.4);
    }
    matrix.push(batch);
    matrix
}

/// What a round took, in this one process.
struct Round {
    /// Of a number that is shared.
    bits: u32,
    /// Sent by a holder.
    bytes: usize,
    training: Duration,
    sharing: Duration,
    checking: Duration,
    whole: Duration,
}

fn round(holders: usize, aggregators: usize, source: &mut Seeded) -> Round {
    let tables: Vec<Matrix> = (0..holders).map(|_| table(DIMENSION, source)).collect();
    let row_terms = tables[0].all().facts().row_terms;
    let joint = Joint {
        loss: LossKind::Logistic,
        lambda: 0.05,
        weighting: Weighting::BySize,
        sharing: Sharing::new(aggregators, aggregators / 2).expect("some are honest"),
        budget: Budget::Approximate { epsilon: 1.0, delta: 1e-6 },
        step: None,
    };
    let holders = Holders::new(&vec![ROWS; holders], DIMENSION, row_terms).expect("a study");
    let plan = joint.plan(&holders).expect("a plan");
    let scheme = Scheme::new(plan.average(), b"speed", &[0; 16]).expect("a scheme");
    let mut all: Vec<_> =
        (0..aggregators).map(|number| Aggregator::new(&scheme, number, [1; 32])).collect();
    let (mut training, mut sharing, mut checking, mut bytes) =
        (Duration::ZERO, Duration::ZERO, Duration::ZERO, 0);
    let start = Instant::now();
    for (holder, table) in tables.iter().enumerate() {
        let began = Instant::now();
        let contribution = plan.contribute(holder, &table.all()).expect("a model");
        training += began.elapsed();
        let began = Instant::now();
        let messages = scheme.report(holder, &contribution).expect("a report");
        sharing += began.elapsed();
        bytes = messages.iter().map(Vec::len).sum();
        let began = Instant::now();
        let checks: Vec<_> = all
            .iter_mut()
            .zip(&messages)
            .map(|(one, message)| one.receive(message).expect("whole"))
            .collect();
        all.iter_mut().for_each(|one| one.verify(&checks).expect("in range"));
        checking += began.elapsed();
    }
    let sums: Vec<_> = all
        .into_iter()
        .map(|one| one.finish(Receipt::nobody_remembers().noise()).expect("a sum"))
        .collect();
    scheme.open(&sums).expect("a released sum");
    let bits = u128::BITS - plan.average().lattice().largest().leading_zeros();
    Round { bits, bytes, training, sharing, checking, whole: start.elapsed() }
}

#[allow(clippy::print_stdout)] // a measuring program
fn main() {
    let source = &mut Seeded::new(1);
    let sizes: Vec<usize> =
        std::env::args().skip(1).map(|text| text.parse().expect("a number")).collect();
    if let [holders, aggregators] = sizes[..] {
        let took = round(holders, aggregators, source);
        println!(
            "{{\"coefficients\": {DIMENSION}, \"bits\": {}, \"bytes\": {}, \"training_seconds\": {:.5}, \"sharing_seconds\": {:.5}, \
             \"checking_seconds\": {:.5}, \"seconds\": {:.5}}}",
            took.bits,
            took.bytes,
            took.training.as_secs_f64(),
            took.sharing.as_secs_f64(),
            took.checking.as_secs_f64(),
            took.whole.as_secs_f64()
        );
        return;
    }
    for aggregators in [2, 3, 5, 20] {
        let Round { bits, bytes, training, sharing, checking, whole } =
            round(HOLDERS, aggregators, source);
        eprintln!(
            "{aggregators} aggregators: {bits} bits a number, {:.2} MB sent by a holder; sharing {:.0} ms a holder, checking {:.0} ms \
             a holder and aggregator; the whole round in one process, training included, {:.1} s, {:.1} times what training alone takes",
            bytes as f64 / 1e6,
            sharing.as_secs_f64() * 1e3 / HOLDERS as f64,
            checking.as_secs_f64() * 1e3 / (HOLDERS * aggregators) as f64,
            whole.as_secs_f64(),
            whole.as_secs_f64() / training.as_secs_f64()
        );
    }
    widest_step(source);
}

/// What one holder sends for the Hessian of the widest model that a Newton step is available for.
fn widest_step(source: &mut Seeded) {
    let table = table(MOST_FOR_STEP, source);
    let joint = Joint {
        loss: LossKind::Logistic,
        lambda: 0.05,
        weighting: Weighting::BySize,
        sharing: Sharing::new(2, 1).expect("one is honest"),
        budget: Budget::Approximate { epsilon: 1.0, delta: 1e-6 },
        step: Some(Step {
            lambda: None,
            gradient: 0.25,
            hessian: 0.35,
            covariance: 0.0,
            damping: 1.0,
        }),
    };
    let holders =
        Holders::new(&[ROWS], MOST_FOR_STEP, table.all().facts().row_terms).expect("a study");
    let plan = joint.plan(&holders).expect("a plan");
    // Where the average is does not matter to what is sent.
    let average = plan.average().open(&[0; MOST_FOR_STEP], Provenance::TestSeed);
    let rounds = plan.step(&average).expect("rounds").expect("a step");
    let contributions = rounds.contribute(0, &table.all()).expect("sums");
    let scheme = Scheme::new(&rounds.rounds()[1], b"speed", &[0; 16]).expect("a scheme");
    let began = Instant::now();
    let messages = scheme.report(0, &contributions[1]).expect("a report");
    eprintln!(
        "the Hessian of {MOST_FOR_STEP} coefficients, 2 aggregators: {:.1} MB sent by a holder, {:.1} s for sharing it",
        messages.iter().map(Vec::len).sum::<usize>() as f64 / 1e6,
        began.elapsed().as_secs_f64()
    );
}
