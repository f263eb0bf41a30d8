//! The only way the learner sees data: value, gradient and Hessian at θ, summed over rows.

use super::question::{Answer, Order, Point, Question, Sums};
use crate::loss::Loss;
use crate::quality::{AnyTally, Scoring};
use discretion_privacy::Unit;
use discretion_privacy::noise::{BigFloat, Columns, Sensitive};
use serde::{Deserialize, Serialize};

/// The public facts of a table that rounding bounds and noise depend on.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// What is counted in n, and what neighbouring tables differ in one of.
    pub unit: Unit,
    /// n: how many units there are, rows or persons. Of persons, how many rows there are is no
    /// public fact and not here, and nothing here depends on it.
    pub rows: usize,
    /// d; of several classes, that of all of them together.
    pub dimension: usize,
    /// How many classes have coefficients of their own, one class after the other (softmax);
    /// nothing where a loss of one margin is summed. What is said of the shape of a row is about
    /// the coefficients of one class.
    pub classes: Option<usize>,
    /// The most non-zero entries a row can have.
    pub row_terms: usize,
    /// The most additions any one number takes part in while rows' values and gradients are summed.
    pub summation_depth: usize,
    /// What the schema says of the shape of a row, if it says anything.
    pub columns: Option<Columns>,
    /// What a row can have in each of these columns; nothing said of one, or of all, is
    /// [`Entries::Constant`].
    pub entries: Vec<Entries>,
}

impl Facts {
    /// The columns, if each has a size that all rows share: rows are not divided by their own
    /// lengths.
    pub(crate) fn scaled_columns(&self) -> Option<&Columns> {
        let columns = self.columns.as_ref()?;
        let squares: f64 = columns.iter().map(|column| column.size * column.size).sum();
        (squares < 1.0 + 1e-9).then_some(columns)
    }
}

/// What a row can have at the coefficients of one column that has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Entries {
    /// One entry, which is the column's size, or none.
    Constant,
    /// Up to two entries, at neighbours among the first so many coefficients; or one, at any.
    Neighbours(usize),
    /// One entry of any size up to the column's, or none.
    One,
    /// Any entries whose absolute values add up to the column's size at most: a person's mean over
    /// several rows.
    Any,
}

/// The rows could not be summed (a file vanished, a worker died). Never a matter of the rows'
/// values.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the rows could not be read: {0}")]
pub struct OracleError(pub String);

/// Computes sums over rows: in memory, from a file, on a cluster or across parties.
///
/// Implementations promise: every row has ‖x‖₂ ≤ 1 exactly, and what [`Columns`] say of it if the
/// facts have them; margins are plain dot products of at most `row_terms` products in double
/// precision, and what the loss is asked about a row depends on that row and θ alone; values and
/// gradients are plain sums no deeper than `summation_depth`, and Hessians are plain sums of one
/// term per row in any order, then over no more parts than `summation_depth`; and the result does
/// not depend on the number of threads. Where the unit is a person, every term of a row has a
/// weight, and the weights of one person's rows add up to at most 1, and to no less than 1 − 2⁻⁵².
pub trait Oracle: Sync {
    /// The public facts.
    fn facts(&self) -> Facts;

    /// The answer, in one pass over the rows where the oracle can. Solvers ask through
    /// [`AskOracle`].
    fn answer(&self, question: Question<'_>) -> Result<Answer, OracleError>;

    /// A smaller table to find a first guess on, chosen by the rows' positions. It is never
    /// certified on.
    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        None
    }
}

/// Every [`Question`] as a call that returns its own kind of answer. Every oracle has these, and
/// none writes its own.
pub trait AskOracle: Oracle {
    /// Sums at one θ.
    fn sums(
        &self,
        loss: &dyn Loss,
        theta: &[f64],
        order: Order,
    ) -> Result<Sensitive<Sums>, OracleError> {
        let point = Point { theta: theta.to_vec(), order };
        Ok(self.sums_at(loss, &[point])?.remove(0))
    }

