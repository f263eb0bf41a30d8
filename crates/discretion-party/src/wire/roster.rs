//! Everybody's greetings together, and the channels that follow from them.

use super::greeting::{Greeting, OwnGreeting, SignedText};
use super::{Channel, Charter, digest};
use discretion_disk::hex::unhex;
use ring::aead::{CHACHA20_POLY1305, UnboundKey};
use ring::agreement::{UnparsedPublicKey, X25519, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, Prk, Salt};

/// The greetings of all participants, in their order, each checked.
pub struct Roster {
    digest: [u8; 32],
    greetings: Vec<Greeting>,
}

impl Roster {
    /// Checks everybody's greeting. `own` must be among them, as it was sent: then the roster is no
    /// older than it is.
    pub fn new(
        charter: &Charter,
        signed: &[SignedText],
        own: &SignedText,
    ) -> Result<Roster, String> {
        if signed.len() != charter.count() || !signed.contains(own) {
            return Err("the coordinator's list of who is here is not complete".to_owned());
        }
        let mut greetings = Vec::new();
        for (number, one) in signed.iter().enumerate() {
            let name = charter.name(number);
            let greeting = Greeting::check(one, charter)
                .map_err(|why| format!("{name} is not accepted: {why}"))?;
            if greeting.from != number {
                return Err(format!("{name} is not accepted: its greeting is another's"));
            }
            greetings.push(greeting);
        }
        let parts: Vec<Vec<u8>> = signed.iter().map(SignedText::to_bytes).collect();
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        Ok(Roster { digest: digest("roster", &parts), greetings })
    }

    /// What this attempt is called by those who are in it. No two attempts have the same.
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// One secret for each pair that a participant is in.
    pub fn pairwise_keys(
        &self,
        charter: &Charter,
        greeting: OwnGreeting,
    ) -> Result<PairwiseKeys, String> {
        let OwnGreeting { from, keys, .. } = greeting;
        let mut secrets = Vec::new();
        for (number, key) in keys.into_iter().enumerate() {
            let Some(key) = key else {
                secrets.push(None);
                continue;
            };
            let failed =
                || format!("{} sent a key for this attempt that is none", charter.name(number));
            let theirs = unhex(&self.greetings[number].keys[from]).ok_or_else(failed)?;
            let theirs = UnparsedPublicKey::new(&X25519, theirs);
            let salt = Salt::new(HKDF_SHA256, &self.digest);
            let secret = agree_ephemeral(key, &theirs, |shared| salt.extract(shared));
            secrets.push(Some(secret.map_err(|_| failed())?));
        }
        Ok(PairwiseKeys { own: from, secrets })
    }
}

/// What a participant shares with each other one, and with nobody else.
pub struct PairwiseKeys {
    own: usize,
    secrets: Vec<Option<Prk>>,
}

impl PairwiseKeys {
    /// The channel to another participant for this use.
    pub(crate) fn channel_to(&self, other: usize, label: &str) -> Channel {
        self.channel(other, label, self.own, other)
    }

    /// The channel from another participant.
    pub(crate) fn channel_from(&self, other: usize, label: &str) -> Channel {
        self.channel(other, label, other, self.own)
    }

    fn channel(&self, other: usize, label: &str, from: usize, to: usize) -> Channel {
        let secret = self.secrets[other].as_ref().expect("nobody has a channel to itself");
        let ends = format!("discretion party 1, {label}, {from} to {to}");
        let info = [ends.as_bytes()];
        let key = secret.expand(&info, &CHACHA20_POLY1305).expect("32 bytes are no large key");
        Channel::new(UnboundKey::from(key))
    }
}
