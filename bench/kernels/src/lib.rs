//! How the kernels are measured: briefly, unless criterion's own flags ask for more (`make
//! bench-kernels FLAGS='--measurement-time 10'`).

use criterion::Criterion;
use std::time::Duration;

/// About two seconds for each kernel.
pub fn brief() -> Criterion {
    let usual = Criterion::default().without_plots().sample_size(20);
    usual.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_millis(1200))
}
