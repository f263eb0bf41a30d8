//! Queries that arrive one by one, as names and texts, from a program that has no file.

use super::codes::{date_code, number_code};
use super::header::{self, Role};
use super::tally::Tally;
use super::{Purpose, Request};
use crate::encode::Encoder;
use crate::one_of::NO_ONE_YET;
use crate::plain::PlainRows;
use crate::problem::Problem;
use crate::schema::{Schema, trimmed};

/// Reads queries as [`read_queries`](super::read_queries) reads those of a CSV file: the same
/// columns are wanted, the same texts are numbers, the same numbers are clipped.
pub struct QueryReader {
    schema: Schema,
    encoder: Encoder,
}

impl QueryReader {
    /// For a table of this schema.
    pub fn new(schema: &Schema) -> QueryReader {
        let encoder = Encoder::plain(schema.columns()).reading_to(Purpose::Queries);
        QueryReader { schema: schema.clone(), encoder }
    }

    /// No queries so far.
    pub fn rows(&self) -> PlainRows {
        PlainRows::new(&self.schema)
    }

    /// Appends one query: pairs of a column's name and its text, which is empty if the value is
    /// missing. After an error nothing was appended.
    pub fn push(&self, fields: &[(String, String)], rows: &mut PlainRows) -> Result<(), Problem> {
        let names: Vec<String> = fields.iter().map(|(name, _)| name.clone()).collect();
        let request = Request {
            any_classes: true,
            ..Request::of(&self.schema, &self.encoder, Purpose::Queries, &|_| ())
        };
        let roles = header::roles(&names, &request)?;
        let mut row = Row {
            numbers: vec![0.0; self.encoder.numbers.len()],
            codes: vec![NO_ONE_YET; self.encoder.categories.len()],
            tally: Tally::new(&self.encoder, None),
        };
        for (role, (_, text)) in roles.into_iter().zip(fields) {
            let several = match role {
                Role::Several(k) => &self.encoder.shared[k].1[..],
                _ => std::slice::from_ref(&role),
            };
            for role in several {
                self.store(*role, trimmed(text.as_bytes()), &mut row)?;
            }
        }
        for &j in &self.encoder.one_of {
            row.codes[j] =
                self.encoder.categories[j].indicated(row.codes[j], &mut row.tally.categories[j]);
        }
        rows.append(row.numbers, row.codes, Vec::new());
        Ok(())
    }

    fn store(&self, role: Role, text: &[u8], row: &mut Row) -> Result<(), Problem> {
        let (Encoder { numbers, categories, .. }, tally) = (&self.encoder, &mut row.tally);
        match role {
            // Not from a file: decimals follow a point.
            Role::Number(j) | Role::CheckedNumber(j) => {
                row.numbers[j] = number_code(&numbers[j], text, b'.', &mut tally.numbers[j])?;
            }
            Role::Date(j) => {
                row.numbers[j] = date_code(&numbers[j], text, false, &mut tally.numbers[j])?
            }
            Role::Category(j) => {
                row.codes[j] = categories[j].encode(text, &mut tally.categories[j])?
            }
            Role::Indicator(j, place) => categories[j].indicate(place, text, &mut row.codes[j])?,
            Role::DatePart(j) => {
                row.codes[j] = categories[j].encode_part(text, false, &mut tally.categories[j])?;
            }
            Role::Several(_)
            | Role::Skip
            | Role::Target
            | Role::Person
            | Role::Condition(_)
            | Role::Weight => {}
        }
        Ok(())
    }
}

/// A query in the making.
struct Row {
    numbers: Vec<f32>,
    codes: Vec<u16>,
    /// What is counted of one query is of no use.
    tally: Tally,
}
