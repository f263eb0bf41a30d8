//! What a value of the target means.

use super::{Purpose, Request};
use crate::error::{Error, Excerpt};
use crate::problem::Problem;
use crate::schema::{Labels, Target};
use crate::text_index::TextIndex;

/// Tells the classes of the target's values: of two, the negative one is 0 and the positive one is 1.
pub(crate) struct Labeller {
    column: String,
    meaning: Meaning,
}

enum Meaning {
    Two {
        /// The positive values, then the negative ones.
        index: TextIndex,
        positives: usize,
        /// Whether a value that is not listed counts as negative.
        others_negative: bool,
    },
    /// Each value is a class.
    Many(TextIndex),
}

impl Labeller {
    /// `None` where labels are not read.
    pub fn new(request: &Request<'_>) -> Result<Option<Self>, Error> {
        match request.purpose {
            Purpose::Describe | Purpose::Predict | Purpose::Queries => Ok(None),
            Purpose::Train => match request.target {
                Some(Target { labels: Labels::Many { .. }, .. }) if !request.any_classes => {
                    Err(request.error(Problem::NotTwoClasses))
                }
                target => Ok(target.map(Self::of)),
            },
        }
    }

    fn of(target: &Target) -> Self {
        let meaning = match &target.labels {
            Labels::Two { positive, negative } => Meaning::Two {
                index: TextIndex::new(positive.iter().chain(negative.iter().flatten())),
                positives: positive.len(),
                others_negative: negative.is_none(),
            },
            Labels::Many { classes } => Meaning::Many(TextIndex::new(classes)),
        };
        Self { column: target.column.clone(), meaning }
    }

    /// The class of a trimmed text, or of nothing, which is the empty text.
    pub fn class(&self, text: &[u8]) -> Result<u16, Problem> {
        let column = || self.column.clone();
        match (self.find(text), &self.meaning) {
            (Some(class), _) => Ok(class),
            (None, _) if text.is_empty() => Err(Problem::MissingTarget { column: column() }),
            (None, Meaning::Two { .. }) => {
                Err(Problem::UnknownTarget { column: column(), text: Excerpt::of(text) })
            }
            (None, Meaning::Many(_)) => {
                Err(Problem::UnknownClass { column: column(), text: Excerpt::of(text) })
            }
        }
    }

    fn find(&self, text: &[u8]) -> Option<u16> {
        match &self.meaning {
            Meaning::Two { index, positives, others_negative } => match index.position(text) {
                Some(position) => Some(u16::from(usize::from(position) < *positives)),
                // What an empty field means has to be said.
                None => (*others_negative && !text.is_empty()).then_some(0),
            },
            Meaning::Many(index) => index.position(text),
        }
    }
}
