//! What holders and aggregators of one round send each other, as bytes: a kind, two numbers, and
//! parts with their lengths. Nothing is left over, nothing is missing.

use crate::RoundError;
use crate::wire::{Reader, put_bytes};

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SumMessageKind {
    /// A holder's share for one aggregator.
    Report = 1,
    /// An aggregator's part of a proof's check.
    Check = 2,
    /// An aggregator's share of the sum, with noise.
    Sum = 3,
}

/// A message, taken apart.
pub(crate) struct SumMessage {
    pub(crate) kind: SumMessageKind,
    /// The holder whose contribution this is about; 0 in a sum.
    pub(crate) holder: usize,
    /// The aggregator that it is for or from.
    pub(crate) aggregator: usize,
    pub(crate) parts: Vec<Vec<u8>>,
}

impl SumMessage {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let number = |x: usize| u32::try_from(x).expect("a count fits into 32 bits").to_be_bytes();
        let mut bytes = vec![self.kind as u8];
        bytes.extend(number(self.holder));
        bytes.extend(number(self.aggregator));
        bytes.extend(number(self.parts.len()));
        for part in &self.parts {
            put_bytes(&mut bytes, part);
        }
        bytes
    }

    /// Reads a message of this kind and this many parts.
    pub(crate) fn read(
        kind: SumMessageKind,
        parts: usize,
        bytes: &[u8],
    ) -> Result<SumMessage, RoundError> {
        let damaged = |why| RoundError::Damaged { from: "from somebody".to_owned(), why };
        let early = || damaged("it ends too early");
        let mut reader = Reader::new(bytes);
        if reader.byte().ok_or_else(early)? != kind as u8 {
            return Err(damaged("it is of another kind"));
        }
        let mut number = || reader.u32().map(|x| x as usize).ok_or_else(early);
        let (holder, aggregator) = (number()?, number()?);
        if number()? != parts {
            return Err(damaged("it has another number of parts"));
        }
        let mut found = Vec::with_capacity(parts);
        for _ in 0..parts {
            found.push(reader.bytes().ok_or_else(early)?.to_vec());
        }
        if !reader.is_at_end() {
            return Err(damaged("something follows its end"));
        }
        Ok(SumMessage { kind, holder, aggregator, parts: found })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_messages_are_read_and_others_are_not() {
        let parts = vec![vec![1, 2, 3], vec![], vec![9]];
        let bytes = SumMessage {
            kind: SumMessageKind::Check,
            holder: 7,
            aggregator: 300,
            parts: parts.clone(),
        }
        .to_bytes();
        let back = SumMessage::read(SumMessageKind::Check, 3, &bytes).unwrap();
        assert_eq!((back.holder, back.aggregator, back.parts), (7, 300, parts));
        for end in 0..bytes.len() {
            assert!(SumMessage::read(SumMessageKind::Check, 3, &bytes[..end]).is_err(), "{end}");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(SumMessage::read(SumMessageKind::Check, 3, &longer).is_err());
        assert!(SumMessage::read(SumMessageKind::Sum, 3, &bytes).is_err());
        assert!(SumMessage::read(SumMessageKind::Check, 2, &bytes).is_err());
        // A length of 2⁶⁴ − 1 asks for no memory.
        let mut huge = bytes;
        huge[13..21].fill(0xff);
        assert!(SumMessage::read(SumMessageKind::Check, 3, &huge).is_err());
    }
}
