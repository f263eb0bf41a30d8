//! Rows counted apart, by the values of one declared column.

use discretion::Refusal;
use discretion::quality::MOST_GROUPS;
use discretion_table::{Kind, Schema};

/// The groups of rows: one for each declared value and one for all others, or all rows together.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups {
    by: Option<By>,
}

#[derive(Clone, Debug, PartialEq)]
struct By {
    column: String,
    /// Its place among the columns of categories.
    place: usize,
    names: Vec<String>,
}

impl Groups {
    /// By the values of a column, or all together.
    pub fn by(schema: &Schema, column: Option<&str>) -> Result<Groups, Refusal> {
        let categories: Vec<(&str, Vec<String>)> = schema
            .columns()
            .iter()
            .filter(|column| matches!(column.kind, Kind::Category { .. }))
            .map(|column| (column.name.as_str(), column.kind.shown_values()))
            .collect();
        let Some(wanted) = column else { return Ok(Groups { by: None }) };
        let Some(place) = categories.iter().position(|(name, _)| *name == wanted) else {
            return Err(Refusal::bad_input(format!(
                "by = \"{wanted}\": groups are the declared values of a column of categories that the model uses{}",
                match categories.is_empty() {
                    true => ", and it has none".to_owned(),
                    false => {
                        let names: Vec<&str> = categories.iter().map(|(name, _)| *name).collect();
                        format!(": {}", names.join(", "))
                    }
                }
            )));
        };
        let mut names = categories[place].1.clone();
        if names.len() + 1 > MOST_GROUPS {
            return Err(Refusal::bad_input(format!(
                "by = \"{wanted}\": it has {} values, and at most {} can be evaluated apart; take another column, or declare groups \
                 of values",
                names.len(),
                MOST_GROUPS - 1
            )));
        }
        names.push("(all others)".to_owned());
        Ok(Groups { by: Some(By { column: wanted.to_owned(), place, names }) })
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.by.as_ref().map_or(1, |by| by.names.len())
    }

    /// There is always one.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The column, if rows are counted apart.
    pub fn column(&self) -> Option<&str> {
        self.by.as_ref().map(|by| by.column.as_str())
    }

    /// What the groups are called; nothing if all rows are together.
    pub fn names(&self) -> &[String] {
        self.by.as_ref().map_or(&[], |by| by.names.as_slice())
    }

    /// The column's place among the columns of categories, if rows are counted apart.
    pub(super) fn place(&self) -> Option<usize> {
        self.by.as_ref().map(|by| by.place)
    }
}
