//! A question as bytes, for whoever has the rows of a part, and the answer.

use super::PartSums;
use crate::erm::{Order, Point, Question};
use crate::loss::{LossKind, LossSpec};
use dashu_int::IBig;
use discretion_privacy::noise::{BigFloat, NotPrivate, Sensitive};
use serde::{Deserialize, Serialize};

/// The written form of a [`Question`], which every part is asked. The vectors in it come from a
/// solver that has seen rows: they are as sensitive as rows are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    version: u32,
    loss: LossSpec,
    of: Of,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// [`Oracle::squares`](crate::erm::Oracle::squares) of several classes.
    Squares,
    /// [`Oracle::class_blocks`](crate::erm::Oracle::class_blocks).
    Blocks {
        theta: Vec<u64>,
    },
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
    /// The question in writing, unless its loss has no name that others know.
    pub fn of(question: Question<'_>) -> Option<Ask> {
        let (loss, of) = match question {
            Question::Sums { loss, points } => {
                (loss, Of::Sums { points: points.iter().map(WrittenPoint::of).collect() })
            }
            Question::BigGradient { loss, theta, precision } => (
                loss,
                Of::BigGradient {
                    theta: theta.iter().map(WrittenBigFloat::of).collect(),
                    precision,
                },
            ),
            Question::Products { loss, theta, most } => {
                (loss, Of::Products { theta: bits_of(theta), most: most.to_bits() })
            }
        };
        Some(Ask { version: VERSION, loss: loss.spec()?, of })
    }

    /// The question of what rows of several classes have for squares, or at θ for each class's own
    /// block of the Hessian.
    pub(super) fn of_classes(theta: Option<&[f64]>) -> Ask {
        let of = theta.map_or(Of::Squares, |theta| Of::Blocks { theta: bits_of(theta) });
        Ask { version: VERSION, loss: LossSpec::plain(LossKind::Logistic), of }
    }

    /// For another process.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("an ask is plain data")
    }

    /// From another process, if it is an ask of this version.
    pub fn from_bytes(bytes: &[u8]) -> Option<Ask> {
        serde_json::from_slice(bytes).ok().filter(|ask: &Ask| ask.version == VERSION)
    }

    /// The answer of a part. It is as sensitive as the rows. Nothing if the question is about
    /// another number of coefficients, or about persons or classes where there are none.
    pub fn answer(&self, part: &impl PartSums) -> Option<NotPrivate<Vec<u8>>> {
        let (loss, dimension) = (self.loss.loss(), part.dimension());
        match &self.of {
            Of::Sums { points } => {
                let points: Vec<Point> = points.iter().map(WrittenPoint::read).collect();
                let fits = points.iter().all(|point| point.theta.len() == dimension);
                Some(part.sums(&*loss, fits.then_some(&points)?)?.to_bytes())
            }
            Of::BigGradient { theta, precision } => {
                let theta: Vec<BigFloat> =
                    theta.iter().map(WrittenBigFloat::read).collect::<Option<_>>()?;
                if theta.len() != dimension {
                    return None;
                }
                let gradient = part.big_gradient(&*loss, &theta, *precision)?;
                Some(gradient.not_private().map(|gradient| {
                    let written: Vec<WrittenBigFloat> =
                        gradient.iter().map(WrittenBigFloat::of).collect();
                    serde_json::to_vec(&written).expect("numbers are plain data")
                }))
            }
            Of::Products { theta, most } => {
                let theta = (theta.len() == dimension).then(|| from_bits(theta))?;
                Some(part.products(&*loss, &theta, f64::from_bits(*most))?.to_bytes())
            }
            Of::Squares => Some(part.squares()?.to_bytes()),
            Of::Blocks { theta } => {
                let theta = (theta.len() == dimension).then(|| from_bits(theta))?;
                let blocks = part.class_blocks(&theta)?;
                Some(
                    Sensitive::new(blocks.iter().flat_map(|x| x.to_le_bytes()).collect())
                        .not_private(),
                )
            }
        }
    }
}

fn bits_of(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

fn from_bits(bits: &[u64]) -> Vec<f64> {
    bits.iter().map(|&bits| f64::from_bits(bits)).collect()
}

/// The answer about each class's own block, if it is of so many numbers.
pub(super) fn blocks_from_bytes(numbers: usize, bytes: &[u8]) -> Option<Vec<f64>> {
    let (words, rest) = bytes.as_chunks();
    let is_whole = rest.is_empty() && words.len() == numbers;
    is_whole.then(|| words.iter().map(|word| f64::from_le_bytes(*word)).collect())
}

/// The answer to [`Question::BigGradient`].
pub(super) fn big_from_bytes(bytes: &[u8]) -> Option<Vec<BigFloat>> {
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
        Some(BigFloat::from_parts(significand, self.1).with_precision(self.2).value())
    }
}
