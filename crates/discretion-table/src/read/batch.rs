//! Arrow record batches, from a file or from another program's memory, as encoded rows.

use super::Request;
use super::codes::date_code;
use super::decoding::decoding;
use super::encoded_rows::EncodedRows;
use super::header::Role;
use super::label::Labeller;
use super::tally::Tally;
use super::texts::{Texts, column_type, inexact_code, numbers};
use crate::encode::Encoder;
use crate::error::{Error, Excerpt};
use crate::one_of::NO_ONE_YET;
use crate::problem::Problem;
use crate::schema::trimmed;
use arrow_array::{Array, ArrayRef, Float64Array};
use arrow_schema::{DataType, Field};
use std::ops::Range;

fn check_type(
    role: Role,
    encoder: &Encoder,
    column: &str,
    found: &DataType,
) -> Result<(), Problem> {
    let kind = column_type(found);
    let (possible, wanted) = match role {
        Role::Skip => return Ok(()),
        Role::Number(_) | Role::CheckedNumber(_) => (kind.number, "a number"),
        Role::Date(_) | Role::DatePart(_) => (kind.text, "a date"),
        Role::Several(k) => {
            let mut roles = encoder.shared[k].1.iter();
            return roles.try_for_each(|&role| check_type(role, encoder, column, found));
        }
        Role::Weight => (kind.number, "a number"),
        Role::Condition(k) if encoder.conditions[k].is_of_numbers() => (kind.number, "a number"),
        Role::Condition(_) => (kind.text, "a category"),
        Role::Category(_) | Role::Target => (kind.text, "a category"),
        Role::Indicator(..) => (kind.text, "0 or 1"),
        Role::Person => (kind.text, "an identifier"),
    };
    if possible {
        return Ok(());
    }
    Err(Problem::ParquetType { column: column.to_owned(), found: found.to_string(), wanted })
}

/// Refuses numbers that their writer gave another meaning, such as the months that a period is.
fn check_meaning(field: &Field) -> Result<(), Problem> {
    // Truth values in a byte each.
    const AS_IT_LOOKS: &str = "arrow.bool8";
    match field.metadata().get("ARROW:extension:name") {
        Some(name) if name != AS_IT_LOOKS && column_type(field.data_type()).number => {
            let column = field.name().clone();
            Err(Problem::ExtensionType { column, found: Excerpt::of(name.as_bytes()) })
        }
        _ => Ok(()),
    }
}

/// What turns record batches into encoded rows.
pub(crate) struct BatchEncoder<'a> {
    encoder: &'a Encoder,
    labeller: Option<Labeller>,
    /// What the columns are that are read: the place of each among them, and its role. One may have
    /// several.
    roles: Vec<(usize, Role)>,
    /// Their names.
    names: Vec<String>,
}

/// What is wrong in a batch, and how many of its rows precede it.
pub(crate) struct BadRow {
    pub rows_before: usize,
    pub problem: Problem,
}

