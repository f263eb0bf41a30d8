//! Whether the time of an answer tells what it cost.

use crate::client::Client;
use crate::place::{Place, clerk, nurse, tick};
use discretion_serve::tokens::Role;
use std::time::{Duration, Instant};

/// The level of every test here.
const LEVEL: f64 = 1e-6;

/// Samples of each kind. With so many, two distributions that are 0.6 apart are told apart almost surely.
const SAMPLES: usize = 100;

/// The largest distance between two empirical distribution functions, and the distance that equal distributions pass with
/// probability at most about [`LEVEL`].
pub fn kolmogorov_smirnov(one: &[Duration], other: &[Duration]) -> (f64, f64) {
    let share = |sample: &[Duration], at: Duration| {
        sample.iter().filter(|&&value| value <= at).count() as f64 / sample.len() as f64
    };
    let distances = one.iter().chain(other).map(|&at| (share(one, at) - share(other, at)).abs());
    let (n, m) = (one.len() as f64, other.len() as f64);
    let critical = (-(LEVEL / 2.0).ln() / 2.0).sqrt() * ((n + m) / (n * m)).sqrt();
    (distances.fold(0.0, f64::max), critical)
}

/// Latencies of stable and of unstable queries, one after the other in turns, where the unstable ones take 4 ms more: real
/// learners hide their difference in the time of a commit, so this makes one that a clock can see.
fn latencies(tick: Option<Duration>) -> [Vec<Duration>; 2] {
    let place = Place::new(10_000, 2 * SAMPLES);
    let token = place.token("ann", Role::Analyst, None);
    let running = place.start(place.options(tick), Duration::from_millis(4));
    let mut client = Client::new(running.address());
    let mut took = [Vec::new(), Vec::new()];
    for i in 0..2 * SAMPLES {
        let (kind, body) = if i % 2 == 0 { (0, clerk(i)) } else { (1, nurse(i)) };
        let start = Instant::now();
        let response = client.ask(&token, None, body).unwrap();
        took[kind].push(start.elapsed());
        assert_eq!(response.body, [r#"{"answer":"yes"}"#, r#"{"answer":null}"#][kind]);
    }
    running.stop().unwrap();
    took
}

#[test]
fn the_tick_hides_what_an_unstable_query_takes() {
    let [stable, unstable] = latencies(tick(40));
    let (distance, limit) = kolmogorov_smirnov(&stable, &unstable);
    assert!(distance <= limit, "with a tick: {distance} > {limit}");
    // The same test has the power to see it.
    let [stable, unstable] = latencies(None);
    let (distance, limit) = kolmogorov_smirnov(&stable, &unstable);
    assert!(distance > limit, "without one: {distance} <= {limit}");
}
