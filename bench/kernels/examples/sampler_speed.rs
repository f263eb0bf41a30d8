//! How long a draw of either discrete law takes, beside OpenDP's samplers.
//!
//! cargo run --release --manifest-path bench/kernels/Cargo.toml --target-dir target/kernels
//! --example sampler_speed

use dashu_ratio::RBig;
use discretion::noise::{IntegerNoise, Receipt, Sensitive, discrete_gaussian, discrete_laplace};
use discretion::privacy::{Pure, Zcdp};
use opendp::traits::samplers::{sample_discrete_gaussian, sample_discrete_laplace};
use std::time::Instant;

const DRAWS: usize = 20_000;

/// Nanoseconds for each of `DRAWS`, the best of seven times.
fn nanoseconds(mut all: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        all();
        start.elapsed().as_secs_f64() * 1e9 / DRAWS as f64
    };
    (0..7).map(time).fold(f64::INFINITY, f64::min)
}

#[allow(clippy::print_stdout)]
fn main() {
    let mut receipt = Receipt::nobody_remembers();
    let source = receipt.noise();
    println!("nanoseconds a draw      one by one  in a vector    OpenDP   OpenDP / in a vector");
    for epsilon in [2.5, 0.7, 1e-3, 1e-7] {
        let laplace = IntegerNoise::Laplace { sensitivity: 2, budget: Pure { epsilon } };
        let scale = RBig::from(2) / RBig::try_from(epsilon).expect("finite");
        let alone = nanoseconds(|| (0..DRAWS).for_each(|_| drop(discrete_laplace(&scale, source))));
        let theirs =
            nanoseconds(|| (0..DRAWS).for_each(|_| drop(sample_discrete_laplace(scale.clone()))));
        report("Laplace", scale.to_f64().value(), alone, vector(laplace), theirs);

        let gaussian = IntegerNoise::Gaussian {
            squared_sensitivity: 2,
            budget: Zcdp { rho: epsilon * epsilon / 4.0 },
        };
        let scale = RBig::try_from(gaussian.deviation()).expect("finite");
        let alone =
            nanoseconds(|| (0..DRAWS).for_each(|_| drop(discrete_gaussian(&scale, source))));
        let theirs =
            nanoseconds(|| (0..DRAWS).for_each(|_| drop(sample_discrete_gaussian(scale.clone()))));
        report("Gaussian", scale.to_f64().value(), alone, vector(gaussian), theirs);
    }
}

fn vector(noise: IntegerNoise) -> f64 {
    nanoseconds(|| {
        drop(noise.release(Sensitive::new(vec![0; DRAWS]), Receipt::nobody_remembers().noise()))
    })
}

#[allow(clippy::print_stdout)]
fn report(law: &str, scale: f64, alone: f64, ours: f64, theirs: f64) {
    println!("{law:8} {scale:14.1} {alone:11.0} {ours:12.0} {theirs:9.0}   {:.1}", theirs / ours);
}
