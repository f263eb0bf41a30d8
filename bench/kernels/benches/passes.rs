//! One pass over rows: sums of gradients and Hessians at one point or several.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use discretion::erm::matrix::{Batch, Layout, Matrix, Norm};
use discretion::erm::{AskOracle, Order, Point};
use discretion::loss::Logistic;
use discretion::noise::Seeded;

const ROWS: usize = 20_000;

/// A made-up table: so many numbers, and columns of ten categories each.
fn table(numbers: usize, columns: usize) -> Matrix {
    const VALUES: usize = 10;
    let constant = 0.99 / ((1 + numbers + columns) as f32).sqrt();
    let layout = Layout::new(
        Norm::Scale,
        constant,
        vec![constant; numbers],
        vec![(VALUES, constant); columns],
    );
    let mut matrix = Matrix::new(layout.expect("rows in the unit ball"));
    let mut source = Seeded::new(1);
    let mut unit = || source.unit() as f32;
    matrix.push(Batch {
        numeric: (0..ROWS * numbers).map(|_| constant * (2.0 * unit() - 1.0)).collect(),
        codes: (0..ROWS * columns).map(|_| (unit() * VALUES as f32) as u16).collect(),
        positive: (0..ROWS).map(|_| unit() < 0.5).collect(),
    });
    matrix
}

fn passes(c: &mut Criterion) {
    let mut group = c.benchmark_group("pass");
    group.throughput(Throughput::Elements(ROWS as u64));
    for (name, numbers, columns) in
        [("30 numbers", 30, 0), ("8 categories", 0, 8), ("10 numbers and 6 categories", 10, 6)]
    {
        let matrix = table(numbers, columns);
        let d = matrix.layout().dimension();
        let point = |shift: usize, order| Point {
            theta: (0..d).map(|j| ((j + shift) as f64).sin()).collect(),
            order,
        };
        for (what, points) in [
            ("gradient", vec![point(0, Order::Gradient)]),
            ("ten gradients", (0..10).map(|shift| point(shift, Order::Gradient)).collect()),
            ("hessian", vec![point(0, Order::Hessian)]),
            ("curvature", vec![point(0, Order::Curvature)]),
        ] {
            group.bench_with_input(BenchmarkId::new(what, name), &points, |b, points| {
                b.iter(|| matrix.all().sums_at(&Logistic, points).expect("rows in memory can be read"));
            });
        }
    }
    group.finish();
}

criterion_group! { name = kernels; config = discretion_kernels::brief(); targets = passes }
criterion_main!(kernels);
