//! Tokens in the store: made, listed, revoked, and what each may still ask.

use super::Store;
use crate::tokens::{self, Role, Token};
use discretion::{Refusal, RefusalKind};
use discretion_ledger::utc_now;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, params};

/// What a token may still ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allowance {
    Revoked,
    Unlimited,
    Left(u64),
}

impl Store {
    /// Makes a token and returns it. It cannot be shown a second time.
    pub fn new_token(&self, name: &str, role: Role, limit: Option<u64>) -> Result<String, Refusal> {
        if !(1..=100).contains(&name.chars().count()) || name.chars().any(char::is_control) {
            return Err(Refusal::bad_input(format!(
                "a token is named after its owner in 1 to 100 characters on one line, not {name:?}"
            )));
        }
        let token =
            tokens::draw().map_err(|error| Refusal::from_error(RefusalKind::Refused, error))?;
        let hash = tokens::hash(&token);
        let inserted = self.connection.execute(
            "INSERT INTO tokens (name, role, hash, most, made_at) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![name, role.name(), hash, limit, utc_now()],
        );
        match inserted {
            Ok(_) => Ok(token),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
                Err(Refusal::refused(format!(
                    "there is a token named '{name}' already, also if it was revoked; choose another name"
                )))
            }
            Err(error) => Err(self.failed(&error)),
        }
    }

    /// All tokens, in the order in which they were made.
    pub fn tokens(&self) -> Result<Vec<Token>, Refusal> {
        let read = || {
            let sql = "SELECT id, name, role, hash, most, used, revoked FROM tokens ORDER BY id";
            let mut select = self.connection.prepare_cached(sql)?;
            select.query_map([], token)?.collect::<rusqlite::Result<Vec<Token>>>()
        };
        read().map_err(|error| self.failed(&error))
    }

    /// Makes a token open nothing any more.
    pub fn revoke(&self, name: &str) -> Result<(), Refusal> {
        let changed = self
            .connection
            .execute("UPDATE tokens SET revoked = 1 WHERE name = ?1", [name])
            .map_err(|error| self.failed(&error))?;
        if changed == 1 {
            return Ok(());
        }
        let known: Vec<String> = self.tokens()?.into_iter().map(|token| token.name).collect();
        let known = if known.is_empty() {
            "there is none".to_owned()
        } else {
            format!("there is {}", known.join(", "))
        };
        Err(Refusal::bad_input(format!("there is no token named '{name}'; {known}")))
    }

    /// How many more queries a token may ask.
    pub(crate) fn allowance(&self, token: i64) -> Result<Allowance, Refusal> {
        allowance(&self.connection, token).map_err(|error| self.failed(&error))
    }
}

/// What a token may still ask, as this connection or transaction sees it.
pub(super) fn allowance(connection: &Connection, token: i64) -> rusqlite::Result<Allowance> {
    let mut select = connection
        .prepare_cached("SELECT MAX(most - used, 0) FROM tokens WHERE id = ?1 AND revoked = 0")?;
    let found: Option<Option<u64>> = select.query_row([token], |row| row.get(0)).optional()?;
    Ok(match found {
        None => Allowance::Revoked,
        Some(None) => Allowance::Unlimited,
        Some(Some(left)) => Allowance::Left(left),
    })
}

fn token(row: &Row<'_>) -> rusqlite::Result<Token> {
    let role: String = row.get(2)?;
    Ok(Token {
        id: row.get(0)?,
        name: row.get(1)?,
        // A role that this program does not know opens the least.
        role: Role::named(&role).unwrap_or(Role::Analyst),
        hash: row.get(3)?,
        limit: row.get(4)?,
        used: row.get(5)?,
        revoked: row.get(6)?,
    })
}
