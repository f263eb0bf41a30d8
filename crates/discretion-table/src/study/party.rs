//! `[party]`: several holders of rows that train one model together.

use super::document::{Entry, Section};
use crate::error::{Error, Hint};
use crate::problem::Problem;

/// `[party]`, apart from what keys look like, which is the business of whoever uses them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartySettings {
    /// The coordinator's public key.
    pub coordinator: String,
    /// Who holds rows, in the order of the file.
    pub holders: Vec<HolderSettings>,
    /// Which of them add noise, by their places among the holders.
    pub aggregators: Vec<usize>,
    /// How many of those may put their heads together.
    pub colluders: usize,
    /// Whether a Newton step follows the average.
    pub step: StepChoice,
    /// Another number makes it another run, which is charged anew.
    pub run: usize,
}

/// A holder of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HolderSettings {
    /// Its name.
    pub name: String,
    /// How many rows it has.
    pub rows: usize,
    /// Its public key.
    pub key: String,
}

/// Whether a Newton step follows the average.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StepChoice {
    /// If public numbers say that it helps.
    #[default]
    Auto,
    /// Yes.
    Newton,
    /// No.
    None,
}

/// How many aggregators may collude if nothing is said: half of them.
pub fn usual_colluders(aggregators: usize) -> usize {
    (aggregators / 2).max(1)
}

pub(super) fn party(section: &Section<'_>) -> Result<PartySettings, Error> {
    section.refuse_unknown()?;
    let coordinator = section.required("coordinator")?;
    let entry = section.required("holders")?;
    let table = entry.section("", "[party.holders]".to_owned());
    let table = table.ok_or_else(|| {
        entry.wrong_type("a table: a name and { rows = …, key = … } for each holder")
    })?;
    let holders = table.entries().map(|entry| holder(&entry)).collect::<Result<Vec<_>, _>>()?;
    if !(2..=254).contains(&holders.len()) {
        return Err(entry.error(Problem::HolderCount(holders.len())));
    }
    let aggregators = match section.get("aggregators") {
        None => (0..holders.len()).collect(),
        Some(entry) => aggregators(&entry, &holders)?,
    };
    let colluders = match section.get("colluders") {
        None => usual_colluders(aggregators.len()),
        Some(entry) => match entry.whole()? {
            colluders if colluders < aggregators.len() => colluders,
            colluders => {
                return Err(
                    entry.error(Problem::Colluders { colluders, aggregators: aggregators.len() })
                );
            }
        },
    };
    Ok(PartySettings {
        coordinator: coordinator.text()?.to_owned(),
        holders,
        aggregators,
        colluders,
        step: match section.word("step")? {
            Some("newton") => StepChoice::Newton,
            Some("none") => StepChoice::None,
            _ => StepChoice::Auto,
        },
        run: section.number("run")?.expect("it has a default") as usize,
    })
}

fn holder(entry: &Entry<'_>) -> Result<HolderSettings, Error> {
    let title = format!("holder `{}`", entry.key);
    let section = entry
        .section("party.holders", title)
        .ok_or_else(|| entry.wrong_type("{ rows = …, key = \"dpk_…\" }"))?;
    section.refuse_unknown()?;
    let (rows, key) = (section.required("rows")?, section.required("key")?);
    if entry.key.is_empty() || entry.key.len() > 60 || entry.key.chars().any(char::is_control) {
        return Err(entry.error(Problem::HolderName));
    }
    Ok(HolderSettings {
        name: entry.key.to_owned(),
        rows: rows.whole()?,
        key: key.text()?.to_owned(),
    })
}

fn aggregators(entry: &Entry<'_>, holders: &[HolderSettings]) -> Result<Vec<usize>, Error> {
    let mut places = Vec::new();
    for name in entry.texts()? {
        let place = holders.iter().position(|holder| holder.name == name).ok_or_else(|| {
            let hint = Hint::nearest(&name, holders.iter().map(|holder| holder.name.as_str()));
            entry.error(Problem::NoSuchHolder { name: name.clone(), hint })
        })?;
        if places.contains(&place) {
            return Err(entry.error(Problem::RepeatedAggregator(name)));
        }
        places.push(place);
    }
    if places.len() < 2 {
        return Err(entry.error(Problem::FewAggregators(places.len())));
    }
    Ok(places)
}
