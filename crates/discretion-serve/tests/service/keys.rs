//! Idempotency keys, limits and the end of a session.

use crate::client::Client;
use crate::place::{clerk, nurse, running, tick};
use serde_json::json;
use std::thread;
use std::time::Duration;

#[test]
fn a_request_sent_again_gets_its_response_and_counts_once() {
    let (place, running, mut client, token) = running(100, 10, Some(4));
    let first = client.ask(&token, Some("a"), clerk(1)).unwrap();
    assert_eq!((first.status, first.json()), (200, json!({ "answer": "yes" })));
    let before = place.state();
    assert_eq!(client.ask(&token, Some("a"), clerk(1)).unwrap().json(), first.json());
    assert_eq!(place.state(), before);
    let other = client.ask(&token, Some("a"), clerk(2)).unwrap();
    assert_eq!((other.status, &other.json()["code"]), (409, &json!("key-reused")));
    assert_eq!(place.state(), before);
    // Without the key it is another request, with the same answer: it counts, and it is no second
    // test.
    assert_eq!(client.ask(&token, None, clerk(1)).unwrap().json(), first.json());
    let budget = client.get("/v1/budget", Some(&token)).unwrap().json();
    assert_eq!((&budget["used"], &budget["session"]["queries_left"]), (&json!(2), &json!(99)));
    let batch = r#"{"queries": [{"age": 7, "job": "clerk"}, {"age": 7, "job": "nurse"}, {"age": 8, "job": "clerk"}]}"#;
    let over = client.ask(&token, None, batch).unwrap();
    assert_eq!((over.status, &over.json()["code"]), (429, &json!("over-limit")));
    let two = r#"{"queries": [{"age": 7, "job": "clerk"}, {"age": 7, "job": "nurse"}]}"#;
    let answers = client.ask(&token, None, two).unwrap().json();
    assert_eq!(answers, json!({ "answers": ["yes", null], "session_ended": false }));
    assert_eq!(client.ask(&token, None, clerk(1)).unwrap().status, 429);
    running.stop().unwrap();
    // Also after a restart.
    let running = place.start(place.options(tick(20)), Duration::ZERO);
    let mut client = Client::new(running.address());
    assert_eq!(client.ask(&token, Some("a"), clerk(1)).unwrap().body, first.body);
    assert_eq!(client.ask(&token, Some("a"), clerk(2)).unwrap().status, 409);
    running.stop().unwrap();
}

