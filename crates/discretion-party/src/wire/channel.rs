//! One direction between two participants: every message is readable by the other end alone, and
//! only in order.

use ring::aead::{Aad, LessSafeKey, Nonce, UnboundKey};

/// One end of a channel: it seals the next message, or opens it. Whoever changes, drops, repeats or
/// reorders messages stops it.
pub struct Channel {
    key: LessSafeKey,
    next: u64,
}

impl Channel {
    pub(super) fn new(key: UnboundKey) -> Channel {
        Channel { key: LessSafeKey::new(key), next: 0 }
    }

    /// The number of the next message.
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// Each number is used once, with a key that one channel has.
    fn nonce(&self) -> Nonce {
        let mut bytes = [0; 12];
        bytes[4..].copy_from_slice(&self.next.to_be_bytes());
        Nonce::assume_unique_for_key(bytes)
    }

    pub(crate) fn seal(&mut self, mut message: Vec<u8>) -> Vec<u8> {
        let sealed = self.key.seal_in_place_append_tag(self.nonce(), Aad::empty(), &mut message);
        sealed.expect("messages are far shorter than the cipher's limit");
        self.next += 1;
        message
    }

    /// The next message, or nothing if this is not it.
    pub(crate) fn open(&mut self, mut sealed: Vec<u8>) -> Option<Vec<u8>> {
        let length = self.key.open_in_place(self.nonce(), Aad::empty(), &mut sealed).ok()?.len();
        sealed.truncate(length);
        self.next += 1;
        Some(sealed)
    }
}
