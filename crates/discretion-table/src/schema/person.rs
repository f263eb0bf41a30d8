//! Whose rows they are.

use super::{Kind, Schema};
use crate::problem::Problem;
use discretion::privacy::Unit;

impl Schema {
    /// The same table, of whose rows this column says whose they are. It is no feature: if it is
    /// declared, then as dropped.
    pub fn with_person(mut self, person: String) -> Result<Self, Problem> {
        let declared = self.columns.iter().find(|column| column.is_of(&person));
        if self.outcomes().any(|one| one.column == person)
            || declared.is_some_and(|column| column.kind != Kind::Dropped)
        {
            return Err(Problem::PersonIsUsed { column: person });
        }
        if declared.is_none() {
            self = self.with_dropped(&person);
        }
        Ok(Self { person: Some(person), ..self })
    }

    /// The column that says whose a row is, if the guarantee is about persons.
    pub fn person(&self) -> Option<&str> {
        self.person.as_deref()
    }

    /// Whom a guarantee about the table is about.
    pub fn unit(&self) -> Unit {
        if self.person.is_some() { Unit::Person } else { Unit::Row }
    }
}