impl<'a> BatchEncoder<'a> {
    /// For batches that have the columns with a role, and no others.
    pub fn new(
        request: &'a Request<'_>,
        found: &arrow_schema::Schema,
        roles: &[Role],
    ) -> Result<BatchEncoder<'a>, Error> {
        let mut names = Vec::new();
        for (&role, field) in roles.iter().zip(found.fields()) {
            if role == Role::Skip {
                continue;
            }
            check_type(role, request.encoder, field.name(), field.data_type())
                .and_then(|()| check_meaning(field))
                .map_err(|problem| request.error(problem))?;
            names.push(field.name().clone());
        }
        let used = roles.iter().copied().filter(|&role| role != Role::Skip).enumerate();
        let each = |(place, role): (usize, Role)| match role {
            Role::Several(k) => {
                request.encoder.shared[k].1.iter().map(|&role| (place, role)).collect()
            }
            _ => vec![(place, role)],
        };
        let roles = used.flat_map(each).collect();
        Ok(BatchEncoder {
            encoder: request.encoder,
            labeller: Labeller::new(request)?,
            roles,
            names,
        })
    }

    /// No rows, counted.
    pub fn tally(&self) -> Tally {
        Tally::new(self.encoder, self.labeller.as_ref())
    }

    /// Encodes and counts so many rows of the columns that have a role, into the memory of earlier
    /// ones.
    pub fn encode(
        &self,
        columns: &[ArrayRef],
        rows: usize,
        memory: EncodedRows,
    ) -> Result<(EncodedRows, Tally), BadRow> {
        let values = |&(place, role): &(usize, Role)| {
            Values::new(role, self.encoder, &self.names[place], &columns[place])
        };
        let columns = self.roles.iter().map(values).collect::<Result<Vec<Values>, _>>()?;
        let (mut encoded, mut tally) = (memory, self.tally());
        tally.rows = rows as u64;
        for start in (0..rows).step_by(TILE) {
            let tile = start..rows.min(start + TILE);
            encoded.numeric.resize(tile.end * self.encoder.numbers.len(), 0.0);
            encoded.codes.resize(tile.end * self.encoder.categories.len(), NO_ONE_YET);
            if self.encoder.leaves_out() {
                encoded.left_out.resize(tile.end, false);
            }
            let encode =
                |values: &Values| self.column(values, tile.clone(), &mut encoded, &mut tally).err();
            if let Some(bad) = columns.iter().filter_map(encode).min_by_key(|bad| bad.rows_before) {
                return Err(bad);
            }
            let codes = &mut encoded.codes;
            for (row, &j) in tile.flat_map(|row| self.encoder.one_of.iter().map(move |j| (row, j)))
            {
                let code = &mut codes[row * self.encoder.categories.len() + j];
                *code = self.encoder.categories[j].indicated(*code, &mut tally.categories[j]);
            }
        }
        encoded.leave_out(&mut tally);
        Ok((encoded, tally))
    }

    fn column(
        &self,
        values: &Values,
        rows: Range<usize>,
        encoded: &mut EncodedRows,
        tally: &mut Tally,
    ) -> Result<(), BadRow> {
        let (texts, role, iso) = match values {
            Values::Numbers(j, numbers) => return self.numbers(*j, numbers, rows, encoded, tally),
            Values::Tested(k, numbers) => {
                let condition = &self.encoder.conditions[*k];
                for row in rows {
                    encoded.left_out[row] |=
                        numbers.is_null(row) || !condition.holds_of(numbers.value(row));
                }
                return Ok(());
            }
            Values::Weights(numbers) => {
                let code = self.encoder.weight_code();
                for row in rows {
                    let value = numbers.is_valid(row).then(|| numbers.value(row));
                    let weight = code.weight_of(value, &mut tally.weight);
                    encoded
                        .weights
                        .push(weight.map_err(|problem| BadRow { rows_before: row, problem })?);
                }
                return Ok(());
            }
            Values::Texts { texts, role, iso } => (texts, *role, *iso),
        };
        let (numbers, width) = (self.encoder.numbers.len(), self.encoder.categories.len());
        for row in rows {
            let text = texts.get(row).map_or(&b""[..], trimmed);
            let bad = |problem| BadRow { rows_before: row, problem };
            match (role, &self.labeller) {
                (Role::Date(j), _) => {
                    let days =
                        date_code(&self.encoder.numbers[j], text, iso, &mut tally.numbers[j]);
                    encoded.numeric[row * numbers + j] = days.map_err(bad)?;
                }
                (Role::DatePart(j), _) => {
                    let code =
                        self.encoder.categories[j].encode_part(text, iso, &mut tally.categories[j]);
                    encoded.codes[row * width + j] = code.map_err(bad)?;
                }
                (Role::Category(j), _) => {
                    let code = self.encoder.categories[j].encode(text, &mut tally.categories[j]);
                    encoded.codes[row * width + j] = code.map_err(bad)?;
                }
                (Role::Indicator(j, place), _) => {
                    let code = &mut encoded.codes[row * width + j];
                    self.encoder.categories[j].indicate(place, text, code).map_err(bad)?;
                }
                (Role::Target, Some(labeller)) => {
                    encoded.classes.push(labeller.counted_class(text, tally).map_err(bad)?);
                }
                (Role::Condition(k), _) => {
                    let holds = self.encoder.conditions[k].holds(text, b'.', iso).map_err(bad)?;
                    encoded.left_out[row] |= !holds;
                }
                (Role::Person, _) => {
                    let person = self
                        .encoder
                        .person
                        .as_ref()
                        .expect("a person's role comes with its column");
                    encoded.persons.push(person.person(text).map_err(bad)?);
                }
                (role, _) => unreachable!("{role:?} is not read as text"),
            }
        }
        Ok(())
    }

    fn numbers(
        &self,
        j: usize,
        values: &Float64Array,
        rows: Range<usize>,
        encoded: &mut EncodedRows,
        tally: &mut Tally,
    ) -> Result<(), BadRow> {
        let tally = &mut tally.numbers[j];
        let (code, width) = (&self.encoder.numbers[j], self.encoder.numbers.len());
        let places = encoded.numeric[rows.start * width..].chunks_exact_mut(width);
        let all = &values.values()[rows.clone()];
        // Without a way out of the loop, several are looked at at once.
        if values.null_count() == 0
            && !code.na.hides_numbers()
            && all.iter().fold(true, |finite, value| finite & value.is_finite())
        {
            let mut column = [0.0; TILE];
            code.encode_all(all, &mut column[..all.len()], tally);
            places.zip(column).for_each(|(place, encoded)| place[j] = encoded);
            return Ok(());
        }
        for ((place, value), row) in places.zip(all).zip(rows) {
            let number = if values.is_null(row) || code.na.has_number(*value) {
                code.encode_missing(tally)
            } else if value.is_finite() {
                Ok(code.encode_counted(*value, tally))
            } else {
                Err(not_finite(&code.name, *value))
            };
            place[j] = number.map_err(|problem| BadRow { rows_before: row, problem })?;
        }
        Ok(())
    }
}

