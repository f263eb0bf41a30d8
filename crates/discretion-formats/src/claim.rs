//! Whether what a file says of itself can be true.
//!
//! A file read from disk is a claim. [`Format::parse`](crate::Format::parse) asks its type once,
//! after which nothing that shows, exports or predicts has to doubt a length, an index or a count.

use crate::model::LambdaFrom;
use discretion::privacy::account::{Law, ShapedLaw, TrainingLaw};

/// A file whose parts can be checked against each other.
pub trait Claim {
    /// Refuses, in a sentence, a file whose laws, lengths, indices or counts do not fit the others
    /// and the schema.
    fn check(&self) -> Result<(), String>;
}

/// Most rows, persons or the like that a file can speak of: whole numbers up to here are exact
/// everywhere, and a few of them can be added up.
const MOST: usize = 1 << 53;

/// Refuses with a sentence that says what does not fit.
pub(crate) fn ensure(fits: bool, what: &str) -> Result<(), String> {
    match fits {
        true => Ok(()),
        false => Err(format!("{what}; was the file edited?")),
    }
}

/// Refuses numbers of rows that no table has.
pub(crate) fn rows(rows: usize) -> Result<(), String> {
    ensure((1..=MOST).contains(&rows), "it has a number of rows that no table has")
}

/// Refuses a probability or a share that is none.
pub(crate) fn share(share: f64, what: &str) -> Result<(), String> {
    ensure(share > 0.0 && share < 1.0, &format!("{what} does not lie between 0 and 1"))
}

/// Refuses a length, a deviation or a price below 0.
pub(crate) fn not_negative(number: f64, what: &str) -> Result<(), String> {
    ensure(number.is_finite() && number >= 0.0, &format!("{what} is below 0"))
}

/// Refuses a λ that no training had.
pub(crate) fn lambda(lambda: f64) -> Result<(), String> {
    ensure(lambda.is_finite() && lambda > 0.0, "lambda is not a finite number above 0")
}

/// Refuses a λ that its origin cannot have given: none is 0.
pub(crate) fn lambda_from(given: f64, from: LambdaFrom) -> Result<(), String> {
    match from {
        LambdaFrom::None => ensure(given == 0.0, "lambda is not 0, and nobody gave one"),
        LambdaFrom::Study | LambdaFrom::Auto | LambdaFrom::Chosen => lambda(given),
    }
}

/// Refuses noise that is none, or that is noise for another number of coefficients than those of
/// the classes together, or of the one outcome.
pub(crate) fn noise(law: &TrainingLaw, dimension: usize, classes: usize) -> Result<(), String> {
    let fits = match law {
        TrainingLaw::Round(law) => is_round(law),
        // It was checked by itself when it was read.
        TrainingLaw::Shaped(law) => {
            let of_one_class = classes == 1 || !matches!(law, ShapedLaw::RowNorm { .. });
            of_one_class && law.columns().dimension().checked_mul(classes) == Some(dimension)
        }
    };
    ensure(fits, "the noise is not one for these coefficients")
}

/// Whether a law that knows no columns has a scale.
pub(crate) fn is_round(law: &Law) -> bool {
    let &(Law::Spherical { scale: size } | Law::Gaussian { sigma: size }) = law;
    size.is_finite() && size > 0.0
}
