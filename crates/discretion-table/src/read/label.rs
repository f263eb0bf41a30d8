//! What a value of the target means.

use super::tally::Tally;
use super::{Purpose, Request, number};
use crate::category::readable;
use crate::error::{Error, Excerpt};
use crate::na::Na;
use crate::problem::Problem;
use crate::schema::{Labels, Target};
use crate::text_index::TextIndex;

/// Tells the classes of the target's values: of two, the negative one is 0 and the positive one
/// is 1.
pub(crate) struct Labeller {
    column: String,
    meaning: Meaning,
    /// Texts that mean that it is missing, unless they are declared.
    na: Na,
    /// Whether a row without an outcome is left out.
    leaves_out_missing: bool,
}

/// Instead of a class, where a row has none and is left out.
pub(super) const NO_CLASS: u16 = u16::MAX;

enum Meaning {
    Two {
        /// The positive values, then the negative ones.
        index: TextIndex,
        positives: usize,
        /// Whether a value that is not listed counts as negative. What an empty field means has to
        /// be said.
        others_negative: bool,
    },
    /// Each value is a class.
    Many(TextIndex),
    /// A number is positive above this one.
    Above(f64),
    /// No class: such a target is refused before its values are read.
    Number,
}

impl Labeller {
    /// `None` where labels are not read.
    pub fn new(request: &Request<'_>) -> Result<Option<Self>, Error> {
        match request.purpose {
            Purpose::Features | Purpose::Describe | Purpose::Predict | Purpose::Queries => Ok(None),
            Purpose::Train => match request.target {
                Some(Target { labels: Labels::Many { .. }, .. }) if !request.any_classes => {
                    Err(request.error(Problem::NotTwoClasses))
                }
                Some(Target { labels: Labels::Number { .. }, .. }) => {
                    Err(request.error(Problem::NumberAsClasses))
                }
                target => Ok(target.map(|target| {
                    Self::of(target).leaving_out_missing(request.encoder.known_outcome)
                })),
            },
        }
    }

    /// For values of this target.
    pub fn of(target: &Target) -> Self {
        let meaning = match &target.labels {
            Labels::Two { positive, negative, .. } => Meaning::Two {
                index: TextIndex::new(positive.iter().chain(negative.iter().flatten())),
                positives: positive.len(),
                others_negative: negative.is_none(),
            },
            Labels::Many { classes } => Meaning::Many(TextIndex::new(classes)),
            Labels::Above { above, .. } => Meaning::Above(*above),
            Labels::Number { .. } => Meaning::Number,
        };
        let declared = match &meaning {
            Meaning::Two { index, .. } | Meaning::Many(index) => Some(index),
            Meaning::Above(_) | Meaning::Number => None,
        };
        let undeclared = |text: &&String| {
            declared
                .and_then(|index| index.position(crate::schema::trimmed(text.as_bytes())))
                .is_none()
        };
        let na: Vec<String> = target.na.iter().filter(undeclared).cloned().collect();
        Self { column: target.column.clone(), meaning, na: Na::new(&na), leaves_out_missing: false }
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        match &self.meaning {
            Meaning::Two { .. } | Meaning::Above(_) => 2,
            Meaning::Many(index) => index.len(),
            Meaning::Number => 0,
        }
    }

    /// The same for rows of which those without an outcome may be left out.
    pub fn leaving_out_missing(self, leaves_out_missing: bool) -> Self {
        Self { leaves_out_missing, ..self }
    }

    /// The class, or nothing where the row is left out for want of one.
    pub fn class_or_none(&self, text: &[u8]) -> Result<Option<u16>, Problem> {
        match self.class(text) {
            Err(Problem::MissingTarget { .. }) if self.leaves_out_missing => Ok(None),
            class => class.map(Some),
        }
    }

    /// The class, counted, or [`NO_CLASS`].
    pub fn counted_class(&self, text: &[u8], tally: &mut Tally) -> Result<u16, Problem> {
        let class = self.class_or_none(text)?;
        if let Some(class) = class {
            tally.classes[usize::from(class)] += 1;
        }
        Ok(class.unwrap_or(NO_CLASS))
    }

    /// The class of a trimmed text, or of nothing, which is the empty text.
    pub fn class(&self, text: &[u8]) -> Result<u16, Problem> {
        if let Some(class) = self.listed(text) {
            return Ok(class);
        }
        readable(&self.column, text)?;
        let column = || self.column.clone();
        let missing = text.is_empty() || self.na.has(text);
        match &self.meaning {
            _ if missing => {
                self.listed(b"").ok_or_else(|| Problem::MissingTarget { column: column() })
            }
            Meaning::Two { others_negative: true, .. } => Ok(0),
            Meaning::Two { .. } => {
                Err(Problem::UnknownTarget { column: column(), text: Excerpt::of(text) })
            }
            Meaning::Many(_) => {
                Err(Problem::UnknownClass { column: column(), text: Excerpt::of(text) })
            }
            Meaning::Above(_) | Meaning::Number => {
                Err(Problem::NotANumber { column: column(), text: Excerpt::of(text) })
            }
        }
    }

    /// Whether a text is one of the declared values, and none of "any other".
    pub fn is_listed(&self, text: &[u8]) -> bool {
        self.listed(text).is_some()
    }

    fn listed(&self, text: &[u8]) -> Option<u16> {
        match &self.meaning {
            Meaning::Two { index, positives, .. } => {
                index.position(text).map(|position| u16::from(usize::from(position) < *positives))
            }
            Meaning::Many(index) => index.position(text),
            Meaning::Above(threshold) => {
                let value = number::parse(text).ok().flatten().filter(|value| !value.is_nan());
                value.filter(|_| !self.na.has(text)).map(|value| u16::from(value > *threshold))
            }
            Meaning::Number => None,
        }
    }
}
