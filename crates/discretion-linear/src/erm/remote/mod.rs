//! Sums over rows that others hold: a cluster's workers, each with some parts of the table.
//!
//! An [`Ask`] goes to whoever has the rows of a part, [`Ask::answer`] sums there, and [`Remote`]
//! puts the answers together in the order of the [`Cut`]. These are the sums that a [`Matrix`] of
//! all rows gives, bit for bit, so nothing that is proved about one has to be proved again about
//! the other.

mod ask;
mod part;

#[cfg(test)]
mod class_tests;
#[cfg(test)]
mod tests;

pub use ask::Ask;
pub use part::{ClassesPart, PartSums, PersonsPart};

use super::matrix::{
    ClassView, Classed, Cut, Layout, Matrix, Partial, PersonCut, Persons, combine, combine_big,
    combine_classes, mean_blocks,
};
use super::{Answer, Facts, Oracle, OracleError, Question, Sums};
use discretion_privacy::Unit;
use discretion_privacy::noise::{BigFloat, Sensitive};
use discretion_privacy::trusted::Open;

/// Whoever has the parts of one table, or knows who has them.
pub trait Workers: Send + Sync {
    /// The answer of every part to an [`Ask`], in the order of the [`Cut`].
    fn ask(&self, ask: &Ask) -> Result<Vec<Vec<u8>>, OracleError>;
}

/// An oracle over rows that are not here.
pub struct Remote {
    workers: Box<dyn Workers>,
    unit: Unit,
    /// Or persons.
    rows: usize,
    layout: Layout,
    /// K, where each class has coefficients of its own.
    classes: Option<usize>,
    sample: Option<Sample>,
}

/// What a first guess is looked for on: few enough to be fetched.
#[allow(clippy::large_enum_variant)] // One in a run.
enum Sample {
    /// The rows of [`Cut::sample`].
    Rows(Matrix),
    /// The first persons, as many as [`PersonCut::sample`] says.
    Persons(Persons),
    /// Either of them, of several classes.
    Classes(Classed),
}

impl Remote {
    /// The oracle over `rows` rows of this layout. `sample` has the rows of [`Cut::sample`], if
    /// there is one.
    pub fn new(
        workers: Box<dyn Workers>,
        rows: usize,
        layout: Layout,
        sample: Option<Matrix>,
    ) -> Remote {
        let expected =
            Cut::sample(rows).map(|ranges| ranges.map(|range| range.len()).sum::<usize>());
        assert_eq!(
            sample.as_ref().map(Matrix::rows),
            expected,
            "the sample is that of so many rows"
        );
        Remote {
            workers,
            unit: Unit::Row,
            rows,
            layout,
            classes: None,
            sample: sample.map(Sample::Rows),
        }
    }

    /// The oracle over so many persons with rows of this layout. `sample` has the first of them, if
    /// [`PersonCut::sample`] asks for it.
    pub fn of_persons(
        workers: Box<dyn Workers>,
        persons: usize,
        layout: Layout,
        sample: Option<Persons>,
    ) -> Remote {
        let expected = PersonCut::sample(persons);
        assert_eq!(
            sample.as_ref().map(Persons::count),
            expected,
            "the sample is that of so many persons"
        );
        let sample = sample.map(Sample::Persons);
        Remote { workers, unit: Unit::Person, rows: persons, layout, classes: None, sample }
    }

    /// The oracle over so many rows or persons, whose rows are of `classes` classes. `sample` has
    /// what that of rows of two classes would have.
    pub fn of_classes(
        workers: Box<dyn Workers>,
        (unit, rows): (Unit, usize),
        layout: Layout,
        classes: usize,
        sample: Option<Classed>,
    ) -> Remote {
        let expected = match unit {
            Unit::Row => Cut::sample(rows).map(|ranges| ranges.map(|range| range.len()).sum()),
            Unit::Person => PersonCut::sample(rows),
        };
        assert_eq!(sample.as_ref().map(Classed::rows), expected, "the sample is that of so many");
        assert!(
            sample.as_ref().is_none_or(|sample| sample.count() == classes),
            "of the same classes"
        );
        Remote {
            workers,
            unit,
            rows,
            layout,
            classes: Some(classes),
            sample: sample.map(Sample::Classes),
        }
    }

    fn parts(&self) -> usize {
        match self.unit {
            Unit::Row => Cut::of(self.rows, &self.layout).parts(),
            Unit::Person => PersonCut::of(self.rows, &self.layout).parts(),
        }
    }

    /// One answer for each part, or an error.
    fn answers(&self, ask: &Ask) -> Result<Vec<Vec<u8>>, OracleError> {
        let (answers, parts) = (self.workers.ask(ask)?, self.parts());
        match answers.len() == parts {
            true => Ok(answers),
            false => Err(OracleError(format!("{} of {parts} parts answered", answers.len()))),
        }
    }
}

