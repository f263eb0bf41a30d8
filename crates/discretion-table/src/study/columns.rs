//! `[columns]`: what is declared about each column.

use super::document::{Entry, Section};
use super::format::na;
use super::outcome::scale;
use super::{categories, curves, dates};
use crate::error::{Error, Excerpt};
use crate::problem::Problem;
use crate::reading::Reading;
use crate::schema::{Column, Kind};

/// What is only said of numbers, of categories and of dates.
const OF_NUMBERS: [&str; 2] = ["scale", "integer"];
const OF_CURVES: [&str; 4] = ["curve", "knots", "monotone", "share"];
const OF_CATEGORIES: [&str; 4] = ["values", "labels", "groups", "one_of"];
const OF_DATES: [&str; 2] = ["format", "parts"];

/// What a column is, by what is said of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Declared {
    Number,
    Category,
    Date,
    Dropped,
}

/// `na`: the texts that mean that there is no value, in every column.
pub(super) fn columns(section: &Section<'_>, na: &[String]) -> Result<Vec<Column>, Error> {
    let mut columns = Vec::new();
    for entry in section.entries() {
        columns.extend(column(&entry, na)?);
    }
    Ok(columns)
}

/// The column, and parts of it that are columns of their own.
fn column(entry: &Entry<'_>, of_table: &[String]) -> Result<Vec<Column>, Error> {
    let name = entry.key.to_owned();
    let title = format!("column `{}`", Excerpt::of(&name));
    let section = entry.section("columns", title).ok_or_else(|| {
        entry.wrong_type("{ min = …, max = … }, { values = […] } or { drop = true }")
    })?;
    section.refuse_unknown()?;
    let declared = declared(entry, &section)?;
    let reading = match declared {
        Declared::Dropped => Reading::default(),
        _ => Reading::with_na(na(&section, of_table)?),
    };
    let curve = curves::curve(entry, &section)?;
    let columns = match declared {
        Declared::Number => vec![Column { reading, curve, ..Column::new(name, number(&section)?) }],
        Declared::Category => vec![categories::column(entry, &section, name, reading)?],
        Declared::Date => dates::columns(&section, &name, reading, curve)?,
        Declared::Dropped => vec![Column::new(name, Kind::Dropped)],
    };
    for column in &columns {
        column
            .check()
            .and_then(|()| column.check_spellings())
            .map_err(|problem| entry.error(problem))?;
    }
    Ok(columns)
}

fn declared(entry: &Entry<'_>, section: &Section<'_>) -> Result<Declared, Error> {
    let column = || entry.key.to_owned();
    let has = |keys: &[&str]| keys.iter().any(|key| section.get(key).is_some());
    let said = section.word("kind")?.map(|word| match word {
        "number" => Declared::Number,
        "category" => Declared::Category,
        _ => Declared::Date,
    });
    let drop = match section.get("drop") {
        None => false,
        Some(drop) => match drop.value.as_bool() {
            Some(true) => true,
            Some(false) => return Err(drop.error(Problem::DropFalse { column: column() })),
            None => return Err(drop.wrong_type("true")),
        },
    };
    let own_missing = section.get("missing").is_some_and(|entry| curves::is_own(&entry));
    let bounds = has(&["min", "max"]) || (has(&["missing"]) && !own_missing);
    let found = match said {
        _ if drop => Declared::Dropped,
        Some(said) => said,
        None if has(&OF_CATEGORIES) => Declared::Category,
        None if bounds || has(&OF_NUMBERS) || has(&OF_CURVES) => Declared::Number,
        None if has(&OF_DATES) => Declared::Date,
        None => return Err(entry.error(Problem::EmptyColumn { column: column() })),
    };
    let mixed = match found {
        Declared::Number => has(&OF_CATEGORIES) || has(&OF_DATES),
        Declared::Category => bounds || has(&OF_NUMBERS) || has(&OF_CURVES) || has(&OF_DATES),
        Declared::Date => has(&OF_NUMBERS) || has(&OF_CATEGORIES),
        Declared::Dropped => {
            said.is_some()
                || bounds
                || has(&["missing"])
                || [&OF_NUMBERS[..], &OF_CURVES, &OF_CATEGORIES, &OF_DATES]
                    .iter()
                    .any(|keys| has(keys))
        }
    };
    if mixed { Err(entry.error(Problem::MixedColumn { column: column() })) } else { Ok(found) }
}

fn number(section: &Section<'_>) -> Result<Kind, Error> {
    // In the order in which mistakes are told.
    let (scale, integer) = (scale(section)?, section.flag("integer")?);
    Ok(Kind::Number {
        min: section.required_number("min")?,
        max: section.required_number("max")?,
        scale,
        missing: match section.get("missing") {
            Some(entry) if curves::is_own(&entry) => None,
            _ => section.number("missing")?,
        },
        integer,
    })
}
