//! How much memory decoding may take at a time, whatever a file claims.

use crate::problem::Problem;
use crate::read::bounds::{DECODED, PAGE, PER_BYTE};
use parquet::errors::ParquetError;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Memory that all columns of a file share, and why it was refused, which the library would make a
/// text of.
pub(super) struct Allowance {
    most: u64,
    /// Pages that are open.
    held: AtomicU64,
    /// Texts of the rows that are decoded.
    texts: AtomicU64,
    refusal: Mutex<Option<Problem>>,
}

impl Allowance {
    /// For so many columns of a file of this length.
    pub fn new(columns: usize, length: u64) -> Allowance {
        let most = DECODED + PAGE * columns as u64 + PER_BYTE.saturating_mul(length);
        Allowance {
            most,
            held: AtomicU64::new(0),
            texts: AtomicU64::new(0),
            refusal: Mutex::new(None),
        }
    }

    /// Holds so many bytes in the place of others.
    pub fn exchange(&self, held: &mut u64, bytes: u64) -> Result<(), ParquetError> {
        self.release(held);
        *held = bytes.min(self.most + 1);
        self.held.fetch_add(*held, Relaxed);
        self.check()
    }

    /// Holds nothing any more.
    pub fn release(&self, held: &mut u64) {
        self.held.fetch_sub(std::mem::take(held), Relaxed);
    }

    /// Notes texts of this size for the rows that are decoded.
    pub fn add_texts(&self, bytes: u64) -> Result<(), ParquetError> {
        self.texts.fetch_add(bytes.min(self.most + 1), Relaxed);
        self.check()
    }

    /// The rows that were decoded are somebody else's now.
    pub fn next_rows(&self) {
        self.texts.store(0, Relaxed);
    }

    /// Whether there is room for so many bytes more.
    pub fn has_room(&self, bytes: u64) -> bool {
        bytes.saturating_add(self.used()) <= self.most
    }

    fn used(&self) -> u64 {
        self.held.load(Relaxed).saturating_add(self.texts.load(Relaxed))
    }

    fn check(&self) -> Result<(), ParquetError> {
        match self.has_room(0) {
            true => Ok(()),
            false => Err(self.refuse(Problem::ParquetMemory { megabytes: self.most >> 20 })),
        }
    }

    /// Refuses the file. Columns are read side by side: where one asks for too much memory that is
    /// what is said, whichever was found out first.
    pub fn refuse(&self, problem: Problem) -> ParquetError {
        let text = problem.to_string();
        let mut refusal = self.refusal.lock().unwrap_or_else(PoisonError::into_inner);
        if refusal.is_none() || matches!(problem, Problem::ParquetMemory { .. }) {
            *refusal = Some(problem);
        }
        ParquetError::General(text)
    }

    /// Why the file was refused, if it was not the library that did.
    pub fn refusal(&self) -> Option<Problem> {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_texts_share_what_is_allowed() {
        let allowance = Allowance::new(2, 1000);
        let (mut one, mut other) = (0, 0);
        allowance.exchange(&mut one, DECODED).unwrap();
        allowance.exchange(&mut other, 2 * PAGE).unwrap();
        assert!(allowance.has_room(4000) && !allowance.has_room(4001));
        allowance.add_texts(4000).unwrap();
        assert!(allowance.add_texts(1).is_err());
        assert!(allowance.refusal().unwrap().to_string().contains("more than 264 MB"));
        allowance.next_rows();
        allowance.exchange(&mut one, 10).unwrap();
        allowance.release(&mut other);
        assert!(allowance.has_room(DECODED) && allowance.refusal().is_none());
        assert!(allowance.exchange(&mut other, u64::MAX).is_err());
    }
}
