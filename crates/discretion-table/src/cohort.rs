//! Which rows count: those that meet conditions on declared columns, and have an outcome.
//!
//! A row that does not count stays in the table and weighs 0, so the number of rows stays public,
//! and how many count stays private. Whoever takes rows out of the file instead publishes how many
//! are left.

use crate::column::{Column, Kind, NumberRange};
use crate::date::Moment;
use crate::error::Excerpt;
use crate::problem::Problem;
use crate::schema::{Schema, trimmed};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which rows count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cohort {
    /// All of them must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty", rename = "where")]
    pub conditions: Vec<Condition>,
    /// Whether a row without an outcome is left out, and not refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub known_outcome: bool,
    /// How much each row counts, if not all count the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<RowWeight>,
}

/// A weight of each row, which counts as its part of the largest there may be: so no row counts
/// more than one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowWeight {
    /// The column of the table; nothing where weights are given beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The largest there may be. Larger ones count as this.
    pub max: f64,
}

/// What must hold of a column's value. A missing value meets no condition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// The column, which is declared.
    pub column: String,
    /// What its value may be.
    pub is: Accepted,
}

/// What a value may be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Accepted {
    /// One of these.
    Values(Vec<String>),
    /// A number that is not below the first one, nor above the second.
    Numbers([Option<f64>; 2]),
    /// The same of dates.
    Dates([Option<Moment>; 2]),
}

/// Why a condition is refused.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // each variant's sentence is its documentation
pub enum CohortProblem {
    #[error(
        "`where` names column `{column}`, which [columns] does not declare; declare it, with drop = true if it is no feature",
        column = Excerpt::of(.column)
    )]
    Undeclared { column: String },
    #[error(
        "`where` names \"{column}\", which is the outcome or the person; a cohort is told by other columns",
        column = Excerpt::of(.column)
    )]
    Outcome { column: String },
    #[error(
        "`where`: \"{text}\" is none of the values that column `{column}` declares; give one of those",
        column = Excerpt::of(.column),
        text = Excerpt::of(.text)
    )]
    NoSuchValue { column: String, text: String },
    #[error("`where`: column `{column}` has {kind}; {advice}", column = Excerpt::of(.column))]
    Kind { column: String, kind: &'static str, advice: &'static str },
    #[error(
        "`where`: no row can meet \"{what}\" (column `{column}`); give bounds within the declared range, min not above max",
        column = Excerpt::of(.column),
        what = Excerpt::of(.what)
    )]
    Never { column: String, what: String },
    #[error(
        "`where`: \"{text}\" is no date such as \"2020-12-31\" (column `{column}`)",
        column = Excerpt::of(.column),
        text = Excerpt::of(.text)
    )]
    NotADate { column: String, text: String },
    #[error(
        "{what} counts every row the same, and this study leaves rows out or weighs them (`where`, `missing_outcome` or `weight`); nothing was charged"
    )]
    WholeTables { what: &'static str },
    #[error(
        "`weight` has max = {0}; it is the largest weight that a row may have, a number above 0"
    )]
    Largest(f64),
    #[error(
        "`weight` names \"{column}\", which is used for something else; a weight is no feature, so drop the column",
        column = Excerpt::of(.column)
    )]
    WeightIsUsed { column: String },
    #[error(
        "this row has no weight: column `{column}` must have a number in every row (`weight` in [data])",
        column = Excerpt::of(.column)
    )]
    NoWeight { column: String },
}

impl Cohort {
    /// Whether every row counts, and as much as any other.
    pub fn is_everybody(&self) -> bool {
        *self == Cohort::default()
    }

    /// Whether something of it stands in the table.
    pub(crate) fn is_in_table(&self) -> bool {
        let column = self.weight.as_ref().and_then(|weight| weight.column.as_ref());
        self.known_outcome || !self.conditions.is_empty() || column.is_some()
    }
}

/// As a sentence goes on after "where".
impl fmt::Display for Cohort {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = self.conditions.iter().map(Condition::to_string).collect();
        parts.extend(self.known_outcome.then(|| "the outcome is known".to_owned()));
        write!(out, "{}", parts.join(" and "))
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn range<T: fmt::Display>([min, max]: &[Option<T>; 2]) -> String {
            match (min, max) {
                (Some(min), Some(max)) => format!("is from {min} to {max}"),
                (Some(min), None) => format!("is at least {min}"),
                (None, Some(max)) => format!("is at most {max}"),
                (None, None) => "is anything".to_owned(),
            }
        }
        let what = match &self.is {
            Accepted::Values(values) => format!("is {}", values.join(" or ")),
            Accepted::Numbers(bounds) => range(bounds),
            Accepted::Dates(bounds) => range(bounds),
        };
        write!(out, "{} {what}", self.column)
    }
}

