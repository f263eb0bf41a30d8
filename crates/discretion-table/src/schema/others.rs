//! Further outcomes, all of them numbers: one release serves them together.

use super::{Kind, Labels, Schema, Target};
use crate::problem::Problem;

impl Schema {
    /// The same with further outcomes. All outcomes are numbers then, and none is a feature: if it
    /// is declared, then as dropped.
    pub fn with_others(mut self, others: Vec<Target>) -> Result<Self, Problem> {
        for (at, other) in others.iter().enumerate() {
            other.check()?;
            let are_numbers =
                [&self.target, other].iter().all(|one| matches!(one.labels, Labels::Number { .. }));
            if !are_numbers {
                return Err(Problem::OutcomesOfClasses);
            }
            let column = || other.column.clone();
            let earlier = [&self.target].into_iter().chain(&others[..at]);
            if earlier.into_iter().any(|one| one.column == other.column) {
                return Err(Problem::RepeatedOutcome { column: column() });
            }
            let declared = self.columns.iter().find(|one| one.is_of(&other.column));
            match declared.map(|declared| declared.kind == Kind::Dropped) {
                Some(false) => return Err(Problem::TargetAmongColumns { column: column() }),
                Some(true) => {}
                None => self = self.with_dropped(&other.column),
            }
        }
        Ok(Self { others, ..self })
    }

    /// All outcomes, the target first.
    pub fn outcomes(&self) -> impl Iterator<Item = &Target> {
        [&self.target].into_iter().chain(&self.others)
    }

    /// The schema of one of the outcomes, counted from 0, as if there were no other.
    pub fn of_outcome(&self, which: usize) -> Self {
        let target = self.outcomes().nth(which).expect("there is such an outcome").clone();
        let is_other = |name: &str| self.others.iter().any(|other| other.column == name);
        let columns =
            self.columns.iter().filter(|column| !is_other(&column.name)).cloned().collect();
        Self { target, others: Vec::new(), columns, ..self.clone() }
    }
}
