//! Numbers that may be very many.
//!
//! Few are in a vector. Many are in pages that the system is asked to make large: in pages of four
//! kilobytes, a table of 90 MB is 22 000 interruptions while it is filled, and as many addresses to
//! look up in every pass.

use bytemuck::Pod;
use memmap2::{MmapMut, MmapOptions};
use rayon::prelude::*;
use std::ops::{Deref, DerefMut};

/// From so many bytes on, large pages (of 2 MB on most systems) are worth having.
const LARGE: usize = 8 << 20;

pub(super) enum Numbers<T> {
    Few(Vec<T>),
    Many { pages: MmapMut, length: usize },
}

impl<T: Pod + Send + Sync> Numbers<T> {
    /// Makes room for so many numbers altogether, or for more if there were some already, so that
    /// it is not done often. Of large pages the system gives those that are then written to.
    pub fn reserve(&mut self, altogether: usize) {
        if altogether <= self.capacity() {
            return;
        }
        let length = self.len();
        let room = altogether.max(2 * length);
        let bytes = room.saturating_mul(size_of::<T>());
        match (large_pages(bytes), &mut *self) {
            (Some(mut pages), _) => {
                pages[..length * size_of::<T>()].copy_from_slice(bytemuck::cast_slice(self));
                *self = Numbers::Many { pages, length };
            }
            (None, Numbers::Few(numbers)) if bytes < LARGE => numbers.reserve_exact(room - length),
            // The system does not have that much. A vector asks for less, when it is needed.
            (None, Numbers::Few(_)) => {}
            (None, Numbers::Many { .. }) => *self = Numbers::Few(self.to_vec()),
        }
    }

    pub fn extend_from_slice(&mut self, more: &[T]) {
        self.reserve(self.len() + more.len());
        match self {
            Numbers::Few(numbers) => numbers.extend_from_slice(more),
            Numbers::Many { pages, length } => {
                free(pages, *length)[..more.len()].copy_from_slice(more);
                *length += more.len();
            }
        }
    }

    pub fn extend(&mut self, more: impl ExactSizeIterator<Item = T>) {
        self.reserve(self.len() + more.len());
        match self {
            Numbers::Few(numbers) => numbers.extend(more),
            Numbers::Many { pages, length } => {
                for (place, number) in free(pages, *length).iter_mut().zip(more) {
                    *place = number;
                    *length += 1;
                }
            }
        }
    }

    /// Those of the rows at these positions, of so many numbers each, in this order.
    pub fn gather(&self, width: usize, positions: &[usize]) -> Numbers<T> {
        /// Rows that a core copies at a time.
        const ROWS: usize = 4096;
        let length = width * positions.len();
        let mut gathered = match large_pages(length * size_of::<T>()) {
            Some(pages) => Numbers::Many { pages, length },
            None => Numbers::Few(vec![T::zeroed(); length]),
        };
        if width > 0 {
            let rows: &[T] = self;
            let pieces = gathered.par_chunks_mut(width * ROWS).zip(positions.par_chunks(ROWS));
            pieces.for_each(|(piece, positions)| copy_rows(piece, rows, width, positions));
        }
        gathered
    }

    /// Adds those of the rows at these positions of others, of so many numbers each, in this order.
    pub fn extend_at(&mut self, rows: &[T], width: usize, positions: &[usize]) {
        let (length, more) = (self.len(), width * positions.len());
        self.reserve(length + more);
        match self {
            Numbers::Few(numbers) => numbers.resize(length + more, T::zeroed()),
            Numbers::Many { length, .. } => *length += more,
        }
        copy_rows(&mut self[length..], rows, width, positions);
    }

    pub fn clear(&mut self) {
        match self {
            Numbers::Few(numbers) => numbers.clear(),
            Numbers::Many { length, .. } => *length = 0,
        }
    }

    /// The memory, empty, if it is a vector.
    pub fn into_memory(self) -> Vec<T> {
        match self {
            Numbers::Few(mut numbers) => {
                numbers.clear();
                numbers
            }
            Numbers::Many { .. } => Vec::new(),
        }
    }

    fn capacity(&self) -> usize {
        match self {
            Numbers::Few(numbers) => numbers.capacity(),
            Numbers::Many { pages, .. } => pages.len() / size_of::<T>(),
        }
    }
}

/// Copies the rows at these positions, of so many numbers each, in this order.
fn copy_rows<T: Copy>(into: &mut [T], rows: &[T], width: usize, positions: &[usize]) {
    /// A few numbers whose number is known are copied as fast as one.
    fn few<T: Copy, const WIDTH: usize>(into: &mut [T], rows: &[T], positions: &[usize]) {
        let (places, rows) = (into.as_chunks_mut::<WIDTH>().0, rows.as_chunks::<WIDTH>().0);
        places.iter_mut().zip(positions).for_each(|(place, &row)| *place = rows[row]);
    }
    match width {
        0 => {}
        1 => few::<T, 1>(into, rows, positions),
        2 => few::<T, 2>(into, rows, positions),
        3 => few::<T, 3>(into, rows, positions),
        4 => few::<T, 4>(into, rows, positions),
        _ => {
            for (place, &row) in into.chunks_exact_mut(width).zip(positions) {
                place.copy_from_slice(&rows[row * width..][..width]);
            }
        }
    }
}

