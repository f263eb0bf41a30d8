//! `[about]`: what only a person knows about a study, for its dossier.

use super::document::Section;
use crate::error::Error;

/// `[about]`. What is left out is asked for by name when a dossier is made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct About {
    /// What the published model is called.
    pub name: Option<String>,
    /// Who publishes it.
    pub curators: Vec<String>,
    /// What it is meant for.
    pub intended_use: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Which region the rows describe, or whose laws apply.
    pub region: Option<String>,
    /// Technology, Healthcare, Education, Government, Energy or Finance.
    pub sector: Option<String>,
    /// When it is published, as YYYY-MM-DD.
    pub publication_date: Option<String>,
    /// On what legal basis the rows are used.
    pub legal_basis: Option<String>,
    /// Whom to ask.
    pub contact: Option<String>,
    /// Who answers for the record in the registry.
    pub authors: Vec<String>,
    /// Where more is written.
    pub sources: Option<String>,
}

pub(super) fn about(section: &Section<'_>) -> Result<About, Error> {
    section.refuse_unknown()?;
    let text =
        |key: &str| section.get(key).map(|entry| entry.text().map(str::to_owned)).transpose();
    let publication_date = text("publication_date")?;
    if let (Some(date), Some(entry)) = (&publication_date, section.get("publication_date"))
        && !is_day(date)
    {
        return Err(entry.wrong_type("a day such as \"2026-01-31\""));
    }
    Ok(About {
        name: text("name")?,
        curators: section.texts("curators")?,
        intended_use: text("intended_use")?,
        description: text("description")?,
        region: text("region")?,
        sector: section.word("sector")?.map(str::to_owned),
        publication_date,
        legal_basis: text("legal_basis")?,
        contact: text("contact")?,
        authors: section.texts("authors")?,
        sources: text("sources")?,
    })
}

/// Four digits, two and two, of a month and a day that there are.
fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let number = |part: &str, digits: usize| {
        (part.len() == digits && part.bytes().all(|b| b.is_ascii_digit()))
            .then(|| part.parse::<u32>().ok())
            .flatten()
    };
    let [year, month, day] = parts[..] else { return false };
    number(year, 4).is_some()
        && number(month, 2).is_some_and(|month| (1..=12).contains(&month))
        && number(day, 2).is_some_and(|day| (1..=31).contains(&day))
}
