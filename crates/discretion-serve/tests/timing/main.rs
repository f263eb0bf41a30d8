//! Whether the time of an answer tells what it cost. A program of its own, so that no other test
//! disturbs the clock.

#[path = "../service/client.rs"]
#[allow(dead_code)]
mod client;
#[path = "../service/place.rs"]
#[allow(dead_code)]
mod place;

use client::Client;
use discretion::noise::random_word;
use discretion_serve::tokens::Role;
use place::{Place, clerk, nurse, running, tick};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Held by the one test that measures.
static CLOCK: Mutex<()> = Mutex::new(());

/// The level of every test here.
const LEVEL: f64 = 1e-6;

/// Samples of each kind. With so many, two distributions that are 0.8 apart are told apart almost
/// surely.
const SAMPLES: usize = 70;

/// The largest distance between two empirical distribution functions, and the distance that equal
/// distributions pass with probability at most about [`LEVEL`].
fn kolmogorov_smirnov(one: &[Duration], other: &[Duration]) -> (f64, f64) {
    let share = |sample: &[Duration], at: Duration| {
        sample.iter().filter(|&&value| value <= at).count() as f64 / sample.len() as f64
    };
    let distances = one.iter().chain(other).map(|&at| (share(one, at) - share(other, at)).abs());
    let (n, m) = (one.len() as f64, other.len() as f64);
    let critical = (-(LEVEL / 2.0).ln() / 2.0).sqrt() * ((n + m) / (n * m)).sqrt();
    (distances.fold(0.0, f64::max), critical)
}

/// So many of each of two kinds in random order. Only then do equal distributions look equal:
/// requests that take turns fall into step with whatever else goes back and forth in a machine.
fn order(each: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..2 * each).map(|i| i % 2).collect();
    for last in (1..order.len()).rev() {
        let other = random_word().unwrap() as usize % (last + 1);
        order.swap(last, other);
    }
    order
}

/// Latencies of stable and of unstable queries, one after the other in random order, where the
/// unstable ones take so much more: real learners hide their difference in the time of a commit, so
/// this makes one that a clock can see.
fn latencies(tick: Option<Duration>, more: Duration) -> [Vec<Duration>; 2] {
    let place = Place::new(10_000, 2 * SAMPLES);
    let token = place.token("ann", Role::Analyst, None);
    let running = place.start(place.options(tick), more);
    let mut client = Client::new(running.address());
    let mut took = [Vec::new(), Vec::new()];
    for (i, kind) in order(SAMPLES).into_iter().enumerate() {
        let body = if kind == 0 { clerk(i) } else { nurse(i) };
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
    let _alone = CLOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let [stable, unstable] = latencies(tick(60), Duration::from_millis(12));
    let (distance, limit) = kolmogorov_smirnov(&stable, &unstable);
    assert!(distance <= limit, "with a tick: {distance} > {limit}");
    // The same test has the power to see it. A machine with much else to do hides 12 ms by itself,
    // but not ever more of them.
    let is_seen = [12, 60, 300].map(Duration::from_millis).into_iter().any(|more| {
        let [stable, unstable] = latencies(None, more);
        let (distance, limit) = kolmogorov_smirnov(&stable, &unstable);
        distance > limit
    });
    assert!(is_seen, "what an unstable query takes is not seen without a tick either");
}

/// The comparison itself is constant in time by construction (`tokens::find`). This would notice a
/// way through the service that is not: refusals of a wrong and of a revoked token, in random
/// order, by the same test.
#[test]
fn refusals_take_equally_long() {
    let _alone = CLOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let (place, running, mut client, _) = running(100, 10, None);
    let gone = place.token("bob", Role::Analyst, None);
    place.store().revoke("bob").unwrap();
    std::thread::sleep(Duration::from_millis(600));
    let wrong = format!("{}0", &gone[..gone.len() - 1]);
    let mut took = [Vec::new(), Vec::new()];
    for kind in order(300) {
        let start = Instant::now();
        let presented = [&wrong, &gone][kind];
        assert_eq!(client.get("/v1/budget", Some(presented)).unwrap().status, 401);
        took[kind].push(start.elapsed());
    }
    let (distance, limit) = kolmogorov_smirnov(&took[0], &took[1]);
    assert!(distance <= limit, "{distance} > {limit}");
    running.stop().unwrap();
}
