//! Many clients at once. `examples/load.rs` is the long form.

use crate::client::Client;
use crate::place::{Place, tick};
use discretion_serve::tokens::Role;
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn sixty_four_clients_lose_nothing() {
    let place = Place::new(100_000, 10);
    let tokens: Vec<String> =
        (0..64).map(|who| place.token(&format!("client {who}"), Role::Analyst, None)).collect();
    let running = place.start(place.options(tick(50)), Duration::ZERO);
    let (address, end) = (running.address(), Instant::now() + Duration::from_secs(3));
    let clients: Vec<_> = (0..64)
        .map(|who| {
            let token = tokens[who].clone();
            thread::spawn(move || {
                let (mut client, mut asked) = (Client::new(address), 0);
                while Instant::now() < end {
                    let body = format!(r#"{{"query": {{"age": {}, "job": "clerk"}}}}"#, who * 1000 + asked);
                    let response = client.ask(&token, Some(&format!("{who}-{asked}")), body).unwrap();
                    assert_eq!((response.status, response.body.as_str()), (200, r#"{"answer":"yes"}"#));
                    asked += 1;
                }
                asked
            })
        })
        .collect();
    let asked: u64 = clients.into_iter().map(|client| client.join().unwrap() as u64).sum();
    assert!(asked >= 64, "{asked}");
    running.stop().unwrap();
    let used: u64 = place.store().tokens().unwrap().iter().map(|token| token.used).sum();
    let ledger = rusqlite::Connection::open(place.ledger()).unwrap();
    let answers: u64 = ledger.query_row("SELECT COUNT(*) FROM answers", [], |row| row.get(0)).unwrap();
    assert_eq!((used, answers), (asked, asked));
}
