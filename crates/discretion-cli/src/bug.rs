//! What a panic says. It is a bug, unless it is a learner's or a damaged file's, and its own
//! message may quote a row, so that is not printed.

use crate::interrupt;
use std::panic::{self, PanicHookInfo};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether answers leave while the program runs.
static SERVING: AtomicBool = AtomicBool::new(false);

/// From here on answers leave, so a panic cannot say that nothing was released.
pub fn serving() {
    SERVING.store(true, Ordering::Relaxed);
}

/// Whether answers leave, and every line on standard error is JSON.
pub fn is_serving() -> bool {
    SERVING.load(Ordering::Relaxed)
}

/// Says why this program stops: a service's lines are JSON.
pub fn tell(message: &str) {
    #[cfg(feature = "serve")]
    if is_serving() {
        return discretion_serve::error(message);
    }
    eprintln!("error: {message}");
}

/// From here on a panic prints one line without any value in it. The exit code stays Rust's 101.
///
/// A learner's panic prints nothing: it is caught, costs one chunk's vote, and the run goes on to
/// its release. Nor does one of the library that decodes a file: it is caught, and the file
/// refused.
pub fn install_hook() {
    panic::set_hook(Box::new(|info: &PanicHookInfo<'_>| {
        #[cfg(feature = "learners")]
        if discretion_learn::is_guarded() {
            return;
        }
        #[cfg(feature = "parquet")]
        if discretion_table::is_decoding() {
            return;
        }
        let place = info.location().map_or_else(|| "place unknown".to_owned(), |at| at.to_string());
        let released = match interrupt::to_say() {
            _ if is_serving() => "what was released is in the ledger".to_owned(),
            Some(after_a_charge) => after_a_charge,
            None => "nothing was released".to_owned(),
        };
        tell(&line(&place, &released));
    }));
}

/// Every command but `serve` prepares all it has to say before it writes a file, so the middle part
/// is true.
fn line(place: &str, released: &str) -> String {
    format!(
        "this is a bug in discretion {} ({place}); {released}; please report this line",
        env!("CARGO_PKG_VERSION")
    )
}

#[cfg(all(test, feature = "learners"))]
mod tests {
    use discretion_learn::{ChunkFailure, Learner, PreparedQueries, train_all};
    use discretion_table::{PlainRows, Study};
    use std::path::Path;
    use std::process::Command;
    use std::{io, panic, thread};

    #[test]
    fn a_panic_is_reported_in_one_line_with_its_place() {
        let line = super::line("src/x.rs:1:2", "nothing was released");
        assert!(
            line.contains("(src/x.rs:1:2); nothing was released") && !line.contains('\n'),
            "{line}"
        );
    }

    struct Panics;

    impl Learner for Panics {
        fn train(&self, _: &PlainRows, _: u64) -> Result<Vec<u8>, ChunkFailure> {
            panic!("a learner's")
        }

        fn prepare<'a>(&'a self, _: &'a PlainRows) -> io::Result<Box<dyn PreparedQueries + 'a>> {
            Err(io::Error::other("nothing is asked here"))
        }
    }

    const SECOND: &str = "DISCRETION_TEST_PANICS";

    /// In the second process: a learner's panics, and then one that is a bug. In the first it does
    /// nothing, since the hook is the whole process's.
    #[test]
    fn child() {
        if std::env::var_os(SECOND).is_none() {
            return;
        }
        let text = "[data]\npath = \"t.csv\"\naccount = \"t\"\ntarget = \"y\"\npositive = \"1\"\nnegative = \"0\"\n[budget]\nepsilon = 1\n\
            [spend]\nepsilon = 1\n[columns]\nage = { min = 0, max = 100 }\n";
        let schema = Study::parse(Path::new("study.toml"), text).unwrap().schema;
        let mut rows = PlainRows::new(&schema);
        rows.append(vec![1.0; 4], vec![], vec![0; 4]);
        super::install_hook();
        let failed = train_all(&Panics, &rows.into(), 4, None, &|_| {}).failed().into_inner().len();
        let bug = thread::spawn(|| panic!("a bug")).join();
        drop(panic::take_hook());
        assert_eq!((failed, bug.is_err()), (4, true));
    }

    #[test]
    fn a_learner_s_panic_is_not_reported_as_a_bug() {
        let second = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "bug::tests::child", "--nocapture"])
            .env(SECOND, "1")
            .output()
            .unwrap();
        let said = String::from_utf8(second.stderr).unwrap();
        assert!(second.status.success(), "{said}");
        // The four of the learner are silent; the one outside is not.
        assert_eq!(said.matches("this is a bug").count(), 1, "{said}");
    }
}