    /// [`Question::Sums`].
    fn sums_at(
        &self,
        loss: &dyn Loss,
        points: &[Point],
    ) -> Result<Vec<Sensitive<Sums>>, OracleError> {
        match self.answer(Question::Sums { loss, points })? {
            Answer::Sums(sums) if sums.len() == points.len() => Ok(sums),
            _ => Err(OracleError::another_question()),
        }
    }

    /// [`Question::BigGradient`].
    fn big_gradient(
        &self,
        loss: &dyn Loss,
        theta: &[BigFloat],
        precision: usize,
    ) -> Result<Sensitive<Vec<BigFloat>>, OracleError> {
        match self.answer(Question::BigGradient { loss, theta, precision })? {
            Answer::BigGradient(gradient) => Ok(gradient),
            _ => Err(OracleError::another_question()),
        }
    }

    /// [`Question::Products`].
    fn products(
        &self,
        loss: &dyn Loss,
        theta: &[f64],
        most: f64,
    ) -> Result<Sensitive<Vec<f64>>, OracleError> {
        self.matrix(Question::Products { loss, theta, most })
    }

    /// [`Question::Squares`].
    fn squares(&self) -> Result<Sensitive<Vec<f64>>, OracleError> {
        self.matrix(Question::Squares)
    }

    /// [`Question::ClassBlocks`].
    fn class_blocks(&self, theta: &[f64]) -> Result<Sensitive<Vec<f64>>, OracleError> {
        self.matrix(Question::ClassBlocks { theta })
    }

    /// Asks a question whose answer is a matrix.
    fn matrix(&self, question: Question<'_>) -> Result<Sensitive<Vec<f64>>, OracleError> {
        match self.answer(question)? {
            Answer::Matrix(matrix) => Ok(matrix),
            _ => Err(OracleError::another_question()),
        }
    }

    /// [`Question::Cells`].
    fn cells(&self, place: usize) -> Result<Sensitive<Vec<i64>>, OracleError> {
        self.counts(Question::Cells { place })
    }

    /// [`Question::Positives`].
    fn positives(&self) -> Result<Sensitive<Vec<i64>>, OracleError> {
        self.counts(Question::Positives)
    }

    /// [`Question::Scores`].
    fn scores(&self, scoring: &Scoring) -> Result<AnyTally, OracleError> {
        match self.answer(Question::Scores(scoring))? {
            Answer::Tally(tally) => Ok(tally),
            _ => Err(OracleError::another_question()),
        }
    }

    /// Asks a question whose answer is counts.
    fn counts(&self, question: Question<'_>) -> Result<Sensitive<Vec<i64>>, OracleError> {
        match self.answer(question)? {
            Answer::Counts(counts) => Ok(counts),
            _ => Err(OracleError::another_question()),
        }
    }
}

impl<O: Oracle + ?Sized> AskOracle for O {}

impl OracleError {
    pub(crate) fn another_question() -> OracleError {
        OracleError("another question was answered".to_owned())
    }

    /// Refuses [`Question::Products`] where rows are nobody's.
    pub(crate) fn no_persons() -> OracleError {
        OracleError("these rows are not known to belong to persons".to_owned())
    }

    /// Refuses what only rows of several classes have.
    pub(crate) fn no_classes() -> OracleError {
        OracleError("these rows are not of several classes".to_owned())
    }

    /// Refuses [`Question::Positives`] of several classes.
    pub(crate) fn no_sign() -> OracleError {
        OracleError("several classes have no positive one".to_owned())
    }

    /// Refuses [`Question::Scores`] of a model of other rows.
    pub(crate) fn other_model() -> OracleError {
        OracleError("the model is not one of these rows".to_owned())
    }

    /// Refuses [`Question::Scores`] of rows that do not count as one unit each.
    pub(crate) fn uneven_rows() -> OracleError {
        OracleError("an evaluation counts one whole row of each unit".to_owned())
    }

    /// Refuses [`Question::Cells`] of a number that is no curve.
    pub(crate) fn no_cells() -> OracleError {
        OracleError("only a curve has cells".to_owned())
    }
}
