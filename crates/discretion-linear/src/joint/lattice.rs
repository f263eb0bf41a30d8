//! Fixed point: a holder's vector as whole numbers in a public range.

use super::JointError;
use dashu_int::IBig;
use dashu_ratio::RBig;
use discretion_privacy::noise::{BigFloat, Sensitive};
use discretion_privacy::trusted::Open;

/// The most bits that a holder's number may have, so that any number of holders fits into a field
/// of 128 bits.
const MOST_BITS: f64 = 100.0;

/// The lattice 2^exponent ℤ^d, cut to −most … most steps in each coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lattice {
    dimension: usize,
    exponent: i32,
    most: u128,
}

/// A holder's vector: whole numbers from 0 to [`Lattice::largest`]. It is as secret as the rows;
/// the only thing that can be done with it is to share it.
pub struct Contribution {
    numbers: Vec<u128>,
}

/// A way of adding up numbers that nobody sees.
///
/// An implementation is trusted code, as a [`Loss`](crate::loss::Loss) is: it is handed the
/// numbers, and promises that what any t aggregators get of them is independent of the numbers,
/// given the sum (`PROOF.md`, "Who sees what").
pub trait SecretSharing {
    /// What is sent.
    type Shares;
    /// Splits the numbers, each of which is from 0 to [`Lattice::largest`].
    fn split(&self, numbers: &[u128]) -> Self::Shares;
}

impl Contribution {
    /// Shares the numbers.
    pub fn share<S: SecretSharing>(&self, sharing: &S) -> S::Shares {
        sharing.split(&self.numbers)
    }
}

impl Lattice {
    /// The lattice with this step for numbers that are no larger than `bound`.
    pub(super) fn new(dimension: usize, exponent: i32, bound: f64) -> Result<Lattice, JointError> {
        let step = f64::from(exponent).exp2();
        let steps = (bound / step).ceil() + 1.0;
        // NaN is refused too.
        if !(step > 0.0 && steps.log2() <= MOST_BITS) {
            return Err(JointError::TooFine { bound, step });
        }
        Ok(Lattice { dimension, exponent, most: steps as u128 })
    }

    /// The dimension, the step's exponent and the most steps in a coordinate.
    pub(super) fn numbers(&self) -> (usize, i32, u128) {
        (self.dimension, self.exponent, self.most)
    }

    /// How many numbers there are.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The step, a power of two.
    pub fn step(&self) -> f64 {
        f64::from(self.exponent).exp2()
    }

    /// The largest number in a contribution; the smallest is 0.
    pub fn largest(&self) -> u128 {
        2 * self.most
    }

    /// How far rounding moves one holder's vector at most, in L₂.
    pub fn rounding(&self) -> f64 {
        0.5 * self.step() * (self.dimension as f64).sqrt().next_up()
    }

    /// weight·vector, rounded to the lattice, with its zero in the middle of the range.
    ///
    /// Postcondition: each number is the nearest to weight·x, computed exactly. Where that is out
    /// of range, the nearest in range.
    pub(super) fn encode(&self, weight: &RBig, vector: Sensitive<Vec<BigFloat>>) -> Contribution {
        let vector = vector.into_inner();
        assert_eq!(vector.len(), self.dimension, "one number per coordinate");
        let most = IBig::from(self.most);
        let number = |x: &BigFloat| {
            let steps = (self.in_steps(x) * weight).round().clamp(-most.clone(), most.clone());
            u128::try_from(steps + &most).expect("−most … most, moved by most")
        };
        Contribution { numbers: vector.iter().map(number).collect() }
    }

    /// x over the step, exactly.
    fn in_steps(&self, x: &BigFloat) -> RBig {
        let repr = x.repr();
        let shift = repr.exponent() - self.exponent as isize;
        let significand = repr.significand().clone();
        let power = || IBig::ONE << shift.unsigned_abs();
        if shift >= 0 {
            RBig::from(significand * power())
        } else {
            RBig::from(significand) / RBig::from(power())
        }
    }

    /// Rounds a vector of noise to steps.
    pub(super) fn nearest(&self, vector: &[BigFloat]) -> Vec<IBig> {
        vector.iter().map(|x| self.in_steps(x).round()).collect()
    }

    /// The vector that a sum of `count` contributions and noise stands for.
    pub(super) fn decode(&self, sum: &[i128], count: usize) -> Vec<f64> {
        assert_eq!(sum.len(), self.dimension, "one number per coordinate");
        let middle = IBig::from(self.most) * IBig::from(count);
        // Past 53 significant bits this rounds, after the release.
        let value = |&x: &i128| {
            BigFloat::from_parts(IBig::from(x) - &middle, self.exponent as isize).to_f64().value()
        };
        sum.iter().map(value).collect()
    }
}
