//! Answers by a vote. Their learners are no part of this crate: whoever opens the page brings the job along, which is that of
//! `discretion answer`.

use discretion::Refusal;
use discretion_jobs::Watch;
use std::path::{Path, PathBuf};

/// A file of queries to answer.
pub struct AnswersRequest<'r> {
    /// The study file, with its `[vote]`.
    pub study: &'r Path,
    /// The public points; nothing if every second row of the table is one.
    pub queries: Option<&'r Path>,
    /// The file that is made.
    pub out: &'r Path,
    /// The ledger's file, if somebody named it.
    pub ledger: Option<&'r Path>,
    /// Instead of an account.
    pub seed: Option<u64>,
    /// Whether these may be other rows than the account was charged for.
    pub rows_changed: bool,
    /// Whether these rows may have a second account.
    pub second_account: bool,
    /// Whether the run goes on at what looks like a mistake of the table.
    pub accepted: bool,
}

/// What came of them.
pub struct AnswersMade {
    /// The file.
    pub path: PathBuf,
    /// What a command prints.
    pub summary: String,
}

/// The job of `discretion answer`.
pub trait AnswerQueries: Send + Sync {
    /// What a new session would cost, in a sentence. Nothing is charged.
    fn price(&self, request: &AnswersRequest<'_>) -> Result<String, Refusal>;

    /// Opens a session or goes on with it, and answers.
    fn answer(&self, request: &AnswersRequest<'_>, watch: &dyn Watch) -> Result<AnswersMade, Refusal>;
}