/// Rows that are encoded together: columns become rows while these are in the nearest cache.
const TILE: usize = 128;

/// The values of a column, as what they are read as.
enum Values {
    Numbers(usize, Float64Array),
    /// What a condition on numbers is about.
    Tested(usize, Float64Array),
    /// How much rows count.
    Weights(Float64Array),
    Texts {
        texts: Texts,
        role: Role,
        /// Whether they are dates that were written by ISO 8601 just now, because they are not
        /// stored as texts.
        iso: bool,
    },
}

impl Values {
    fn new(
        role: Role,
        encoder: &Encoder,
        column: &str,
        array: &ArrayRef,
    ) -> Result<Values, BadRow> {
        let converted = decoding(|| {
            match role {
                Role::Number(j) | Role::CheckedNumber(j) => {
                    numbers(array).map(|numbers| Values::Numbers(j, numbers))
                }
                Role::Weight => numbers(array).map(Values::Weights),
                Role::Condition(k) if encoder.conditions[k].is_of_numbers() => {
                    numbers(array).map(|numbers| Values::Tested(k, numbers))
                }
                role => {
                    let iso = array.data_type().is_temporal();
                    Texts::new(array).map(|texts| Values::Texts { texts, role, iso })
                }
            }
            .map_err(|error| error.to_string())
        });
        let column = || column.to_owned();
        let values = converted.map_err(|reason| BadRow {
            rows_before: 0,
            problem: Problem::Unconverted { column: column(), reason },
        })?;
        let codes = matches!(values, Values::Texts { .. }).then(|| inexact_code(array)).flatten();
        match codes {
            Some((rows_before, least)) => Err(BadRow {
                rows_before,
                problem: Problem::InexactCode { column: column(), least },
            }),
            None => Ok(values),
        }
    }
}

/// A number that is none.
pub(crate) fn not_finite(column: &str, value: f64) -> Problem {
    Problem::NotFinite {
        column: column.to_owned(),
        text: Excerpt::of(value.to_string().as_bytes()),
    }
}
