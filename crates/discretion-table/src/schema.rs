//! The public description of a table: which columns it has, and what is known about each
//! before anyone looks at a row.
//!
//! A [`Schema`] comes from a study file or, for `predict`, from a published model. Either way
//! it is checked on the way in, so that nothing behind it has to doubt a bound.

use crate::error::Excerpt;
use crate::problem::Problem;
use crate::values::same;
use discretion::erm::matrix::Norm;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Category codes are `u16` and the last one means "not declared"; one more is kept free.
pub const MOST_CATEGORIES: usize = 65_534;

/// What is public about a table. Holds only declared facts, never anything read from rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "Unchecked", try_from = "Unchecked")]
pub struct Schema {
    norm: Norm,
    target: Target,
    columns: Vec<Column>,
    from_rows: Vec<String>,
}

/// One declared column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Its name in the header.
    pub name: String,
    /// What its values can be.
    pub kind: Kind,
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
        /// What a missing value counts as; without it, none may be missing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        missing: Option<f64>,
    },
    /// One of the listed texts; every other value is "other", all zeros.
    Category {
        /// The declared values, in order.
        values: Vec<String>,
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

/// The column to be predicted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Its name in the header.
    pub column: String,
    /// What its values mean.
    pub labels: Labels,
}

/// What the target's values mean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Labels {
    /// Two classes.
    Two {
        /// The values that count as positive.
        positive: Vec<String>,
        /// The values that count as negative; without a list, all that are not positive and not empty.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        negative: Option<Vec<String>>,
        /// What the positive class is called, if not by its values.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<String>,
    },
    /// Several classes, for the commands that allow them.
    Many {
        /// The class names.
        classes: Vec<String>,
    },
}

impl Schema {
    /// A schema, if everything in it is possible.
    pub fn new(norm: Norm, target: Target, columns: Vec<Column>) -> Result<Self, Problem> {
        target.labels.check()?;
        let mut names = HashSet::new();
        for column in &columns {
            column.check()?;
            if column.name == target.column {
                return Err(Problem::TargetAmongColumns { column: column.name.clone() });
            }
            if !names.insert(&column.name) {
                return Err(Problem::RepeatedColumn { column: column.name.clone() });
            }
        }
        if columns.iter().all(|column| column.kind == Kind::Dropped) {
            return Err(Problem::NoFeatures);
        }
        Ok(Self { norm, target, columns, from_rows: Vec::new() })
    }

    /// The same table with another meaning of its target.
    pub(crate) fn relabelled(&self, classes: &crate::Classes) -> Self {
        let target = Target { column: self.target.column.clone(), labels: classes.labels().clone() };
        Self { target, ..self.clone() }
    }

    /// The same, of which these columns' bounds or values were looked up in the rows. No noise covers that, and whoever publishes
    /// them must say so.
    pub fn looked_up(self, from_rows: Vec<String>) -> Self {
        Self { from_rows, ..self }
    }

    /// Columns whose bounds or values were looked up in the rows.
    pub fn from_rows(&self) -> &[String] {
        &self.from_rows
    }

    /// How rows are brought to length at most 1.
    pub fn norm(&self) -> Norm {
        self.norm
    }

    /// The column to be predicted.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// All declared columns, in the order of their declaration.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }
}

impl Column {
    /// Whether the declaration is possible, apart from the other columns.
    pub fn check(&self) -> Result<(), Problem> {
        let column = self.name.clone();
        match &self.kind {
            Kind::Number { min, max, missing, .. } => check_number(column, *min, *max, *missing),
            Kind::Category { values } if values.is_empty() => Err(Problem::NoCategories { column }),
            Kind::Category { values } if values.len() > MOST_CATEGORIES => {
                Err(Problem::TooManyCategories { column, count: values.len(), most: MOST_CATEGORIES })
            }
            Kind::Category { values } => match first_repeated(values) {
                Some(value) => Err(Problem::RepeatedCategory { column, value }),
                None => Ok(()),
            },
            Kind::Dropped => Ok(()),
        }
    }
}

fn check_number(column: String, min: f64, max: f64, missing: Option<f64>) -> Result<(), Problem> {
    if !min.is_finite() || !max.is_finite() {
        Err(Problem::InfiniteBound { column })
    } else if min >= max {
        Err(Problem::EmptyRange { column, min, max })
    } else if !((max - min) / 2.0).is_normal() {
        // The encoder divides by half the width.
        Err(Problem::ExtremeRange { column, min, max })
    } else {
        match missing {
            Some(missing) if !(min..=max).contains(&missing) => {
                Err(Problem::MissingOutsideRange { column, missing, min, max })
            }
            _ => Ok(()),
        }
    }
}

impl Labels {
    /// What the two classes are called, the negative one first: by the label, or by all values of the class. "Every other value" is
    /// called `not` and the positive name. Nothing if there are more than two.
    pub fn two_names(&self) -> Option<[String; 2]> {
        let Labels::Two { positive, negative, label } = self else { return None };
        let yes = label.clone().unwrap_or_else(|| positive.join(" or "));
        let no = negative.as_ref().map_or_else(|| format!("not {yes}"), |values| values.join(" or "));
        Some([no, yes])
    }

    /// Whether the lists are usable: not empty, and no value in two places.
    pub fn check(&self) -> Result<(), Problem> {
        let all = match self {
            Labels::Two { positive, .. } if positive.is_empty() => {
                return Err(Problem::NoTargetValues { list: "positive" });
            }
            Labels::Two { negative: Some(negative), .. } if negative.is_empty() => {
                return Err(Problem::NoTargetValues { list: "negative" });
            }
            Labels::Many { classes } if classes.is_empty() => {
                return Err(Problem::NoTargetValues { list: "classes" });
            }
            Labels::Two { positive, negative, .. } => {
                positive.iter().chain(negative.iter().flatten()).collect()
            }
            Labels::Many { classes } => classes.iter().collect::<Vec<_>>(),
        };
        if all.len() > MOST_CATEGORIES {
            return Err(Problem::TooManyTargetValues { count: all.len(), most: MOST_CATEGORIES });
        }
        if let Some(value) = first_repeated(all) {
            return Err(Problem::RepeatedTargetValue { value });
        }
        match self.two_names() {
            Some([no, yes]) if same(&no, &yes) => Err(Problem::LabelOfTheOther { label: yes }),
            _ => Ok(()),
        }
    }
}

fn first_repeated<'a>(values: impl IntoIterator<Item = &'a String>) -> Option<Excerpt> {
    let mut seen = HashSet::new();
    let repeated = values.into_iter().find(|value| !seen.insert(trimmed(value.as_bytes())));
    repeated.map(|value| Excerpt::of(value.as_bytes()))
}

/// A field without the spaces and tabs around it, which never count in comparisons
/// (the original Adult files separate their fields by ", ").
pub(crate) fn trimmed(mut field: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = field {
        field = rest;
    }
    field
}

/// The written form of a [`Schema`].
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    norm: Norm,
    target: Target,
    columns: Vec<Column>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    from_rows: Vec<String>,
}

impl From<Schema> for Unchecked {
    fn from(Schema { norm, target, columns, from_rows }: Schema) -> Self {
        Self { norm, target, columns, from_rows }
    }
}

impl TryFrom<Unchecked> for Schema {
    type Error = Problem;

    fn try_from(Unchecked { norm, target, columns, from_rows }: Unchecked) -> Result<Self, Problem> {
        Ok(Self::new(norm, target, columns)?.looked_up(from_rows))
    }
}
