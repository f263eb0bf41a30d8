//! Rows as bytes, for another process or a file: a checked header, then one record after the other.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `discrow1`: what this is, and its version |
//! | 8 | fingerprint of the layout |
//! | 8 | number of rows |
//! | 4 per number, 2 per category, 4 for a weight, 2 for a class, 1 | for each row: numbers as `f32`, codes as `u16`, its weight and its class if rows have them, 1 where the label is +1, 2 where the row is left out, else 0 |
//!
//! All little-endian. A file of records alone ([`Matrix::row_bytes`]) can be cut at any row. What
//! comes back is pushed like any other batch, so ‖x‖ ≤ 1 holds whatever the bytes say, and factors
//! are computed again rather than believed.

use super::blend::{Curve, MixedOf, Stored};
use super::{Layout, Matrix};
use discretion_privacy::noise::{NotPrivate, Sensitive};
use std::ops::Range;

const VERSION: [u8; 8] = *b"discrow1";
const HEADER: usize = 24;
const LEFT_OUT: u8 = 2;

/// Why bytes were refused. Never a matter of the rows' values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BytesError {
    /// They do not begin as rows do.
    #[error("these bytes are not encoded rows of this version")]
    Version,
    /// They were written under another layout.
    #[error("these bytes were written for another schema")]
    OtherLayout,
    /// There are more or fewer than the header says.
    #[error("these bytes are incomplete or damaged")]
    Length,
}

impl Matrix {
    /// The rows as bytes. They are the rows: nothing about them is private any more.
    pub fn to_bytes(&self) -> NotPrivate<Vec<u8>> {
        let mut bytes = Vec::with_capacity(HEADER + self.rows() * self.layout.row_bytes());
        bytes.extend(VERSION);
        bytes.extend(self.layout.fingerprint().to_le_bytes());
        bytes.extend((self.rows() as u64).to_le_bytes());
        self.write_rows(0..self.rows(), &mut bytes);
        Sensitive::new(bytes).not_private()
    }

    /// The records of some rows, without a header. They are the rows.
    pub fn row_bytes(&self, rows: Range<usize>) -> NotPrivate<Vec<u8>> {
        let mut bytes = Vec::with_capacity(rows.len() * self.layout.row_bytes());
        self.write_rows(rows, &mut bytes);
        Sensitive::new(bytes).not_private()
    }

    fn write_rows(&self, rows: Range<usize>, into: &mut Vec<u8>) {
        let (width, columns) = (self.layout.stored().len(), self.layout.categories().len());
        for row in rows {
            into.extend(self.numeric[row * width..][..width].iter().flat_map(|x| x.to_le_bytes()));
            into.extend(
                self.codes[row * columns..][..columns].iter().flat_map(|code| code.to_le_bytes()),
            );
            into.extend(self.weights.get(row).iter().flat_map(|weight| weight.to_le_bytes()));
            into.extend(self.classes.get(row).iter().flat_map(|class| class.to_le_bytes()));
            into.push(if self.is_left_out(row) {
                LEFT_OUT
            } else {
                u8::from(self.signed[row] > 0.0)
            });
        }
    }

    /// The rows from bytes that were written under the same layout.
    pub fn from_bytes(layout: Layout, bytes: &[u8]) -> Result<Matrix, BytesError> {
        let mut matrix = Matrix::new(layout);
        matrix.push_bytes(bytes)?;
        Ok(matrix)
    }

    /// Appends the rows of bytes that were written under the same layout.
    pub fn push_bytes(&mut self, bytes: &[u8]) -> Result<(), BytesError> {
        let layout = &self.layout;
        let header: &[u8; HEADER] = bytes.first_chunk().ok_or(BytesError::Length)?;
        let word = |at: usize| {
            u64::from_le_bytes(*header[at..].first_chunk().expect("it is in the header"))
        };
        if header[..8] != VERSION {
            return Err(BytesError::Version);
        }
        if word(8) != layout.fingerprint() {
            return Err(BytesError::OtherLayout);
        }
        let body = &bytes[HEADER..];
        let rows = usize::try_from(word(16)).map_err(|_| BytesError::Length)?;
        if rows.checked_mul(layout.row_bytes()) != Some(body.len()) {
            return Err(BytesError::Length);
        }
        self.push_rows(body);
        Ok(())
    }

