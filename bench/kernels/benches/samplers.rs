//! Exact draws: the two discrete laws one by one and in vectors, and the gate. Under a seed, so
//! that every run draws the same.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use dashu_ratio::RBig;
use discretion::noise::gate::{Gate, Mask};
use discretion::noise::{
    IntegerNoise, Receipt, Seeded, Sensitive, discrete_gaussian, discrete_laplace, exact,
};
use discretion::privacy::{Pure, Zcdp};
use discretion_privacy::trusted::certified;

const VECTOR: usize = 1000;

fn samplers(c: &mut Criterion) {
    let mut group = c.benchmark_group("draw");
    for scale in [0.7, 20.0, 1e6] {
        let exactly = RBig::try_from(scale).expect("finite");
        let source = &mut Seeded::new(1);
        group.bench_function(BenchmarkId::new("discrete Laplace", scale), |b| {
            b.iter(|| discrete_laplace(&exactly, source))
        });
        group.bench_function(BenchmarkId::new("discrete Gaussian", scale), |b| {
            b.iter(|| discrete_gaussian(&exactly, source))
        });
    }
    group.finish();
    let mut group = c.benchmark_group("vector");
    group.throughput(Throughput::Elements(VECTOR as u64));
    for (name, noise) in [
        ("Laplace", IntegerNoise::Laplace { sensitivity: 2, budget: Pure { epsilon: 0.7 } }),
        ("Gaussian", IntegerNoise::Gaussian { squared_sensitivity: 2, budget: Zcdp { rho: 0.1 } }),
    ] {
        let mut receipt = Receipt::seeded(1);
        group.bench_function(name, |b| {
            b.iter(|| {
                noise
                    .release(Sensitive::new(vec![0; VECTOR]), receipt.noise())
                    .expect("a seeded source")
            });
        });
    }
    group.finish();
}

fn gate(c: &mut Criterion) {
    let mut group = c.benchmark_group("gate");
    for (name, mask) in [
        ("Laplace", Mask::Laplace(Pure { epsilon: 0.01 })),
        ("Gaussian", Mask::Gaussian(Zcdp { rho: 1e-4 })),
    ] {
        for dimension in [10, 100] {
            let gate = Gate::new(dimension, 1e-9, mask);
            let mut receipt = Receipt::seeded(1);
            group.throughput(Throughput::Elements(dimension as u64));
            group.bench_function(BenchmarkId::new(name, dimension), |b| {
                b.iter(|| {
                    let vector = (0..dimension).map(|j| exact((j as f64).sin())).collect();
                    gate.release(Sensitive::new(certified(vector, 1e-9)), receipt.noise())
                        .expect("a seeded source")
                });
            });
        }
    }
    group.finish();
}

criterion_group! { name = kernels; config = discretion_kernels::brief(); targets = samplers, gate }
criterion_main!(kernels);
