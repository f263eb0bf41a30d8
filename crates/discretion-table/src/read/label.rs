//! What a value of the target means.

use super::{Purpose, Request};
use crate::error::{Error, Excerpt};
use crate::problem::Problem;
use crate::schema::{Labels, Schema};
use crate::text_table::TextTable;

/// Tells positive from negative values of the target.
pub(crate) struct Labeller {
    column: String,
    /// The positive values, then the negative ones.
    table: TextTable,
    positives: usize,
    /// Whether a value that is not listed counts as negative.
    others_negative: bool,
}

impl Labeller {
    /// `None` where labels are not read.
    pub fn new(request: &Request<'_>) -> Result<Option<Self>, Error> {
        match request.purpose {
            Purpose::Describe | Purpose::Predict => Ok(None),
            Purpose::Train => Self::of(request.schema).map(Some).map_err(|problem| request.error(problem)),
        }
    }

    fn of(schema: &Schema) -> Result<Self, Problem> {
        let Labels::Two { positive, negative } = &schema.target().labels else {
            return Err(Problem::NotTwoClasses);
        };
        Ok(Self {
            column: schema.target().column.clone(),
            table: TextTable::new(positive.iter().chain(negative.iter().flatten())),
            positives: positive.len(),
            others_negative: negative.is_none(),
        })
    }

    /// The label of a trimmed text, or of nothing, which is the empty text.
    pub fn label(&self, text: &[u8]) -> Result<bool, Problem> {
        match self.find(text) {
            Some(positive) => Ok(positive),
            None if text.is_empty() => Err(Problem::MissingTarget { column: self.column.clone() }),
            None => Err(Problem::UnknownTarget { column: self.column.clone(), text: Excerpt::of(text) }),
        }
    }

    fn find(&self, text: &[u8]) -> Option<bool> {
        match self.table.position(text) {
            Some(position) => Some(usize::from(position) < self.positives),
            None => self.others_negative.then_some(false),
        }
    }
}
