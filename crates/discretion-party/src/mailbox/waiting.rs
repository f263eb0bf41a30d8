//! What waits for a member, and how much of it is whose.

use super::request::Pieces;
use std::collections::{HashMap, VecDeque};

/// Pieces in the order in which they came.
#[derive(Default)]
pub(super) struct WaitingPieces {
    pieces: VecDeque<(usize, Vec<u8>)>,
    /// How many bytes of each sender wait: kept, so that nobody adds them up while others wait for
    /// the lock.
    bytes: HashMap<usize, usize>,
}

/// More of one sender would wait than may.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooMuch;

impl WaitingPieces {
    /// Adds a piece, if no more than `most` bytes of its sender wait then.
    pub(super) fn push(&mut self, from: usize, piece: Vec<u8>, most: usize) -> Result<(), TooMuch> {
        let bytes = self.bytes.entry(from).or_default();
        if *bytes + piece.len() > most {
            return Err(TooMuch);
        }
        *bytes += piece.len();
        self.pieces.push_back((from, piece));
        Ok(())
    }

    /// Takes the first pieces, `most` bytes of them or the first one alone.
    pub(super) fn take(&mut self, most: usize) -> Pieces {
        let (mut taken, mut size) = (Pieces::new(), 0);
        while let Some((_, piece)) = self.pieces.front() {
            size += piece.len();
            if size > most && !taken.is_empty() {
                break;
            }
            let (from, piece) = self.pieces.pop_front().expect("it was just looked at");
            *self.bytes.get_mut(&from).expect("what waits was counted") -= piece.len();
            taken.push((from, piece));
        }
        taken
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sender_has_its_own_bound_and_what_was_taken_makes_room() {
        let mut waiting = WaitingPieces::default();
        assert_eq!(waiting.push(1, vec![1; 6], 10), Ok(()));
        assert_eq!(waiting.push(1, vec![2; 5], 10), Err(TooMuch));
        assert_eq!(waiting.push(2, vec![3; 10], 10), Ok(()));
        assert_eq!(waiting.push(1, vec![4; 4], 10), Ok(()));
        // The first piece comes even if it is too long alone; what was refused is not there.
        assert_eq!(waiting.take(5), [(1, vec![1; 6])]);
        assert_eq!(waiting.push(1, vec![5; 7], 10), Err(TooMuch));
        assert_eq!(waiting.push(1, vec![5; 6], 10), Ok(()));
        assert_eq!(waiting.take(14), [(2, vec![3; 10]), (1, vec![4; 4])]);
        assert_eq!(waiting.take(100), [(1, vec![5; 6])]);
        assert!(waiting.is_empty() && waiting.take(1).is_empty());
    }
}
