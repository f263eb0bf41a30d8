//! The ledger: one file, many accounts.

use crate::entry::{self, Kind, Record};
use crate::error::{Error, FileError};
use crate::explain::Explain;
use crate::fault::checkpoint;
use crate::journal::{self, Restored};
use crate::location;
use crate::log::Log;
use crate::state::State;
use crate::store::{self, Found};
use discretion_disk::temporary::Folder;
use discretion_privacy::noise::Receipt;
use discretion_privacy::trusted::receipt_for_charge;
use rusqlite::{Connection, OptionalExtension};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

/// How long a process waits for another one that is writing, unless told otherwise.
pub const DEFAULT_WAIT: Duration = Duration::from_secs(10);

/// A ledger, open. It can be sent to another thread but not shared by two: open it twice instead.
pub struct Ledger {
    pub(crate) connection: Connection,
    pub(crate) explain: Explain,
    /// The key of fingerprints.
    pub(crate) secret: [u8; 32],
    /// What was read of the log so far.
    log: RefCell<Log>,
    /// Where the copy is that this looks at, if a commit of the file itself was broken off.
    pub(crate) copy: Option<Folder>,
}

impl Ledger {
    /// Opens the ledger at `path`, and makes it and its directory if they are not there.
    pub fn open(path: &Path) -> Result<Ledger, Error> {
        Ledger::open_waiting(path, DEFAULT_WAIT)
    }

    /// As [`Ledger::open`]; this and every later call wait at most `wait` for another process that
    /// is writing.
    pub fn open_waiting(path: &Path, wait: Duration) -> Result<Ledger, Error> {
        store::create_file(path)?;
        let explain = Explain::to_write(path, wait)?;
        explain.check_beside()?;
        let connection = store::connect(&explain)?;
        explain.check_name()?;
        Ledger::prepare(connection, explain)
    }

    /// Opens the ledger that `flag`, else `DISCRETION_LEDGER`, else the user's data directory
    /// names.
    pub fn open_default(flag: Option<&Path>) -> Result<Ledger, Error> {
        Ledger::open(&location::default_path(flag)?)
    }

