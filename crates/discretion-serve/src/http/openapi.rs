//! The OpenAPI document, from the public schema.

use super::views::passed_over;
use crate::app::App;
use crate::options::MOST_QUERIES;
use discretion_table::Kind;
use serde_json::{Map, Value, json};

/// Numbers as files write them.
const NUMERAL: &str = r"^[+-]?([0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,30})([eE][+-]?[0-9]{1,2})?$";

/// The document.
pub fn document(app: &App) -> Value {
    let names = app.vote.classes.names().iter().map(|name| json!(name));
    let label = json!({ "enum": names.chain([Value::Null]).collect::<Vec<Value>>() });
    let answer = match app.vote.score_bins {
        Some(_) => json!({ "type": ["number", "null"], "minimum": 0, "maximum": 1 }),
        None => label.clone(),
    };
    let mut one = vec![("answer", answer.clone())];
    let mut many_more = None;
    if app.vote.tells_apart() {
        one.push(("sure", json!({ "type": ["boolean", "null"] })));
        let list = json!({ "type": "array", "items": { "type": ["boolean", "null"] } });
        many_more = Some(("sure", list));
    }
    // Scores are never called sure, so that there is one of both at most.
    if app.vote.threshold.is_some() {
        many_more = Some(("labels", json!({ "type": "array", "items": label })));
        one.push(("label", label));
    }
    let needs_token = json!([{ "token": [] }]);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "discretion",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Private answers to public queries. Answers leave on a fixed tick; null means that there is no answer.",
        },
        "paths": {
            "/v1/answers": { "post": {
                "operationId": "answer",
                "summary": "Asks one query, or a list of them",
                "security": needs_token,
                "parameters": [{
                    "name": "Idempotency-Key",
                    "in": "header",
                    "required": false,
                    "description": "A request sent again with the same key and body gets the same response and counts once.",
                    "schema": { "type": "string", "pattern": "^[!-~]{1,200}$" },
                }],
                "requestBody": {
                    "required": true,
                    "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Asked" } } },
                },
                "responses": responses(
                    "The answers, in the order of the queries",
                    json!({ "oneOf": [
                        object(&one),
                        object(&[
                            ("answers", json!({ "type": "array", "items": answer, "minItems": 1, "maxItems": MOST_QUERIES })),
                            ("session_ended", json!({
                                "type": "boolean",
                                "description": "Whether some queries were not asked because the session had ended; they have null too.",
                            })),
                        ].into_iter().chain(many_more).collect::<Vec<_>>()),
                    ]}),
                    &[400, 401, 403, 408, 409, 410, 413, 415, 422, 429, 503],
                ),
            }},
            "/v1/schema": { "get": {
                "operationId": "schema",
                "summary": "The public columns, and what answers look like",
                "responses": responses("The schema", json!({ "type": "object" }), &[]),
            }},
            "/v1/budget": { "get": {
                "operationId": "budget",
                "summary": "What your token has asked, and what the custodian shows of the session",
                "security": needs_token,
                "responses": responses("Counts", object(&[
                    ("name", json!({ "type": "string" })),
                    ("role", json!({ "enum": ["analyst", "custodian"] })),
                    ("used", json!({ "type": "integer", "minimum": 0 })),
                    ("limit", json!({ "type": ["integer", "null"], "minimum": 0 })),
                    ("session", json!({ "type": ["object", "null"] })),
                ]), &[401]),
            }},
            "/v1/custodian": { "get": {
                "operationId": "custodian",
                "summary": "Account, session, history and tokens, for the custodian",
                "security": needs_token,
                "responses": responses("The custodian's view", json!({ "type": "object" }), &[401, 403, 503]),
            }},
            "/healthz": { "get": {
                "operationId": "health",
                "summary": "Whether the service answers",
                "responses": responses("It does", object(&[("status", json!({ "const": "ok" }))]), &[503]),
            }},
        },
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": {
                "Query": query(app),
                "Asked": { "oneOf": [
                    asked(app, "query", json!({ "$ref": "#/components/schemas/Query" })),
                    asked(app, "queries", json!({
                        "type": "array",
                        "items": { "$ref": "#/components/schemas/Query" },
                        "minItems": 1,
                        "maxItems": MOST_QUERIES,
                    })),
                ]},
                "Problem": object(&[
                    ("type", json!({ "const": "about:blank" })),
                    ("title", json!({ "type": "string" })),
                    ("status", json!({ "type": "integer" })),
                    ("code", json!({ "type": "string" })),
                    ("detail", json!({ "type": "string" })),
                ]),
            },
        },
    })
}

