//! What opens a door: words that nobody can guess.

use discretion_privacy::noise::{NoiseError, random_word};

/// 256 bits of the operating system's randomness, as 64 digits.
pub fn random_token() -> Result<String, NoiseError> {
    let words = (0..4).map(|_| Ok(format!("{:016x}", random_word()?)));
    words.collect()
}
