//! Categories: values, what they are called, and codes that count as one of them.

use super::document::Section;
use crate::error::Error;
use crate::groups::Group;
use crate::reading::Reading;
use crate::schema::{Column, Kind};
use std::collections::BTreeMap;

pub(super) fn column(section: &Section<'_>, name: String, reading: Reading) -> Result<Column, Error> {
    let mut values = section.get("values").map(|entry| entry.texts()).transpose()?.unwrap_or_default();
    let groups = groups(section)?;
    for group in &groups {
        if !values.contains(&group.name) {
            values.push(group.name.clone());
        }
    }
    let mut labels = labels(section)?;
    // "own", as anything else is said of numbers: a value like any other, the empty text, which is what is missing.
    if section.get("missing").is_some() && !values.contains(&String::new()) {
        values.push(String::new());
        labels.entry(String::new()).or_insert_with(|| "missing".to_owned());
    }
    let kind = Kind::Category { values, labels };
    Ok(Column { reading: Reading { groups, ..reading }, ..Column::new(name, kind) })
}

fn labels(section: &Section<'_>) -> Result<BTreeMap<String, String>, Error> {
    let Some(entry) = section.get("labels") else { return Ok(BTreeMap::new()) };
    let labels = entry
        .section("`labels`".to_owned())
        .ok_or_else(|| entry.wrong_type("a table such as { \"1\" = \"male\", \"2\" = \"female\" }"))?;
    let label =
        |entry: super::document::Entry<'_>| Ok((entry.key.to_owned(), entry.text()?.trim().to_owned()));
    labels.entries().map(label).collect()
}

/// In the order of the file: where two have a code, the first one gets it.
fn groups(section: &Section<'_>) -> Result<Vec<Group>, Error> {
    let Some(entry) = section.get("groups") else { return Ok(Vec::new()) };
    let groups = entry
        .section("`groups`".to_owned())
        .ok_or_else(|| entry.wrong_type("a table such as { circulatory = [\"390..459\"] }"))?;
    let group = |entry: super::document::Entry<'_>| {
        Ok(Group { name: entry.key.to_owned(), codes: entry.one_or_more_texts()? })
    };
    groups.entries().map(group).collect()
}
