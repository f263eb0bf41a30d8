//! Checks the journal or write-ahead log beside a ledger before SQLite may use it.
//!
//! A journal is left by a commit that was broken off; earlier programs left a log. SQLite brings
//! either into whatever file has the ledger's name now. So it first does this in a copy. The copy
//! must be this ledger one commit ago, or this ledger with its own log.

use crate::entry::Entry;
use crate::error::{Error, FileError};
use crate::explain::Explain;
use crate::ledger::Ledger;
use crate::raw;
use crate::store::{self, Found};
use discretion_disk::temporary::Folder;
use discretion_disk::{files, sqlite};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

const JOURNAL: &str = "-journal";
const LOG: &str = "-wal";

/// The first bytes of a journal; also its last ones, if a commit wrote to several files.
const MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// A ledger's file as it is without its journal, or with its log.
pub(crate) struct Restored {
    pub(crate) ledger: Ledger,
    pub(crate) found: Found,
}

/// A file at one moment.
#[derive(PartialEq)]
struct Stamp {
    inode: Option<raw::Inode>,
    length: u64,
    modified: Option<SystemTime>,
}

/// The ledger, its journal and its log, at one moment.
#[derive(PartialEq)]
struct Moment {
    ledger: Option<Stamp>,
    journal: Option<Stamp>,
    log: Option<Stamp>,
}

impl Moment {
    fn of(file: &Path) -> io::Result<Moment> {
        let stamp = |path: &Path| match fs::symlink_metadata(path) {
            Ok(found) if !found.is_file() => Err(io::Error::other(files::NOT_ORDINARY)),
            Ok(found) => Ok(Some(Stamp {
                inode: raw::Inode::at(path).ok(),
                length: found.len(),
                modified: found.modified().ok(),
            })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        };
        Ok(Moment {
            ledger: stamp(file)?,
            journal: stamp(&name(file, JOURNAL))?,
            log: stamp(&name(file, LOG))?,
        })
    }

    /// Returns the ending of the log or journal that is not empty.
    fn beside(&self) -> Option<&'static str> {
        let has_bytes =
            |stamp: &Option<Stamp>| stamp.as_ref().is_some_and(|stamp| stamp.length > 0);
        match () {
            () if has_bytes(&self.log) => Some(LOG),
            () if has_bytes(&self.journal) => Some(JOURNAL),
            () => None,
        }
    }

    fn is_empty(&self) -> bool {
        self.ledger.as_ref().is_none_or(|ledger| ledger.length == 0)
    }
}

