//! Everybody's greetings together, and the lines that follow from them.

use super::hello::{Greeting, Hello, Signed};
use super::{Charter, Seal, digest};
use discretion_ledger::hex::unhex;
use ring::aead::{CHACHA20_POLY1305, UnboundKey};
use ring::agreement::{UnparsedPublicKey, X25519, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, Prk, Salt};

/// The greetings of all participants, in their order, each checked.
pub struct Roster {
    digest: [u8; 32],
    hellos: Vec<Hello>,
}

impl Roster {
    /// Checks everybody's greeting. `own` must be among them, as it was sent: then the roster is no older than it is.
    pub fn new(charter: &Charter, signed: &[Signed], own: &Signed) -> Result<Roster, String> {
        if signed.len() != charter.count() || !signed.contains(own) {
            return Err("the coordinator's list of who is here is not complete".to_owned());
        }
        let mut hellos = Vec::new();
        for (number, one) in signed.iter().enumerate() {
            let name = charter.name(number);
            let hello = Hello::check(one, charter).map_err(|why| format!("{name} is not accepted: {why}"))?;
            if hello.from != number {
                return Err(format!("{name} is not accepted: its greeting is another's"));
            }
            hellos.push(hello);
        }
        let parts: Vec<Vec<u8>> = signed.iter().map(Signed::to_bytes).collect();
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        Ok(Roster { digest: digest("roster", &parts), hellos })
    }

    /// What this attempt is called by those who are in it. No two attempts have the same.
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// One secret for each pair that a participant is in.
    pub fn pairs(&self, charter: &Charter, greeting: Greeting) -> Result<Pairs, String> {
        let Greeting { from, keys, .. } = greeting;
        let mut secrets = Vec::new();
        for (number, key) in keys.into_iter().enumerate() {
            let Some(key) = key else {
                secrets.push(None);
                continue;
            };
            let failed = || format!("{} sent a key for this attempt that is none", charter.name(number));
            let theirs = unhex(&self.hellos[number].keys[from]).ok_or_else(failed)?;
            let theirs = UnparsedPublicKey::new(&X25519, theirs);
            let salt = Salt::new(HKDF_SHA256, &self.digest);
            let secret = agree_ephemeral(key, &theirs, |shared| salt.extract(shared));
            secrets.push(Some(secret.map_err(|_| failed())?));
        }
        Ok(Pairs { own: from, secrets })
    }
}

/// What a participant shares with each other one, and with nobody else.
pub struct Pairs {
    own: usize,
    secrets: Vec<Option<Prk>>,
}

impl Pairs {
    /// The line to another participant for this use.
    pub(crate) fn to(&self, other: usize, label: &str) -> Seal {
        self.line(other, label, self.own, other)
    }

    /// The line from another participant.
    pub(crate) fn from(&self, other: usize, label: &str) -> Seal {
        self.line(other, label, other, self.own)
    }

    fn line(&self, other: usize, label: &str, from: usize, to: usize) -> Seal {
        let secret = self.secrets[other].as_ref().expect("nobody has a line to itself");
        let ends = format!("discretion party 1, {label}, {from} to {to}");
        let info = [ends.as_bytes()];
        let key = secret.expand(&info, &CHACHA20_POLY1305).expect("32 bytes are no large key");
        Seal::new(UnboundKey::from(key))
    }
}
