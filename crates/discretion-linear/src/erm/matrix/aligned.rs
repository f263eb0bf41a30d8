//! Numbers that begin where a line of the cache does: a register that straddles two lines costs two
//! loads.

use std::ops::{Deref, DerefMut};

/// Bytes of a line of the cache, and of the widest register.
const LINE: usize = 64;

/// Some numbers, as many as there were at the beginning.
pub(super) struct Aligned<T> {
    /// With room for one line more than needed.
    numbers: Vec<T>,
    first: usize,
    length: usize,
}

impl<T: Copy> Aligned<T> {
    pub fn new(zero: T, length: usize) -> Aligned<T> {
        let numbers = vec![zero; length + LINE / size_of::<T>()];
        // If the address cannot be told, the numbers are as good anywhere.
        let first = numbers.as_ptr().align_offset(LINE).min(LINE / size_of::<T>());
        Aligned { numbers, first, length }
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.numbers[self.first..][..self.length]
    }
}

impl<T> DerefMut for Aligned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.numbers[self.first..][..self.length]
    }
}
