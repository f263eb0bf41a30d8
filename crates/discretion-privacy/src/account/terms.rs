//! What a study says about the account that it is charged to.

use super::cap::Cap;
use super::opening::FilterKind;
use crate::{Budget, Unit};
use std::fmt;

/// An account's cap and, if somebody chose, the kind of its filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// The cap.
    pub cap: Cap,
    /// The filter of an (ε, δ) account. Without one, what suits the first run.
    pub filter: Option<FilterKind>,
    /// Whom its guarantee is about: fixed when it is opened, because costs of rows and of persons
    /// do not add up.
    pub unit: Unit,
}

impl Terms {
    /// The same for an account whose guarantee is about this unit.
    #[must_use]
    pub fn about(self, unit: Unit) -> Terms {
        Terms { unit, ..self }
    }
}

impl From<Cap> for Terms {
    fn from(cap: Cap) -> Terms {
        Terms { cap, filter: None, unit: Unit::Row }
    }
}

impl From<Budget> for Terms {
    fn from(budget: Budget) -> Terms {
        Cap::from(budget).into()
    }
}

impl fmt::Display for Terms {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cap.fmt(out)
    }
}
