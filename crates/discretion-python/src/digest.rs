//! A digest of rows, the same however they are cut into batches and whoever reads which of them.

use discretion::erm::matrix::Batch;
use discretion_table::Column;
use twox_hash::XxHash3_128;

/// A prime, and two numbers whose powers say where a row is.
const PRIME: u64 = (1 << 61) - 1;
const STEPS: [u64; 2] = [0x0dd5_03c8_91a2_7f4b % PRIME, 0x16e9_77ab_20c4_5d13 % PRIME];

/// Σ hash(rowᵢ)·stepⁱ modulo a prime, for two halves of the hash: digests of neighbouring pieces
/// combine to that of both. It notices another table and need not withstand an enemy: the ledger
/// keeps it under its own key.
#[derive(Clone, Copy)]
pub struct RowsDigest {
    sums: [u64; 2],
    /// step to the number of rows.
    powers: [u64; 2],
}

impl Default for RowsDigest {
    fn default() -> RowsDigest {
        RowsDigest { sums: [0; 2], powers: [1; 2] }
    }
}

impl RowsDigest {
    /// Goes on with these rows.
    pub fn update(&mut self, batch: &Batch) {
        let rows = batch.positive.len();
        self.update_columns(
            batch,
            batch.numeric.len() / rows.max(1),
            batch.codes.len() / rows.max(1),
        );
    }

    /// The same for rows of so many numbers and categories, with labels or without.
    fn update_columns(&mut self, batch: &Batch, numbers: usize, codes: usize) {
        let by_codes = batch.codes.len() / codes.max(1);
        let rows = batch.numeric.len().checked_div(numbers).unwrap_or(by_codes);
        let mut bytes = Vec::with_capacity(4 * numbers + 2 * codes + 1);
        for row in 0..rows {
            bytes.clear();
            bytes.extend_from_slice(bytemuck::cast_slice(
                &batch.numeric[row * numbers..][..numbers],
            ));
            bytes.extend_from_slice(bytemuck::cast_slice(&batch.codes[row * codes..][..codes]));
            bytes.extend(batch.positive.get(row).map(|&positive| u8::from(positive)));
            self.append(RowsDigest::of_hash(XxHash3_128::oneshot(&bytes)));
        }
    }

    /// The digest of a number for each row: whose it is, or its class.
    pub fn of_marks<T: Copy + Into<u128>>(marks: &[T]) -> RowsDigest {
        let mut digest = RowsDigest::default();
        for &mark in marks {
            digest.append(RowsDigest::of_hash(mark.into()));
        }
        digest
    }

    fn of_hash(hash: u128) -> RowsDigest {
        RowsDigest { sums: [hash as u64 % PRIME, (hash >> 64) as u64 % PRIME], powers: STEPS }
    }

    /// Goes on with the rows of another digest.
    pub fn append(&mut self, next: RowsDigest) {
        for half in 0..2 {
            self.sums[half] = (self.sums[half] + times(next.sums[half], self.powers[half])) % PRIME;
            self.powers[half] = times(self.powers[half], next.powers[half]);
        }
    }

    /// The digest.
    pub fn to_bytes(self) -> Vec<u8> {
        [self.sums, self.powers].as_flattened().iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// A digest that was written, and what follows it.
    pub fn from_bytes(bytes: &[u8]) -> Option<(RowsDigest, &[u8])> {
        let (digest, rest) = bytes.split_first_chunk::<32>()?;
        let [a, b, c, d] = *digest.as_chunks::<8>().0 else { return None };
        let [a, b, c, d] = [a, b, c, d].map(|word| u64::from_le_bytes(word) % PRIME);
        Some((RowsDigest { sums: [a, b], powers: [c, d] }, rest))
    }
}

/// The digest of columns that are described, whose rows have no labels.
pub struct ColumnsDigest {
    rows: RowsDigest,
    numbers: usize,
    codes: usize,
}

impl ColumnsDigest {
    /// Of no rows so far.
    pub fn new(columns: &[Column]) -> ColumnsDigest {
        let numbers = columns.iter().filter(|column| column.kind.is_numeric()).count();
        ColumnsDigest { rows: RowsDigest::default(), numbers, codes: columns.len() - numbers }
    }

    /// Goes on with these rows.
    pub fn update(&mut self, batch: &Batch) {
        self.rows.update_columns(batch, self.numbers, self.codes);
    }

    /// Of all that came.
    pub fn of_rows(self) -> RowsDigest {
        self.rows
    }
}

fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}
