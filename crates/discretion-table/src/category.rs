//! From texts to the codes of declared categories.

use crate::error::Excerpt;
use crate::problem::Problem;
use crate::read::CategoryTally;
use crate::schema::{Column, Kind};
use crate::text_index::TextIndex;
use discretion::erm::matrix::OTHER;

/// A category with its declared values.
pub(crate) struct CategoryCode {
    pub name: String,
    pub values: Vec<String>,
    index: TextIndex,
}

/// A text in another encoding would be none of the declared ones, whatever it means. Asked only of those that are none: what is
/// declared is UTF-8.
pub(crate) fn readable(column: &str, text: &[u8]) -> Result<(), Problem> {
    match str::from_utf8(text) {
        Ok(_) => Ok(()),
        Err(_) => Err(Problem::NotUtf8 { column: column.to_owned(), text: Excerpt::of(text) }),
    }
}

impl CategoryCode {
    pub fn new(column: &Column) -> Option<Self> {
        let Kind::Category { values } = &column.kind else { return None };
        Some(Self { name: column.name.clone(), values: values.clone(), index: TextIndex::new(values) })
    }

    /// The code of a trimmed text. A missing value is the empty text.
    #[inline]
    pub fn encode(&self, text: &[u8], tally: &mut CategoryTally) -> Result<u16, Problem> {
        if let Some(code) = self.index.position(text) {
            return Ok(code);
        }
        let count = if text.is_empty() { &mut tally.missing } else { &mut tally.other };
        *count += 1;
        readable(&self.name, text).map(|()| OTHER)
    }
}
