//! The public description of a table: which columns it has, and what is known about each
//! before anyone looks at a row.
//!
//! A [`Schema`] comes from a study file or, for `predict`, from a published model. Either way
//! it is checked on the way in, so that nothing behind it has to doubt a bound.

mod labels;
mod others;
mod person;

use crate::cohort::Cohort;
use crate::curve::{Curve, CurveProblem};
use crate::problem::Problem;
use crate::text_format::TextFormat;
use discretion::erm::matrix::Norm;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

pub use crate::column::{Column, Kind, Scale};
pub use labels::{Labels, Target};

/// Category codes are `u16` and the last one means "not declared"; one more is kept free.
pub const MOST_CATEGORIES: usize = 65_534;

/// What is public about a table. Holds only declared facts, never anything read from rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "Unchecked", try_from = "Unchecked")]
pub struct Schema {
    norm: Norm,
    target: Target,
    others: Vec<Target>,
    columns: Vec<Column>,
    crosses: Vec<[String; 2]>,
    from_rows: Vec<String>,
    format: TextFormat,
    person: Option<String>,
    cohort: Cohort,
}

impl Schema {
    /// A schema, if everything in it is possible.
    pub fn new(norm: Norm, target: Target, columns: Vec<Column>) -> Result<Self, Problem> {
        target.check()?;
        let mut names = HashSet::new();
        for column in &columns {
            column.check()?;
            if column.name == target.column || column.fields().contains(&target.column.as_str()) {
                return Err(Problem::TargetAmongColumns { column: target.column });
            }
            let indicators = column.reading.one_of.iter();
            if let Some(again) =
                [&column.name].into_iter().chain(indicators).find(|name| !names.insert(*name))
            {
                return Err(Problem::RepeatedColumn { column: again.clone() });
            }
        }
        for part in columns.iter().filter(|column| column.reading.from.is_some()) {
            let whole = columns.iter().find(|column| column.name == part.field());
            if whole.is_some_and(|column| !matches!(column.kind, Kind::Date { .. })) {
                return Err(Problem::RepeatedColumn { column: part.field().to_owned() });
            }
        }
        if columns.iter().all(|column| column.kind == Kind::Dropped) {
            return Err(Problem::NoFeatures);
        }
        let (crosses, from_rows, format) = (Vec::new(), Vec::new(), TextFormat::default());
        let (others, person, cohort) = (Vec::new(), None, Cohort::default());
        Ok(Self { norm, target, others, columns, crosses, from_rows, format, person, cohort })
    }

    /// The same with pairs of columns that are crossed, if they can be.
    pub fn with_crosses(self, crosses: Vec<[String; 2]>) -> Result<Self, Problem> {
        for (at, pair) in crosses.iter().enumerate() {
            self.check_cross(pair)?;
            let [first, second] = pair.clone();
            if crosses[..at].iter().any(|other| other.contains(&first) && other.contains(&second)) {
                return Err(CurveProblem::CrossTwice { first, second }.into());
            }
        }
        Ok(Self { crosses, ..self })
    }

    fn check_cross(&self, pair: &[String; 2]) -> Result<(), CurveProblem> {
        let find = |name: &String| {
            let mut used = self.columns.iter().filter(|column| column.kind != Kind::Dropped);
            used.find(|column| column.name == *name)
                .ok_or_else(|| CurveProblem::CrossOfNothing { column: name.clone() })
        };
        let [first, second] = pair.clone();
        let values = |column: &Column| match &column.kind {
            Kind::Category { values, .. } => Some(values.len()),
            _ => None,
        };
        let (one, other) = (find(&first)?, find(&second)?);
        match (values(one), values(other)) {
            (Some(_), Some(_)) if first == second => {
                Err(CurveProblem::CrossKinds { first, second })
            }
            (Some(a), Some(b)) if a.saturating_mul(b) > MOST_CATEGORIES => {
                let (count, most) = (a.saturating_mul(b), MOST_CATEGORIES);
                Err(CurveProblem::CrossTooMany { first, second, count, most })
            }
            (Some(_), Some(_)) => Ok(()),
            (Some(_), None) if other.curve.is_none() => Ok(()),
            (None, Some(_)) if one.curve.is_none() => Ok(()),
            _ => Err(CurveProblem::CrossKinds { first, second }),
        }
    }