/// Pages for so many bytes, if those are many and the system has them.
fn large_pages(bytes: usize) -> Option<MmapMut> {
    if bytes < LARGE {
        return None;
    }
    let pages = MmapOptions::new().len(bytes).no_reserve_swap().map_anon().ok()?;
    // Where this advice is not taken pages are small, and nothing else is different.
    #[cfg(target_os = "linux")]
    let _ = pages.advise(memmap2::Advice::HugePage);
    Some(pages)
}

/// What is behind the first `length` numbers.
fn free<T: Pod>(pages: &mut MmapMut, length: usize) -> &mut [T] {
    let whole = pages.len() / size_of::<T>() * size_of::<T>();
    bytemuck::cast_slice_mut(&mut pages[length * size_of::<T>()..whole])
}

impl<T> From<Vec<T>> for Numbers<T> {
    fn from(numbers: Vec<T>) -> Numbers<T> {
        Numbers::Few(numbers)
    }
}

impl<T: Pod> Deref for Numbers<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Numbers::Few(numbers) => numbers,
            Numbers::Many { pages, length } => {
                bytemuck::cast_slice(&pages[..length * size_of::<T>()])
            }
        }
    }
}

impl<T: Pod> DerefMut for Numbers<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            Numbers::Few(numbers) => numbers,
            Numbers::Many { pages, length } => {
                bytemuck::cast_slice_mut(&mut pages[..*length * size_of::<T>()])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever they are kept in, the numbers are those of a vector.
    #[test]
    fn numbers_are_kept_when_they_become_many() {
        let piece: Vec<u32> = (0..100_003).collect();
        let (mut expected, mut numbers) = (Vec::new(), Numbers::from(Vec::new()));
        let every: Vec<usize> = (0..piece.len()).collect();
        for turn in 0..60u32 {
            expected.extend(piece.iter().map(|x| x ^ turn));
            let more = piece.iter().map(|x| x ^ turn);
            match turn % 3 {
                0 => numbers.extend(more),
                1 => numbers.extend_from_slice(&more.collect::<Vec<_>>()),
                _ => numbers.extend_at(&more.collect::<Vec<_>>(), 1, &every),
            }
            assert!(*numbers == expected[..]);
            assert_eq!(matches!(numbers, Numbers::Many { .. }), 4 * numbers.capacity() >= LARGE);
        }
        assert!(matches!(numbers, Numbers::Many { .. }), "24 MB are many");
        numbers.iter_mut().for_each(|x| *x += 1);
        assert!(numbers.iter().zip(&expected).all(|(x, expected)| *x == expected + 1));
        numbers.clear();
        numbers.extend_from_slice(&[7]);
        assert_eq!(*numbers, [7]);
    }

    #[test]
    fn rows_of_every_width_are_copied() {
        for width in 0..8 {
            let rows = Numbers::from((0..10 * width as u32).collect::<Vec<_>>());
            let positions = [7, 0, 7, 9];
            let expected: Vec<u32> =
                positions.iter().flat_map(|&row| rows[row * width..][..width].to_vec()).collect();
            assert_eq!(*rows.gather(width, &positions), expected);
            let mut numbers = Numbers::from(vec![1]);
            numbers.extend_at(&rows, width, &positions);
            assert_eq!(numbers[1..], expected);
        }
    }

    #[test]
    fn room_that_is_asked_for_is_not_moved_when_it_is_filled() {
        let mut numbers = Numbers::from(vec![1.0f32]);
        numbers.reserve(LARGE);
        numbers.extend_from_slice(&vec![2.0; LARGE - 1]);
        assert_eq!((numbers.capacity(), numbers[0], numbers[LARGE - 1]), (LARGE, 1.0, 2.0));
        let mut few = Numbers::from(Vec::<u16>::new());
        few.reserve(10);
        assert!(matches!(&few, Numbers::Few(numbers) if numbers.capacity() == 10));
        assert_eq!(few.into_memory().capacity(), 10);
    }

    #[test]
    fn room_that_the_system_does_not_have_is_done_without() {
        let mut numbers = Numbers::from(vec![1u32]);
        numbers.reserve(usize::MAX / 8);
        numbers.extend_from_slice(&vec![2; LARGE]);
        assert!(matches!(numbers, Numbers::Many { .. }));
        numbers.reserve(usize::MAX / 8);
        numbers.extend_from_slice(&[3]);
        assert_eq!(
            (numbers.len(), numbers[0], numbers[1], numbers[LARGE + 1]),
            (LARGE + 2, 1, 2, 3)
        );
    }
}
