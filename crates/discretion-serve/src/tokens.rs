//! Who may ask: 256 random bits each, of which only a hash is kept.

use discretion::noise::NoiseError;
use discretion_http::random_token;
use serde::Serialize;
use sha2::{Digest, Sha256};
use subtle::{ConditionallySelectable, ConstantTimeEq};

/// What a token opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Asks queries.
    Analyst,
    /// Looks at the account and at everybody's counts, and asks nothing.
    Custodian,
}

impl Role {
    /// As it is stored and shown.
    pub fn name(self) -> &'static str {
        match self {
            Role::Analyst => "analyst",
            Role::Custodian => "custodian",
        }
    }

    /// The role of this name.
    pub fn named(name: &str) -> Option<Role> {
        [Role::Analyst, Role::Custodian].into_iter().find(|role| role.name() == name)
    }
}

/// A token as it is kept. Serialised, it is as the custodian sees it: without number and hash.
#[derive(Clone, Debug, Serialize)]
pub struct Token {
    /// Its number.
    #[serde(skip)]
    pub id: i64,
    /// Whose it is.
    pub name: String,
    /// What it opens.
    pub role: Role,
    /// How many queries it may ask in all its life; any number if nothing is said.
    pub limit: Option<u64>,
    /// How many it has asked.
    pub used: u64,
    /// Whether it opens nothing any more.
    pub revoked: bool,
    /// SHA-256 of the token. Nobody can guess 256 random bits, so it needs no salt and no slow
    /// hash.
    #[serde(skip)]
    pub(crate) hash: [u8; 32],
}

/// A new token: what is shown once.
pub fn draw() -> Result<String, NoiseError> {
    Ok(format!("discretion_{}", random_token()?))
}

/// What is kept of a token.
pub fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// The token that was presented, if it is one and not revoked. All of them are compared, whatever
/// the first ones say, and no token at all takes the way of a wrong one.
pub fn find<'t>(tokens: &'t [Token], presented: Option<&str>) -> Option<&'t Token> {
    let presented = hash(presented.unwrap_or(""));
    let mut found = u64::MAX;
    for (place, token) in (0..).zip(tokens) {
        let is_this_one =
            token.hash.ct_eq(&presented) & !subtle::Choice::from(u8::from(token.revoked));
        found = u64::conditional_select(&found, &place, is_this_one);
    }
    usize::try_from(found).ok().and_then(|place| tokens.get(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_drawn_and_not_revoked_is_found() {
        let texts: Vec<String> = (0..3).map(|_| draw().unwrap()).collect();
        assert!(texts.iter().all(|text| text.len() == 11 + 64) && texts[0] != texts[1]);
        let token = |(id, text): (i64, &String)| Token {
            id,
            name: id.to_string(),
            role: Role::Analyst,
            limit: None,
            used: 0,
            revoked: id == 1,
            hash: hash(text),
        };
        let tokens: Vec<Token> = (0..).zip(&texts).map(token).collect();
        let found = |presented| find(&tokens, presented).map(|token| token.id);
        assert_eq!(found(Some(&texts[0])), Some(0));
        assert_eq!(found(Some(&texts[2])), Some(2));
        assert_eq!(found(Some(&texts[1])), None, "revoked");
        assert_eq!(found(Some(&texts[0][..74])), None);
        assert_eq!((found(Some("")), found(None)), (None, None));
        assert!(find(&[], Some(&texts[0])).is_none());
    }
}
