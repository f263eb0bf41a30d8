//! Answers by a vote: counting, distances, exact tests, and the memory that commits them.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use discretion::noise::{Provenance, Seeded, Sensitive};
use discretion::privacy::Approximate;
use discretion::vote::{Ballot, Bins, Demand, Recent, answer};

/// So many queries at once, as in a tick of the service.
const QUERIES: u64 = 128;

fn session(scores: bool) -> Recent {
    let budget = Approximate { epsilon: 1.0, delta: 1e-6 };
    let demand = Demand { budget, queries: QUERIES, unstable: 10, miss: 0.05, scores };
    Recent::new(demand.plan().design, QUERIES, Provenance::TestSeed)
}

fn votes(c: &mut Criterion) {
    let voters = 2000;
    let labels = || {
        Ballot::Labels(Sensitive::new(
            (0..10).map(|label| if label == 3 { voters } else { label }).collect(),
        ))
    };
    let bins = Bins::of_width(0.05).expect("a width");
    let scores = || {
        Ballot::Scores(
            Sensitive::new((0..voters).map(|i| 0.52 + 0.001 * (i % 9) as f32).collect()),
            bins,
        )
    };
    let mut group = c.benchmark_group("answers");
    group.throughput(Throughput::Elements(QUERIES));
    for (name, is_score, ballot) in
        [("labels", false, &labels as &dyn Fn() -> Ballot), ("scores", true, &scores)]
    {
        let setup = || {
            let named: Vec<(String, Ballot)> =
                (0..QUERIES).map(|i| (format!("query {i}"), ballot())).collect();
            (named, session(is_score))
        };
        group.bench_function(name, |b| {
            b.iter_batched(
                setup,
                |(ballots, mut memory)| {
                    answer(ballots, &mut memory, &mut Seeded::new(5)).expect("a seeded source")
                },
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

criterion_group! { name = kernels; config = discretion_kernels::brief(); targets = votes }
criterion_main!(kernels);
