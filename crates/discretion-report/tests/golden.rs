//! A whole page, word for word. `UPDATE_GOLDEN=1 cargo test -p discretion-report` writes it anew;
//! read the difference before it is committed.

#[path = "../examples/sample_report/invent.rs"]
mod invent;
#[path = "../examples/sample_report/patients.rs"]
mod patients;

#[test]
fn the_sample_page_is_as_it_was() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/patients.html");
    let page = patients::report().to_html();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let expected = std::fs::read_to_string(path).unwrap();
    let differing = expected.lines().zip(page.lines()).find(|(expected, now)| expected != now);
    assert_eq!(differing, None, "the page changed; see the head of this file");
    assert_eq!(expected.len(), page.len());
}