/// An object with these members, all of them and no others.
fn object(members: &[(&str, Value)]) -> Value {
    let properties: Map<String, Value> =
        members.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    let required: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// A body. Where answers are bins of scores it may say how wide they are.
fn asked(app: &App, name: &str, queries: Value) -> Value {
    let mut body = object(&[(name, queries)]);
    if app.vote.bins_may_differ() {
        body["properties"]["gamma"] = json!({ "type": "number" });
    }
    body
}

fn responses(description: &str, schema: Value, problems: &[u16]) -> Value {
    let mut responses = Map::new();
    let content = json!({ "application/json": { "schema": schema } });
    responses.insert("200".to_owned(), json!({ "description": description, "content": content }));
    for status in problems {
        let content = json!({ "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } } });
        let mut response =
            json!({ "description": "Refused; `detail` says what to do", "content": content });
        if *status == 401 {
            response["headers"] = json!({ "WWW-Authenticate": { "schema": { "type": "string" } } });
        }
        responses.insert(status.to_string(), response);
    }
    Value::Object(responses)
}

fn query(app: &App) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for column in app.study.schema.columns() {
        let value = match &column.kind {
            Kind::Number { min, max, missing, .. } => {
                let mut forms = vec![
                    json!({ "type": "number" }),
                    json!({ "type": "string", "pattern": NUMERAL }),
                ];
                let may = match missing {
                    Some(_) => {
                        forms.extend([
                            json!({ "type": "null" }),
                            json!({ "type": "string", "maxLength": 0 }),
                        ]);
                        "null or an empty text is missing"
                    }
                    None => "it may not be missing",
                };
                let description = format!("From {min} to {max}; what is outside is clipped, {may}");
                json!({ "description": description, "anyOf": forms })
            }
            Kind::Date { min, max, missing } => {
                let (kinds, may) = match missing {
                    Some(_) => (json!(["string", "null"]), "null or an empty text is missing"),
                    None => (json!("string"), "it may not be missing"),
                };
                let description =
                    format!("A date from {min} to {max}; what is outside is clipped, {may}");
                json!({ "description": description, "type": kinds })
            }
            // A part of a date is asked for by the date itself, and one of several columns by
            // these.
            Kind::Category { .. }
                if column.reading.from.is_some() || !column.reading.one_of.is_empty() =>
            {
                continue;
            }
            Kind::Category { values, .. } => json!({
                "description": "One of the examples; everything else counts as \"other\"",
                "type": ["string", "number", "null"],
                "examples": values.iter().take(20).collect::<Vec<_>>(),
            }),
            Kind::Dropped => continue,
        };
        properties.insert(column.name.clone(), value);
        required.push(column.name.clone());
    }
    for name in app.study.schema.dates_in_parts() {
        properties.insert(
            name.to_owned(),
            json!({ "description": "A date; null is missing", "type": ["string", "null"] }),
        );
        required.push(name.to_owned());
    }
    for name in app.study.schema.indicators() {
        let value =
            json!({ "description": "1 or 0", "type": ["integer", "boolean", "string", "null"] });
        properties.insert(name.to_owned(), value);
        required.push(name.to_owned());
    }
    for name in passed_over(app) {
        properties.insert(
            name.to_owned(),
            json!({ "description": "Not read", "type": ["string", "number", "null"] }),
        );
    }
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}
