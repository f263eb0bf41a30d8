//! Many clients at once. `examples/load.rs` is the long form.

use crate::client::Client;
use crate::place::{Place, clerk, tick};
use discretion_serve::Options;
use discretion_serve::tokens::Role;
use std::io::Write;
use std::net::TcpStream;
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
                    let body = format!(
                        r#"{{"query": {{"age": {}, "job": "clerk"}}}}"#,
                        who * 1000 + asked
                    );
                    let response =
                        client.ask(&token, Some(&format!("{who}-{asked}")), body).unwrap();
                    assert_eq!(
                        (response.status, response.body.as_str()),
                        (200, r#"{"answer":"yes"}"#)
                    );
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
    let answers: u64 =
        ledger.query_row("SELECT COUNT(*) FROM answers", [], |row| row.get(0)).unwrap();
    assert_eq!((used, answers), (asked, asked));
}

/// A crowd without keys that says nothing, or a byte each, more than there are places: others are
/// answered all the same, and who has shown a token keeps the connection.
#[test]
fn a_silent_crowd_keeps_nobody_out() {
    let place = Place::new(100, 10);
    let token = place.token("ann", Role::Analyst, None);
    let options = Options {
        most_connections: 32,
        patience: Duration::from_secs(600),
        ..place.options(tick(20))
    };
    let running = place.start(options, Duration::ZERO);
    let mut known = Client::new(running.address());
    assert_eq!(known.ask(&token, None, clerk(1)).unwrap().status, 200);
    let crowd: Vec<TcpStream> = (0..300)
        .map(|number| {
            let mut stream = TcpStream::connect(running.address()).unwrap();
            if number % 2 == 0 {
                // It may be closed already: then it is in nobody's way.
                let _ = stream.write_all(b"G");
            }
            stream
        })
        .collect();
    assert_eq!(Client::new(running.address()).get("/healthz", None).unwrap().status, 200);
    assert_eq!(known.ask(&token, None, clerk(2)).unwrap().status, 200);
    drop(crowd);
    running.stop().unwrap();
}