fn name(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// The ledger restored in a copy, if a commit was broken off or a log of an earlier program is
/// there. Refuses what does not belong to the ledger, and changes nothing.
pub(crate) fn restored(explain: &Explain) -> Result<Option<Restored>, Error> {
    let deadline = Instant::now() + explain.wait;
    let foreign = |ending: &str, detail: String| {
        Error::File(FileError::ForeignJournal {
            path: explain.shown(),
            journal: name(&explain.file, ending).display().to_string(),
            detail,
        })
    };
    let storage = |error: io::Error| {
        Error::File(FileError::Storage { path: explain.shown(), detail: error.to_string() })
    };
    loop {
        let before =
            Moment::of(&explain.file).map_err(|error| foreign(JOURNAL, error.to_string()))?;
        let Some(ending) = before.beside() else { return Ok(None) };
        if before.is_empty() {
            // SQLite would delete it.
            return match ending == JOURNAL && begins_with_nothing(&name(&explain.file, JOURNAL)) {
                true => Ok(None),
                false => Err(foreign(ending, "the ledger itself is not there".to_owned())),
            };
        }
        // Of a journal SQLite knows, by its locks, whether a commit goes on or was broken off.
        if ending == JOURNAL {
            let looking = store::look(explain)?;
            match sqlite::identify(&looking) {
                Ok(_) => return Ok(None),
                Err(error) if sqlite::is_broken_off(&error) => {}
                Err(error) => return Err(explain.sqlite(error)),
            }
        }
        let copy = Copy::of(&explain.file);
        if Moment::of(&explain.file).map_err(storage)? == before {
            let copy = copy.map_err(|error| match error.kind() {
                io::ErrorKind::InvalidData => foreign(ending, error.to_string()),
                _ => storage(error),
            })?;
            return copy.restored(explain).map(Some).map_err(|detail| foreign(ending, detail));
        }
        // Another process is at work.
        if Instant::now() >= deadline {
            let holders = crate::holder::lock_holders(&explain.file);
            let (path, waited) = (explain.shown(), explain.wait);
            return Err(Error::File(FileError::Locked { path, waited, holders }));
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Refuses what is beside a file that is not there yet: a new ledger would take it for its own.
pub(crate) fn check_nothing(file: &Path, shown: &str) -> Result<(), Error> {
    let found = Moment::of(file);
    let ending = match &found {
        Ok(moment) => moment.beside(),
        Err(_) => Some(JOURNAL),
    };
    ending.map_or(Ok(()), |ending| {
        Err(Error::File(FileError::ForeignJournal {
            path: shown.to_owned(),
            journal: name(file, ending).display().to_string(),
            detail: "the ledger itself is not there".to_owned(),
        }))
    })
}

/// Returns true if something is beside a ledger that is not an empty file.
pub(crate) fn is_there(file: &Path) -> bool {
    let is_something = |found: fs::Metadata| found.len() > 0 || !found.is_file();
    [JOURNAL, LOG]
        .iter()
        .any(|ending| fs::symlink_metadata(name(file, ending)).is_ok_and(is_something))
}

/// Whether a journal is of a file that was empty before.
fn begins_with_nothing(journal: &Path) -> bool {
    files::read(journal).is_ok_and(|bytes| {
        !bytes.starts_with(&MAGIC) || bytes.get(16..20) == Some([0; 4].as_slice())
    })
}

/// Opens a copy of a ledger, and says what is in it.
type Opening<'o> = dyn Fn(&Path) -> Result<(Ledger, Found), String> + 'o;

/// The bytes of a ledger and of what is beside it, in a folder of their own.
struct Copy {
    folder: Folder,
    /// The ledger's bytes as they are.
    ledger: Vec<u8>,
    has_log: bool,
}

impl Copy {
    fn of(file: &Path) -> io::Result<Copy> {
        // With the ledger it is as safe as the ledger. On a disk that cannot be written it is for
        // its owner alone too.
        let folder =
            Folder::new(files::parent(file)).or_else(|_| Folder::new(&std::env::temp_dir()))?;
        let ledger = raw::bytes(file)?;
        let to = folder.path().join("ledger");
        let write = |path: &Path, bytes: &[u8]| -> io::Result<()> {
            use std::io::Write;
            discretion_disk::owner_only().create_new(true).open(path)?.write_all(bytes)
        };
        write(&to, &ledger)?;
        let mut has_log = false;
        for ending in [JOURNAL, LOG] {
            match files::read(&name(file, ending)) {
                Ok(bytes) => {
                    has_log |= ending == LOG && !bytes.is_empty();
                    // A part of a commit to several files, which no ledger makes, names files
                    // elsewhere that SQLite would touch.
                    if ending == JOURNAL && bytes.ends_with(&MAGIC) {
                        let detail = "it is a part of a commit to several files";
                        return Err(io::Error::new(io::ErrorKind::InvalidData, detail));
                    }
                    write(&name(&to, ending), &bytes)?;
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Copy { folder, ledger, has_log })
    }

    /// Lets SQLite bring in what is beside the copy. Says why it is not the ledger's own.
    fn restored(self, explain: &Explain) -> Result<Restored, String> {
        let path = self.folder.path().join("ledger");
        let open = |path: &Path| -> Result<(Ledger, Found), String> {
            let copy = explain.copied_to(path);
            let connection = store::connect(&copy).map_err(|error| error.to_string())?;
            store::configure(&connection, &copy).map_err(|error| error.to_string())?;
            let found = store::recognise(&connection, &copy).map_err(|error| error.to_string())?;
            let secret = match found {
                Found::Nothing => [0; 32],
                Found::Ledger { .. } => {
                    store::secret(&connection, &copy).map_err(|error| error.to_string())?
                }
            };
            Ok((Ledger::to_look(connection, copy, secret), found))
        };
        let (mut ledger, found) = open(&path).map_err(|error| format!("with it, {error}"))?;
        if self.has_log {
            self.check_log(&ledger, found, &open)?;
        } else {
            let restored = fs::read(&path).map_err(|error| error.to_string())?;
            self.check_journal(&ledger, found, &restored)?;
        }
        if found != Found::Nothing {
            let verified = ledger.verify(None).map_err(|error| format!("with it, {error}"))?;
            if let Some(problem) = verified.problem {
                return Err(format!("with it, {problem}"));
            }
        }
        ledger.copy = Some(self.folder);
        Ok(Restored { ledger, found })
    }

    /// Whether a journal, undone, leads to what this ledger was one commit ago.
    fn check_journal(&self, ledger: &Ledger, found: Found, restored: &[u8]) -> Result<(), String> {
        let (now, then) = (Header(&self.ledger), Header(restored));
        let format = match found {
            // The commit that made the ledger, and nothing was charged in it.
            Found::Nothing if now.changes() <= 1 => return Ok(()),
            Found::Nothing => return Err("it would leave nothing of the ledger".to_owned()),
            Found::Ledger { format } => format as i64,
        };
        if now.changes().wrapping_sub(then.changes()) > 1 {
            return Err("the ledger has gone on since it was begun".to_owned());
        }
        if !self.has_secret(ledger) {
            return Err("it is of a ledger with another secret".to_owned());
        }
        match format >= store::IDENTITY {
            true if (now.identity(), now.format()) == (then.identity(), then.format()) => Ok(()),
            true => Err("it is of a ledger with another identity".to_owned()),
            // The chain of hashes begins with the secret, which is in no journal. So a ledger that
            // verifies with entries is this one; one without entries could be any.
            false if has_entries(ledger)? => Ok(()),
            false => {
                Err("an earlier program wrote it, and nothing in it says of which ledger".into())
            }
        }
    }

    /// Whether a log goes on from what the ledger has.
    fn check_log(&self, ledger: &Ledger, found: Found, open: &Opening) -> Result<(), String> {
        let now = Header(&self.ledger);
        if now.application() == 0 {
            // The ledger was made in the log, and nothing of it is in the file yet.
            return Ok(());
        }
        if found == Found::Nothing || !self.has_secret(ledger) {
            return Err("it is of another ledger".to_owned());
        }
        if i64::from(now.format()) >= store::IDENTITY {
            let with: i64 = ledger
                .connection
                .query_row("PRAGMA schema_version", [], |row| row.get(0))
                .map_err(|error| error.to_string())?;
            if with as u32 != now.identity() {
                return Err("it is of a ledger with another identity".to_owned());
            }
        }
        let alone = self.folder.path().join("alone");
        fs::write(&alone, &self.ledger).map_err(|error| error.to_string())?;
        // In the middle of being brought in, the file by itself cannot be read.
        let Ok((alone, Found::Ledger { .. })) = open(&alone) else { return Ok(()) };
        let Ok(sound) = alone.verify(None) else { return Ok(()) };
        if sound.problem.is_none() {
            let with = ledger.verify(Some(&sound.head)).map_err(|error| error.to_string())?;
            if with.problem.is_some() {
                return Err("the ledger has entries that are not in it".to_owned());
            }
        }
        Ok(())
    }

    /// Whether the secret of a restored ledger is in the ledger's own bytes. It is drawn once and
    /// its page never written again.
    fn has_secret(&self, ledger: &Ledger) -> bool {
        self.ledger.windows(ledger.secret.len()).any(|bytes| bytes == ledger.secret)
    }
}

fn has_entries(ledger: &Ledger) -> Result<bool, String> {
    let last: Option<Entry> =
        crate::entry::head(&ledger.connection).map_err(|error| error.to_string())?;
    Ok(last.is_some())
}

/// The first bytes of an SQLite file.
struct Header<'b>(&'b [u8]);

impl Header<'_> {
    fn number(&self, at: usize) -> u32 {
        let bytes = self.0.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u32::from_be_bytes)
    }

    /// How many commits there were.
    fn changes(&self) -> u32 {
        self.number(24)
    }

    /// The number that a ledger draws for itself ([`store::IDENTITY`]).
    fn identity(&self) -> u32 {
        self.number(40)
    }

    fn format(&self) -> u32 {
        self.number(60)
    }

    fn application(&self) -> u32 {
        self.number(68)
    }
}
