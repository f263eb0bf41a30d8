//! The coordinator's signed response to a greeting.

use crate::wire::{Charter, SecretKey, SignedText, digest};
use discretion_disk::hex::hex;
use serde::{Deserialize, Serialize};

const PURPOSE: &str = "discretion party reply";

/// Whether a member is let in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Admission {
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
pub(super) struct GreetingResponse {
    /// A digest of the greeting that this is about: no response to another one is taken for it.
    to: String,
    pub(super) at: u64,
    #[serde(rename = "answer")]
    pub(super) admission: Admission,
}

pub(super) fn sign(
    secret: &SecretKey,
    greeting: &[u8],
    at: u64,
    admission: Admission,
) -> SignedText {
    let response = GreetingResponse { to: hex(&digest("hello", &[greeting])), at, admission };
    SignedText::new(
        secret,
        PURPOSE,
        serde_json::to_string(&response).expect("texts can be written"),
    )
}

/// The response to this greeting, if it is one of the coordinator's.
pub(super) fn check(charter: &Charter, greeting: &[u8], bytes: &[u8]) -> Option<GreetingResponse> {
    let signed: SignedText = serde_json::from_slice(bytes).ok()?;
    if !signed.is_by(charter.key(charter.coordinator()), PURPOSE) {
        return None;
    }
    let response: GreetingResponse = serde_json::from_str(&signed.text).ok()?;
    (response.to == hex(&digest("hello", &[greeting]))).then_some(response)
}
