//! Messages about ordinary regression without noise and penalty, for the custodian alone.

use discretion::Refusal;
use discretion::plain::PlainError;
use discretion_table::{Kind, Schema};

/// Names of coefficients that a refusal lists.
const MOST_NAMES: usize = 8;

/// The refusal of rows that have no finite or no unique fit, with the names of its columns.
pub(crate) fn refused(error: PlainError, schema: &Schema) -> Refusal {
    let names = schema.encoder().names();
    let name = |&j: &usize| format!("`{}`", names[j]);
    let list = |places: &[usize]| {
        let mut shown: Vec<String> = places.iter().take(MOST_NAMES).map(name).collect();
        if let Some(more @ 1..) = places.len().checked_sub(MOST_NAMES) {
            shown.push(format!("{more} more"));
        }
        shown.join(", ")
    };
    let why = match &error {
        PlainError::Empty(places) => format!("no row has {}", list(places)),
        PlainError::Alias { one, others } if others[..] == [0] => {
            format!("{} is the same in every row", name(one))
        }
        PlainError::Alias { one, others } => {
            let others: Vec<usize> = others.iter().copied().filter(|&j| j > 0).collect();
            format!("{} is a linear combination of {}", name(one), list(&others))
        }
        PlainError::Separated(places) if places.is_empty() => {
            "every row has the same outcome".to_owned()
        }
        PlainError::Separated(places) => {
            format!("rows are separated by {}, so an estimate is infinite", list(places))
        }
        PlainError::Oracle(_) => return Refusal::refused(error.to_string()).because(error),
        PlainError::TooWide { .. } | PlainError::Evidence(_) => {
            return Refusal::bad_input(error.to_string()).because(error);
        }
    };
    Refusal::bad_input(format!(
        "there is no fit without a penalty: {why} (NOT PRIVATE, for you alone); drop a column or merge its values, or keep \
         the study's lambda with --with-lambda"
    ))
    .because(error)
}

/// Names the reference of each category and each curve: the coefficient that was held at 0, or
/// values that are not declared.
pub(crate) fn reference_names(schema: &Schema, references: &[usize]) -> Vec<String> {
    let encoder = schema.encoder();
    let (names, places) = (encoder.names(), encoder.places());
    let columns = schema
        .columns()
        .iter()
        .filter(|column| column.curve.is_some() || matches!(column.kind, Kind::Category { .. }));
    columns
        .map(|column| {
            let own = references.iter().find(|&&j| places[j].0 == column.name);
            own.map_or_else(|| format!("{} not declared", column.name), |&j| names[j].clone())
        })
        .collect()
}
