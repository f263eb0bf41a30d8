//! The study file: one TOML file that says everything public about a study.
//!
//! It is walked by hand rather than through serde, so that every refusal has a line and a
//! column, and an unknown key gets the name that was probably meant.

mod about;
mod categories;
mod cohort;
mod columns;
mod curves;
mod data;
mod dates;
mod document;
mod evaluate;
mod format;
mod given;
mod learner;
mod model;
mod outcome;
mod party;
mod placeholder;
mod releases;
pub mod settings;
#[cfg(test)]
mod tests;
mod vote;

use crate::error::{Error, Excerpt, Location};
use crate::problem::Problem;
use crate::schema::{Labels, Schema};
use discretion::loss::HalfWidth;
use discretion::privacy::account::{Cap, FilterKind, Terms};
use discretion::privacy::{Budget, BudgetError, Unit};
use document::{Document, Section};
use std::path::{Path, PathBuf};
use toml::de::DeTable;

pub use about::About;
pub use data::Data;
pub use evaluate::EvaluateSettings;
pub use learner::{LearnerChoice, Processes};
pub use model::{IntervalSettings, Lambda, ModelSettings, NumberLoss, TuneSettings};
pub use party::{HolderSettings, PartySettings, StepChoice, usual_colluders};
pub(crate) use placeholder::PLACEHOLDER;
pub use releases::{DensitySettings, Release, ReleaseKind};
pub use vote::{AnswerChoice, ClassWeights, Protect, VoteSettings};

/// A study file, read and checked. Nothing in it comes from rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// The study file itself.
    pub path: PathBuf,
    /// Settings that a command gave in place of the file's, as `table.key=value`.
    pub set: Vec<String>,
    /// `[data]`: which table, which account.
    pub data: Data,
    /// `[budget]`: the account's lifetime cap, and how it adds up.
    pub budget: Terms,
    /// What this run may use: `[spend]`, or what whoever runs it says instead.
    pub spend: Budget,
    /// `[columns]`, the target and the norm.
    pub schema: Schema,
    /// `[model]`.
    pub model: ModelSettings,
    /// `loss` in `[model]`, where the outcome is a number and somebody chose.
    pub number_loss: Option<NumberLoss>,
    /// `base_rate = "private"` in `[model]`: the penalty is around a released base rate.
    pub base_rate: bool,
    /// `[tune]`, for a list of λ.
    pub tune: TuneSettings,
    /// `[intervals]`, if asked for.
    pub intervals: Option<IntervalSettings>,
    /// `[evaluate]`, if asked for.
    pub evaluate: Option<EvaluateSettings>,
    /// `[vote]`, if asked for.
    pub vote: Option<VoteSettings>,
    /// `[party]`, if several holders train together.
    pub party: Option<PartySettings>,
    /// `[about]`: what only a person knows.
    pub about: About,
    /// Where things stand in the file, for messages of later checks.
    pub places: Places,
}

/// Where things stand in a study file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The table `[budget]`.
    pub budget: Location,
    /// The table `[spend]`; nowhere, if whoever runs the study said what to spend.
    pub spend: Option<Location>,
    /// The key `lambda` in `[model]`, or the whole file where it is left out.
    pub lambda: Location,
    /// The key `base_rate` in `[model]`.
    pub base_rate: Option<Location>,
}

impl Study {
    /// The longest study file: room for tens of thousands of columns, or for a list of all codes of
    /// a classification. What is longer is some other file.
    pub const MOST_BYTES: usize = 16 << 20;

