//! One column of a table: what its values can be, and how their texts are read.

use crate::curve::{Chosen, Curve, CurveProblem, Knots};
use crate::date::{DatePart, Moment};
use crate::error::Excerpt;
use crate::groups;
use crate::problem::Problem;
use crate::reading::Reading;
use crate::reading_problem::ReadingProblem;
use crate::schema::{MOST_CATEGORIES, trimmed};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// One declared column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Its name in the header, unless its texts are those of another column.
    pub name: String,
    /// What its values can be.
    pub kind: Kind,
    /// How its texts are read.
    #[serde(default, skip_serializing_if = "Reading::is_plain")]
    pub reading: Reading,
    /// Whether a number or a date may bend, and where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<Curve>,
}

impl Column {
    /// Whether it is encoded as one number: as long as a curve is not settled, a line stands in, if
    /// that says all.
    pub(crate) fn is_line(&self) -> bool {
        let is_straight = |curve: &Curve| {
            let has_more = curve.own_missing || curve.monotone.is_some();
            curve.knots == Knots::Chosen(Chosen::Auto) && !has_more
        };
        self.kind.is_numeric() && self.curve.as_ref().is_none_or(is_straight)
    }
}

/// What the values of a column can be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Kind {
    /// A number; values outside the range are clipped to it.
    Number {
        /// Lower end of the range.
        min: f64,
        /// Upper end of the range.
        max: f64,
        /// How the range is laid out on the encoded axis.
        #[serde(default)]
        scale: Scale,
        /// What a missing value counts as; without it, a missing value is an error.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        missing: Option<f64>,
        /// Whether it is a whole number. Bins of a density then hold whole numbers, and samples are
        /// whole.
        #[serde(default, skip_serializing_if = "is_false")]
        integer: bool,
    },
    /// A date, which counts as the days since the first one of the range; what is outside is
    /// clipped.
    Date {
        /// The first one. If neither end has a time of day, times are left out, and days are whole.
        min: Moment,
        /// The last one.
        max: Moment,
        /// What a missing value counts as.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        missing: Option<Moment>,
    },
    /// One of the listed texts; every other value is "other", all zeros.
    Category {
        /// The declared values, in order.
        values: Vec<String>,
        /// What some of them are called where people read them.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        labels: BTreeMap<String, String>,
    },
    /// In the file, but not used.
    Dropped,
}

/// How a number's range is laid out on the encoded axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By ln(1 + value − min).
    Log,
}

/// A column as numbers: those of a number, or the days of a date.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NumberRange {
    /// Lower end.
    pub min: f64,
    /// Upper end.
    pub max: f64,
    /// How it is laid out.
    pub scale: Scale,
    /// What a missing value counts as, if that is declared.
    pub missing: Option<f64>,
    /// Whether values are whole.
    pub integer: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Kind {
    /// A number on an even scale, of which nothing else is said.
    pub fn number(min: f64, max: f64) -> Kind {
        Kind::Number { min, max, scale: Scale::Linear, missing: None, integer: false }
    }

    /// One of these texts.
    pub fn category(values: Vec<String>) -> Kind {
        Kind::Category { values, labels: BTreeMap::new() }
    }

    /// The range of a number or a date; nothing for others.
    pub fn range(&self) -> Option<NumberRange> {
        match *self {
            Kind::Number { min, max, scale, missing, integer } => {
                Some(NumberRange { min, max, scale, missing, integer })
            }
            Kind::Date { min, max, missing } => {
                let integer = !min.has_time() && !max.has_time();
                let days = |moment: Moment| moment.days() - min.days();
                let (max, missing) = (days(max), missing.map(days));
                Some(NumberRange { min: 0.0, max, scale: Scale::Linear, missing, integer })
            }
            Kind::Category { .. } | Kind::Dropped => None,
        }
    }

    /// Whether values are encoded as numbers.
    pub fn is_numeric(&self) -> bool {
        self.range().is_some()
    }

    /// The date that so many days after the first one of a range are; nothing for columns that have
    /// no dates.
    pub fn date(&self, days: f64) -> Option<Moment> {
        let Kind::Date { min, max, .. } = self else { return None };
        Some(Moment::from_days(min.days() + days, min.has_time() || max.has_time()))
    }

    /// The declared values as people read them: their labels, or themselves. Nothing for columns
    /// that have none.
    pub fn shown_values(&self) -> Vec<String> {
        let Kind::Category { values, labels } = self else { return Vec::new() };
        values.iter().map(|value| labels.get(value).unwrap_or(value).clone()).collect()
    }
}

