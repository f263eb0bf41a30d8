//! Columns of a study, chosen by name to be described.

use crate::error::{Excerpt, Hint};
use crate::problem::Problem;
use crate::schema::{Column, Kind, Labels, Schema};

/// Columns to be described, as another program declares them: each of them possible, none dropped, none twice.
pub fn check_described(columns: &[Column]) -> Result<(), Problem> {
    for (i, column) in columns.iter().enumerate() {
        column.check()?;
        if column.kind == Kind::Dropped {
            return Err(Problem::ChosenDropped { column: column.name.clone() });
        }
        if columns[..i].iter().any(|other| other.name == column.name) {
            return Err(Problem::ChosenTwice { column: column.name.clone() });
        }
    }
    Ok(())
}

impl Schema {
    /// The columns of these names, in this order. The target can be one of them: a category with the values that are
    /// declared for it.
    pub fn choose(&self, names: &[String]) -> Result<Vec<Column>, Problem> {
        let mut chosen: Vec<Column> = Vec::new();
        for name in names {
            let column = self.chosen(name)?;
            if chosen.contains(&column) {
                return Err(Problem::ChosenTwice { column: column.name });
            }
            chosen.push(column);
        }
        Ok(chosen)
    }

    fn chosen(&self, name: &str) -> Result<Column, Problem> {
        if name == self.target().column {
            return Ok(self.target_as_column());
        }
        match self.columns().iter().find(|column| column.name == name) {
            Some(Column { kind: Kind::Dropped, .. }) => {
                Err(Problem::ChosenDropped { column: name.to_owned() })
            }
            Some(column) => Ok(column.clone()),
            None => {
                let usable = self.columns().iter().filter(|column| column.kind != Kind::Dropped);
                let known = usable.map(|column| &column.name).chain([&self.target().column]);
                let hint = Hint::nearest(name, known.map(String::as_str));
                Err(Problem::NoSuchColumn { column: Excerpt::of(name.as_bytes()), hint })
            }
        }
    }

    fn target_as_column(&self) -> Column {
        let target = self.target();
        let values = match &target.labels {
            Labels::Two { positive, negative } => {
                positive.iter().chain(negative.iter().flatten()).cloned().collect()
            }
            Labels::Many { classes } => classes.clone(),
        };
        Column { name: target.column.clone(), kind: Kind::Category { values } }
    }
}
