//! Bodies of requests to the service: refused as the client's fault, or queries within their
//! bounds.

use crate::{Verdict, schema_of};
use discretion::erm::matrix::OTHER;
use discretion_serve::check_body;
use discretion_serve::options::MOST_QUERIES;
use discretion_table::{PlainRows, QueryReader};
use std::sync::LazyLock;

const COLUMNS: &str = r#"
age  = { min = 0, max = 100 }
gain = { min = -1e6, max = 1e6 }
job  = { values = ["clerk", "nurse", "1"] }
note = { drop = true }
"#;

static READER: LazyLock<QueryReader> = LazyLock::new(|| QueryReader::new(&schema_of("", COLUMNS)));

/// A body of `POST /v1/answers`.
pub fn bodies(bytes: &[u8]) -> Verdict {
    let queries = match check_body(bytes, &READER) {
        Ok(queries) => queries,
        Err(status) => {
            assert!(matches!(status, 400 | 422), "{status} is not about a body");
            return Verdict::Refused;
        }
    };
    assert!((1..=MOST_QUERIES).contains(&queries.count()), "{} queries", queries.count());
    for query in 0..queries.count() {
        let [age, gain] = queries.numbers(query) else { panic!("a query has two numbers") };
        let within =
            |value: f32, end: std::ops::RangeInclusive<f32>| value.is_nan() || end.contains(&value);
        assert!(
            within(*age, 0.0..=100.0) && within(*gain, -1e6..=1e6),
            "{age} and {gain} are within their bounds"
        );
        assert!(
            matches!(queries.codes(query), [0 | 1 | 2 | OTHER]),
            "a category is declared or other"
        );
    }
    // The same JSON in another layout asks the same.
    let value: serde_json::Value = serde_json::from_slice(bytes).expect("a body is JSON");
    let written = serde_json::to_vec_pretty(&value).expect("JSON can be written");
    let again =
        check_body(&written, &READER).unwrap_or_else(|status| panic!("written again: {status}"));
    assert_eq!(content(&again), content(&queries), "a body does not depend on its layout");
    Verdict::Accepted
}

/// Everything that is asked, bit for bit.
fn content(rows: &PlainRows) -> Vec<(Vec<u32>, Vec<u16>)> {
    let bits = |row| rows.numbers(row).iter().map(|value| value.to_bits()).collect();
    (0..rows.count()).map(|row| (bits(row), rows.codes(row).to_vec())).collect()
}
