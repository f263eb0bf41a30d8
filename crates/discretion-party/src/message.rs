//! Messages as bytes: a kind, two numbers, and parts with their lengths. Nothing is left over, nothing is missing.

use crate::PartyError;

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A holder's share for one aggregator.
    Report = 1,
    /// An aggregator's part of a proof's check.
    Check = 2,
    /// An aggregator's share of the sum, with noise.
    Sum = 3,
}

/// A message, taken apart.
pub(crate) struct Message {
    pub(crate) kind: Kind,
    /// The holder whose contribution this is about; 0 in a sum.
    pub(crate) holder: usize,
    /// The aggregator that it is for or from.
    pub(crate) aggregator: usize,
    pub(crate) parts: Vec<Vec<u8>>,
}

impl Message {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let number = |x: usize| u32::try_from(x).expect("a count fits into 32 bits").to_be_bytes();
        let mut bytes = vec![self.kind as u8];
        bytes.extend(number(self.holder));
        bytes.extend(number(self.aggregator));
        bytes.extend(number(self.parts.len()));
        for part in &self.parts {
            bytes.extend((part.len() as u64).to_be_bytes());
            bytes.extend(part);
        }
        bytes
    }

    /// Reads a message of this kind and this many parts.
    pub(crate) fn read(kind: Kind, parts: usize, bytes: &[u8]) -> Result<Message, PartyError> {
        let damaged = |why| PartyError::Damaged { from: "from somebody".to_owned(), why };
        let mut rest = bytes;
        let take = |rest: &mut &[u8], count: usize| {
            let (taken, left) = rest.split_at_checked(count).ok_or(damaged("it ends too early"))?;
            *rest = left;
            Ok::<Vec<u8>, PartyError>(taken.to_vec())
        };
        let number = |rest: &mut &[u8]| {
            let taken = take(rest, 4)?;
            Ok::<usize, PartyError>(taken.iter().fold(0, |x, &byte| x << 8 | usize::from(byte)))
        };
        if take(&mut rest, 1)? != [kind as u8] {
            return Err(damaged("it is of another kind"));
        }
        let (holder, aggregator) = (number(&mut rest)?, number(&mut rest)?);
        if number(&mut rest)? != parts {
            return Err(damaged("it has another number of parts"));
        }
        let mut found = Vec::with_capacity(parts);
        for _ in 0..parts {
            let length = take(&mut rest, 8)?.iter().fold(0u64, |x, &byte| x << 8 | u64::from(byte));
            // A length that no machine can hold is one that ends too early.
            found.push(take(&mut rest, usize::try_from(length).unwrap_or(usize::MAX))?);
        }
        if !rest.is_empty() {
            return Err(damaged("something follows its end"));
        }
        Ok(Message { kind, holder, aggregator, parts: found })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_messages_are_read_and_others_are_not() {
        let parts = vec![vec![1, 2, 3], vec![], vec![9]];
        let bytes =
            Message { kind: Kind::Check, holder: 7, aggregator: 300, parts: parts.clone() }.to_bytes();
        let back = Message::read(Kind::Check, 3, &bytes).unwrap();
        assert_eq!((back.holder, back.aggregator, back.parts), (7, 300, parts));
        for end in 0..bytes.len() {
            assert!(Message::read(Kind::Check, 3, &bytes[..end]).is_err(), "{end}");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(Message::read(Kind::Check, 3, &longer).is_err());
        assert!(Message::read(Kind::Sum, 3, &bytes).is_err());
        assert!(Message::read(Kind::Check, 2, &bytes).is_err());
        // A length of 2⁶⁴ − 1 asks for no memory.
        let mut huge = bytes;
        huge[13..21].fill(0xff);
        assert!(Message::read(Kind::Check, 3, &huge).is_err());
    }
}
