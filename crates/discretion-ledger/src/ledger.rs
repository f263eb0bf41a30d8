//! The ledger: one file, many accounts.

use crate::account::Account;
use crate::entry::{self, Kind, Record};
use crate::error::{Error, Explain, FileError};
use crate::fault::checkpoint;
use crate::history::Standing;
use crate::log::Log;
use crate::session::answers_of_charges;
use crate::state::State;
use crate::store::{self, Found};
use crate::{location, snapshot, verify};
use discretion_privacy::account::Terms;
use discretion_privacy::noise::Receipt;
use discretion_privacy::trusted::receipt_for_charge;
use rusqlite::{Connection, OptionalExtension};
use std::cell::RefCell;
use std::collections::HashMap;
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
}

impl Ledger {
    /// Opens the ledger at `path`, and makes it and its directory if they are not there.
    pub fn open(path: &Path) -> Result<Ledger, Error> {
        Ledger::open_waiting(path, DEFAULT_WAIT)
    }

    /// As [`Ledger::open`]; this and every later call wait at most `wait` for another process that is writing.
    pub fn open_waiting(path: &Path, wait: Duration) -> Result<Ledger, Error> {
        store::create_file(path)?;
        let explain = Explain::to_write(path, wait)?;
        let connection = store::connect(&explain)?;
        explain.check_name()?;
        Ledger::prepare(connection, explain)
    }

    /// Opens the ledger that `flag`, else `DISCRETION_LEDGER`, else the user's data directory names.
    pub fn open_default(flag: Option<&Path>) -> Result<Ledger, Error> {
        Ledger::open(&location::default_path(flag)?)
    }

    /// Opens a ledger that exists, to look at it: nothing can be written. [`FileError::Missing`] if there is none.
    pub fn peek(path: &Path) -> Result<Ledger, Error> {
        let explain = Explain::to_look(path, DEFAULT_WAIT);
        let missing = || Error::File(FileError::Missing { path: explain.shown() });
        match std::fs::metadata(path) {
            Ok(metadata) if !metadata.is_file() => {
                return Err(Error::File(FileError::NotALedger { path: explain.shown() }));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(missing()),
            _ => {}
        }
        let look = |connection: Connection| -> Result<(Connection, Found), Error> {
            store::configure(&connection, &explain)?;
            let found = store::recognise(&connection, &explain)?;
            Ok((connection, found))
        };
        let (connection, found) = match look(store::connect(&explain)?) {
            Err(Error::File(FileError::ReadOnly { path })) => {
                look(store::connect_immutable(&explain).ok_or(Error::File(FileError::ReadOnly { path }))?)?
            }
            looked => looked?,
        };
        if found == Found::Nothing {
            return Err(missing());
        }
        connection.pragma_update(None, "query_only", true).map_err(|error| explain.sqlite(error))?;
        let secret = store::secret(&connection, &explain)?;
        Ok(Ledger { connection, explain, secret, log: RefCell::default() })
    }

    /// A ledger that is forgotten when it is dropped: for tests, and for dry runs where there is none yet.
    pub fn in_memory() -> Result<Ledger, Error> {
        let explain = Explain::to_look(Path::new(":memory:"), DEFAULT_WAIT);
        let connection = Connection::open_in_memory().map_err(|error| explain.sqlite(error))?;
        store::configure(&connection, &explain)?;
        store::bring_up_to_date(&connection, &explain)?;
        let secret = store::secret(&connection, &explain)?;
        Ok(Ledger { connection, explain, secret, log: RefCell::default() })
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
        Ok(Ledger { connection, explain, secret, log: RefCell::default() })
    }

    /// The ledger's file.
    pub fn path(&self) -> &Path {
        &self.explain.path
    }

    /// The account of a study whose `[budget]` is `terms`. It is opened by its first charge, not here. If it exists
    /// with another cap, that is an error.
    pub fn account(&self, name: &str, terms: impl Into<Terms>) -> Result<Account<'_>, Error> {
        if !(1..=200).contains(&name.chars().count()) || name.chars().any(char::is_control) {
            return Err(Error::BadName(name.to_owned()));
        }
        let terms = terms.into();
        terms.cap.checked()?;
        let account = Account { ledger: self, name: name.to_owned(), terms: Some(terms) };
        account.check()?;
        Ok(account)
    }

    /// An account that exists, whatever its cap.
    pub fn existing_account(&self, name: &str) -> Result<Account<'_>, Error> {
        let account = Account { ledger: self, name: name.to_owned(), terms: None };
        account.check()?;
        Ok(account)
    }

    /// Where every account stands, by name.
    pub fn list(&self) -> Result<Vec<Standing>, Error> {
        let answers = self.answers()?;
        let mut log = self.log.borrow_mut();
        let accounts = log.catch_up(&self.connection, &self.explain, &self.secret)?;
        let standing =
            |(name, state): (&String, &mut State)| snapshot::standing_of(name, state, &answers, self);
        accounts.iter_mut().map(standing).collect()
    }

    /// Calls `work` with what the log now says about an account, if it was opened.
    pub(crate) fn with_account<T>(
        &self,
        name: &str,
        work: impl FnOnce(Option<&mut State>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut log = self.log.borrow_mut();
        work(log.catch_up(&self.connection, &self.explain, &self.secret)?.get_mut(name))
    }

    /// How many answers each session gave, by its charge.
    pub(crate) fn answers(&self) -> Result<HashMap<u64, u64>, Error> {
        answers_of_charges(&self.connection, &self.explain)
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
        };
        entry::append(&transaction, &self.explain, &self.secret, released)?;
        checkpoint("release:before-commit");
        transaction.commit().map_err(sqlite)?;
        checkpoint("release:after-commit");
        Ok(())
    }

    /// Walks the whole chain of hashes. `noted` is the head of an earlier walk, written down elsewhere: without one,
    /// nobody can tell a ledger whose last entries were cut off from a younger one.
    pub fn verify(&self, noted: Option<&str>) -> Result<verify::Verification, Error> {
        verify::verify(self, noted)
    }

    pub(crate) fn no_such_account(&self, name: &str) -> Result<Error, Error> {
        let sqlite = |error| self.explain.sqlite(error);
        let mut names = self
            .connection
            .prepare("SELECT DISTINCT account FROM entries ORDER BY account")
            .map_err(sqlite)?;
        let known = names.query_map([], |row| row.get(0)).and_then(Iterator::collect).map_err(sqlite)?;
        Ok(Error::NoSuchAccount { name: name.to_owned(), known })
    }
}
