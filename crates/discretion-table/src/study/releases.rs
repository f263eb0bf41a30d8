//! Releases: what one study publishes under one charge. Each is a study of its own, made of the
//! tables that all share and of what it says itself.

use super::Study;
use super::document::{Document, Section};
use crate::error::{Error, Location};
use crate::problem::Problem;
use discretion::privacy::Budget;
use std::collections::HashSet;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What one study publishes, and its share of the budget.
#[derive(Debug, Clone, PartialEq)]
pub struct Release {
    /// What its files are called.
    pub name: String,
    /// What it is.
    pub kind: ReleaseKind,
    /// Its share of `[spend]`: above 0, and all together at most 1.
    pub share: f64,
    /// The study that holds this alone. Its `spend` is that of all releases.
    pub study: Study,
}

/// What is released.
#[derive(Debug, Clone, PartialEq)]
pub enum ReleaseKind {
    /// A model, as `fit` makes it.
    Model,
    /// Histograms, as `density` makes them.
    Density(DensitySettings),
}

/// `[density]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DensitySettings {
    /// The columns.
    pub columns: Vec<String>,
    /// Numbers of bins to choose from.
    pub bins: Option<Vec<usize>>,
}

/// Keys of a model's release that say what is predicted, and stand in `[data]` of its study.
const OUTCOME: [&str; 6] = ["target", "positive", "negative", "label", "classes", "outcome"];

/// Tables that belong to one release.
const OF_ONE: [&str; 6] = ["release", "density", "model", "tune", "intervals", "evaluate"];

/// Keys of a release that are tables of its study.
const INNER: [&str; 3] = ["tune", "intervals", "evaluate"];

/// Keys of a release that are about the release itself.
const ABOUT: [&str; 3] = ["name", "kind", "share"];

impl Study {
    /// Reads everything that a study file releases, in the order of the file: `[model]`, `[density]`
    /// and each `[[release]]`. `spend` and `set` are as for [`read_with`](Study::read_with).
    pub fn read_releases(
        path: impl AsRef<Path>,
        spend: Option<Budget>,
        set: &[String],
    ) -> Result<Vec<Release>, Error> {
        let path = path.as_ref();
        Study::parse_releases(path, &Study::text_of(path)?, spend, set)
    }

    /// The same of the text of a file that stands, or would stand, at `path`.
    pub fn parse_releases(
        path: &Path,
        text: &str,
        spend: Option<Budget>,
        set: &[String],
    ) -> Result<Vec<Release>, Error> {
        let document = Document::new(path, text, set)?;
        let root = document.parse()?;
        let asked = Asked::all(&document, &root)?;
        let shares = shares(&asked)?;
        let release = |(asked, share): (&Asked<'_>, f64)| {
            Ok(Release {
                name: asked.name.clone(),
                kind: asked.kind.clone(),
                share,
                study: Study::of_root(path, &document, &asked.root, spend, set)?,
            })
        };
        asked.iter().zip(shares).map(release).collect()
    }

    /// Returns true if a text holds several releases, and so is no study of `fit` alone.
    pub fn has_releases(path: &Path, text: &str) -> bool {
        let root = Document::new(path, text, &[]).ok();
        root.and_then(|document| document.parse().map(|root| root.contains_key("release")).ok())
            .unwrap_or(false)
    }
}

/// A release as the file asks for it.
struct Asked<'d> {
    name: String,
    kind: ReleaseKind,
    share: Option<f64>,
    at: Location,
    /// The tables of its study.
    root: DeTable<'d>,
}

