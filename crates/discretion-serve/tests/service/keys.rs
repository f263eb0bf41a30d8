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
    // Without the key it is another request, with the same answer: it counts, and it is no second test.
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
        // The noise may let one of these through once in a very long time; then the session ends later.
        assert_eq!(client.ask(&token, None, nurse(age)).unwrap().json(), json!({ "answer": null }));
    }
    let ended = client.ask(&token, Some("late"), clerk(50)).unwrap();
    assert_eq!((ended.status, ended.header("content-type")), (410, Some("application/problem+json")));
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
    thread::sleep(Duration::from_millis(100));
    running.stop().unwrap();
    assert_eq!(asked.join().unwrap(), r#"{"answer":"yes"}"#);
}