impl Remote {
    /// Means from the answers of all parts, if each is what was asked for.
    fn combined(
        &self,
        answers: &[Vec<u8>],
        is_asked: impl Fn(&Partial) -> bool,
    ) -> Option<Vec<Sensitive<Sums>>> {
        let d = self.layout.dimension();
        let read = |answer: &Vec<u8>| match self.classes {
            None => Partial::from_bytes(d, answer).ok(),
            Some(count) => Partial::from_class_bytes(count, d, answer).ok(),
        };
        let parts: Option<Vec<_>> =
            answers.iter().map(|answer| read(answer).filter(&is_asked)).collect();
        Some(match self.classes {
            None => combine(parts?, self.rows),
            Some(count) => combine_classes(parts?, self.rows, count),
        })
    }

    /// Of several classes: how many there are, and the sample, if there is one.
    fn classes(&self) -> Option<(usize, Option<ClassView<'_>>)> {
        let sample = match &self.sample {
            Some(Sample::Classes(rows)) => Some(rows.as_sample()),
            _ => None,
        };
        self.classes.map(|count| (count, sample))
    }
}

impl Oracle for Remote {
    fn facts(&self) -> Facts {
        let facts = Facts::of_units(self.unit, self.rows, &self.layout);
        match self.classes {
            None => facts,
            Some(count) => facts.of_classes(count),
        }
    }

    fn answer(&self, question: Question<'_>) -> Result<Answer, OracleError> {
        let has_products = self.unit == Unit::Person && self.classes.is_none();
        if matches!(question, Question::Products { .. }) && !has_products {
            return Err(OracleError::no_persons());
        }
        let own_loss = || OracleError("a loss of your own cannot be sent to others".to_owned());
        let ask = Ask::of(question).ok_or_else(own_loss)?;
        let answers = self.answers(&ask)?;
        let answer = match question {
            Question::Sums { points, .. } => {
                self.combined(&answers, |part| part.is_at(points)).map(Answer::Sums)
            }
            Question::BigGradient { theta, precision, .. } => {
                let is_at = |gradient: &Vec<BigFloat>| gradient.len() == theta.len();
                let read = |answer: &Vec<u8>| {
                    ask::big_from_bytes(answer).filter(is_at).map(Sensitive::new)
                };
                let parts: Option<Vec<_>> = answers.iter().map(read).collect();
                parts.map(|parts| Answer::BigGradient(combine_big(parts, self.rows, precision)))
            }
            Question::Products { .. } => {
                self.combined(&answers, Partial::is_product).map(|mut sums| {
                    Answer::Products(Sensitive::new(sums.remove(0).into_inner().hessian))
                })
            }
        };
        answer.ok_or_else(something_else)
    }

    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        Some(match self.sample.as_ref()? {
            Sample::Rows(rows) => Box::new(rows.as_sample()),
            Sample::Persons(persons) => Box::new(persons.as_sample()),
            Sample::Classes(rows) => Box::new(rows.as_sample()),
        })
    }

    fn squares(&self) -> Result<Option<Sensitive<Vec<f64>>>, OracleError> {
        let Some((_, sample)) = self.classes() else { return Ok(None) };
        if let Some(sample) = sample {
            return sample.squares();
        }
        let read = |answer: &Vec<u8>| Partial::from_bytes(self.layout.dimension(), answer).ok();
        let parts = self.answers(&Ask::of_classes(None))?;
        let parts: Option<Vec<Partial>> =
            parts.iter().map(|answer| read(answer).filter(Partial::is_product)).collect();
        let mut sums = combine(parts.ok_or_else(something_else)?, self.rows);
        // As rows in memory have it: at 0 the curvature of the logistic loss is ¼ everywhere.
        let quarter = sums.remove(0).into_inner().hessian;
        Ok(Some(Sensitive::new(quarter.into_iter().map(|x| 4.0 * x).collect())))
    }

    fn class_blocks(&self, theta: &[f64]) -> Result<Option<Sensitive<Vec<f64>>>, OracleError> {
        let Some((count, sample)) = self.classes() else { return Ok(None) };
        if let Some(sample) = sample {
            return sample.class_blocks(theta);
        }
        let numbers = count * self.layout.dimension().pow(2);
        let parts = self.answers(&Ask::of_classes(Some(theta)))?;
        let parts: Option<Vec<Vec<f64>>> =
            parts.iter().map(|answer| ask::blocks_from_bytes(numbers, answer)).collect();
        Ok(Some(mean_blocks(parts.ok_or_else(something_else)?, self.rows)))
    }
}

fn something_else() -> OracleError {
    OracleError("a part answered something else".to_owned())
}