    /// Opens a ledger that exists, to look at it: nothing can be written. [`FileError::Missing`] if
    /// there is none.
    pub fn peek(path: &Path) -> Result<Ledger, Error> {
        let explain = Explain::to_look(path, DEFAULT_WAIT)?;
        let missing = || Error::File(FileError::Missing { path: explain.shown() });
        match std::fs::metadata(&explain.file) {
            Ok(metadata) if !metadata.is_file() => {
                return Err(Error::File(FileError::NotALedger { path: explain.shown() }));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(missing()),
            _ => {}
        }
        let (ledger, found) = match journal::restored(&explain)? {
            Some(Restored { ledger, found }) => (ledger, found),
            None => Ledger::look_at(&explain)?,
        };
        if found == Found::Nothing {
            return Err(missing());
        }
        let sqlite = |error| explain.sqlite(error);
        ledger.connection.pragma_update(None, "query_only", true).map_err(sqlite)?;
        let secret = store::secret(&ledger.connection, &explain)?;
        Ok(Ledger { secret, ..ledger })
    }

    /// Looks at a file beside which nothing is.
    fn look_at(explain: &Explain) -> Result<(Ledger, Found), Error> {
        let look = |connection: Connection| -> Result<(Ledger, Found), Error> {
            store::configure(&connection, explain)?;
            let found = store::recognise(&connection, explain)?;
            Ok((Ledger::to_look(connection, explain.clone(), [0; 32]), found))
        };
        let looked = store::look(explain).and_then(|connection| {
            let has_log = store::has_log(&connection, explain)?;
            // A write-ahead log, as earlier programs had it, is taken away by the last who leaves
            // it and may write.
            look(if has_log { store::connect(explain)? } else { connection })
        });
        match looked {
            Err(Error::File(FileError::ReadOnly { path })) => look(
                store::connect_immutable(explain)
                    .ok_or(Error::File(FileError::ReadOnly { path }))?,
            ),
            looked => looked,
        }
    }

    /// A ledger that is only looked at.
    pub(crate) fn to_look(connection: Connection, explain: Explain, secret: [u8; 32]) -> Ledger {
        Ledger { connection, explain, secret, log: RefCell::default(), copy: None }
    }

    /// The connection, to read by it. What a crash of another process left beside the file is looked
    /// at before SQLite brings it in.
    pub(crate) fn reading(&self) -> Result<&Connection, Error> {
        if self.connection.is_autocommit() {
            self.explain.check_beside()?;
        }
        Ok(&self.connection)
    }

    /// A ledger that is forgotten when it is dropped: for tests, and for dry runs where there is
    /// none yet.
    pub fn in_memory() -> Result<Ledger, Error> {
        let explain = Explain::in_memory(DEFAULT_WAIT);
        let connection = Connection::open_in_memory().map_err(|error| explain.sqlite(error))?;
        store::configure(&connection, &explain)?;
        store::bring_up_to_date(&connection, &explain)?;
        let secret = store::secret(&connection, &explain)?;
        Ok(Ledger::to_look(connection, explain, secret))
    }

    fn prepare(connection: Connection, explain: Explain) -> Result<Ledger, Error> {
        store::configure(&connection, &explain)?;
        // A foreign file is refused before anything in it is changed, its journal mode included.
        let found = store::recognise(&connection, &explain)?;
        let connection = store::keep_one_file(connection, &explain)?;
        if found.format() < store::FORMAT as usize {
            store::bring_up_to_date(&connection, &explain)?;
        }
        let secret = store::secret(&connection, &explain)?;
        Ok(Ledger::to_look(connection, explain, secret))
    }

    /// The ledger's file, as it was named.
    #[expect(clippy::misnamed_getters, reason = "`path` is the file that the name leads to")]
    pub fn path(&self) -> &Path {
        &self.explain.named
    }

    /// The ledger's file from the root of the file system and without links.
    pub fn file(&self) -> &Path {
        &self.explain.file
    }

    /// Calls `work` with what the log now says about all accounts, by name.
    pub(crate) fn with_accounts<T>(
        &self,
        work: impl FnOnce(&mut BTreeMap<String, State>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut log = self.log.borrow_mut();
        work(log.catch_up(self.reading()?, &self.explain, &self.secret)?)
    }

    /// Calls `work` with what the log now says about an account, if it was opened.
    pub(crate) fn with_account<T>(
        &self,
        name: &str,
        work: impl FnOnce(Option<&mut State>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.with_accounts(|accounts| work(accounts.get_mut(name)))
    }

    /// The receipt for a charge of this ledger. A ledger in memory is forgotten with the process.
    pub(crate) fn receipt(&self, account: &str, charge: u64) -> Receipt {
        match self.explain.is_on_disk() {
            true => receipt_for_charge(account, charge),
            false => Receipt::nobody_remembers(),
        }
    }

    /// Records that `file` left under the charge of this number.
    pub fn release(&self, charge: u64, file: &str, sha256: Option<&str>) -> Result<(), Error> {
        checkpoint("release:before-begin");
        let sqlite = |error| self.explain.sqlite(error);
        let transaction = store::begin(&self.connection, &self.explain)?;
        let account: String = transaction
            .query_row(
                "SELECT account FROM entries WHERE number = ?1 AND kind = 'charged'",
                [charge],
                |row| row.get(0),
            )
            .optional()
            .map_err(sqlite)?
            .ok_or(Error::NoSuchCharge(charge))?;
        let released = Record {
            kind: Kind::Released,
            account: &account,
            cap: None,
            event: None,
            charge: Some(charge),
            note: file,
            digest: sha256,
            job: None,
        };
        entry::append(&transaction, &self.explain, &self.secret, released)?;
        checkpoint("release:before-commit");
        transaction.commit().map_err(sqlite)?;
        checkpoint("release:after-commit");
        Ok(())
    }

    pub(crate) fn no_such_account(&self, name: &str) -> Result<Error, Error> {
        let sqlite = |error| self.explain.sqlite(error);
        let mut names = self
            .reading()?
            .prepare("SELECT DISTINCT account FROM entries ORDER BY account")
            .map_err(sqlite)?;
        let known =
            names.query_map([], |row| row.get(0)).and_then(Iterator::collect).map_err(sqlite)?;
        Ok(Error::NoSuchAccount { name: name.to_owned(), known })
    }
}
