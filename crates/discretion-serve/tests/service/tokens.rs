//! Who is answered.

use crate::client::Client;
use crate::place::{clerk, running, tick};
use discretion_serve::tokens::Role;
use discretion_serve::{BudgetView, Options};
use serde_json::{Value, json};
use std::time::Duration;

#[test]
fn wrong_missing_and_revoked_tokens_open_nothing_and_look_the_same() {
    let (place, running, mut client, token) = running(100, 10, None);
    let custodian = place.token("cus", Role::Custodian, None);
    let gone = place.token("bob", Role::Analyst, None);
    std::thread::sleep(Duration::from_millis(600));
    assert_eq!(client.ask(&gone, None, clerk(1)).unwrap().status, 200);
    place.store().revoke("bob").unwrap();
    std::thread::sleep(Duration::from_millis(600));
    let state = place.state();
    let mut seen = Vec::new();
    for presented in [None, Some(""), Some("x"), Some(&token[..40]), Some(gone.as_str())] {
        for (method, path) in
            [("POST", "/v1/answers"), ("GET", "/v1/budget"), ("GET", "/v1/custodian")]
        {
            let body = if method == "POST" { clerk(2) } else { String::new() };
            let response = client.send(method, path, presented, None, body.as_bytes()).unwrap();
            assert_eq!(response.status, 401, "{presented:?} {path}");
            assert_eq!(response.header("www-authenticate"), Some("Bearer"));
            seen.push(response.body);
        }
    }
    seen.dedup();
    assert_eq!(seen.len(), 1, "{seen:?}");
    // Each role opens its own.
    assert_eq!(client.get("/v1/custodian", Some(&token)).unwrap().status, 403);
    assert_eq!(client.ask(&custodian, None, clerk(2)).unwrap().status, 403);
    assert_eq!(place.state(), state);
    let view = client.get("/v1/custodian", Some(&custodian)).unwrap().json();
    assert_eq!((&view["account"], &view["session"]["queries"]), (&json!("t"), &json!(100)));
    assert_eq!(view["history"].as_array().map(Vec::len), Some(1));
    let names: Vec<&Value> =
        view["tokens"].as_array().unwrap().iter().map(|token| &token["name"]).collect();
    assert_eq!(names, ["ann", "cus", "bob"]);
    running.stop().unwrap();
}

#[test]
fn what_is_open_holds_nothing_of_the_session_that_is_not_shown() {
    let place = crate::place::Place::new(100, 10);
    let token = place.token("ann", Role::Analyst, Some(9));
    let options = Options { budget_view: BudgetView::Nothing, ..place.options(tick(20)) };
    let running = place.start(options, Duration::ZERO);
    let mut client = Client::new(running.address());
    client.ask(&token, None, clerk(1)).unwrap();
    let budget = client.get("/v1/budget", Some(&token)).unwrap().json();
    assert_eq!(
        budget,
        json!({ "name": "ann", "role": "analyst", "used": 1, "limit": 9, "session": null })
    );
    let metrics = client.get("/metrics", None).unwrap().body;
    assert!(
        metrics.contains("discretion_queries_total 1") && !metrics.contains("_left"),
        "{metrics}"
    );
    for path in ["/", "/page.js", "/page.css", "/healthz", "/v1/schema", "/openapi.json"] {
        let response = client.get(path, None).unwrap();
        assert_eq!(response.status, 200, "{path}");
        let policy = response.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    }
    assert_eq!(client.get("/nowhere", None).unwrap().status, 404);
    assert_eq!(client.send("DELETE", "/v1/answers", Some(&token), None, b"").unwrap().status, 405);
    running.stop().unwrap();
}