    /// Appends rows from records without a header; what is left over after the last whole record is
    /// not looked at.
    pub fn push_rows(&mut self, bytes: &[u8]) {
        let (first, numbers) = (self.rows(), 4 * self.layout.stored().len());
        let (size, labels) = (self.layout.row_bytes(), self.layout.row_bytes() - 1);
        let columns = 2 * self.layout.categories().len();
        self.reserve(first + bytes.len() / size);
        for record in bytes.chunks_exact(size) {
            let (values, codes) = record[..numbers + columns].split_at(numbers);
            self.numeric.extend(values.as_chunks().0.iter().map(|x| f32::from_le_bytes(*x)));
            self.codes.extend(codes.as_chunks().0.iter().map(|code| u16::from_le_bytes(*code)));
        }
        self.admit(first, bytes.chunks_exact(size).map(|record| record[labels] == 1));
        let label = bytes.chunks_exact(size).map(|record| record[labels]);
        for (signed, _) in
            self.signed[first..].iter_mut().zip(label).filter(|(_, label)| *label == LEFT_OUT)
        {
            *signed = 0.0;
        }
        if self.layout.is_weighted() {
            let weight = |record: &[u8]| {
                let bytes =
                    record[numbers + columns..].first_chunk().expect("a record has a weight");
                f32::from_le_bytes(*bytes).clamp(0.0, 1.0)
            };
            for (own, record) in self.weights[first..].iter_mut().zip(bytes.chunks_exact(size)) {
                // What is no number counts for nothing.
                *own = Some(weight(record)).filter(|weight| !weight.is_nan()).unwrap_or(0.0);
            }
        }
        if let Some(count) = self.layout.classes() {
            let class = |record: &[u8]| {
                let bytes = record[labels - 2..].first_chunk().expect("a record has a class");
                u16::from_le_bytes(*bytes)
            };
            for (own, record) in self.classes[first..].iter_mut().zip(bytes.chunks_exact(size)) {
                // What is no class counts as one: sums stay those of rows.
                *own = Some(class(record)).filter(|&class| usize::from(class) < count).unwrap_or(0);
            }
        }
    }
}

impl Layout {
    /// Bytes of a row's record.
    pub fn row_bytes(&self) -> usize {
        4 * (self.stored().len() + self.weights())
            + 2 * (self.categories().len() + self.labels())
            + 1
    }

    /// A number that layouts share only if they are the same, accidents apart (FNV-1a over every
    /// field).
    pub fn fingerprint(&self) -> u64 {
        let number = |stored: &Stored| match *stored {
            Stored::Number(bound) => vec![u64::from(bound.to_bits())],
            Stored::Curve(curve) => {
                let Curve { knots, missing, value } = curve;
                vec![u64::MAX, knots as u64, u64::from(missing), u64::from(value.to_bits())]
            }
        };
        let cross = |of: [usize; 2], value: f32| {
            of.map(|at| at as u64).into_iter().chain([value.to_bits().into()])
        };
        let pairs = self.pairs().iter().flat_map(|pair| cross(pair.categories, pair.value));
        let slopes = self.mixed().iter().filter_map(|mixed| match mixed.of {
            MixedOf::Slopes { category, number, bound } => Some(cross([category, number], bound)),
            MixedOf::Curve { .. } => None,
        });
        let numbers = self.stored().iter().flat_map(number);
        let categories =
            self.categories().iter().flat_map(|c| [c.count as u64, u64::from(c.value.to_bits())]);
        let norm = u64::from(self.is_divided_by_row());
        let constants = [norm, self.intercept().to_bits(), self.stored().len() as u64];
        let weighted = self.is_weighted().then_some(u64::from(u32::MAX));
        let classes = self.classes().map(|count| 1 << 33 | count as u64);
        constants
            .into_iter()
            .chain(weighted)
            .chain(classes)
            .chain(numbers)
            .chain(categories)
            .chain(pairs.chain(slopes.flatten()))
            .flat_map(u64::to_le_bytes)
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            })
    }
}
