//! Queries that arrive one by one, as names and texts, from a program that has no file.

use super::header::{self, Role};
use super::record::number_code;
use super::tally::Tally;
use super::{Purpose, Request};
use crate::encode::Encoder;
use crate::plain::PlainRows;
use crate::problem::Problem;
use crate::schema::{Schema, trimmed};
use std::path::Path;

/// Reads queries as [`read_queries`](super::read_queries) reads those of a CSV file: the same columns are wanted, the same
/// texts are numbers, the same numbers are clipped.
pub struct QueryReader {
    schema: Schema,
    encoder: Encoder,
}

impl QueryReader {
    /// For a table of this schema.
    pub fn new(schema: &Schema) -> QueryReader {
        QueryReader { schema: schema.clone(), encoder: Encoder::plain(schema.columns()) }
    }

    /// No queries so far.
    pub fn rows(&self) -> PlainRows {
        PlainRows::new(&self.schema)
    }

    /// Appends one query: pairs of a column's name and its text, which is empty if the value is missing. After an error
    /// nothing was appended.
    pub fn push(&self, fields: &[(String, String)], rows: &mut PlainRows) -> Result<(), Problem> {
        let names: Vec<String> = fields.iter().map(|(name, _)| name.clone()).collect();
        let request = Request {
            any_classes: true,
            ..Request::of(Path::new(""), &self.schema, &self.encoder, Purpose::Queries, &|_| ())
        };
        let roles = header::roles(&names, &request)?;
        let mut tally = Tally::new(&self.encoder, None);
        let mut numbers = vec![0.0; self.encoder.numbers.len()];
        let mut codes = vec![0; self.encoder.categories.len()];
        for (role, (_, text)) in roles.into_iter().zip(fields) {
            let text = trimmed(text.as_bytes());
            match role {
                Role::Number(j) => {
                    numbers[j] = number_code(&self.encoder.numbers[j], text, &mut tally.numbers[j])?;
                }
                Role::Category(j) => {
                    codes[j] = self.encoder.categories[j].encode(text, &mut tally.categories[j])?;
                }
                Role::Skip | Role::Target => {}
            }
        }
        rows.append(numbers, codes, Vec::new());
        Ok(())
    }
}
