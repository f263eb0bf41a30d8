//! Crashes on demand, for tests.

/// Every step at which [`checkpoint`] can stop a charge, a commit of a session or a release.
pub const STEPS: [&str; 9] = [
    "charge:before-begin",
    "charge:before-commit",
    "charge:after-commit",
    "session:before-begin",
    "session:before-commit",
    "session:after-commit",
    "release:before-begin",
    "release:before-commit",
    "release:after-commit",
];

/// Ends the process at once, as a crash would, if the environment variable `DISCRETION_ABORT_AT`
/// names `step`, and panics if `DISCRETION_PANIC_AT` does.
#[cfg(feature = "fault-injection")]
pub fn checkpoint(step: &str) {
    if std::env::var_os("DISCRETION_ABORT_AT").is_some_and(|wanted| wanted == step) {
        std::process::abort();
    }
    assert!(std::env::var_os("DISCRETION_PANIC_AT").is_none_or(|wanted| wanted != step), "wanted");
}

/// Does nothing: this build has no fault injection.
#[cfg(not(feature = "fault-injection"))]
#[inline]
pub fn checkpoint(_step: &str) {}

/// Lets the file grow to as many pages as `DISCRETION_LEDGER_PAGES` says, as a full disk would.
#[cfg(feature = "fault-injection")]
pub(crate) fn limit_pages(connection: &rusqlite::Connection) -> rusqlite::Result<()> {
    let pages =
        std::env::var("DISCRETION_LEDGER_PAGES").ok().and_then(|pages| pages.parse::<u32>().ok());
    pages.map_or(Ok(()), |pages| connection.pragma_update(None, "max_page_count", pages))
}

#[cfg(not(feature = "fault-injection"))]
pub(crate) fn limit_pages(_connection: &rusqlite::Connection) -> rusqlite::Result<()> {
    Ok(())
}
