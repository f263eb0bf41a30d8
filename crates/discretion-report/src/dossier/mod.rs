//! What a review board asks about a model, from its file: a record for the public registry of
//! deployments, answers to NIST SP 800-226, disclosure controls for machines, what the guarantee
//! means for an attacker, and a page for everybody.
//!
//! Everything is made of the model file, of what a person said in `[about]`, and of what the
//! ledger's extract holds: no row is near.

mod answers;
mod attacker;
mod controls;
mod page;
mod registry;
mod subject;

#[cfg(test)]
mod tests;

pub use attacker::Attacker;
pub use subject::Subject;

use crate::numbers::plain::{count, short};
use discretion_table::About;

/// The file with the record for the public registry of deployments.
pub const RECORD: &str = "registry.yaml";

/// What a dossier is made of.
pub struct Dossier<'d> {
    /// The model.
    pub model: Subject<'d>,
    /// The SHA-256 of its file.
    pub sha256: String,
    /// What only a person knows.
    pub about: &'d About,
    /// The day, as YYYY-MM-DD, where nobody said when it is published.
    pub today: String,
    /// The ledger's head, if a ledger was there: it fixes everything up to the charge.
    pub head: Option<String>,
}

/// What only a person knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Who publishes it.
    Curators,
    /// What it is for.
    IntendedUse,
    /// Which region the rows describe.
    Region,
    /// On what legal basis.
    LegalBasis,
    /// Whom to ask.
    Contact,
    /// Who wrote the record.
    Authors,
}

impl Question {
    const ALL: [Question; 6] = [
        Question::Curators,
        Question::IntendedUse,
        Question::Region,
        Question::LegalBasis,
        Question::Contact,
        Question::Authors,
    ];

    /// The key in `[about]`.
    pub fn key(self) -> &'static str {
        match self {
            Question::Curators => "curators",
            Question::IntendedUse => "intended_use",
            Question::Region => "region",
            Question::LegalBasis => "legal_basis",
            Question::Contact => "contact",
            Question::Authors => "authors",
        }
    }

    /// The same in words.
    pub fn asks(self) -> &'static str {
        match self {
            Question::Curators => "who publishes the model",
            Question::IntendedUse => "what it is meant for",
            Question::Region => "which region the rows are from",
            Question::LegalBasis => "on what legal basis the rows are used",
            Question::Contact => "whom to ask",
            Question::Authors => "who answers for this record",
        }
    }

    /// What stands in its place until somebody says it.
    pub fn placeholder(self) -> String {
        format!(
            "TO BE SAID: {}; write `{}` into [about] of the study file",
            self.asks(),
            self.key()
        )
    }
}