#[test]
fn the_same_key_at_the_same_time_is_one_request() {
    let (_place, running, _, token) = running(100, 10, Some(1));
    let asked: Vec<_> = (0..8)
        .map(|_| {
            let (mut client, token) = (Client::new(running.address()), token.clone());
            thread::spawn(move || client.ask(&token, Some("k"), clerk(5)).unwrap().body)
        })
        .collect();
    for asked in asked {
        assert_eq!(asked.join().unwrap(), r#"{"answer":"yes"}"#);
    }
    let budget = Client::new(running.address()).get("/v1/budget", Some(&token)).unwrap().json();
    assert_eq!(budget["used"], 1);
    running.stop().unwrap();
}

#[test]
fn a_session_ends_with_its_last_unstable_answer_and_old_answers_stay() {
    let (_place, running, mut client, token) = running(100, 3, None);
    let first = client.ask(&token, None, clerk(1)).unwrap().json();
    for age in 0..3 {
        // The noise may let one of these through once in a very long time; then the session ends
        // later.
        assert_eq!(client.ask(&token, None, nurse(age)).unwrap().json(), json!({ "answer": null }));
    }
    let ended = client.ask(&token, Some("late"), clerk(50)).unwrap();
    assert_eq!(
        (ended.status, ended.header("content-type")),
        (410, Some("application/problem+json"))
    );
    assert_eq!(ended.json()["code"], "session-ended");
    assert_eq!(client.ask(&token, None, clerk(1)).unwrap().json(), first);
    assert_eq!(client.ask(&token, None, nurse(2)).unwrap().json(), json!({ "answer": null }));
    let mixed = r#"{"queries": [{"age": 1, "job": "clerk"}, {"age": 60, "job": "clerk"}]}"#;
    let mixed = client.ask(&token, None, mixed).unwrap().json();
    assert_eq!(mixed, json!({ "answers": ["yes", null], "session_ended": true }));
    let left = client.get("/v1/budget", Some(&token)).unwrap().json();
    assert_eq!(left["session"], json!({ "queries_left": 96, "unstable_left": 0 }));
    // Four, two of them again, and one of the last two: the other was not asked any more.
    assert_eq!(left["used"], 7);
    running.stop().unwrap();
}

#[test]
fn answers_under_way_leave_before_the_end() {
    let place = crate::place::Place::new(100, 10);
    let token = place.token("ann", discretion_serve::tokens::Role::Analyst, None);
    let running = place.start(place.options(tick(400)), Duration::ZERO);
    let mut client = Client::new(running.address());
    client.get("/healthz", None).unwrap();
    let asked = thread::spawn(move || client.ask(&token, None, clerk(5)).unwrap().body);
    // Its answer is in the ledger, and waits for the boundary.
    while !place.state().contains(" 1 [1]") {
        thread::sleep(Duration::from_millis(5));
    }
    running.stop().unwrap();
    assert_eq!(asked.join().unwrap(), r#"{"answer":"yes"}"#);
}

#[test]
fn what_is_not_taken_yet_is_refused_at_the_end_and_changes_nothing() {
    let place = crate::place::Place::new(100, 10);
    let token = place.token("ann", discretion_serve::tokens::Role::Analyst, None);
    let running = place.start(place.options(tick(3000)), Duration::ZERO);
    let mut client = Client::new(running.address());
    client.get("/healthz", None).unwrap();
    let before = place.state();
    let asked = thread::spawn(move || client.ask(&token, None, clerk(5)).unwrap().status);
    thread::sleep(Duration::from_millis(300));
    let stopped = thread::spawn(move || running.stop().unwrap());
    assert_eq!(asked.join().unwrap(), 503);
    stopped.join().unwrap();
    assert_eq!(place.state(), before);
}

#[test]
fn who_left_is_not_worked_for_and_who_asks_too_much_at_once_is_told() {
    let place = crate::place::Place::new(100, 10);
    let token = place.token("ann", discretion_serve::tokens::Role::Analyst, None);
    let running = place.start(place.options(tick(1500)), Duration::ZERO);
    let address = running.address();
    let body = clerk(77);
    let head = format!(
        "POST /v1/answers HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Authorization: Bearer {token}\r\n\r\n{body}",
        body.len()
    );
    // Just after a boundary, so that all of this is in one tick.
    assert_eq!(Client::new(address).ask(&token, None, clerk(1)).unwrap().status, 200);
    thread::sleep(Duration::from_millis(300));
    let mut left = std::net::TcpStream::connect(address).unwrap();
    std::io::Write::write_all(&mut left, head.as_bytes()).unwrap();
    thread::sleep(Duration::from_millis(100));
    drop(left);
    thread::sleep(Duration::from_millis(100));
    let asked: Vec<_> = (0..10)
        .map(|age| {
            let token = token.clone();
            thread::spawn(move || Client::new(address).ask(&token, None, clerk(100 + age)).unwrap())
        })
        .collect();
    let responses: Vec<_> = asked.into_iter().map(|asked| asked.join().unwrap()).collect();
    assert_eq!(responses.iter().filter(|response| response.status == 200).count(), 8);
    let told: Vec<_> = responses.iter().filter(|response| response.status == 429).collect();
    assert_eq!((told.len(), &told[0].json()["code"]), (2, &json!("too-many-waiting")));
    running.stop().unwrap();
    assert!(place.state().contains(" 9 [9]"), "{}", place.state());
}

#[test]
fn a_key_stays_used_when_a_new_session_begins() {
    let place = crate::place::Place::spending(300, 100, 3);
    let token = place.token("ann", discretion_serve::tokens::Role::Analyst, None);
    let running = place.start(place.options(tick(20)), Duration::ZERO);
    let first = Client::new(running.address()).ask(&token, Some("a"), clerk(1)).unwrap();
    running.stop().unwrap();
    let options = discretion_serve::Options { new_session: true, ..place.options(tick(20)) };
    let running = place.start(options, Duration::ZERO);
    let mut client = Client::new(running.address());
    let before = place.store().tokens().unwrap()[0].used;
    assert_eq!(client.ask(&token, Some("a"), clerk(1)).unwrap().body, first.body);
    assert_eq!(client.ask(&token, Some("a"), clerk(2)).unwrap().status, 409);
    assert_eq!(place.store().tokens().unwrap()[0].used, before);
    running.stop().unwrap();
}
