//! Declared columns, chosen by name to be described.

use crate::error::{Excerpt, Hint, Names};
use crate::problem::Problem;
use crate::reading::Reading;
use crate::schema::{Column, Kind, Labels, Schema, Target};

impl Schema {
    /// The columns of these names, in this order. The target can be one of them: a category with
    /// the values that are declared for it, or a number.
    pub fn choose(&self, names: &[String]) -> Result<Vec<Column>, Problem> {
        let outcomes: Vec<&Target> = self.outcomes().collect();
        choose(self.columns(), &outcomes, names)
    }

    /// Whether these columns can have intervals.
    pub fn check_interval_columns(&self, names: &[String]) -> Result<(), Problem> {
        match names {
            [] => Err(Problem::NoIntervalColumns),
            _ => choose(self.columns(), &[], names).map(|_| ()),
        }
    }

    /// Whether this is a class that others can be compared with.
    pub fn check_reference(&self, class: &str) -> Result<(), Problem> {
        let classes = self.target().labels.names();
        match self.target().labels.several() {
            None => Err(Problem::NothingToRefer),
            Some(_) if classes.iter().any(|other| other == class) => Ok(()),
            Some(_) => {
                let found = Excerpt::of(class.as_bytes());
                Err(Problem::NoSuchReference { found, classes: Names(classes) })
            }
        }
    }
}

/// The same where there may be no outcome.
pub fn choose(
    declared: &[Column],
    outcomes: &[&Target],
    names: &[String],
) -> Result<Vec<Column>, Problem> {
    let outcomes: Vec<Column> = outcomes.iter().map(|target| as_column(target)).collect();
    let mut chosen: Vec<Column> = Vec::new();
    for name in names {
        let column = one(declared, &outcomes, name)?;
        column.check()?;
        column.check_spellings()?;
        if chosen.iter().any(|other| other.name == column.name) {
            return Err(Problem::ChosenTwice { column: column.name });
        }
        chosen.push(column);
    }
    Ok(chosen)
}

fn one(declared: &[Column], outcomes: &[Column], name: &str) -> Result<Column, Problem> {
    match outcomes.iter().chain(declared).find(|column| column.name == name) {
        Some(Column { kind: Kind::Dropped, .. }) => {
            Err(Problem::ChosenDropped { column: name.to_owned() })
        }
        Some(column) => Ok(column.clone()),
        None => {
            let usable =
                declared.iter().filter(|column| column.kind != Kind::Dropped).chain(outcomes);
            let hint = Hint::nearest(name, usable.map(|column| column.name.as_str()));
            Err(Problem::NoSuchColumn { column: Excerpt::of(name.as_bytes()), hint })
        }
    }
}

pub(crate) fn as_column(target: &Target) -> Column {
    let kind = match &target.labels {
        Labels::Two { positive, negative, .. } => {
            Kind::category(positive.iter().chain(negative.iter().flatten()).cloned().collect())
        }
        Labels::Many { classes } => Kind::category(classes.clone()),
        // Nothing says how far the number reaches.
        Labels::Above { .. } => Kind::Dropped,
        &Labels::Number { min, max, scale } => {
            Kind::Number { min, max, scale, missing: None, integer: false }
        }
    };
    Column { reading: Reading::with_na(target.na.clone()), ..Column::new(&target.column, kind) }
}