impl Column {
    /// A column whose texts are plain.
    pub fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self { name: name.into(), kind, reading: Reading::default(), curve: None }
    }

    /// A part of a date as a category of its own, named after both. `range` is the date's, which
    /// years need.
    pub fn part_of_date(
        date: &str,
        part: DatePart,
        range: Option<(Moment, Moment)>,
        reading: Reading,
    ) -> Result<Self, ReadingProblem> {
        let values = part
            .values(range)
            .ok_or_else(|| ReadingProblem::YearsWithoutRange { column: date.to_owned() })?;
        Ok(Self {
            name: format!("{date} {}", part.name()),
            kind: Kind::category(values),
            reading: Reading { from: Some(date.to_owned()), part: Some(part), ..reading },
            curve: None,
        })
    }

    /// The column of the file that its texts are in.
    pub fn field(&self) -> &str {
        self.reading.from.as_deref().unwrap_or(&self.name)
    }

    /// The columns of the file that it is read from.
    pub fn fields(&self) -> Vec<&str> {
        match &self.reading.one_of[..] {
            [] => vec![self.field()],
            indicators => indicators.iter().map(String::as_str).collect(),
        }
    }

    /// Whether it has this name, or is read from a column of the file that has it.
    pub fn is_of(&self, name: &str) -> bool {
        self.name == name || self.fields().contains(&name)
    }

    /// Whether the declaration is possible, apart from the other columns.
    pub fn check(&self) -> Result<(), Problem> {
        let column = self.name.clone();
        let Reading { from, part, .. } = &self.reading;
        if from.is_some() != part.is_some() || (part.is_some() && self.kind.is_numeric()) {
            return Err(Problem::from(ReadingProblem::NoPart { column }));
        }
        if let [_] = self.reading.one_of[..] {
            return Err(Problem::from(ReadingProblem::OneIndicator { column }));
        }
        if let Some(curve) = &self.curve {
            let range =
                self.kind.range().ok_or(CurveProblem::NotANumber { column: column.clone() })?;
            if range.min < range.max {
                curve.check(&column, &range)?;
            }
        }
        match &self.kind {
            Kind::Number { min, max, missing, integer, .. } => {
                check_number(column.clone(), *min, *max, *missing)?;
                let whole = [*min, *max].iter().chain(missing).all(|value| value.fract() == 0.0);
                if *integer && !whole {
                    return Err(Problem::from(ReadingProblem::NotWholeBounds { column }));
                }
                Ok(())
            }
            Kind::Date { min, max, missing } => self.check_date(*min, *max, *missing),
            Kind::Category { values, .. } if values.is_empty() => {
                Err(Problem::NoCategories { column })
            }
            Kind::Category { values, .. } if values.len() > MOST_CATEGORIES => {
                Err(Problem::TooManyCategories {
                    column,
                    count: values.len(),
                    most: MOST_CATEGORIES,
                })
            }
            Kind::Category { values, .. } => match first_repeated(values) {
                Some(value) => Err(Problem::RepeatedCategory { column, value }),
                None => self.check_categories(values).map_err(Problem::from),
            },
            Kind::Dropped => Ok(()),
        }
    }

    fn check_date(&self, min: Moment, max: Moment, missing: Option<Moment>) -> Result<(), Problem> {
        let column = || self.name.clone();
        if min.days() >= max.days() {
            return Err(Problem::from(ReadingProblem::EmptyDates { column: column(), min, max }));
        }
        match missing {
            Some(missing) if !(min.days()..=max.days()).contains(&missing.days()) => {
                let column = column();
                Err(Problem::from(ReadingProblem::MissingOutsideDates {
                    column,
                    missing,
                    min,
                    max,
                }))
            }
            _ => Ok(()),
        }
    }

    /// Labels are of declared values and tell them apart, and groups are of declared values.
    fn check_categories(&self, values: &[String]) -> Result<(), ReadingProblem> {
        let Kind::Category { labels, .. } = &self.kind else { return Ok(()) };
        let column = || self.name.clone();
        if let Some(value) = labels.keys().find(|value| !values.contains(value)) {
            return Err(ReadingProblem::LabelOfNothing { column: column(), value: value.clone() });
        }
        if let Some(label) = first_repeated(&self.kind.shown_values()) {
            return Err(ReadingProblem::LabelTwice { column: column(), label });
        }
        groups::check(&self.name, &self.reading.groups)?;
        let codes: usize = self.reading.groups.iter().map(|group| group.codes.len()).sum();
        if values.len() + codes > MOST_CATEGORIES {
            return Err(ReadingProblem::TooManyCodes {
                column: column(),
                count: codes,
                most: MOST_CATEGORIES,
            });
        }
        match self.reading.groups.iter().find(|group| !values.contains(&group.name)) {
            Some(group) => {
                Err(ReadingProblem::GroupOfNothing { column: column(), group: group.name.clone() })
            }
            None => Ok(()),
        }
    }
}

pub(crate) fn check_number(
    column: String,
    min: f64,
    max: f64,
    missing: Option<f64>,
) -> Result<(), Problem> {
    if !min.is_finite() || !max.is_finite() {
        Err(Problem::InfiniteBound { column })
    } else if min >= max {
        Err(Problem::EmptyRange { column, min, max })
    } else if !((max - min) / 2.0).is_normal() {
        // The encoder divides by half the width.
        Err(Problem::ExtremeRange { column, min, max })
    } else {
        let outside = missing.filter(|missing| !(min..=max).contains(missing));
        outside.map_or(Ok(()), |missing| {
            Err(Problem::MissingOutsideRange { column, missing, min, max })
        })
    }
}

/// The first of some texts that was there before; spaces around it do not count.
pub(crate) fn first_repeated<'a>(values: impl IntoIterator<Item = &'a String>) -> Option<Excerpt> {
    let mut seen = HashSet::new();
    let repeated = values.into_iter().find(|value| !seen.insert(trimmed(value.as_bytes())));
    repeated.map(|value| Excerpt::of(value.as_bytes()))
}
