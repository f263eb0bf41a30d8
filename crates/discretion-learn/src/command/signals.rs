//! What must not outlive this program: learners, which run in process groups of their own and so
//! hear nothing of Ctrl-C, and the folders that their rows are in.

use rustix::process::{Pid, Signal, kill_process_group};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

/// What is killed and removed if a signal ends this program.
#[derive(Default)]
pub(super) struct CleanupList {
    pub groups: HashSet<Pid>,
    folders: HashSet<PathBuf>,
}

/// Held while a process is started, so that none is missed.
pub(super) fn cleanup_list() -> MutexGuard<'static, CleanupList> {
    static LIST: LazyLock<Mutex<CleanupList>> = LazyLock::new(Mutex::default);
    LIST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether somebody else answers to signals.
static OTHERS: AtomicBool = AtomicBool::new(false);

/// From here on Ctrl-C and termination do not end this program by the hand of this crate: whoever
/// calls this has handlers of its own, and drops its learners before it ends, which ends their
/// processes and removes their rows.
pub fn leave_signals_to_others() {
    OTHERS.store(true, Ordering::SeqCst);
}

/// Waits for Ctrl-C and for termination, from the first call on.
fn watch() -> io::Result<()> {
    static WATCHING: Mutex<bool> = Mutex::new(false);
    let mut watching = WATCHING.lock().unwrap_or_else(PoisonError::into_inner);
    if !*watching {
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        std::thread::spawn(move || {
            let signal = signals.forever().find(|_| !OTHERS.load(Ordering::SeqCst));
            // Never let go again: nothing may be started from here on.
            let list = cleanup_list();
            for group in &list.groups {
                kill(*group);
            }
            for folder in &list.folders {
                // A file that cannot be removed must not keep the program from ending.
                let _ = std::fs::remove_dir_all(folder);
            }
            // Ends the program as if there were no handler.
            let _ = signal.map(emulate_default_handler);
            std::process::exit(1);
        });
        *watching = true;
    }
    Ok(())
}

/// Kills a whole process group. That there is none any more is as good.
pub(super) fn kill(group: Pid) {
    let _ = kill_process_group(group, Signal::KILL);
}

/// A folder for a program's files, which no other user can read.
pub(super) struct ScratchFolder(TempDir);

impl ScratchFolder {
    pub fn new() -> io::Result<Self> {
        watch()?;
        let folder = tempfile::Builder::new().prefix("discretion-").tempdir()?;
        if folder.path().to_str().is_none_or(|path| path.contains(['\t', '\n', '\r'])) {
            let problem = "the path of the folder for temporary files has a tab or a line break in it, or is no UTF-8 text";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        }
        cleanup_list().folders.insert(folder.path().to_owned());
        Ok(Self(folder))
    }

    /// A folder for the files of one step.
    pub fn folder(&self) -> io::Result<TempDir> {
        tempfile::tempdir_in(&self.0)
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        cleanup_list().folders.remove(self.0.path());
    }
}
