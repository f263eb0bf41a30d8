//! Sums over rows that others hold: a cluster's workers, each with some parts of the table.
//!
//! An [`Ask`] goes to whoever has the rows of a part, [`Ask::answer`] sums there, and [`Cluster`]
//! puts the answers together in the order of the [`Cut`]. These are the sums that
//! [`Rows`] of the whole table give, bit for bit, so nothing that is proved about one has to be
//! proved again about the other.

mod ask;

#[cfg(test)]
mod class_tests;
#[cfg(test)]
mod tests;

pub use ask::Ask;
pub(crate) use ask::{big_from_bytes, big_to_bytes};

use super::matrix::{Cut, KeptKnots, Layout, PartAnswer, Rows};
use super::{Answer, Facts, Oracle, OracleError, Question};
use std::sync::Arc;

/// Whoever has the parts of one table, or knows who has them.
pub trait Workers: Send + Sync {
    /// Returns the answer of every part to an [`Ask`], in the order of the [`Cut`].
    fn ask(&self, ask: &Ask) -> Result<Vec<Vec<u8>>, OracleError>;
}

/// An oracle over rows that are not here.
pub struct Cluster {
    workers: Arc<dyn Workers>,
    cut: Cut,
    layout: Layout,
    /// The knots that curves keep of those that the workers' rows have.
    kept: Vec<(usize, Vec<usize>)>,
    /// Units on which a first guess is looked for: few enough to be fetched.
    sample: Option<Rows<'static>>,
}

impl Cluster {
    /// The oracle over rows or persons of this layout that are cut like this. `sample` has the
    /// units of [`Cut::sample`], if there is one.
    pub fn new(
        workers: Box<dyn Workers>,
        cut: Cut,
        layout: Layout,
        sample: Option<Rows<'static>>,
    ) -> Cluster {
        let expected = cut.sample_len();
        assert_eq!(sample.as_ref().map(Rows::units), expected, "the sample is that of so many");
        assert!(
            sample
                .as_ref()
                .is_none_or(|sample| sample.unit() == cut.unit() && *sample.layout() == layout),
            "the sample is of the same rows"
        );
        let sample = sample.map(Rows::into_sample);
        Cluster { workers: workers.into(), cut, layout, kept: Vec::new(), sample }
    }

    /// Returns these rows by fewer knots, as [`Rows::keeping_knots`] does. They are cut as before.
    pub fn keeping_knots(&self, kept: &KeptKnots) -> Cluster {
        assert!(self.kept.is_empty(), "knots are found once");
        Cluster {
            workers: self.workers.clone(),
            cut: self.cut,
            layout: self.layout.keeping_knots(kept),
            kept: kept.to_vec(),
            sample: self.sample.as_ref().map(|sample| sample.keeping_knots(kept)),
        }
    }

    /// Asks for one answer of each part, or an error.
    fn answers(&self, ask: &Ask) -> Result<Vec<Vec<u8>>, OracleError> {
        let parts = self.cut.parts();
        let answers = self.workers.ask(ask)?;
        match answers.len() == parts {
            true => Ok(answers),
            false => Err(OracleError(format!("{} of {parts} parts answered", answers.len()))),
        }
    }
}

impl Oracle for Cluster {
    fn facts(&self) -> Facts {
        let facts = Facts::of_units(self.cut.unit(), self.cut.units(), &self.layout);
        match self.layout.classes() {
            None => facts,
            Some(classes) => facts.of_classes(classes),
        }
    }

    fn answer(&self, question: Question<'_>) -> Result<Answer, OracleError> {
        if question.is_guidance()
            && let Some(sample) = &self.sample
        {
            return sample.answer(question);
        }
        let classes = self.layout.classes();
        // What no part could answer is refused here, with its own sentence.
        let cells = match (question, classes) {
            (Question::Products { .. }, Some(_)) => return Err(OracleError::no_persons()),
            (Question::Products { .. }, _) if self.cut.unit().is_row() => {
                return Err(OracleError::no_persons());
            }
            (Question::Squares | Question::ClassBlocks { .. }, None) => {
                return Err(OracleError::no_classes());
            }
            (Question::Positives, Some(_)) => return Err(OracleError::no_sign()),
            (Question::Scores(scoring), _) if !self.layout.is_scored_by(scoring) => {
                return Err(OracleError::other_model());
            }
            (Question::Cells { place }, _) => {
                self.layout.cells(place).ok_or_else(OracleError::no_cells)?
            }
            _ => 1,
        };
        let own_loss = || OracleError("a loss of your own cannot be sent to others".to_owned());
        let ask = Ask::of(question).ok_or_else(own_loss)?.keeping_knots(&self.kept);
        let shape = (self.layout.dimension(), classes, cells);
        let mut total: Option<PartAnswer> = None;
        for answer in self.answers(&ask)? {
            let part =
                PartAnswer::from_bytes(question, shape, &answer).ok_or_else(something_else)?;
            match &mut total {
                None => total = Some(part),
                Some(total) => total.add(part)?,
            }
        }
        total.ok_or_else(something_else)?.finish(question, self.cut.units(), classes)
    }

    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        Some(Box::new(self.sample.clone()?))
    }
}

fn something_else() -> OracleError {
    OracleError("a part answered something else".to_owned())
}
