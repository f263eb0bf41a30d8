//! From the text of a field to an encoded number.

use super::number::{self, NotNumeric};
use super::tally::NumberTally;
use crate::encode::NumberCode;
use crate::error::Excerpt;
use crate::problem::Problem;

pub(crate) fn number_code(
    column: &NumberCode,
    field: &[u8],
    decimal: u8,
    tally: &mut NumberTally,
) -> Result<f32, Problem> {
    match number::parse_with(field, decimal) {
        Ok(Some(value)) if !column.na.has_number(value) => Ok(column.encode_counted(value, tally)),
        Ok(_) => column.encode_missing(tally),
        Err(_) if column.na.has(field) => column.encode_missing(tally),
        Err(not) => {
            let (column, text) = (column.name.clone(), Excerpt::of(field));
            Err(match not {
                NotNumeric::Text => Problem::NotANumber { column, text },
                NotNumeric::Infinite => Problem::NotFinite { column, text },
            })
        }
    }
}

/// The days of a date, encoded. The date is by ISO 8601 whatever is declared, if `iso`.
pub(crate) fn date_code(
    column: &NumberCode,
    field: &[u8],
    iso: bool,
    tally: &mut NumberTally,
) -> Result<f32, Problem> {
    if field.is_empty() || column.na.has(field) {
        return column.encode_missing(tally);
    }
    let date = column.date.as_ref().expect("a date's role comes with how dates are read");
    Ok(column.encode_counted(date.days(date.moment(field, iso)?), tally))
}
