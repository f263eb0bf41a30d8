//! The log, read once from the beginning and from then on only as far as it is new.
//!
//! Every entry is checked against the chain as it is read. What is kept is the running digest, the
//! hash of the last entry, which stands for all before it: a charge reads that entry and those
//! after it, however long the history is.

use crate::entry::{Entry, Hash, genesis};
use crate::error::Error;
use crate::explain::Explain;
use crate::state::State;
use rusqlite::{Connection, Params};
use std::collections::BTreeMap;

/// Everything that the log says, up to some entry.
#[derive(Default)]
pub(crate) struct Log {
    /// The number of the last entry that was read.
    number: u64,
    /// Its hash.
    head: Hash,
    accounts: BTreeMap<String, State>,
}

impl Log {
    /// Reads what is new.
    pub(crate) fn catch_up(
        &mut self,
        connection: &Connection,
        explain: &Explain,
        secret: &[u8; 32],
    ) -> Result<&mut BTreeMap<String, State>, Error> {
        if self.number == 0 {
            self.head = genesis(secret);
        }
        let mut found_last = self.number == 0;
        each_entry(connection, explain, "WHERE number >= ?1", [self.number.max(1)], |entry| {
            self.check(&entry, explain)?;
            if entry.number == self.number {
                found_last = true;
                return Ok(());
            }
            let read = (entry.number, entry.hash);
            // Most entries are of accounts already seen: look before cloning the name.
            if !self.accounts.contains_key(&entry.account) {
                self.accounts.insert(entry.account.clone(), State::default());
            }
            self.accounts.get_mut(&entry.account).expect("just inserted").take(entry, explain)?;
            // Only now: what cannot be read must stop the next call too.
            (self.number, self.head) = read;
            Ok(())
        })?;
        if found_last {
            Ok(&mut self.accounts)
        } else {
            Err(explain.corrupted(format!("entry {} and all after it are gone", self.number)))
        }
    }

    /// Whether an entry is the last one that was read, unchanged, or follows it.
    fn check(&self, entry: &Entry, explain: &Explain) -> Result<(), Error> {
        let is_last = entry.number == self.number;
        let problem = if !is_last && entry.number != self.number + 1 {
            Some(format!("entry {} is missing", self.number + 1))
        } else if entry.computed_hash() != entry.hash || (is_last && entry.hash != self.head) {
            Some(format!("entry {} was changed after it was written", entry.number))
        } else if !is_last && entry.previous != self.head {
            Some(format!("entry {} does not follow from the one before", entry.number))
        } else {
            None
        };
        problem.map_or(Ok(()), |problem| {
            Err(explain.corrupted(format!("{problem}; see `discretion ledger verify`")))
        })
    }
}

/// Calls `take` with each entry that `condition` selects, in order.
pub(crate) fn each_entry(
    connection: &Connection,
    explain: &Explain,
    condition: &str,
    parameters: impl Params,
    mut take: impl FnMut(Entry) -> Result<(), Error>,
) -> Result<(), Error> {
    let sqlite = |error| explain.sqlite(error);
    let sql = format!("SELECT * FROM entries {condition} ORDER BY number");
    let mut select = connection.prepare_cached(&sql).map_err(sqlite)?;
    let mut rows = select.query(parameters).map_err(sqlite)?;
    while let Some(row) = rows.next().map_err(sqlite)? {
        take(Entry::read(row).map_err(sqlite)?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::Ledger;
    use crate::Purchase;
    use discretion_privacy::Budget;
    use discretion_privacy::account::Event;
    use rusqlite::StatementStatus;

    /// A hundred thousand charges take a hundred times as long as a thousand: each reads as much as
    /// the one before. Counted in SQLite's steps, which do not depend on the machine.
    #[test]
    fn the_thousandth_charge_reads_what_the_second_did() {
        let ledger = Ledger::in_memory().unwrap();
        let account =
            ledger.account("adult", Budget::Approximate { epsilon: 10.0, delta: 1e-6 }).unwrap();
        let sql = "SELECT * FROM entries WHERE number >= ?1 ORDER BY number";
        let steps =
            || ledger.connection.prepare_cached(sql).unwrap().get_status(StatementStatus::VmStep);
        let mut costs = Vec::new();
        for i in 0..1000 {
            let before = steps();
            let event =
                Event::Pure { epsilon: 1e-3 * (1.0 + 1e-6 * f64::from(i)), what: "query".into() };
            account.charge(&Purchase::new(&event, "query")).unwrap();
            costs.push(steps() - before);
        }
        let later = &costs[2..];
        let (least, most) = (later.iter().min().unwrap(), later.iter().max().unwrap());
        assert!(*least > 0 && most - least <= 10, "between {least} and {most} steps");
        assert_eq!(account.standing().unwrap().charges, 1000);
    }
}