    /// The same with other curves for its columns.
    pub(crate) fn with_curves(&self, mut curve_of: impl FnMut(&Column) -> Option<Curve>) -> Self {
        let columns =
            self.columns.iter().map(|column| Column { curve: curve_of(column), ..column.clone() });
        Self { columns: columns.collect(), ..self.clone() }
    }

    /// Pairs of columns that are crossed.
    pub fn crosses(&self) -> &[[String; 2]] {
        &self.crosses
    }

    /// The same for tables that are text files of this format.
    pub fn with_format(self, format: TextFormat) -> Result<Self, Problem> {
        format.check().map_err(Problem::from)?;
        Ok(Self { format, ..self })
    }

    /// The same table with another meaning of its target.
    pub fn relabelled(&self, classes: &crate::Classes) -> Self {
        let target = Target { labels: classes.labels().clone(), ..self.target.clone() };
        Self { target, ..self.clone() }
    }

    /// The same, of which these columns' bounds or values were looked up in the rows. No noise
    /// covers that, and whoever publishes them must say so.
    pub fn looked_up(self, from_rows: Vec<String>) -> Self {
        Self { from_rows, ..self }
    }

    /// Columns whose bounds or values were looked up in the rows.
    pub fn from_rows(&self) -> &[String] {
        &self.from_rows
    }

    /// Which rows count.
    pub fn cohort(&self) -> &Cohort {
        &self.cohort
    }

    /// The same with a column that is in the file and no feature.
    pub(crate) fn with_dropped(mut self, column: &str) -> Self {
        self.columns.push(Column::new(column, Kind::Dropped));
        self
    }

    pub(crate) fn counting(self, cohort: Cohort) -> Self {
        Self { cohort, ..self }
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

    /// Columns of the file that are dates of which only parts are used.
    pub fn dates_in_parts(&self) -> Vec<&str> {
        let mut dates: Vec<&str> = Vec::new();
        for part in self.columns.iter().filter(|column| column.reading.from.is_some()) {
            if !dates.contains(&part.field())
                && !self.columns.iter().any(|column| column.name == part.field())
            {
                dates.push(part.field());
            }
        }
        dates
    }

    /// Columns of the file that are values of a category.
    pub fn indicators(&self) -> Vec<&str> {
        let indicators = self.columns.iter().flat_map(|column| &column.reading.one_of);
        indicators.map(String::as_str).collect()
    }

    /// How its text files are written.
    pub fn format(&self) -> TextFormat {
        self.format
    }
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    others: Vec<Target>,
    columns: Vec<Column>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cross: Vec<[String; 2]>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    from_rows: Vec<String>,
    #[serde(default, skip_serializing_if = "is_plain")]
    format: TextFormat,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    person: Option<String>,
    #[serde(default, skip_serializing_if = "Cohort::is_everybody")]
    cohort: Cohort,
}

fn is_plain(format: &TextFormat) -> bool {
    *format == TextFormat::default()
}

impl From<Schema> for Unchecked {
    fn from(schema: Schema) -> Self {
        let Schema {
            norm,
            target,
            others,
            columns,
            crosses: cross,
            from_rows,
            format,
            person,
            cohort,
        } = schema;
        Self { norm, target, others, columns, cross, from_rows, format, person, cohort }
    }
}

impl TryFrom<Unchecked> for Schema {
    type Error = Problem;

    fn try_from(unchecked: Unchecked) -> Result<Self, Problem> {
        let Unchecked { norm, target, others, columns, cross, from_rows, format, person, cohort } =
            unchecked;
        let schema = Self::new(norm, target, columns)?.with_others(others)?.with_crosses(cross)?;
        let schema = schema.looked_up(from_rows).with_format(format)?;
        let schema = match person {
            Some(person) => schema.with_person(person)?,
            None => schema,
        };
        schema.with_cohort(cohort)
    }
}
