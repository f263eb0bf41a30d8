//! Bodies: read within limits, and turned into queries by the reader that reads them from files.

use super::problem::Problem;
use crate::options::MOST_QUERIES;
use axum::body::Body;
use discretion::vote::Bins;
use discretion_table::{PlainRows, QueryReader};
use http_body_util::BodyExt;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::error::Category;
use std::fmt;
use std::time::Duration;

/// What is thrown away of a body beyond its limit, so that the client reads the refusal instead of
/// a broken connection.
const DRAINED: usize = 64 << 20;

/// The bytes of a body of at most `most`, if they arrive in time.
pub async fn read(mut body: Body, most: usize, patience: Duration) -> Result<Vec<u8>, Problem> {
    let reading = async {
        let (mut bytes, mut seen) = (Vec::new(), 0);
        while let Some(frame) = body.frame().await {
            let frame =
                frame.map_err(|_| Problem::malformed("the body broke off; send it again"))?;
            let Ok(data) = frame.into_data() else { continue };
            seen += data.len();
            match seen {
                seen if seen <= most => bytes.extend_from_slice(&data),
                seen if seen <= DRAINED => bytes.clear(),
                _ => break,
            }
        }
        if seen > most { Err(Problem::too_large(most)) } else { Ok(bytes) }
    };
    tokio::time::timeout(patience, reading).await.unwrap_or_else(|_| Err(Problem::too_slow()))
}

/// What a body asks.
pub struct QueryRequest {
    pub queries: PlainRows,
    /// For scores: the bins of this request, if not those of the study.
    pub bins: Option<Bins>,
    pub is_batch: bool,
}

/// The queries of a body.
pub fn queries(bytes: &[u8], reader: &QueryReader) -> Result<QueryRequest, Problem> {
    let wanted: Wanted = serde_json::from_slice(bytes).map_err(|error| match error.classify() {
        Category::Data => Problem::unprocessable(format!("{error}; {SHAPE}")),
        Category::Io | Category::Syntax | Category::Eof => {
            Problem::malformed(format!("this is not JSON: {error}"))
        }
    })?;
    let (list, is_batch) = match (wanted.query, wanted.queries) {
        (Some(query), None) => (vec![query], false),
        (None, Some(list)) => (list, true),
        (Some(_), Some(_)) | (None, None) => return Err(Problem::unprocessable(SHAPE)),
    };
    if list.is_empty() || list.len() > MOST_QUERIES {
        return Err(Problem::unprocessable(format!(
            "there are {} queries; send 1 to {MOST_QUERIES} in one request",
            list.len()
        )));
    }
    let mut queries = reader.rows();
    for (place, Query(fields)) in list.iter().enumerate() {
        reader
            .push(fields, &mut queries)
            .map_err(|problem| Problem::unprocessable(format!("query {}: {problem}", place + 1)))?;
    }
    let bins = wanted.gamma.map(Bins::of_width).transpose();
    let bins = bins.map_err(|error| Problem::unprocessable(error.to_string()))?;
    Ok(QueryRequest { queries, bins, is_batch })
}

const SHAPE: &str = "send {\"query\": {COLUMN: VALUE, …}} or {\"queries\": [{…}, …]}; GET /v1/schema has the columns";

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    query: Option<Query>,
    queries: Option<Vec<Query>>,
    /// For scores: the width of bins, in place of the study's.
    gamma: Option<f64>,
}

