//! Rows that have their outcome among their columns, as an oracle of residuals: its coefficient is
//! not asked for, it is known.

use super::{Answer, Facts, Oracle, OracleError, Point, Question, Sums};
use discretion_privacy::noise::{BigFloat, Columns, Sensitive, exact};
use discretion_privacy::trusted::Open;

/// Sums of f(θ·x − y) over rows (x, y·c), where c is the size of the outcome's column: those of
/// f(θ′·z) over rows z, with −1/c in the outcome's place of θ′. `train/huber/PROOF.md`.
pub struct Residuals<'o> {
    rows: Rows<'o>,
    /// The outcome's column, and its coefficient's place.
    outcome: usize,
    place: usize,
    /// −1/c.
    coefficient: f64,
}

enum Rows<'o> {
    Borrowed(&'o dyn Oracle),
    Sampled(Box<dyn Oracle + 'o>),
}

impl Rows<'_> {
    fn oracle(&self) -> &dyn Oracle {
        match self {
            Rows::Borrowed(rows) => *rows,
            Rows::Sampled(rows) => &**rows,
        }
    }
}

impl<'o> Residuals<'o> {
    /// Of rows whose column at `outcome` (0 is the constant) is the outcome. Panics unless that is
    /// a number of constant size.
    pub fn new(rows: &'o dyn Oracle, outcome: usize) -> Residuals<'o> {
        Residuals::of(Rows::Borrowed(rows), outcome)
    }

    fn of(rows: Rows<'o>, outcome: usize) -> Residuals<'o> {
        let facts = rows.oracle().facts();
        let columns = facts.columns.as_ref().expect("the columns are known");
        let own = columns.iter().nth(outcome).expect("the outcome is one of them");
        assert_eq!(own.coefficients, 1, "the outcome is a number");
        let place = columns.iter().take(outcome).map(|column| column.coefficients).sum();
        // Rounded towards 0, so that no outcome is larger than 1.
        let coefficient = -(1.0 / own.size).next_down();
        Residuals { rows, outcome, place, coefficient }
    }

    /// The facts of the same rows without their outcome. That no more terms are in a row than
    /// before counts the outcome's.
    pub fn facts_without(facts: Facts, outcome: usize) -> Facts {
        let columns = facts.columns.expect("the columns are known");
        let kept = columns.iter().enumerate().filter(|(column, _)| *column != outcome);
        let kept =
            Columns::new(kept.map(|(_, column)| column).collect()).expect("there is a constant");
        let mut entries = facts.entries;
        if outcome < entries.len() {
            entries.remove(outcome);
        }
        Facts { dimension: facts.dimension - 1, columns: Some(kept), entries, ..facts }
    }

    fn extended<T: Clone>(&self, theta: &[T], own: T) -> Vec<T> {
        let (before, after) = theta.split_at(self.place);
        before.iter().cloned().chain([own]).chain(after.iter().cloned()).collect()
    }

    fn shortened(&self, mut sums: Sums) -> Sums {
        let whole = sums.gradient.len();
        sums.gradient.remove(self.place);
        if !sums.hessian.is_empty() {
            sums.hessian = self.without_own(&sums.hessian, whole);
        }
        sums
    }

    /// A row-major matrix without the outcome's line and column.
    fn without_own(&self, square: &[f64], whole: usize) -> Vec<f64> {
        let kept = |i: &usize| i / whole != self.place && i % whole != self.place;
        (0..whole * whole).filter(kept).map(|i| square[i]).collect()
    }
}

impl Oracle for Residuals<'_> {
    fn facts(&self) -> Facts {
        Residuals::facts_without(self.rows.oracle().facts(), self.outcome)
    }

    fn answer(&self, question: Question<'_>) -> Result<Answer, OracleError> {
        let rows = self.rows.oracle();
        match question {
            Question::Sums { loss, points } => {
                let point = |point: &Point| Point {
                    theta: self.extended(&point.theta, self.coefficient),
                    order: point.order,
                };
                let points: Vec<Point> = points.iter().map(point).collect();
                let Answer::Sums(sums) = rows.answer(Question::Sums { loss, points: &points })?
                else {
                    return Err(OracleError::another_question());
                };
                let shortened =
                    |sums: Sensitive<Sums>| Sensitive::new(self.shortened(sums.into_inner()));
                Ok(Answer::Sums(sums.into_iter().map(shortened).collect()))
            }
            Question::BigGradient { loss, theta, precision } => {
                let theta: Vec<BigFloat> = self.extended(theta, exact(self.coefficient));
                let Answer::BigGradient(gradient) =
                    rows.answer(Question::BigGradient { loss, theta: &theta, precision })?
                else {
                    return Err(OracleError::another_question());
                };
                let mut gradient = gradient.into_inner();
                gradient.remove(self.place);
                Ok(Answer::BigGradient(Sensitive::new(gradient)))
            }
            Question::Products { loss, theta, most } => {
                let theta = self.extended(theta, self.coefficient);
                let Answer::Matrix(products) =
                    rows.answer(Question::Products { loss, theta: &theta, most })?
                else {
                    return Err(OracleError::another_question());
                };
                let products = self.without_own(&products.into_inner(), theta.len());
                Ok(Answer::Matrix(Sensitive::new(products)))
            }
            other => rows.answer(other),
        }
    }

    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        let sample = self.rows.oracle().sample()?;
        Some(Box::new(Residuals::of(Rows::Sampled(sample), self.outcome)))
    }
}