    /// Reads and checks a study file. The table it names is not opened.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::read_to_spend(path, None)
    }

    /// Reads the study of a run that is told what to spend: that goes before `[spend]`, which may
    /// then be left out.
    pub fn read_to_spend(path: impl AsRef<Path>, spend: Option<Budget>) -> Result<Self, Error> {
        Self::read_with(path, spend, &[])
    }

    /// Reads the study of a run that is told what to spend, and settings such as
    /// `intervals.level=0.9` that go before those of the file.
    pub fn read_with(
        path: impl AsRef<Path>,
        spend: Option<Budget>,
        set: &[String],
    ) -> Result<Self, Error> {
        let path = path.as_ref();
        Self::parse_with(path, &Self::text_of(path)?, spend, set)
    }

    /// Reads the text of a study file. Of a file that is too long for one, no more than
    /// [`MOST_BYTES`](Self::MOST_BYTES) are read.
    pub fn text_of(path: &Path) -> Result<String, Error> {
        if crate::read::is_table(path) && path.exists() {
            let table = path.display().to_string();
            return Err(Location::file(path).error(Problem::TableForStudy { table }));
        }
        let bytes = crate::read::beginning_of_file(path, Self::MOST_BYTES + 1)?;
        Self::check_length(path, bytes.len())?;
        String::from_utf8(bytes).map_err(|_| Location::file(path).error(Problem::NotText))
    }

    fn check_length(path: &Path, bytes: usize) -> Result<(), Error> {
        match bytes <= Self::MOST_BYTES {
            true => Ok(()),
            false => {
                let most = Self::MOST_BYTES >> 20;
                Err(Location::file(path).error(Problem::LongStudy { most }))
            }
        }
    }

    /// Checks the text of a study file that stands, or would stand, at `path`.
    pub fn parse(path: &Path, text: &str) -> Result<Self, Error> {
        Self::parse_with(path, text, None, &[])
    }

    fn parse_with(
        path: &Path,
        text: &str,
        given: Option<Budget>,
        set: &[String],
    ) -> Result<Self, Error> {
        Self::check_length(path, text.len())?;
        let document = Document::new(path, text, set)?;
        let root = document.parse()?;
        if let Some(release) = document.list(&root, "release")?.first() {
            return Err(release.error(Problem::SeveralReleases));
        }
        Self::of_root(path, &document, &root, given, set)
    }

    /// Checks a study by its tables.
    fn of_root<'d>(
        path: &Path,
        document: &'d Document<'d>,
        root: &'d DeTable<'d>,
        given: Option<Budget>,
        set: &[String],
    ) -> Result<Self, Error> {
        let tables = document.tables(root)?;
        placeholder::refuse(&tables)?;

        let (target, others) = outcome::targets(tables.required("data")?)?;
        let is_number = matches!(target.labels, Labels::Number { .. });
        let (model, norm) = match tables.optional("model") {
            Some(section) => {
                // Intervals of a hinge are better with a wider corner (docs/intervals-in-detail.md).
                let wide = tables.optional("intervals").is_some();
                model::model(
                    section,
                    if wide { HalfWidth::WIDE } else { HalfWidth::USUAL },
                    is_number,
                )?
            }
            None => Default::default(),
        };
        let number_loss = match tables.optional("model") {
            Some(section) if is_number => model::number_loss(section)?,
            _ => None,
        };
        let base_rate =
            tables.optional("model").map(model::releases_base_rate).transpose()?.unwrap_or(false);
        let tune = match tables.optional("tune") {
            Some(section) if !matches!(model.lambda, Lambda::Grid(_)) => {
                return Err(section.error(Problem::NothingToTune));
            }
            Some(section) => model::tune(section)?,
            None => TuneSettings::default(),
        };
        let vote = tables
            .optional("vote")
            .map(|section| vote::vote(section, &target.labels))
            .transpose()?;
        let columns_section = tables.required("columns")?;
        let columns = columns::columns(columns_section, &target.na)?;
        let person = data::person(tables.required("data")?)?;
        let crosses =
            tables.optional("cross").map(curves::crosses).transpose()?.unwrap_or_default();
        let format = format::format(tables.required("data")?)?;
        let from_rows = data::from_rows(tables.required("data")?)?;
        let outcomes = || [&target].into_iter().chain(&others);
        if let Some(key) =
            columns_section.entries().find(|entry| outcomes().any(|one| one.column == entry.key))
        {
            return Err(key.error(Problem::TargetAmongColumns { column: key.key.to_owned() }));
        }
        // A table that is not used is checked all the same.
        let written = tables.optional("spend").map(budget).transpose()?;
        let spend =
            given.or(written).ok_or_else(|| Location::file(path).error(Problem::NoSpend))?;
        let mut schema = Schema::new(norm, target, columns)
            .and_then(|schema| schema.with_others(others))
            .and_then(|schema| schema.with_crosses(crosses))
            .map(|schema| schema.looked_up(from_rows))
            .and_then(|schema| schema.with_format(format))
            .map_err(|problem| columns_section.error(problem))?;
        if let Some(person) = person {
            schema =
                schema.with_person(person.value).map_err(|problem| person.at.error(problem))?;
        }
        let intervals = tables
            .optional("intervals")
            .map(|section| model::intervals(section, &schema))
            .transpose()?;
        schema = cohort::cohort(tables.required("data")?, schema)?;
        if let Some(section) = tables.optional("density") {
            releases::density(section)?;
        }
        let party = tables.optional("party").map(party::party).transpose()?;
        if let Some(party) = &party {
            // How many rows they have together is public.
            schema = schema
                .with_auto_curves(party.holders.iter().map(|holder| holder.rows).sum(), spend)
                .0;
        }
        Ok(Self {
            path: path.to_owned(),
            set: set.to_vec(),
            budget: terms(tables.required("budget")?)?.about(schema.unit()),
            data: data::data(tables.required("data")?, path)?,
            spend,
            schema,
            model,
            number_loss,
            base_rate,
            tune,
            intervals,
            evaluate: tables.optional("evaluate").map(evaluate::evaluate).transpose()?,
            vote,
            party,
            about: tables.optional("about").map(about::about).transpose()?.unwrap_or_default(),
            places: Places {
                budget: tables.required("budget")?.at(),
                spend: tables.optional("spend").filter(|_| given.is_none()).map(Section::at),
                lambda: tables
                    .optional("model")
                    .and_then(|section| section.get("lambda"))
                    .map_or_else(|| Location::file(path), |entry| entry.at()),
                base_rate: tables
                    .optional("model")
                    .and_then(|section| section.get("base_rate"))
                    .map(|entry| entry.at()),
            },
        })
    }
}