impl<'d> Asked<'d> {
    fn all(document: &'d Document<'d>, root: &'d DeTable<'d>) -> Result<Vec<Asked<'d>>, Error> {
        let own = document.list(root, "release")?;
        let mut shared = root.clone();
        OF_ONE.iter().for_each(|table| drop(shared.remove(*table)));
        let outcomes: Vec<String> = [root.get("data").and_then(|data| data.get_ref().as_table())]
            .into_iter()
            .flatten()
            .chain(own.iter().map(Section::table))
            .flat_map(outcomes)
            .collect();
        let mut all = Vec::new();
        let alone = own.is_empty() && !root.contains_key("density");
        if alone || root.contains_key("model") {
            let mut of_model = root.clone();
            ["release", "density"].iter().for_each(|table| drop(of_model.remove(*table)));
            all.push(Asked {
                name: "model".to_owned(),
                kind: ReleaseKind::Model,
                share: None,
                at: document.beginning(),
                root: without_others(of_model, &outcomes),
            });
        }
        if let Some(section) = document.optional(root, "density")? {
            let settings = density(&section)?;
            let root = of_density(&shared, &own, &settings, &outcomes);
            all.push(Asked {
                name: "density".to_owned(),
                share: section.number("share")?,
                at: section.at(),
                kind: ReleaseKind::Density(settings),
                root,
            });
        }
        for section in &own {
            let name = name(section)?;
            let is_density = section.word("kind")? == Some("density");
            let (kind, root) = match is_density {
                true => {
                    let settings = density(section)?;
                    let root = of_density(&shared, &own, &settings, &outcomes);
                    (ReleaseKind::Density(settings), root)
                }
                false => {
                    let root = of_model(&shared, section);
                    (ReleaseKind::Model, without_others(root, &outcomes))
                }
            };
            all.push(Asked { name, kind, share: section.number("share")?, at: section.at(), root });
        }
        let mut names = HashSet::new();
        match all.iter().find(|one| !names.insert(one.name.clone())) {
            None => Ok(all),
            Some(twice) => {
                let name = twice.name.clone();
                Err(twice.at.clone().error(Problem::ReleaseTwice { name }))
            }
        }
    }
}

/// The name of a release: its files are called so.
fn name(section: &Section<'_>) -> Result<String, Error> {
    let entry = section.required("name")?;
    let name = entry.text()?.to_owned();
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    let fits = (1..=40).contains(&name.len()) && name.chars().all(is_plain);
    match fits && !["index", "report"].contains(&name.as_str()) {
        true => Ok(name),
        false => Err(entry.error(Problem::ReleaseName { name })),
    }
}

pub(super) fn density(section: &Section<'_>) -> Result<DensitySettings, Error> {
    section.refuse_unknown()?;
    section.number("share")?;
    let columns = section.texts("columns")?;
    if columns.is_empty() {
        return Err(section.missing("columns", "[\"age\"]"));
    }
    let bins = match section.get("bins") {
        None => None,
        Some(entry) => {
            let whole = |value: &DeValue<'_>| {
                super::document::number_of(value)
                    .filter(|bins| *bins >= 1.0 && bins.fract() == 0.0 && *bins <= 1e9)
                    .map(|bins| bins as usize)
            };
            Some(entry.list("a list of whole numbers, such as [8, 16, 32]", whole)?)
        }
    };
    Ok(DensitySettings { columns, bins })
}

/// The shares of all releases: those that say none share equally what the others leave.
fn shares(asked: &[Asked<'_>]) -> Result<Vec<f64>, Error> {
    let given: f64 = asked.iter().filter_map(|one| one.share).sum();
    let silent = asked.iter().filter(|one| one.share.is_none()).count();
    // Decimals that a person wrote add up to 1 and a little.
    let left = 1.0 - given;
    if left < -1e-9 || silent > 0 && left < 1e-9 {
        let last = asked.iter().rfind(|one| one.share.is_some()).expect("some are given");
        return Err(last.at.clone().error(Problem::ReleaseShares { given }));
    }
    Ok(asked.iter().map(|one| one.share.unwrap_or(left / silent as f64)).collect())
}

/// The columns that a table's keys predict.
fn outcomes(table: &DeTable<'_>) -> Vec<String> {
    let text = |value: &Spanned<DeValue<'_>>| value.get_ref().as_str().map(str::to_owned);
    let column = |value: &Spanned<DeValue<'_>>| {
        value.get_ref().as_table().and_then(|table| table.get("column")).and_then(text)
    };
    let numbers = table.get("outcome").map(|value| match value.get_ref() {
        DeValue::Array(list) => list.iter().filter_map(column).collect(),
        _ => column(value).into_iter().collect::<Vec<_>>(),
    });
    let target = table.get("target").and_then(text);
    target.into_iter().chain(numbers.into_iter().flatten()).collect()
}

