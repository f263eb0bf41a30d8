//! Responses in the store: counted and kept before they leave, and given again under their key.

use super::tokens::{Allowance, allowance};
use super::{Progress, Store, WAIT};
use crate::request_queue::IdempotencyKey;
use discretion::Refusal;
use discretion_disk::sqlite;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashMap;

/// A response that is about to leave.
pub(crate) struct ResponseRecord<'a> {
    pub token: i64,
    /// How many queries it answers.
    pub queries: u64,
    pub key: Option<&'a IdempotencyKey>,
    pub response: &'a str,
}

/// What became of an idempotency key.
pub(crate) enum KeyStatus {
    New,
    /// The same request: its response.
    Answered(String),
    /// It came with another body.
    OtherBody,
}

/// Why a response that was ready does not leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WithholdReason {
    Revoked,
    OverLimit(u64),
    KeyUsed,
}

impl Store {
    /// What became of a request with this key, in whichever session it was answered.
    pub(crate) fn key_status(
        &self,
        token: i64,
        key: &IdempotencyKey,
    ) -> Result<KeyStatus, Refusal> {
        let found: Option<([u8; 32], String)> = self
            .connection
            .prepare_cached("SELECT body, response FROM requests WHERE token = ?1 AND key = ?2")
            .and_then(|mut select| {
                select
                    .query_row(params![token, key.name], |row| Ok((row.get(0)?, row.get(1)?)))
                    .optional()
            })
            .map_err(|error| self.failed(&error))?;
        Ok(match found {
            None => KeyStatus::New,
            Some((body, response)) if body == key.body => KeyStatus::Answered(response),
            Some(_) => KeyStatus::OtherBody,
        })
    }

    /// Counts the queries and keeps the responses of one tick, all in one transaction. Returns the
    /// places of those that must not leave: since they were looked at, their token was revoked, or
    /// another service of the account has used its room up or answered under its key.
    pub(crate) fn settle(
        &self,
        charge: u64,
        records: &[ResponseRecord<'_>],
        progress: Option<&Progress>,
    ) -> Result<HashMap<usize, WithholdReason>, Refusal> {
        let write = || -> rusqlite::Result<HashMap<usize, WithholdReason>> {
            let transaction = sqlite::begin(&self.connection, WAIT)?;
            let mut withheld = HashMap::new();
            for (place, record) in records.iter().enumerate() {
                if let Some(why) = settle_record(&transaction, charge, record)? {
                    withheld.insert(place, why);
                }
            }
            if let Some(Progress { at, queries_left, unstable_left }) = progress {
                transaction
                    .prepare_cached(
                        "INSERT INTO progress (charge, number, at, queries, unstable) VALUES
                         (?1, (SELECT COALESCE(MAX(number), 0) + 1 FROM progress WHERE charge = ?1), ?2, ?3, ?4)",
                    )?
                    .execute(params![charge, at, queries_left, unstable_left])?;
            }
            transaction.commit()?;
            Ok(withheld)
        };
        write().map_err(|error| self.failed(&error))
    }
}

/// Counts and keeps one response, unless it must not leave.
fn settle_record(
    transaction: &Connection,
    charge: u64,
    record: &ResponseRecord<'_>,
) -> rusqlite::Result<Option<WithholdReason>> {
    match allowance(transaction, record.token)? {
        Allowance::Revoked => return Ok(Some(WithholdReason::Revoked)),
        Allowance::Left(left) if left < record.queries => {
            return Ok(Some(WithholdReason::OverLimit(left)));
        }
        Allowance::Unlimited | Allowance::Left(_) => {}
    }
    if let Some(key) = record.key {
        let kept = transaction
            .prepare_cached(
                "INSERT OR IGNORE INTO requests (charge, token, key, body, response) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![charge, record.token, key.name, key.body, record.response])?;
        if kept == 0 {
            return Ok(Some(WithholdReason::KeyUsed));
        }
    }
    transaction
        .prepare_cached("UPDATE tokens SET used = used + ?2 WHERE id = ?1")?
        .execute(params![record.token, record.queries])?;
    Ok(None)
}
