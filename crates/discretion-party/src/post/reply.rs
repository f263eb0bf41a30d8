//! The coordinator's signed reply to a greeting.

use crate::wire::{Charter, SecretKey, SignedText, digest};
use discretion_ledger::hex::hex;
use serde::{Deserialize, Serialize};

const PURPOSE: &str = "discretion party reply";

/// What the coordinator says to a greeting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Answer {
    /// The greeting is not accepted.
    Refused(String),
    /// The greeting's time is too far from the coordinator's.
    ClockIsOff(String),
    /// These are not here yet.
    WaitingFor(Vec<String>),
    /// Everybody is here.
    Roster(Vec<SignedText>),
}

#[derive(Serialize, Deserialize)]
pub(super) struct Reply {
    /// A digest of the greeting that this is about: no reply to another one is taken for it.
    to: String,
    pub(super) at: u64,
    pub(super) answer: Answer,
}

pub(super) fn sign(secret: &SecretKey, hello: &[u8], at: u64, answer: Answer) -> SignedText {
    let reply = Reply { to: hex(&digest("hello", &[hello])), at, answer };
    SignedText::new(secret, PURPOSE, serde_json::to_string(&reply).expect("texts can be written"))
}

/// The reply to this greeting, if it is one of the coordinator's.
pub(super) fn check(charter: &Charter, hello: &[u8], bytes: &[u8]) -> Option<Reply> {
    let signed: SignedText = serde_json::from_slice(bytes).ok()?;
    if !signed.is_by(charter.key(charter.coordinator()), PURPOSE) {
        return None;
    }
    let reply: Reply = serde_json::from_str(&signed.text).ok()?;
    (reply.to == hex(&digest("hello", &[hello]))).then_some(reply)
}
