//! Sums over rows that others hold: a cluster's workers, each with some parts of the table.
//!
//! An [`Ask`] goes to whoever has the rows of a part, [`Ask::answer`] sums there, and [`Remote`] puts the answers together in
//! the order of the [`Cut`]. These are the sums that a [`Matrix`] of all rows gives, bit for bit, so nothing that is proved
//! about one has to be proved again about the other.

mod ask;

#[cfg(test)]
mod tests;

pub use ask::Ask;

use super::matrix::{Cut, Layout, Matrix, Partial, combine, combine_big};
use super::{Answer, Facts, Oracle, OracleError, Question};
use discretion_privacy::noise::{BigFloat, Sensitive};

/// Whoever has the parts of one table, or knows who has them.
pub trait Workers: Send + Sync {
    /// The answer of every part to an [`Ask`], in the order of the [`Cut`].
    fn ask(&self, ask: &Ask) -> Result<Vec<Vec<u8>>, OracleError>;
}

/// An oracle over rows that are not here.
pub struct Remote {
    workers: Box<dyn Workers>,
    rows: usize,
    layout: Layout,
    /// The rows of [`Cut::sample`], which are few enough to be fetched.
    sample: Option<Matrix>,
}

impl Remote {
    /// The oracle over `rows` rows of this layout. `sample` has the rows of [`Cut::sample`], if there is one.
    pub fn new(workers: Box<dyn Workers>, rows: usize, layout: Layout, sample: Option<Matrix>) -> Remote {
        let expected = Cut::sample(rows).map(|ranges| ranges.map(|range| range.len()).sum::<usize>());
        assert_eq!(sample.as_ref().map(Matrix::rows), expected, "the sample is that of so many rows");
        Remote { workers, rows, layout, sample }
    }

    /// One answer for each part, or an error.
    fn answers(&self, ask: &Ask) -> Result<Vec<Vec<u8>>, OracleError> {
        let (answers, parts) = (self.workers.ask(ask)?, Cut::of(self.rows, &self.layout).parts());
        match answers.len() == parts {
            true => Ok(answers),
            false => Err(OracleError(format!("{} of {parts} parts answered", answers.len()))),
        }
    }
}

impl Oracle for Remote {
    fn facts(&self) -> Facts {
        Facts::of_layout(self.rows, &self.layout)
    }

    fn answer(&self, question: Question<'_>) -> Result<Answer, OracleError> {
        let error = |text: &str| OracleError(text.to_owned());
        if let Question::Products { .. } = question {
            return Err(OracleError::no_persons());
        }
        let ask = Ask::of(question).ok_or_else(|| error("a loss of your own cannot be sent to others"))?;
        let answers = self.answers(&ask)?;
        let answer = match question {
            Question::Sums { points, .. } => {
                let read = |answer: &Vec<u8>| Partial::from_bytes(self.layout.dimension(), answer).ok();
                let is_at = |partial: &Partial| partial.is_at(points);
                let parts: Option<Vec<_>> = answers.iter().map(|answer| read(answer).filter(is_at)).collect();
                parts.map(|parts| Answer::Sums(combine(parts, self.rows)))
            }
            Question::BigGradient { theta, precision, .. } => {
                let is_at = |gradient: &Vec<BigFloat>| gradient.len() == theta.len();
                let read = |answer: &Vec<u8>| ask::big_from_bytes(answer).filter(is_at).map(Sensitive::new);
                let parts: Option<Vec<_>> = answers.iter().map(read).collect();
                parts.map(|parts| Answer::BigGradient(combine_big(parts, self.rows, precision)))
            }
            Question::Products { .. } => None,
        };
        answer.ok_or_else(|| error("a part answered something else"))
    }

    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        self.sample.as_ref().map(|sample| Box::new(sample.view(0..sample.rows())) as Box<dyn Oracle>)
    }
}