impl Schema {
    /// The same table, of which the rows of a cohort count, if its conditions are about declared
    /// columns.
    pub fn with_cohort(self, cohort: Cohort) -> Result<Self, Problem> {
        for condition in &cohort.conditions {
            condition.check(&self)?;
        }
        match &cohort.weight {
            None => Ok(self.counting(cohort)),
            Some(RowWeight { max, .. }) if !(*max > 0.0 && max.is_finite()) => {
                Err(CohortProblem::Largest(*max).into())
            }
            Some(RowWeight { column: None, .. }) => Ok(self.counting(cohort)),
            Some(RowWeight { column: Some(column), .. }) => {
                let column = column.clone();
                let is_used = [Some(self.target().column.as_str()), self.person()]
                    .contains(&Some(column.as_str()));
                match self.columns().iter().find(|known| known.is_of(&column)) {
                    _ if is_used => Err(CohortProblem::WeightIsUsed { column }.into()),
                    Some(known) if known.kind != Kind::Dropped => {
                        Err(CohortProblem::WeightIsUsed { column }.into())
                    }
                    Some(_) => Ok(self.counting(cohort)),
                    None => Ok(self.counting(cohort).with_dropped(&column)),
                }
            }
        }
    }

    /// Which rows count, if not all do, as a sentence goes on after "where".
    pub fn cohort_in_words(&self) -> Option<String> {
        let Cohort { conditions, known_outcome, .. } = self.cohort();
        (*known_outcome || !conditions.is_empty()).then(|| self.cohort().to_string())
    }

    /// How much rows count, if not all count the same.
    pub fn weights_in_words(&self) -> Option<String> {
        self.cohort().weight.as_ref().map(|RowWeight { column, max }| match column {
            Some(column) => format!("by {column}, as parts of {max}"),
            None => format!("by given weights, as parts of {max}"),
        })
    }
}

impl Condition {
    fn check(&self, schema: &Schema) -> Result<(), CohortProblem> {
        let column = || self.column.clone();
        let used = [Some(schema.target().column.as_str()), schema.person()];
        if used.contains(&Some(self.column.as_str())) {
            return Err(CohortProblem::Outcome { column: column() });
        }
        let declared =
            self.declared(schema).ok_or_else(|| CohortProblem::Undeclared { column: column() })?;
        let wrong = |kind, advice| Err(CohortProblem::Kind { column: column(), kind, advice });
        if !declared.reading.one_of.is_empty() {
            return wrong(
                "values that several columns tell",
                "`where` reads one column; leave this one out of it",
            );
        }
        let never = || CohortProblem::Never { column: column(), what: self.to_string() };
        match (&declared.kind, &self.is) {
            (_, Accepted::Values(values)) if values.is_empty() => Err(never()),
            (Kind::Category { values: declared, .. }, Accepted::Values(values)) => {
                let unknown = values.iter().find(|value| {
                    !declared
                        .iter()
                        .any(|known| trimmed(known.as_bytes()) == trimmed(value.as_bytes()))
                });
                let refuse = |text: &String| CohortProblem::NoSuchValue {
                    column: column(),
                    text: text.clone(),
                };
                unknown.map_or(Ok(()), |text| Err(refuse(text)))
            }
            (Kind::Category { .. }, _) => {
                wrong("values", "name those that count, such as \"F\" or [\"a\", \"b\"]")
            }
            (Kind::Number { .. }, Accepted::Numbers(bounds)) => {
                within(&declared.kind, *bounds).ok_or_else(never)
            }
            (Kind::Number { .. }, _) => {
                wrong("numbers", "give bounds, such as { min = 40, max = 64 }")
            }
            (Kind::Date { min, .. }, Accepted::Dates(bounds)) => {
                let days = |bound: Option<Moment>| bound.map(|bound| bound.days() - min.days());
                within(&declared.kind, bounds.map(days)).ok_or_else(never)
            }
            (Kind::Date { .. }, _) => {
                wrong("dates", "give bounds, such as { min = \"2020-01-01\" }")
            }
            (Kind::Dropped, Accepted::Numbers([Some(min), Some(max)])) if min > max => Err(never()),
            (Kind::Dropped, Accepted::Dates([Some(min), Some(max)])) if min.days() > max.days() => {
                Err(never())
            }
            (Kind::Dropped, _) => Ok(()),
        }
    }

    pub(crate) fn declared<'s>(&self, schema: &'s Schema) -> Option<&'s Column> {
        schema.columns().iter().find(|column| column.name == self.column)
    }
}

/// Whether bounds are in order and within the declared range; numbers that are none are nowhere.
fn within(kind: &Kind, [min, max]: [Option<f64>; 2]) -> Option<()> {
    let NumberRange { min: low, max: high, .. } = kind.range()?;
    let (from, to) = (min.unwrap_or(low), max.unwrap_or(high));
    (low <= from && from <= to && to <= high).then_some(())
}
