//! Who is who, and what only they can read.
//!
//! Every member of a study, and its coordinator, has a long-term key ([`SecretKey`]), whose public
//! half is in the study. A process begins with a signed greeting ([`Greeting`]) that holds what it
//! takes the study to be and fresh keys for this attempt; all greetings together are the
//! [`Roster`], from which every pair derives its own sealed channels ([`Channel`]). `PROOF.md`
//! beside this file says what that gives.

mod bytes;
mod channel;
mod charter;
mod error;
mod greeting;
mod key;
mod roster;

pub(crate) use bytes::{Reader, put_bytes};
pub use channel::Channel;
pub use charter::{Charter, Member};
pub use error::KeyError;
pub(crate) use greeting::PURPOSE as GREETING;
pub use greeting::{Greeting, OwnGreeting, SignedText};
pub(crate) use key::random;
pub use key::{PublicKey, SecretKey};
pub use roster::{PairwiseKeys, Roster};

use std::time::{SystemTime, UNIX_EPOCH};

/// Where the time comes from: seconds since 1970. Tests have others.
pub type Clock = fn() -> u64;

/// The machine's clock.
pub fn system_clock() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Another's words as one line, cut off after `most` characters: nobody else writes on this
/// terminal.
pub(crate) fn one_line(words: &str, most: usize) -> String {
    words.chars().filter(|c| !c.is_control()).take(most).collect()
}

/// SHA-256 of parts with their lengths, so that no two lists have the same bytes.
pub(crate) fn digest(purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
    let mut context = ring::digest::Context::new(&ring::digest::SHA256);
    for part in [purpose.as_bytes()].iter().chain(parts) {
        context.update(&(part.len() as u64).to_be_bytes());
        context.update(part);
    }
    let digest = context.finish();
    digest.as_ref().try_into().expect("SHA-256 has 32 bytes")
}

#[cfg(test)]
mod tests;