/// Names and texts, in order and with repetitions: the reader refuses those.
struct Query(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Query {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Query, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Query;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of columns and their values")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Query, A::Error> {
                let mut fields = Vec::new();
                while let Some((name, Value(text))) = map.next_entry::<String, Value>()? {
                    fields.push((name, text));
                }
                Ok(Query(fields))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// A value as a file would have it: a number as its digits, a missing one as nothing.
struct Value(String);

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Value;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, a text or null")
            }

            fn visit_unit<E: Error>(self) -> Result<Value, E> {
                Ok(Value(String::new()))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Value, E> {
                Ok(Value(number.to_string()))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Value, E> {
                Ok(Value(number.to_string()))
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Value, E> {
                Ok(Value(number.to_string()))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
                Ok(Value(text.to_owned()))
            }
        }
        deserializer.deserialize_any(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::response::IntoResponse;
    use discretion_table::Study;
    use std::path::Path;

    fn reader() -> QueryReader {
        let text = "[data]\npath = \"t.csv\"\naccount = \"t\"\ntarget = \"y\"\npositive = \"1\"\nnegative = \"0\"\n[budget]\nepsilon = 1\n\
            [spend]\nepsilon = 1\n[columns]\nage = { min = 0, max = 100, missing = 50 }\ndose = { min = 0, max = 9 }\njob = { values = [\"a\", \"1\"] }\nid = { drop = true }\n";
        QueryReader::new(&Study::parse(Path::new("study.toml"), text).unwrap().schema)
    }

    #[test]
    fn values_are_read_as_in_a_file() {
        let body = br#"{"queries": [{"age": 7, "dose": 1, "job": "a"}, {"job": 1, "age": "1e9", "dose": 0, "y": "1"}, {"age": null, "dose": 2, "job": null, "id": 3}]}"#;
        let request = queries(body, &reader()).unwrap_or_else(|problem| panic!("{problem:?}"));
        let rows = request.queries;
        assert_eq!(
            (rows.count(), rows.numbers(0), rows.numbers(1)),
            (3, &[7.0, 1.0][..], &[100.0, 0.0][..])
        );
        assert_eq!((rows.codes(0), rows.codes(1)), (&[0][..], &[1][..]));
        assert!(rows.numbers(2)[0].is_nan() && request.is_batch);
        assert!(
            !queries(br#"{"query": {"age": 7, "dose": 1, "job": "a"}}"#, &reader())
                .is_ok_and(|request| request.is_batch)
        );
    }

    #[test]
    fn everything_else_is_refused() {
        let deep = format!("{{\"query\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        let many = format!(
            "{{\"queries\": [{}]}}",
            vec![r#"{"age":1,"dose":1,"job":"a"}"#; MOST_QUERIES + 1].join(",")
        );
        for (body, status) in [
            (&b"\xff\xfe"[..], 400),
            (b"", 400),
            (b"{", 400),
            (b"{\"query\": {\"age\": 1e999, \"dose\": 1, \"job\": null}}", 400),
            (b"{\"query\": {\"age\": \"\xff\", \"dose\": 1, \"job\": null}}", 400),
            (b"[]", 422),
            (b"{}", 422),
            (b"null", 422),
            (deep.as_bytes(), 422),
            (many.as_bytes(), 422),
            (br#"{"queries": []}"#, 422),
            (br#"{"query": {}}"#, 422),
            (br#"{"query": {"age": 1}}"#, 422),
            // Nothing says what a missing dose counts as.
            (br#"{"query": {"age": 1, "dose": null, "job": "a"}}"#, 422),
            (br#"{"query": {"age": 1, "dose": " ", "job": "a"}}"#, 422),
            (br#"{"query": {"age": 1, "dose": 1, "job": "a", "zip": 1}}"#, 422),
            (br#"{"query": {"age": 1, "age": 2, "dose": 1, "job": "a"}}"#, 422),
            (br#"{"query": {"age": "old", "dose": 1, "job": "a"}}"#, 422),
            (br#"{"query": {"age": true, "dose": 1, "job": "a"}}"#, 422),
            (br#"{"query": {"age": {}, "dose": 1, "job": "a"}}"#, 422),
            (br#"{"query": {"age": "NaN", "dose": 1, "job": "a"}}"#, 422),
            (br#"{"query": {"age": 1, "dose": 1, "job": "a"}, "queries": []}"#, 422),
            (br#"{"query": {"age": 1, "dose": 1, "job": "a"}, "why": 1}"#, 422),
        ] {
            let problem = queries(body, &reader())
                .err()
                .unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(body)));
            assert_eq!(
                problem.into_response().status(),
                status,
                "{}",
                String::from_utf8_lossy(&body[..body.len().min(90)])
            );
        }
    }
}