impl Study {
    /// Names the study for a ledger: its file, and what was set in place of what the file says.
    pub fn named(&self) -> String {
        let set: String =
            self.set.iter().map(|said| format!(" with {}", Excerpt::of(said))).collect();
        format!("{}{set}", self.path.display())
    }
}

fn terms(section: &Section<'_>) -> Result<Terms, Error> {
    section.refuse_unknown()?;
    let word = section.word("filter")?;
    let filter =
        FilterKind::ALL.into_iter().find_map(|(name, kind)| (word == Some(name)).then_some(kind));
    Ok(Terms { cap: numbers(section, Cap::new)?, filter, unit: Unit::Row })
}

fn budget(section: &Section<'_>) -> Result<Budget, Error> {
    section.refuse_unknown()?;
    numbers(section, Budget::new)
}

/// ε, δ and ρ of a section, as far as they are there.
fn numbers<T>(
    section: &Section<'_>,
    make: impl FnOnce(Option<f64>, Option<f64>, Option<f64>) -> Result<T, BudgetError>,
) -> Result<T, Error> {
    let epsilon = section.number("epsilon")?;
    let delta = section.number("delta")?;
    let rho = section.number("rho")?;
    make(epsilon, delta, rho).map_err(|problem| {
        // The sentence names the number; point at its line when there is just one to blame.
        let blamed = match problem {
            BudgetError::Epsilon(_) => section.get("epsilon"),
            BudgetError::Delta(_) => section.get("delta"),
            BudgetError::Rho(_) => section.get("rho"),
            BudgetError::Kind => None,
        };
        let at = blamed.map_or_else(|| section.at(), |entry| entry.at());
        at.error(Problem::Budget(problem))
    })
}
