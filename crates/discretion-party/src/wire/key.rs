//! Long-term keys: Ed25519, one for each member and one for the coordinator.

use super::KeyError;
use discretion_disk::hex::{hex, unhex};
use discretion_disk::owner_only;
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::str::FromStr;

const PUBLIC: &str = "dpk_";
const SECRET: &str = "dsk_";

/// What a study knows a member by: `dpk_` and 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    pub(crate) fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.0).verify(message, signature).is_ok()
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PUBLIC}{}", hex(&self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl FromStr for PublicKey {
    type Err = String;

    fn from_str(text: &str) -> Result<PublicKey, String> {
        if text.starts_with(SECRET) {
            return Err("this is a secret key; it belongs to its owner alone: make another one, and put the public key \
                        here, which starts with dpk_"
                .to_owned());
        }
        let bytes =
            text.strip_prefix(PUBLIC).and_then(unhex).and_then(|bytes| bytes.try_into().ok());
        bytes.map(PublicKey).ok_or_else(|| {
            "this is no public key: dpk_ and 64 hexadecimal digits, as `discretion party key FILE` prints it".to_owned()
        })
    }
}

/// A member's long-term key. It signs greetings and nothing else.
pub struct SecretKey {
    pair: Ed25519KeyPair,
}

impl SecretKey {
    fn of_seed(seed: &[u8]) -> Option<SecretKey> {
        Ed25519KeyPair::from_seed_unchecked(seed).ok().map(|pair| SecretKey { pair })
    }

    /// A new one and the bytes that it is made of.
    fn generate() -> Result<([u8; 32], SecretKey), KeyError> {
        let seed = random()?;
        Ok((seed, SecretKey::of_seed(&seed).ok_or(KeyError::NotMade)?))
    }

    /// A new one, in no file.
    pub fn new() -> Result<SecretKey, KeyError> {
        SecretKey::generate().map(|(_, secret)| secret)
    }

    /// Makes a new one in a file that its owner alone may read, and that was not there before.
    pub fn create(path: &Path) -> Result<SecretKey, KeyError> {
        let (seed, secret) = SecretKey::generate()?;
        let text = format!(
            "# A secret key of `discretion party`. Whoever has this file can take part in its owner's place.\n\
             # The public key, which goes into the study: {}\n{SECRET}{}\n",
            secret.public(),
            hex(&seed)
        );
        let written = owner_only()
            .create_new(true)
            .open(path)
            .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()));
        let failed = |error| file_error(path, format!("this key file cannot be made ({error})"));
        written.map(|()| secret).map_err(failed)
    }

    /// Reads one; nothing if there is no such file.
    pub fn read(path: &Path) -> Result<Option<SecretKey>, KeyError> {
        let text = match discretion_disk::files::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(file_error(path, format!("this key file cannot be read ({error})")));
            }
        };
        let line =
            text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
        let seed = line.and_then(|line| line.strip_prefix(SECRET)).and_then(unhex);
        let secret = seed.and_then(|seed| SecretKey::of_seed(&seed));
        let hint = "this is no key file; `discretion party key FILE` makes one".to_owned();
        secret.map(Some).ok_or_else(|| file_error(path, hint))
    }

    /// Its public half.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.pair.public_key().as_ref().try_into().expect("an Ed25519 key has 32 bytes"))
    }

    pub(crate) fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.pair.sign(message).as_ref().to_vec()
    }
}

fn file_error(path: &Path, problem: String) -> KeyError {
    KeyError::File { path: path.display().to_string(), problem }
}

/// Bytes of the operating system's generator.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], KeyError> {
    let mut bytes = [0; N];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map(|()| bytes).map_err(|_| KeyError::NoRandomBytes)
}
