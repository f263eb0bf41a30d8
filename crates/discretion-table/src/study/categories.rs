//! Categories: values, what they are called, and codes that count as one of them.

use super::document::{Entry, Section};
use crate::error::Error;
use crate::groups::Group;
use crate::reading::Reading;
use crate::reading_problem::ReadingProblem;
use crate::schema::{Column, Kind};
use std::collections::BTreeMap;

pub(super) fn column(
    entry: &Entry<'_>,
    section: &Section<'_>,
    name: String,
    reading: Reading,
) -> Result<Column, Error> {
    let texts = |key: &str| section.get(key).map(|entry| entry.texts()).transpose();
    let one_of = texts("one_of")?.unwrap_or_default();
    let groups = groups(section)?;
    let mut values = match texts("values")? {
        None if groups.is_empty() => one_of.clone(),
        values if one_of.is_empty() => values.unwrap_or_default(),
        _ => return Err(entry.error(ReadingProblem::OneOfValues { column: name }.into())),
    };
    for group in &groups {
        if !values.contains(&group.name) {
            values.push(group.name.clone());
        }
    }
    let mut labels = labels(section)?;
    // "own", as anything else is said of numbers: a value like any other, the empty text, which is
    // what is missing.
    if section.get("missing").is_some() && !values.contains(&String::new()) {
        values.push(String::new());
        let level = if one_of.is_empty() { "missing" } else { "none" };
        labels.entry(String::new()).or_insert_with(|| level.to_owned());
    }
    let kind = Kind::Category { values, labels };
    Ok(Column { reading: Reading { groups, one_of, ..reading }, ..Column::new(name, kind) })
}

fn labels(section: &Section<'_>) -> Result<BTreeMap<String, String>, Error> {
    let Some(entry) = section.get("labels") else { return Ok(BTreeMap::new()) };
    let labels = entry.section("", "`labels`".to_owned()).ok_or_else(|| {
        entry.wrong_type("a table such as { \"1\" = \"male\", \"2\" = \"female\" }")
    })?;
    let label = |entry: Entry<'_>| Ok((entry.key.to_owned(), entry.text()?.trim().to_owned()));
    labels.entries().map(label).collect()
}

/// In the order of the file: where two have a code, the first one gets it.
fn groups(section: &Section<'_>) -> Result<Vec<Group>, Error> {
    let Some(entry) = section.get("groups") else { return Ok(Vec::new()) };
    let groups = entry
        .section("", "`groups`".to_owned())
        .ok_or_else(|| entry.wrong_type("a table such as { circulatory = [\"390..459\"] }"))?;
    let group = |entry: Entry<'_>| {
        Ok(Group { name: entry.key.to_owned(), codes: entry.one_or_more_texts()? })
    };
    groups.entries().map(group).collect()
}
