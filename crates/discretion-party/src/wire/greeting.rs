//! Greetings: who is here, what it takes the study to be, and its fresh keys for this attempt.

use super::key::SecretKey;
use super::{Charter, KeyError, PublicKey};
use discretion_disk::hex::{hex, unhex};
use ring::agreement::{EphemeralPrivateKey, X25519};
use ring::rand::SystemRandom;
use serde::{Deserialize, Serialize};

/// The version of everything that goes over the wire.
const PROTOCOL: u32 = 2;

/// A greeting that is further off than this from the clock of whoever first hears it may be a
/// repetition, and is refused.
const CLOCKS_MAY_DIFFER: u64 = 300;

/// A text and its author's signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedText {
    pub(crate) text: String,
    signature: String,
}

impl SignedText {
    /// Signs a text. `purpose` keeps a text of one kind from being taken for another.
    pub(crate) fn new(secret: &SecretKey, purpose: &str, text: String) -> SignedText {
        let signature = hex(&secret.sign(&bytes(purpose, &text)));
        SignedText { text, signature }
    }

    pub(crate) fn is_by(&self, key: PublicKey, purpose: &str) -> bool {
        unhex(&self.signature)
            .is_some_and(|signature| key.verifies(&bytes(purpose, &self.text), &signature))
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts can be written")
    }
}

fn bytes(purpose: &str, text: &str) -> Vec<u8> {
    super::digest(purpose, &[text.as_bytes()]).to_vec()
}

/// What a greeting says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Greeting {
    protocol: u32,
    program: String,
    pub(crate) from: usize,
    /// Seconds since 1970, by the author's clock.
    pub(crate) at: u64,
    sections: Vec<(String, String)>,
    /// A fresh public key for each participant, in their order; the author's own place is empty.
    pub(super) keys: Vec<String>,
}

pub(crate) const PURPOSE: &str = "discretion party hello";

/// A greeting and the secret halves of its keys, each good for one agreement.
pub struct OwnGreeting {
    /// What is sent.
    pub signed: SignedText,
    pub(super) from: usize,
    pub(super) keys: Vec<Option<EphemeralPrivateKey>>,
}

impl OwnGreeting {
    /// The greeting of participant `from`.
    pub fn new(
        charter: &Charter,
        secret: &SecretKey,
        from: usize,
        at: u64,
    ) -> Result<OwnGreeting, KeyError> {
        let failed = |_| KeyError::NoRandomKeys;
        let (mut keys, mut public) = (Vec::new(), Vec::new());
        for number in 0..charter.count() {
            if number == from {
                keys.push(None);
                public.push(String::new());
                continue;
            }
            let key =
                EphemeralPrivateKey::generate(&X25519, &SystemRandom::new()).map_err(failed)?;
            public.push(hex(key.compute_public_key().map_err(failed)?.as_ref()));
            keys.push(Some(key));
        }
        let greeting = Greeting {
            protocol: PROTOCOL,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            from,
            at,
            sections: charter.sections().to_vec(),
            keys: public,
        };
        let text = serde_json::to_string(&greeting).expect("texts and numbers can be written");
        Ok(OwnGreeting { signed: SignedText::new(secret, PURPOSE, text), from, keys })
    }
}

impl Greeting {
    /// Reads a greeting and checks everything but its time. The error is a sentence about its
    /// author for its reader.
    pub(crate) fn check(signed: &SignedText, charter: &Charter) -> Result<Greeting, String> {
        // What another version writes may not be readable, so these two come first.
        #[derive(Deserialize)]
        struct Version {
            protocol: u32,
            program: String,
            from: usize,
        }
        let version: Version = serde_json::from_str(&signed.text)
            .map_err(|_| "its greeting cannot be read".to_owned())?;
        if version.from >= charter.count() || !signed.is_by(charter.key(version.from), PURPOSE) {
            // Without the name: whoever this is may not know it.
            return Err("its greeting is not signed with the key that the study has for its name"
                .to_owned());
        }
        let own = env!("CARGO_PKG_VERSION");
        if version.protocol != PROTOCOL || version.program != own {
            let (theirs, their_protocol) = (version.program, version.protocol);
            let builds = match theirs == own {
                true => format!(" (protocol {their_protocol} there, {PROTOCOL} here)"),
                false => String::new(),
            };
            return Err(format!(
                "it runs discretion {theirs} and this is {own}{builds}; everybody has to run the same version"
            ));
        }
        let greeting: Greeting = serde_json::from_str(&signed.text)
            .map_err(|_| "its greeting cannot be read".to_owned())?;
        let is_key = |key: &String| unhex(key).is_some_and(|key| key.len() == 32);
        let are_keys = greeting
            .keys
            .iter()
            .enumerate()
            .all(|(number, key)| number == greeting.from || is_key(key));
        if greeting.sections == charter.sections()
            && (greeting.keys.len() != charter.count() || !are_keys)
        {
            return Err("its greeting does not have a key for each".to_owned());
        }
        let ours = charter.sections();
        let differs = ours.iter().zip(&greeting.sections).find(|(ours, theirs)| ours != theirs);
        match differs {
            Some(((name, _), _)) => Err(format!("its study is another one: {name} differs")),
            None if ours.len() != greeting.sections.len() => {
                Err("its study is another one: it has other sections".to_owned())
            }
            None => Ok(greeting),
        }
    }

    /// How a clock is off, in words, if it is.
    pub(crate) fn clock_is_off(theirs: u64, ours: u64) -> Option<String> {
        let (off, word) =
            if theirs >= ours { (theirs - ours, "ahead of") } else { (ours - theirs, "behind") };
        (off > CLOCKS_MAY_DIFFER).then(|| {
            let off = match off {
                0..=7199 => format!("{} minutes", off / 60),
                7200..=172_799 => format!("{} hours", off / 3600),
                _ => format!("{} days", off / 86_400),
            };
            format!("{off} {word}")
        })
    }
}