impl Dossier<'_> {
    /// What nobody has said yet.
    pub fn missing(&self) -> Vec<Question> {
        let said = |question: &Question| match question {
            Question::Curators => !self.about.curators.is_empty(),
            Question::IntendedUse => self.about.intended_use.is_some(),
            Question::Region => self.about.region.is_some(),
            Question::LegalBasis => self.about.legal_basis.is_some(),
            Question::Contact => self.about.contact.is_some(),
            Question::Authors => !self.about.authors.is_empty(),
        };
        Question::ALL.into_iter().filter(|question| !said(question)).collect()
    }

    /// The files, by name. A record for the registry is of what is private alone.
    pub fn files(&self) -> Vec<(&'static str, String)> {
        let record = self.is_private().then(|| (RECORD, registry::yaml(self)));
        let others = [
            ("disclosure-controls.json", controls::json(self)),
            ("dossier.html", page::board(self)),
            ("for-everyone.html", page::everyone(self)),
        ];
        record.into_iter().chain(others).collect()
    }

    fn is_private(&self) -> bool {
        self.model.privacy.private
    }

    /// What it is called.
    fn name(&self) -> String {
        let kind = if self.is_private() { "Private model" } else { "Model, not private," };
        self.about.name.clone().unwrap_or_else(|| format!("{kind} of {}", self.predicted()))
    }

    /// The columns that are predicted.
    fn predicted(&self) -> String {
        let names: Vec<&str> =
            self.model.schema.outcomes().map(|outcome| outcome.column.as_str()).collect();
        names.join(" and ")
    }

    /// The same for an address.
    fn slug(&self) -> String {
        let name = self.name().to_lowercase();
        let words =
            name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.collect::<Vec<&str>>().join("-")
    }

    fn description(&self) -> String {
        self.about.description.clone().unwrap_or_else(|| {
            format!(
                "A linear model of {} from {} columns, trained on {} {} ({}).",
                self.predicted(),
                count(self.model.used_columns()),
                self.of(self.model.training_rows),
                match self.is_private() {
                    true => "with differential privacy",
                    false => "without any guarantee",
                },
                self.model.loss
            )
        })
    }

    /// So many rows, or persons.
    fn of(&self, number: usize) -> String {
        format!("{} {}", count(number), self.model.privacy.unit.plural())
    }

    /// Which tables there could be.
    fn domain(&self) -> String {
        format!(
            "Tables of {} with {} declared columns: numbers within public bounds, categories from public lists.",
            self.of(self.model.rows),
            count(self.model.used_columns())
        )
    }

    /// What the guarantee does not cover.
    fn unprotected(&self) -> String {
        let looked_up = self.model.schema.from_rows();
        let bounds = match looked_up.is_empty() {
            true => "Bounds and categories were declared, not looked up in the rows.".to_owned(),
            false => format!(
                "Bounds or values of {} were looked up in the rows and are not protected.",
                looked_up.join(", ")
            ),
        };
        format!(
            "The number of {} ({}) and the names of columns are public. {bounds}",
            self.model.privacy.unit.plural(),
            count(self.model.rows)
        )
    }

    fn preprocessing(&self) -> String {
        let mut said = vec![
            "Numbers are clipped to public bounds and every row is scaled to length at most 1."
                .to_owned(),
        ];
        if self.model.schema.outcome_scale().is_some() {
            said.push("The outcome is clipped to its declared range.".to_owned());
        }
        if let Some(weight) = &self.model.schema.cohort().weight {
            said.push(format!(
                "Rows are weighed; no weight counts more than {}.",
                short(weight.max)
            ));
        }
        if self.model.has_private_knots() {
            said.push("Knots of curves were chosen privately within the same budget.".to_owned());
        }
        said.push(self.model.lambda.clone());
        if let Some(quality) = &self.model.quality {
            said.push(format!(
                "{} were held out for evaluation, by position.",
                self.of(quality.rows())
            ));
        }
        said.join(" ")
    }

    fn mechanisms(&self) -> String {
        let mut text = self.model.mechanism.clone();
        if let Some(quality) = &self.model.quality {
            text.push_str(&format!(" Evaluation: {}.", crate::terminal::evaluation_noise(quality)));
        }
        text
    }

    fn composition(&self) -> String {
        match &self.model.ledger {
            Some(entry) => {
                let spent = match (entry.cap, entry.spent) {
                    (Some(cap), Some(spent)) => {
                        format!("; {} of its {cap} was spent then", short(spent))
                    }
                    _ => String::new(),
                };
                format!(
                    "Charge {} of account '{}' in a tamper-evident ledger, which adds runs up by a privacy filter{spent}.",
                    entry.charge, entry.account
                )
            }
            None => {
                "No ledger knows of this run: nobody adds it to others on the same rows.".to_owned()
            }
        }
    }

    /// How to check it all again.
    fn commands(&self) -> Vec<String> {
        let mut commands = Vec::new();
        if let Some(entry) = &self.model.ledger {
            let head =
                self.head.as_ref().map(|head| format!(" --noted {head}")).unwrap_or_default();
            commands.push(format!("discretion ledger verify{head}"));
            commands.push(format!("discretion ledger show {}", entry.account));
        }
        commands.extend(
            self.model.audits.iter().map(|name| format!("discretion audit --mechanism {name}")),
        );
        commands.push("sha256sum model.json".to_owned());
        commands
    }
}
