//! Trained models in a folder of the custodian's, so that a run that was killed goes on where it
//! stopped.
//!
//! One file holds all models of one run. It begins with a line that says NOT PRIVATE and is only
//! ever appended to: a record is the chunk's number, the model's length, a SHA-256 of both and of
//! the model, and the model. Whatever is not followed by its own checksum (the last record of a
//! killed run, a damaged one) counts as absent.

use discretion::noise::{NotPrivate, Sensitive};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

const FIRST_LINE: &str = "NOT PRIVATE: models trained on the rows of a sensitive table, without noise. For the custodian alone.\n";
const CHECKSUM: usize = 32;
/// Chunk, length, checksum.
const HEAD: usize = 8 + 8 + CHECKSUM;

/// The models of one run, kept while they are made.
pub struct Cache {
    path: PathBuf,
    file: Mutex<ModelFile>,
    found: Mutex<HashMap<u64, Vec<u8>>>,
}

/// The file, and what went wrong with it.
struct ModelFile {
    file: File,
    problem: Option<io::Error>,
}

/// The cache cannot be used. It never depends on rows.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// A file cannot be read or written.
    #[error("{path}: the cache of models cannot be used: {problem}", path = .path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        problem: io::Error,
    },
    /// Two runs at once.
    #[error("{path}: another run is using this cache of models; wait for it, or name another folder", path = .0.display())]
    InUse(PathBuf),
}

impl Cache {
    /// Where models are kept if nobody says otherwise: beside the ledger, which is as secret, and
    /// not among results.
    pub fn beside(ledger: &Path) -> PathBuf {
        ledger.with_file_name("models-NOT-PRIVATE")
    }

    /// The models that `folder` holds under this key. The key has to differ whenever models would:
    /// it is made of the table's fingerprint, the schema, the learner with its settings, and the
    /// number of chunks.
    pub fn open(folder: &Path, key: &str) -> Result<Self, CacheError> {
        let at = |path: &Path| {
            let path = path.to_owned();
            move |problem| CacheError::File { path: path.clone(), problem }
        };
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(folder).map_err(at(folder))?;
        // The warning comes first, whatever happens next.
        let warning = folder.join("NOT_PRIVATE.txt");
        fs::write(
            &warning,
            format!("{FIRST_LINE}Delete this folder when its runs are finished.\n"),
        )
        .map_err(at(&warning))?;

        let digest = Sha256::digest(key.as_bytes());
        let name: String = digest[..16].iter().map(|byte| format!("{byte:02x}")).collect();
        let path = folder.join(format!("models-{name}"));
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path).map_err(at(&path))?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => CacheError::InUse(path.clone()),
            TryLockError::Error(problem) => at(&path)(problem),
        })?;
        let found = load(&mut file).map_err(at(&path))?;
        Ok(Self {
            path,
            file: Mutex::new(ModelFile { file, problem: None }),
            found: Mutex::new(found),
        })
    }

    /// The model of a chunk, if it was found whole. It can be taken once.
    pub(crate) fn take(&self, chunk: usize) -> Option<Vec<u8>> {
        locked(&self.found).remove(&(chunk as u64))
    }

    /// Appends the model of a chunk. A run does not end because its models cannot be kept (how
    /// large they are may depend on rows); nothing more is written then, and
    /// [`problem`](Self::problem) says why.
    pub(crate) fn keep(&self, chunk: usize, model: &[u8]) {
        let mut record = head(chunk as u64, model.len() as u64).to_vec();
        record.extend(checksum(&record, model));
        record.extend_from_slice(model);
        let mut writing = locked(&self.file);
        if writing.problem.is_none() {
            writing.problem = writing.file.write_all(&record).err();
        }
    }

    /// Why not all models could be kept, if that is so. Nothing else says it: whoever calls
    /// [`train_all`](crate::train_all) asks afterwards, and prints it for the custodian alone,
    /// since how large models are may depend on rows.
    pub fn problem(&self) -> NotPrivate<Option<String>> {
        let problem = locked(&self.file)
            .problem
            .as_ref()
            .map(|problem| format!("{}: {problem}", self.path.display()));
        Sensitive::new(problem).not_private()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn head(chunk: u64, length: u64) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&chunk.to_le_bytes());
    bytes[8..].copy_from_slice(&length.to_le_bytes());
    bytes
}

fn checksum(head: &[u8], model: &[u8]) -> [u8; CHECKSUM] {
    Sha256::new().chain_update(head).chain_update(model).finalize().into()
}

/// Reads all whole records, and cuts off what follows the last one that can be reached.
fn load(file: &mut File) -> io::Result<HashMap<u64, Vec<u8>>> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let mut found = HashMap::new();
    let Some(mut rest) = bytes.strip_prefix(FIRST_LINE.as_bytes()) else {
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(FIRST_LINE.as_bytes())?;
        return Ok(found);
    };
    while let Some((front, after)) = rest.split_at_checked(HEAD) {
        let word = |at: usize| {
            u64::from_le_bytes(*front[at..].first_chunk().expect("a head is long enough"))
        };
        let (chunk, length) = (word(0), word(8));
        let Some((model, next)) =
            usize::try_from(length).ok().and_then(|length| after.split_at_checked(length))
        else {
            break;
        };
        if checksum(&front[..16], model) == front[16..] {
            found.insert(chunk, model.to_vec());
        }
        rest = next;
    }
    let whole = (bytes.len() - rest.len()) as u64;
    file.set_len(whole)?;
    file.seek(SeekFrom::Start(whole))?;
    Ok(found)
}
