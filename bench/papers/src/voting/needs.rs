//! How many chunks each design needs, from public numbers alone: what one-sided noise gains over
//! Laplace noise.

use super::DELTA;
use discretion::privacy::Approximate;
use discretion::vote::{AGREEMENT, Demand, Design, distance};
use serde::Serialize;

/// Chunks at δ = 1e-6, β = 0.05 and 5/6 agreement.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    pub epsilon: f64,
    pub queries: u64,
    pub unstable: u64,
    /// The paper's formula.
    pub printed: u64,
    /// One threshold for the session, with Laplace noise on both sides.
    pub laplace: u64,
    /// The library's designs.
    pub one_threshold: u64,
    pub new_thresholds: u64,
    pub gaussian: u64,
}

/// The reference points, and two that show where other designs win.
pub fn lines() -> Vec<Line> {
    [(1.0, 1000, 50), (1.0, 1000, 3), (3.0, 1000, 50), (1.0, 1000, 200), (1.0, 10_000, 500)]
        .map(line)
        .into()
}

fn line((epsilon, queries, unstable): (f64, u64, u64)) -> Line {
    let demand = Demand {
        budget: Approximate { epsilon, delta: DELTA },
        queries,
        unstable,
        miss: 0.05,
        scores: false,
    };
    let mut found = [0; 3];
    for planned in demand.designs() {
        let place = match planned.design {
            Design::Sparse(sparse) if sparse.thresholds == 1 => 0,
            Design::Sparse(_) => 1,
            Design::Gaussian(_) => 2,
            Design::Maximum(_) | Design::Exponential(_) | Design::Sums(_) => continue,
        };
        found[place] = planned.chunks(AGREEMENT).unwrap_or(u64::MAX);
    }
    let [one_threshold, new_thresholds, gaussian] = found;
    let laplace = chunks(laplace_needs(&demand));
    Line {
        epsilon,
        queries,
        unstable,
        printed: demand.printed_chunks(),
        laplace,
        one_threshold,
        new_thresholds,
        gaussian,
    }
}

/// The smallest number of chunks that reaches a distance.
fn chunks(needs: f64) -> u64 {
    (1..)
        .find(|&chunks| distance(chunks, AGREEMENT) as f64 >= needs)
        .expect("distances grow without end")
}

/// The distance that one threshold with Laplace noise on both sides needs: 1/b_t + 2T/b_q = ε, and
/// unstable queries slip through with the upper tail of Lap(b_q) − Lap(b_t).
fn laplace_needs(demand: &Demand) -> f64 {
    let Approximate { epsilon, delta } = demand.budget;
    let needs = |share: f64| {
        let threshold = 1.0 / (share * epsilon);
        let query = 2.0 * demand.unstable as f64 / ((1.0 - share) * epsilon);
        let quantile = |p: f64| upper_quantile(query, threshold, p);
        quantile(delta / demand.unstable as f64) + quantile(demand.miss / demand.queries as f64)
    };
    (1..100).map(|step| needs(f64::from(step) / 100.0)).fold(f64::INFINITY, f64::min)
}

/// w with P(Lap(a) − Lap(b) > w) = p.
fn upper_quantile(a: f64, b: f64, p: f64) -> f64 {
    let tail = |w: f64| {
        if (a - b).abs() < 1e-9 * a {
            return 0.5 * (-w / a).exp() * (1.0 + 0.5 * w / a);
        }
        0.5 * (a * a * (-w / a).exp() - b * b * (-w / b).exp()) / (a * a - b * b)
    };
    let (mut low, mut high) = (0.0, 1e9);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if tail(middle) > p { low = middle } else { high = middle }
    }
    high
}
