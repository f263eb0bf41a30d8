//! Bodies that are not what they should be: refused, and nothing has changed.

use crate::client::{Client, read};
use crate::place::{Place, clerk, running, tick};
use discretion::noise::{Seeded, Source};
use discretion_serve::Options;
use discretion_serve::tokens::Role;
use std::io::{BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

#[test]
fn fuzzed_bodies_are_refused_and_change_nothing() {
    let (place, running, mut client, token) = running(1000, 10, Some(1000));
    assert_eq!(client.ask(&token, None, clerk(1)).unwrap().status, 200);
    let mut bodies: Vec<Vec<u8>> = [
        "null",
        "[]",
        "{}",
        "7",
        "\"x\"",
        "{\"query\": null}",
        "{\"query\": []}",
        "{\"queries\": {}}",
        r#"{"query": {"age": 1}}"#,
        r#"{"query": {"age": 1, "job": "clerk", "zip": 2}}"#,
        r#"{"query": {"age": [1], "job": "clerk"}}"#,
        r#"{"query": {"age": 1e400, "job": "clerk"}}"#,
        r#"{"query": {"age": "1e400", "job": "clerk"}}"#,
        r#"{"query": {"age": 1, "job": "clerk"}} trailing"#,
        r#"{"query": {"age": 1, "job": "\ud800"}}"#,
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec();
    bodies.push(b"{\"query\": {\"age\": 1, \"job\": \"\xff\xfe\"}}".to_vec());
    bodies.push(
        format!("{{\"query\": {}{}}}", "{\"age\":".repeat(50_000), "}".repeat(50_000)).into_bytes(),
    );
    bodies.push("[".repeat(500_000).into_bytes());
    // What is broken somewhere in a good one. A seeded source: the same bodies in every run.
    let good = clerk(77).into_bytes();
    let mut source = Seeded::new(9);
    for _ in 0..300 {
        let mut body = good.clone();
        let place = 1 + source.word().unwrap() as usize % (body.len() - 1);
        match source.word().unwrap() % 3 {
            0 => drop(body.remove(place)),
            1 => body[place] = (source.word().unwrap() % 256) as u8,
            _ => body.truncate(place),
        }
        bodies.push(body);
    }
    let mut refused = 0;
    for body in &bodies {
        let before = place.state();
        let response = client.ask(&token, None, body).unwrap();
        let shown = String::from_utf8_lossy(&body[..body.len().min(80)]).into_owned();
        // A change of a digit or of a category makes another good query.
        if response.status == 200 {
            assert!(body.len() <= good.len(), "{shown}");
            continue;
        }
        refused += 1;
        assert!(matches!(response.status, 400 | 422), "{}: {shown}", response.status);
        assert_eq!(response.header("content-type"), Some("application/problem+json"));
        assert_eq!(place.state(), before, "{shown}");
    }
    assert!(refused > 200, "{refused}");
    running.stop().unwrap();
}

/// With the service's own patience: on a busy machine ten megabytes take longer than the next
/// test's.
#[test]
fn large_bodies_are_refused() {
    let place = Place::new(100, 10);
    let token = place.token("ann", Role::Analyst, None);
    let running = place.start(place.options(tick(20)), Duration::ZERO);
    let state = place.state();
    let large = vec![b' '; 10 << 20];
    assert_eq!(Client::new(running.address()).ask(&token, None, &large).unwrap().status, 413);
    assert_eq!(place.state(), state);
    running.stop().unwrap();
}

#[test]
fn slow_bodies_are_cut_off() {
    let place = Place::new(100, 10);
    let token = place.token("ann", Role::Analyst, None);
    let options = Options { patience: Duration::from_millis(300), ..place.options(tick(20)) };
    let running = place.start(options, Duration::ZERO);
    let state = place.state();
    // Headers that promise more than comes, and headers that do not end.
    let head = format!(
        "POST /v1/answers HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer {token}\r\nContent-Length: 9\r\n\r\n{{"
    );
    let mut stream = TcpStream::connect(running.address()).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    assert_eq!(read(&mut BufReader::new(stream)).unwrap().status, 408);
    let mut stream = TcpStream::connect(running.address()).unwrap();
    stream.write_all(b"POST /v1/answers HTTP/1.1\r\nHo").unwrap();
    let ended = read(&mut BufReader::new(stream));
    assert!(ended.is_err() || ended.is_ok_and(|response| response.status == 408));
    // Another type of content.
    let plain = format!(
        "POST /v1/answers HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nAuthorization: Bearer {token}\r\nContent-Length: 1\r\n\r\n1"
    );
    let mut stream = TcpStream::connect(running.address()).unwrap();
    stream.write_all(plain.as_bytes()).unwrap();
    assert_eq!(read(&mut BufReader::new(stream)).unwrap().status, 415);
    assert_eq!(place.state(), state);
    let mut client = Client::new(running.address());
    assert_eq!(client.ask(&token, None, clerk(1)).unwrap().status, 200);
    running.stop().unwrap();
}

/// Whoever asks for much and reads nothing loses the connection, so that others get its place.
#[test]
fn who_does_not_read_loses_the_connection() {
    let place = Place::new(100, 10);
    let options = Options {
        most_connections: 1,
        patience: Duration::from_millis(300),
        ..place.options(tick(20))
    };
    let running = place.start(options, Duration::ZERO);
    let mut silent = TcpStream::connect(running.address()).unwrap();
    let many = "GET /page.js HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2_000);
    silent.set_write_timeout(Some(Duration::from_secs(2))).unwrap();
    // More than both sides' buffers hold: the server stops reading when it cannot write.
    let _ = silent.write_all(many.as_bytes());
    assert_eq!(Client::new(running.address()).get("/healthz", None).unwrap().status, 200);
    running.stop().unwrap();
}

/// Scores in bins of a width that a request names; where labels are answered there is none to name.
#[test]
fn a_request_may_name_the_width_of_its_bins() {
    let (_labels_place, labels, mut labels_client, labels_token) = running(100, 10, None);
    let place = Place::altered(100, "unstable = 10", "unstable = 10\nscores = true\ngamma = 0.5");
    let token = place.token("ann", Role::Analyst, None);
    let running = place.start(place.options(tick(20)), Duration::ZERO);
    let mut client = Client::new(running.address());
    let mut ask = |gamma: &str| {
        let body = format!(r#"{{"query": {{"age": 1, "job": "clerk"}}{gamma}}}"#);
        let response = client.ask(&token, None, body).unwrap();
        (response.status, response.body)
    };
    assert_eq!(ask(""), (200, r#"{"answer":0.75}"#.to_owned()));
    assert_eq!(ask(r#", "gamma": 0.25"#), (200, r#"{"answer":0.875}"#.to_owned()));
    let (status, body) = ask(r#", "gamma": 0.3"#);
    assert!(status == 422 && body.contains("the nearest is 0.3333"), "{body}");
    running.stop().unwrap();

    let response = labels_client.ask(
        &labels_token,
        None,
        r#"{"query": {"age": 1, "job": "clerk"}, "gamma": 0.1}"#,
    );
    let response = response.unwrap();
    assert!(
        response.status == 422 && response.body.contains("gamma is for scores"),
        "{}",
        response.body
    );
    // Where scores are means there are no bins: a width would do nothing, and make another query of
    // the same one.
    let place = Place::altered(100, "unstable = 10", "answer = \"all\"\nscores = true");
    let token = place.token("ann", Role::Analyst, None);
    let means = place.start(place.options(tick(20)), Duration::ZERO);
    let mut client = Client::new(means.address());
    let width = r#"{"query": {"age": 1, "job": "clerk"}, "gamma": 0.1}"#;
    let response = client.ask(&token, None, width).unwrap();
    assert!(
        response.status == 422 && response.body.contains("gamma does nothing here"),
        "{}",
        response.body
    );
    assert!(!client.get("/openapi.json", None).unwrap().body.contains("gamma"));
    means.stop().unwrap();
    labels.stop().unwrap();
}

/// Where only labels are protected, others may ask too, and the promise says so.
#[test]
fn labels_alone_can_be_protected() {
    let place = Place::altered(100, "unstable = 10", "unstable = 10\nprotect = \"labels\"");
    let token = place.token("ann", Role::Analyst, None);
    let running = place.start(place.options(tick(20)), Duration::ZERO);
    let mut client = Client::new(running.address());
    assert_eq!(client.ask(&token, None, clerk(1)).unwrap().body, r#"{"answer":"yes"}"#);
    let schema = client.get("/v1/schema", Some(&token)).unwrap();
    assert!(schema.body.contains("only labels are protected"), "{}", schema.body);
    running.stop().unwrap();
}

/// Every query is answered, also those on which the models are divided.
#[test]
fn every_query_can_be_answered() {
    let place = Place::altered(100, "unstable = 10", "answer = \"all\"\nconfidence = 0.99");
    let token = place.token("ann", Role::Analyst, None);
    let running = place.start(place.options(tick(20)), Duration::ZERO);
    let mut client = Client::new(running.address());
    let clear = client.ask(&token, None, clerk(1)).unwrap().json();
    assert_eq!((&clear["answer"], &clear["sure"]), (&"yes".into(), &true.into()), "{clear}");
    let body = r#"{"queries": [{"age": 1, "job": "nurse"}, {"age": 2, "job": "nurse"}]}"#;
    let divided = client.ask(&token, None, body).unwrap().json();
    assert!(
        divided["answers"].as_array().unwrap().iter().all(|answer| answer.is_string()),
        "{divided}"
    );
    assert_eq!(divided["sure"].as_array().unwrap().len(), 2, "{divided}");
    running.stop().unwrap();
}
