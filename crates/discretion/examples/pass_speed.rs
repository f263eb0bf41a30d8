//! How fast passes over rows are, beside what the machine can do: one JSON object for `make bench`.
//!
//! `cargo run --release --example pass_speed -- ROWS NUMBERS CATEGORY_COLUMNS VALUES`: a made-up
//! table of this shape. Every figure is the best of several runs, as the machine's own figures are.

use discretion::erm::matrix::{Batch, Layout, Matrix, Norm};
use discretion::erm::{AskOracle, Order, Point};
use discretion::loss::Logistic;
use pulp::{Arch, NullaryFnOnce, Simd, WithSimd};
use rayon::prelude::*;
use std::hint::black_box;
use std::time::Instant;

const RUNS: usize = 7;

/// The shortest of several runs, in seconds.
fn best(mut work: impl FnMut()) -> f64 {
    let mut once = || {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..RUNS).map(|_| once()).fold(f64::INFINITY, f64::min)
}

/// Bytes per second of a triad a = b + s·c over arrays far larger than the caches of one core, 24
/// bytes for each element.
fn bandwidth() -> f64 {
    const LENGTH: usize = 20_000_000;
    const PIECE: usize = 1 << 16;
    let (mut a, b, c) = (vec![0.0f64; LENGTH], vec![1.0f64; LENGTH], vec![2.0f64; LENGTH]);
    let seconds = best(|| {
        let pieces = a.par_chunks_mut(PIECE).zip(b.par_chunks(PIECE)).zip(c.par_chunks(PIECE));
        pieces.for_each(|((a, b), c)| {
            for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
                *a = b + 3.0 * c;
            }
        });
        black_box(&a);
    });
    24.0 * LENGTH as f64 / seconds
}

/// Fused multiply-adds on numbers that never leave the registers.
struct Peak;

/// The same in single precision.
struct SinglePeak;

const STEPS: usize = 10_000_000;

impl NullaryFnOnce for Peak {
    /// How many numbers are worked on at a time.
    type Output = usize;

    #[inline(always)]
    fn call(self) -> usize {
        let (mut sums, x, y) =
            ([[1.0f64; 8]; 12], black_box([0.999f64; 8]), black_box([1e-7f64; 8]));
        for _ in 0..STEPS {
            for sum in &mut sums {
                for k in 0..8 {
                    sum[k] = sum[k].mul_add(x[k], y[k]);
                }
            }
        }
        black_box(sums);
        8
    }
}

impl WithSimd for SinglePeak {
    /// How many numbers a register holds.
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> usize {
        let splat = |x: f32| simd.splat_f32s(black_box(x));
        let (mut sums, x, y) = ([splat(1.0); 12], splat(0.999), splat(1e-7));
        for _ in 0..STEPS {
            for sum in &mut sums {
                *sum = simd.mul_add_f32s(*sum, x, y);
            }
        }
        black_box(sums.map(|sum| simd.reduce_sum_f32s(sum)));
        S::F32_LANES
    }
}

/// Operations per second of all threads together, a fused multiply-add being two. `work` says how
/// many numbers it works on at a time.
fn arithmetic_peak(work: impl Fn() -> usize + Sync) -> f64 {
    let mut numbers = 0;
    let seconds = best(|| {
        numbers = (0..rayon::current_num_threads()).into_par_iter().map(|_| work()).sum();
    });
    (STEPS * 12 * numbers * 2) as f64 / seconds
}

fn table(rows: usize, numbers: usize, columns: usize, values: usize) -> Matrix {
    let constant = 0.99 / ((1 + numbers + columns) as f32).sqrt();
    let layout = Layout::new(
        Norm::Scale,
        constant,
        vec![constant; numbers],
        vec![(values, constant); columns],
    );
    let mut matrix = Matrix::new(layout.expect("the constants keep rows in the unit ball"));
    let mut state = 1u64;
    let mut next = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u32 << 24) as f32
    };
    for start in (0..rows).step_by(8192) {
        let count = 8192.min(rows - start);
        matrix.push(Batch {
            numeric: (0..count * numbers).map(|_| constant * (2.0 * next() - 1.0)).collect(),
            codes: (0..count * columns).map(|_| (next() * values as f32) as u16).collect(),
            positive: (0..count).map(|_| next() < 0.5).collect(),
        });
    }
    matrix
}

#[allow(clippy::print_stdout)] // a measuring program
fn main() {
    let sizes: Vec<usize> =
        std::env::args().skip(1).map(|text| text.parse().expect("a number")).collect();
    let [rows, numbers, columns, values] = sizes[..] else { panic!("four numbers are needed") };
    let bandwidth = bandwidth();
    let peak = arithmetic_peak(|| Arch::new().dispatch(Peak));
    let single_peak = arithmetic_peak(|| Arch::new().dispatch(SinglePeak));
    let matrix = table(rows, numbers, columns, values);
    let d = matrix.layout().dimension();
    let point = |shift: usize, order| {
        let theta = (0..d).map(|j| ((j + shift) as f64).sin()).collect();
        Point { theta, order }
    };
    let pass = |points: &[Point]| {
        best(|| drop(matrix.all().sums_at(&Logistic, points).expect("rows in memory can be read")))
    };
    let gradient = pass(&[point(0, Order::Gradient)]);
    let newton = pass(&[point(0, Order::Curvature)]);
    let ten = pass(&(0..10).map(|shift| point(shift, Order::Gradient)).collect::<Vec<_>>());
    // A row as it is stored; multiplications and additions that the sums consist of, the loss
    // itself not counted.
    let bytes = 4 * numbers + 2 * columns + 4;
    let terms = 1 + numbers + columns;
    let gradient_operations = 4 * terms;
    let dense = 1 + numbers;
    let newton_operations = gradient_operations
        + dense * (dense + 1)
        + dense
        + 2 * columns * dense
        + columns * (columns + 1);
    println!(
        "{{\"rows\": {rows}, \"dimension\": {d}, \"threads\": {}, \"bandwidth\": {bandwidth:.4e}, \"peak\": {peak:.4e}, \"single_peak\": {single_peak:.4e}, \
         \"gradient_seconds\": {gradient:.5}, \"newton_seconds\": {newton:.5}, \"ten_gradients_seconds\": {ten:.5}, \
         \"row_bytes\": {bytes}, \"gradient_operations\": {gradient_operations}, \"newton_operations\": {newton_operations}}}",
        rayon::current_num_threads()
    );
}
