//! `[columns]`: what is declared about each column.

use super::document::{Entry, Section};
use super::model::choice;
use crate::error::Error;
use crate::problem::Problem;
use crate::schema::{Column, Kind, Scale};

pub(super) fn columns(section: &Section<'_>) -> Result<Vec<Column>, Error> {
    section.entries().map(|entry| column(&entry)).collect()
}

fn column(entry: &Entry<'_>) -> Result<Column, Error> {
    let name = entry.key.to_owned();
    let section = entry
        .section(format!("column `{name}`"))
        .ok_or_else(|| entry.wrong_type("{ min = …, max = … }, { values = […] } or { drop = true }"))?;
    section.allow(&["min", "max", "scale", "missing", "values", "drop"])?;
    let number = ["min", "max", "scale", "missing"].iter().any(|key| section.get(key).is_some());
    let kind = match (number, section.get("values"), section.get("drop")) {
        (true, None, None) => self::number(&section)?,
        (false, Some(values), None) => Kind::Category { values: values.texts()? },
        (false, None, Some(drop)) => match drop.value.as_bool() {
            Some(true) => Kind::Dropped,
            Some(false) => return Err(drop.error(Problem::DropFalse { column: name })),
            None => return Err(drop.wrong_type("true")),
        },
        (false, None, None) => return Err(entry.error(Problem::EmptyColumn { column: name })),
        _ => return Err(entry.error(Problem::MixedColumn { column: name })),
    };
    let column = Column { name, kind };
    column.check().and_then(|()| column.check_spellings()).map_err(|problem| entry.error(problem))?;
    Ok(column)
}

fn number(section: &Section<'_>) -> Result<Kind, Error> {
    let scale = choice(section, "scale", &[("linear", Scale::Linear), ("log", Scale::Log)])?;
    Ok(Kind::Number {
        min: section.number("min")?.ok_or_else(|| section.missing("min", "0"))?,
        max: section.number("max")?.ok_or_else(|| section.missing("max", "100"))?,
        scale: scale.unwrap_or_default(),
        missing: section.number("missing")?,
    })
}
