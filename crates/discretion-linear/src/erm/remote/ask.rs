//! A question as bytes, for whoever has the rows of a part, and the answer.

use crate::erm::matrix::{Cut, KeptKnots, Rows};
use crate::erm::{Oracle, Order, Point, Question};
use crate::loss::{LossKind, LossSpec};
use crate::quality::Scoring;
use dashu_float::{Context, Repr};
use dashu_int::IBig;
use discretion_privacy::noise::{BigFloat, NotPrivate};
use serde::{Deserialize, Serialize};

/// A [`Question`] in writing, which every part is asked. The vectors in it come from a
/// solver that has seen rows: they are as sensitive as rows are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    version: u32,
    loss: LossSpec,
    of: Of,
    /// The knots that curves keep, where they keep fewer than the rows were sent with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    kept: Vec<(usize, Vec<usize>)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Of {
    Sums {
        points: Vec<WrittenPoint>,
    },
    #[serde(rename = "wide")]
    BigGradient {
        theta: Vec<WrittenBigFloat>,
        precision: usize,
    },
    Products {
        theta: Vec<u64>,
        most: u64,
    },
    Squares,
    Blocks {
        theta: Vec<u64>,
    },
    Cells {
        place: usize,
    },
    Positives,
    Scores(Scoring),
}

/// A point whose numbers are written as their bits: none is rounded, and none is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct WrittenPoint {
    theta: Vec<u64>,
    order: Order,
}

/// significand · 2^exponent, the significand in base 36, and its precision, which decides how
/// results are rounded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct WrittenBigFloat(String, isize, usize);

const BASE: u8 = 36;

/// Who sums in another order has another version: its sums would be as good, and not the same bits.
const VERSION: u32 = 2;

impl Ask {
    /// Writes the question down, unless its loss has no name that others know.
    pub fn of(question: Question<'_>) -> Option<Ask> {
        let plain = LossSpec::plain(LossKind::Logistic);
        let (loss, of) = match question {
            Question::Sums { loss, points } => {
                (loss.spec()?, Of::Sums { points: points.iter().map(WrittenPoint::of).collect() })
            }
            Question::BigGradient { loss, theta, precision } => {
                let theta = theta.iter().map(WrittenBigFloat::of).collect();
                (loss.spec()?, Of::BigGradient { theta, precision })
            }
            Question::Products { loss, theta, most } => {
                (loss.spec()?, Of::Products { theta: bits_of(theta), most: most.to_bits() })
            }
            // Of softmax, which is written as the logistic loss.
            Question::Squares => (plain, Of::Squares),
            Question::ClassBlocks { theta } => (plain, Of::Blocks { theta: bits_of(theta) }),
            // No loss is summed.
            Question::Cells { place } => (plain, Of::Cells { place }),
            Question::Positives => (plain, Of::Positives),
            Question::Scores(scoring) => (plain, Of::Scores(scoring.clone())),
        };
        Some(Ask { version: VERSION, loss, of, kept: Vec::new() })
    }

    /// Asks rows whose curves keep these of their knots.
    pub(super) fn keeping_knots(self, kept: &KeptKnots) -> Ask {
        Ask { kept: kept.to_vec(), ..self }
    }

    /// Returns the knots that curves keep; nothing if they keep all.
    pub fn kept(&self) -> &KeptKnots {
        &self.kept
    }

    /// For another process.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("an ask is plain data")
    }

    /// From another process, if it is an ask of this version.
    pub fn from_bytes(bytes: &[u8]) -> Option<Ask> {
        serde_json::from_slice(bytes).ok().filter(|ask: &Ask| ask.version == VERSION)
    }

    /// Answers about the units of a part of a table that is cut like this: all that `rows` has, by
    /// the knots that their curves [keep](Ask::kept). The
    /// answer is as sensitive as the rows. Nothing if the question is about another number of
    /// coefficients, or about persons, classes or curves where there are none, or if the rows cannot
    /// be read.
    pub fn answer(&self, rows: &Rows<'_>, of: Cut) -> Option<NotPrivate<Vec<u8>>> {
        let (loss, dimension) = (self.loss.loss(), rows.facts().dimension);
        let fits = |length: usize| (length == dimension).then_some(());
        let (points, big, theta);
        let question = match &self.of {
            Of::Sums { points: written } => {
                points = written.iter().map(WrittenPoint::read).collect::<Vec<Point>>();
                points.iter().try_for_each(|point| fits(point.theta.len()))?;
                Question::Sums { loss: &*loss, points: &points }
            }
            Of::BigGradient { theta: written, precision } => {
                fits(written.len())?;
                big = written.iter().map(WrittenBigFloat::read).collect::<Option<Vec<_>>>()?;
                Question::BigGradient { loss: &*loss, theta: &big, precision: *precision }
            }
            Of::Products { theta: bits, most } => {
                fits(bits.len())?;
                theta = from_bits(bits);
                Question::Products { loss: &*loss, theta: &theta, most: f64::from_bits(*most) }
            }
            Of::Squares => Question::Squares,
            Of::Blocks { theta: bits } => {
                fits(bits.len())?;
                theta = from_bits(bits);
                Question::ClassBlocks { theta: &theta }
            }
            Of::Cells { place } => Question::Cells { place: *place },
            Of::Positives => Question::Positives,
            Of::Scores(scoring) => Question::Scores(scoring),
        };
        Some(rows.part(0..rows.units(), of, question).ok()?.to_bytes())
    }
}

fn bits_of(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

fn from_bits(bits: &[u64]) -> Vec<f64> {
    bits.iter().map(|&bits| f64::from_bits(bits)).collect()
}

/// Writes a gradient in big floats.
pub(crate) fn big_to_bytes(gradient: &[BigFloat]) -> Vec<u8> {
    let written: Vec<WrittenBigFloat> = gradient.iter().map(WrittenBigFloat::of).collect();
    serde_json::to_vec(&written).expect("numbers are plain data")
}

/// Reads a gradient in big floats.
pub(crate) fn big_from_bytes(bytes: &[u8]) -> Option<Vec<BigFloat>> {
    let written: Vec<WrittenBigFloat> = serde_json::from_slice(bytes).ok()?;
    written.iter().map(WrittenBigFloat::read).collect()
}

impl WrittenPoint {
    fn of(point: &Point) -> WrittenPoint {
        WrittenPoint { theta: bits_of(&point.theta), order: point.order }
    }

    fn read(&self) -> Point {
        Point { theta: from_bits(&self.theta), order: self.order }
    }
}

impl WrittenBigFloat {
    fn of(x: &BigFloat) -> WrittenBigFloat {
        let (significand, exponent) = x.repr().clone().into_parts();
        WrittenBigFloat(significand.in_radix(BASE).to_string(), exponent, x.precision())
    }

    fn read(&self) -> Option<BigFloat> {
        let significand = IBig::from_str_radix(&self.0, BASE.into()).ok()?;
        let repr = Repr::new(significand, self.1);
        // A sum may have one digit more than its precision.
        let fits = repr.digits() <= self.2.checked_add(1)?;
        fits.then(|| BigFloat::from_repr(repr, Context::new(self.2)))
    }
}