/// The tables of a model's study.
fn of_model<'d>(shared: &DeTable<'d>, section: &Section<'d>) -> DeTable<'d> {
    let mut root = shared.clone();
    let own = section.table();
    let is_outcome = |key: &str| OUTCOME.contains(&key);
    if let Some(data) = inner(&mut root, "data")
        && own.keys().any(|key| is_outcome(key.get_ref()))
    {
        OUTCOME.iter().for_each(|key| drop(data.remove(*key)));
        for (key, value) in own.iter().filter(|(key, _)| is_outcome(key.get_ref())) {
            data.insert(key.clone(), value.clone());
        }
    }
    let mut model = DeTable::new();
    for (key, value) in own {
        let name: &str = key.get_ref();
        if INNER.contains(&name) {
            root.insert(key.clone(), value.clone());
        } else if !ABOUT.contains(&name) && !is_outcome(name) {
            model.insert(key.clone(), value.clone());
        }
    }
    put_table(&mut root, "model", section, model);
    root
}

/// The tables of a density's study. Its outcome is one that is none of its columns, if there is
/// one: it is read past, and so are other outcomes that `[columns]` does not declare.
fn of_density<'d>(
    shared: &DeTable<'d>,
    models: &[Section<'d>],
    settings: &DensitySettings,
    all: &[String],
) -> DeTable<'d> {
    let mut root = shared.clone();
    let is_free = |table: &DeTable<'_>| {
        let outcomes = outcomes(table);
        !outcomes.is_empty() && !outcomes.iter().any(|column| settings.columns.contains(column))
    };
    let data = inner(&mut root, "data");
    if let Some(data) = data
        && !is_free(data)
        && let Some(model) = models.iter().map(Section::table).find(|table| is_free(table))
    {
        for key in OUTCOME {
            data.remove(key);
            if let Some((key, value)) = model.get_key_value(key) {
                data.insert(key.clone(), value.clone());
            }
        }
    }
    let predicted = inner(&mut root, "data").map(|data| outcomes(data)).unwrap_or_default();
    if let Some(columns) = inner(&mut root, "columns") {
        predicted.iter().for_each(|column| drop(columns.remove(column.as_str())));
        for column in all.iter().filter(|column| !predicted.contains(column)) {
            if !columns.contains_key(column.as_str()) {
                drop_column(columns, column);
            }
        }
    }
    root
}

/// A study whose features are none of these outcomes, whichever it predicts itself.
fn without_others<'d>(mut root: DeTable<'d>, all: &[String]) -> DeTable<'d> {
    let own = inner(&mut root, "data").map(|data| outcomes(data)).unwrap_or_default();
    let Some(columns) = inner(&mut root, "columns") else { return root };
    for column in all {
        if own.contains(column) {
            columns.remove(column.as_str());
        } else {
            drop_column(columns, column);
        }
    }
    root
}

/// Declares a column as one that is not used.
fn drop_column(columns: &mut DeTable<'_>, column: &str) {
    let span = columns.remove_entry(column).map_or(0..0, |(key, _)| key.span());
    let mut dropped = DeTable::new();
    let flag = Spanned::new(span.clone(), DeValue::Boolean(true));
    dropped.insert(Spanned::new(span.clone(), "drop".into()), flag);
    let column = Spanned::new(span.clone(), column.to_owned().into());
    columns.insert(column, Spanned::new(span, DeValue::Table(dropped)));
}

fn inner<'t, 'd>(root: &'t mut DeTable<'d>, name: &str) -> Option<&'t mut DeTable<'d>> {
    match root.get_mut(name)?.get_mut() {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

fn put_table<'d>(root: &mut DeTable<'d>, name: &'d str, at: &Section<'d>, table: DeTable<'d>) {
    let span = at.span();
    root.insert(Spanned::new(span.clone(), name.into()), Spanned::new(span, DeValue::Table(table)));
}
