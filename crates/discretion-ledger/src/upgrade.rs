//! What happens to accounts when their ledger is brought to a later format.

use crate::error::{Error, Explain};
use rusqlite::Transaction;

/// Brings the accounts of a ledger of format `_from` up to date, within the transaction that brings its tables.
pub(crate) fn accounts(
    _transaction: &Transaction<'_>,
    _explain: &Explain,
    _secret: &[u8; 32],
    _from: usize,
) -> Result<(), Error> {
    Ok(())
}
