//! Who is let in.

use crate::client::Page;
use serde_json::json;

const BODY: &[u8] = b"{}";

#[test]
fn only_the_token_opens_requests() {
    let page = Page::open();
    let host = ("host", page.host.as_str());
    let wrong = "0".repeat(64);
    for headers in [
        vec![host],
        vec![host, ("x-discretion-token", &wrong)],
        vec![host, ("x-discretion-token", "")],
    ] {
        let (status, _, body) = page.send("POST", "/api/state", &headers, BODY);
        assert_eq!(status, 401, "{body}");
        assert!(!body.contains("folder"), "{body}");
        assert_eq!(page.send("PUT", "/api/upload/a.csv", &headers, b"a\n1\n").0, 401);
        assert_eq!(page.send("GET", "/files/x/study.toml", &headers, b"").0, 401);
    }
    assert!(!page.path().join("a.csv").exists());
    assert_eq!(page.ask("state", &json!({})).0, 200);
    // The page itself says nothing about anybody.
    assert_eq!(page.send("GET", "/", &[host], b"").0, 200);
    assert_eq!(
        page.send("GET", "/api/state", &[host, ("x-discretion-token", &page.token)], b"").0,
        405
    );
    assert_eq!(page.ask("nothing", &json!({})).0, 404);
}

#[test]
fn a_name_that_was_made_to_point_here_is_refused() {
    let page = Page::open();
    let port = page.host.split(':').next_back().unwrap();
    let token = ("x-discretion-token", page.token.as_str());
    for host in [
        "evil.example",
        &format!("evil.example:{port}"),
        "127.0.0.1",
        "127.0.0.1:1",
        &format!("127.0.0.1.nip.io:{port}"),
    ] {
        for path in ["/", "/studio.js", "/api/state"] {
            let method = if path == "/api/state" { "POST" } else { "GET" };
            let (status, _, body) = page.send(method, path, &[("host", host), token], BODY);
            assert_eq!(status, 403, "{host} {path}: {body}");
        }
    }
    assert_eq!(
        page.send("POST", "/api/state", &[("host", &format!("localhost:{port}")), token], BODY).0,
        200
    );
}

#[test]
fn another_site_is_refused_also_with_the_token() {
    let page = Page::open();
    let (host, token) = (("host", page.host.as_str()), ("x-discretion-token", page.token.as_str()));
    for origin in
        ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost", "file://"]
    {
        let (status, head, _) =
            page.send("POST", "/api/state", &[host, token, ("origin", origin)], BODY);
        assert_eq!(status, 403, "{origin}");
        assert!(!head.contains("access-control"), "nobody gives a permission: {head}");
        let (status, head, _) = page.send(
            "OPTIONS",
            "/api/state",
            &[host, ("origin", origin), ("access-control-request-headers", "x-discretion-token")],
            b"",
        );
        assert_eq!(status, 403);
        assert!(!head.contains("access-control"));
    }
    for site in ["cross-site", "same-site"] {
        assert_eq!(
            page.send("POST", "/api/state", &[host, token, ("sec-fetch-site", site)], BODY).0,
            403
        );
    }
    let own = format!("http://{}", page.host);
    let headers = [host, token, ("origin", own.as_str()), ("sec-fetch-site", "same-origin")];
    assert_eq!(page.send("POST", "/api/state", &headers, BODY).0, 200);
}

#[test]
fn nothing_is_loaded_from_elsewhere_and_bodies_are_bounded() {
    let page = Page::open();
    let host = ("host", page.host.as_str());
    let (_, head, html) = page.send("GET", "/", &[host], b"");
    for says in
        ["default-src 'self'", "frame-ancestors 'none'", "nosniff", "no-referrer", "no-store"]
    {
        assert!(head.contains(says), "{head}");
    }
    assert!(!html.contains("http:") && !html.contains("https:"), "{html}");
    // Inline scripts and styles would not work.
    assert!(!html.contains("<style") && !html.contains("style=") && !html.contains("onclick"));
    let large = vec![b' '; (8 << 20) + 1];
    let (status, _, _) =
        page.send("POST", "/api/state", &[host, ("x-discretion-token", &page.token)], &large);
    assert!([0, 413].contains(&status), "{status}");
}

#[test]
fn only_results_of_the_folder_can_be_looked_at() {
    let page = Page::open();
    std::fs::write(page.path().join("stays.csv"), "a\nsecret\n").unwrap();
    std::fs::create_dir(page.path().join("stays")).unwrap();
    std::fs::write(page.path().join("stays/report.html"), "<p>hello</p>").unwrap();
    let files = page.get("state", &json!({}))["files"].as_str().unwrap().to_owned();
    let get = |name: &str| {
        page.send("GET", &format!("{files}{name}"), &[("host", page.host.as_str())], b"")
    };
    let (status, head, body) = get("stays/report.html");
    assert_eq!((status, body.as_str()), (200, "<p>hello</p>"));
    // Whatever lies in the folder cannot speak to this page.
    assert!(
        head.contains("sandbox allow-scripts") && head.contains("default-src 'none'"),
        "{head}"
    );
    for name in [
        "stays.csv",
        "ledger.sqlite",
        "../../etc/passwd",
        "%2e%2e/x.html",
        "..%2fx.html",
        ".x.html",
        "missing.html",
        "/etc/hosts",
    ] {
        let (status, _, body) = get(name);
        assert!(status == 404 && !body.contains("secret"), "{name}: {status} {body}");
    }
}
