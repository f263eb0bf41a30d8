//! Columns that are not stored as they are multiplied: curves through a number, and two columns
//! crossed.
//!
//! A curve with K knots is stored as one position p ∈ [0, K − 1] and becomes two neighbouring
//! entries (1 − u)c and uc. Their absolute values add up to c exactly: u is cut to
//! [`FRACTION_BITS`] bits and c is an `f32`, so both products are doubles. A cross is not stored at
//! all: it follows from the two columns' own entries.

use super::OTHER;

/// Bits of u behind the point. With the 24 bits of c they fit into a double.
const FRACTION_BITS: u32 = 20;

/// A stored number, and what it becomes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stored {
    /// One entry of at most this size.
    Number(f32),
    /// A curve.
    Curve(Curve),
}

/// A number as hat functions. It is stored as its position among the knots, from 0 to `knots − 1`;
/// what is below 0 is missing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// How many knots there are, two at least.
    pub knots: usize,
    /// Whether there is one more coefficient, for what is missing.
    pub missing: bool,
    /// c: what a row's entries add up to.
    pub value: f32,
}

/// Two columns whose entries are multiplied, by their places among stored numbers and categories.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cross {
    /// Two categories as one, with a coefficient for every pair of values, those of the second next
    /// to each other.
    Pair {
        /// The places of the categories.
        categories: [usize; 2],
        /// What a hit counts.
        value: f32,
    },
    /// A number with a coefficient for every value of a category: its entry, at that place. Not a
    /// curve.
    Slopes {
        /// The place of the category.
        category: usize,
        /// The place of the number among those stored.
        number: usize,
    },
}

impl Curve {
    pub(super) fn coefficients(self) -> usize {
        self.knots + usize::from(self.missing)
    }

    /// A position that exists, whatever is stored.
    pub(super) fn enforce(self, position: f32) -> f32 {
        let last = (self.knots - 1) as f32;
        match position {
            p if self.missing && (p.is_nan() || p < 0.0) => -1.0,
            p if p > last => last,
            p if p >= 0.0 => p,
            _ => 0.0,
        }
    }

    /// The two entries of a position: the first one's place among the curve's coefficients, and
    /// both values. The second one's place is the next, if its value is not 0.
    #[inline(always)]
    pub(super) fn entries(self, position: f32) -> (usize, [f64; 2]) {
        let c = f64::from(self.value);
        if position < 0.0 {
            return (self.knots, [c, 0.0]);
        }
        let place = (position as usize).min(self.knots - 2);
        let scale = f64::from(1u32 << FRACTION_BITS);
        let u = ((f64::from(position) - place as f64) * scale).floor() / scale;
        (place, [(1.0 - u) * c, u * c])
    }
}

/// A curve or slopes, as the kernels see them: entries that differ from row to row, at coefficients
/// that do too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mixed {
    /// The first coefficient, and how many there are.
    pub first: usize,
    pub count: usize,
    pub of: MixedOf,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum MixedOf {
    /// The stored number at this place.
    Curve { number: usize, curve: Curve },
    /// The stored number, of this bound, at the place of a category.
    Slopes { category: usize, number: usize, bound: f32 },
}

/// A pair of category columns, as the kernels see it: one more column of codes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pair {
    pub first: usize,
    pub categories: [usize; 2],
    /// How many values each has.
    pub counts: [usize; 2],
    pub value: f32,
}

impl Pair {
    /// The coefficient that is hit.
    #[inline(always)]
    pub fn hit(&self, codes: &[u16]) -> Option<usize> {
        let [a, b] = self.categories.map(|category| codes[category]);
        (a != OTHER && b != OTHER)
            .then(|| self.first + usize::from(a) * self.counts[1] + usize::from(b))
    }

    pub fn count(&self) -> usize {
        self.counts[0] * self.counts[1]
    }
}

impl Mixed {
    /// The most entries of a row that are not 0.
    pub fn entries(&self) -> usize {
        match self.of {
            MixedOf::Curve { .. } => 2,
            MixedOf::Slopes { .. } => 1,
        }
    }

    /// The most that the absolute values of a row's entries add up to.
    pub fn size(&self) -> f32 {
        match self.of {
            MixedOf::Curve { curve, .. } => curve.value,
            MixedOf::Slopes { bound, .. } => bound,
        }
    }

    /// The first coefficient that a row of stored numbers and codes hits, its entry, and that of
    /// the next coefficient.
    #[inline(always)]
    pub fn hit(&self, numbers: &[f32], codes: &[u16]) -> Option<(usize, [f64; 2])> {
        match self.of {
            MixedOf::Curve { number, curve } => {
                let (place, entries) = curve.entries(numbers[number]);
                Some((self.first + place, entries))
            }
            MixedOf::Slopes { category, number, .. } => {
                let code = codes[category];
                (code != OTHER)
                    .then(|| (self.first + usize::from(code), [f64::from(numbers[number]), 0.0]))
            }
        }
    }

    /// ‖x_j‖₁ of a row.
    pub fn length(&self, numbers: &[f32], codes: &[u16]) -> f64 {
        self.hit(numbers, codes).map_or(0.0, |(_, [a, b])| a.abs() + b.abs())
    }
}
