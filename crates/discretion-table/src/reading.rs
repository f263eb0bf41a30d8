//! How the text of a field is read, where that is not plain.

use crate::date::{DateFormat, DatePart, Moment};
use crate::groups::Group;
use serde::{Deserialize, Serialize};

/// What is declared about a column's texts rather than about its values.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reading {
    /// Texts that mean that there is no value, as the empty one does. A declared category is one
    /// all the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub na: Vec<String>,
    /// The column of the file that the texts are in, if it has another name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The part of a date that the category is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<DatePart>,
    /// How dates are written, if not by ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<DateFormat>,
    /// Codes that count together as one category.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Group>,
    /// Columns of the file, each 1 or 0, that are the values of the category.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub one_of: Vec<String>,
}

impl Reading {
    /// Whether there is nothing to know.
    pub fn is_plain(&self) -> bool {
        *self == Reading::default()
    }

    /// A date as the column's dates are written.
    pub fn written(&self, date: Moment) -> String {
        self.format.as_ref().unwrap_or(&DateFormat::Iso).write(date)
    }

    /// Where some texts mean that there is no value.
    pub fn with_na(na: Vec<String>) -> Reading {
        Reading { na, ..Reading::default() }
    }
}
