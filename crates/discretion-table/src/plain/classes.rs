//! The public list of classes.

use crate::error::Excerpt;
use crate::problem::Problem;
use crate::schema::Labels;
use crate::values;

/// The classes of a target, in their public order. Of two from `positive` and `negative`, the
/// positive one is the second.
#[derive(Debug, Clone, PartialEq)]
pub struct Classes {
    names: Vec<String>,
    labels: Labels,
}

impl Classes {
    /// What the target's values mean, by a name for each class.
    pub fn of(labels: &Labels) -> Result<Self, Problem> {
        labels.check()?;
        labels.check_spellings()?;
        let names = match labels {
            Labels::Two { .. } | Labels::Above { .. } => labels.names(),
            Labels::Number { .. } => return Err(Problem::NumberAsClasses),
            Labels::Many { classes } if classes.len() < 2 => {
                return Err(Problem::FewClasses(classes.len()));
            }
            Labels::Many { classes } => classes.clone(),
        };
        // A learner's answers are lines.
        match names.iter().find(|name| name.chars().any(char::is_control)) {
            Some(name) => Err(Problem::ClassName { name: Excerpt::of(name.as_bytes()) }),
            None => Ok(Self { names, labels: labels.clone() }),
        }
    }

    /// The target's own values as classes.
    pub fn listed(classes: Vec<String>) -> Result<Self, Problem> {
        Self::of(&Labels::Many { classes })
    }

    /// Their names, in order. At least two.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// The class of this name, in whatever spelling of the same value.
    pub fn index(&self, name: &str) -> Option<u16> {
        let position = self.names.iter().position(|known| values::same(known, name))?;
        Some(u16::try_from(position).expect("a target has at most 65,534 values"))
    }

    /// What the target's values mean.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }
}
