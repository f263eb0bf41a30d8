//! Many clients at once, for a minute: requests per second, and the latency beside the tick.
//!
//!     cargo run --release --workspace --example load -- [SECONDS] [CLIENTS] [TICK_MS]

#[path = "../tests/service/client.rs"]
#[allow(dead_code)]
mod client;
#[path = "../tests/service/place.rs"]
#[allow(dead_code)]
mod place;

use client::Client;
use discretion_serve::tokens::Role;
use place::{Place, tick};
use std::io::Write;
use std::time::{Duration, Instant};

fn main() {
    let mut arguments =
        std::env::args().skip(1).map(|word| word.parse::<u64>().expect("a whole number"));
    let [seconds, clients, millis] = [60, 64, 50].map(|usual| arguments.next().unwrap_or(usual));
    let place = Place::new(900_000, 10);
    let tokens: Vec<String> = (0..clients)
        .map(|who| place.token(&format!("client {who}"), Role::Analyst, None))
        .collect();
    let running = place.start(place.options(tick(millis)), Duration::ZERO);
    let (address, start) = (running.address(), Instant::now());
    let end = start + Duration::from_secs(seconds);
    let asking: Vec<_> = (0..clients)
        .map(|who| {
            let token = tokens[who as usize].clone();
            std::thread::spawn(move || {
                let (mut client, mut took) = (Client::new(address), Vec::new());
                while Instant::now() < end {
                    let age = who as usize * 10_000 + took.len();
                    let asked = Instant::now();
                    let response = client
                        .ask(&token, Some(&format!("{who}-{age}")), place::clerk(age))
                        .expect("no error");
                    took.push(asked.elapsed());
                    assert_eq!(
                        (response.status, response.body.as_str()),
                        (200, r#"{"answer":"yes"}"#)
                    );
                }
                took
            })
        })
        .collect();
    let mut took: Vec<Duration> =
        asking.into_iter().flat_map(|asking| asking.join().expect("no error")).collect();
    let passed = start.elapsed().as_secs_f64();
    running.stop().expect("it ends in good order");
    took.sort();
    let used: u64 =
        place.store().tokens().expect("the state can be read").iter().map(|token| token.used).sum();
    assert_eq!(used, took.len() as u64, "a request was lost");
    let at = |share: f64| took[((took.len() - 1) as f64 * share) as usize];
    let text = format!(
        "{clients} clients, {seconds} s, tick {millis} ms: {} requests, {:.0} a second, no error, none lost\n\
         latency: median {:?}, p99 {:?}, longest {:?}\n",
        took.len(),
        took.len() as f64 / passed,
        at(0.5),
        at(0.99),
        at(1.0)
    );
    std::io::stdout().write_all(text.as_bytes()).expect("standard output is open");
}
