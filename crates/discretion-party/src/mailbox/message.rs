//! Messages between participants, in pieces that fit into a request.

use crate::wire::Reader;

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What a member's journal holds, as far as others must know.
    JournalSummary = 1,
    /// Attempts that an aggregator has not finished and never will.
    Vouch = 2,
    /// An aggregator's part of the key that proofs are checked with.
    Seed = 3,
    /// A holder's share for one aggregator.
    Report = 4,
    /// An aggregator's parts of the checks of all holders' proofs.
    Checks = 5,
    /// An aggregator has its share of the sum, with noise, on its disk.
    Prepared = 6,
    /// An aggregator's share of the sum, with noise.
    Sum = 7,
    /// What a member's ledger was charged.
    Charged = 8,
    /// Nothing more is needed of a member.
    Complete = 9,
    /// A member has all that it came for.
    Finished = 10,
    /// A member cannot go on, and says why.
    Refused = 11,
}

/// Every kind, and its word in sentences, which may be older than its name here.
const KINDS: [(Kind, &str); 11] = [
    (Kind::JournalSummary, "Standing"),
    (Kind::Vouch, "Vouch"),
    (Kind::Seed, "Seed"),
    (Kind::Report, "Report"),
    (Kind::Checks, "Checks"),
    (Kind::Prepared, "Prepared"),
    (Kind::Sum, "Sum"),
    (Kind::Charged, "Charged"),
    (Kind::Complete, "Complete"),
    (Kind::Finished, "Finished"),
    (Kind::Refused, "Refused"),
];

impl Kind {
    fn read(byte: u8) -> Option<Kind> {
        KINDS.iter().map(|(kind, _)| *kind).find(|&kind| kind as u8 == byte)
    }

    pub(super) fn word(self) -> &'static str {
        KINDS.iter().find(|(kind, _)| *kind == self).expect("every kind is here").1
    }
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it is.
    pub kind: Kind,
    /// The sum that it belongs to, from 0; 0 for what belongs to none.
    pub round: usize,
    /// What it says.
    pub body: Vec<u8>,
}

const PIECE: usize = 1 << 20;

/// More than any round's message has.
const LONGEST: usize = 1 << 30;

impl Message {
    /// Its pieces, in order. Each says whether it is the last.
    pub(crate) fn pieces(&self) -> Vec<Vec<u8>> {
        let mut whole = vec![self.kind as u8];
        whole.extend(u32::try_from(self.round).expect("there are few rounds").to_be_bytes());
        whole.extend(&self.body);
        let count = whole.len().div_ceil(PIECE);
        let piece = |(i, piece): (usize, &[u8])| {
            let mut bytes = Vec::with_capacity(piece.len() + 64);
            bytes.push(u8::from(i + 1 == count));
            bytes.extend(piece);
            bytes
        };
        whole.chunks(PIECE).enumerate().map(piece).collect()
    }
}

/// A message of which some pieces are there.
#[derive(Default)]
pub(crate) struct PartialMessage(Vec<u8>);

impl PartialMessage {
    /// Adds the next piece: nothing yet, the message, or an error if these are not the pieces of
    /// one.
    pub(crate) fn add(&mut self, piece: &[u8]) -> Result<Option<Message>, ()> {
        let (&last, rest) = piece.split_first().ok_or(())?;
        if self.0.len() + rest.len() > LONGEST {
            return Err(());
        }
        self.0.extend(rest);
        match last {
            0 => Ok(None),
            1 => {
                let whole = std::mem::take(&mut self.0);
                let mut reader = Reader::new(&whole);
                let kind = reader.byte().and_then(Kind::read).ok_or(())?;
                let round = reader.u32().ok_or(())? as usize;
                Ok(Some(Message { kind, round, body: reader.rest().to_vec() }))
            }
            _ => Err(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_put_together_again() {
        for length in [0, 1, PIECE - 6, PIECE - 5, PIECE - 4, 3 * PIECE] {
            let body: Vec<u8> = (0..length).map(|i| (i % 251) as u8).collect();
            let message = Message { kind: Kind::Sum, round: 3, body };
            let pieces = message.pieces();
            assert!(pieces.iter().all(|piece| piece.len() <= PIECE + 1));
            let mut partial = PartialMessage::default();
            let (last, first) = pieces.split_last().unwrap();
            assert!(first.iter().all(|piece| partial.add(piece) == Ok(None)));
            assert_eq!(partial.add(last), Ok(Some(message)));
        }
        for wrong in [&[][..], &[2, 7, 0, 0, 0, 0], &[1], &[1, 99, 0, 0, 0, 0], &[1, 7, 0, 0, 0]] {
            assert_eq!(PartialMessage::default().add(wrong), Err(()));
        }
    }
}
