//! Answers by a vote. Their learners are no part of this crate: whoever opens the page brings the
//! job along, which is that of `discretion answer`.

use crate::folder::Folder;
use discretion::Refusal;
use discretion_jobs::Watch;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// Answers, as the page asks for them.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerAsked {
    #[serde(default)]
    queries: Option<String>,
    /// A file with a width of score bins for each query.
    #[serde(default)]
    gammas: Option<String>,
    /// Whether a model is trained on the answers.
    #[serde(default)]
    student: bool,
}

/// The same with its files.
pub struct AnswerFiles {
    pub queries: Option<PathBuf>,
    pub gammas: Option<PathBuf>,
    pub student: bool,
}

impl AnswerAsked {
    /// Where the files are.
    pub fn files(&self, folder: &Folder) -> Result<AnswerFiles, Refusal> {
        Ok(AnswerFiles {
            queries: self.queries.as_deref().map(|name| folder.table(name)).transpose()?,
            // A file that is no table is told of by its lines, so it has to be in the folder.
            gammas: self.gammas.as_deref().map(|name| folder.inside(name)).transpose()?,
            student: self.student,
        })
    }
}

/// A file of queries to answer.
pub struct AnswersRequest<'r> {
    /// The study file, with its `[vote]`.
    pub study: &'r Path,
    /// The public points; nothing if every second row of the table is one.
    pub queries: Option<&'r Path>,
    /// A width of score bins for each query, a number on each line; nothing if the study's is for
    /// all.
    pub gammas: Option<&'r Path>,
    /// The file that is made.
    pub out: &'r Path,
    /// The folder for a model of the answers, if one is wanted.
    pub student: Option<&'r Path>,
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
    /// Whether another session is opened although one is there.
    pub new: bool,
}

/// What came of them.
pub struct AnswersMade {
    /// The files.
    pub files: Vec<PathBuf>,
    /// What a command prints.
    pub summary: String,
}

/// The job of `discretion answer`.
pub trait AnswerQueries: Send + Sync {
    /// What a new session would cost, in a sentence. Nothing is charged.
    fn price(&self, request: &AnswersRequest<'_>) -> Result<String, Refusal>;

    /// Opens a session or goes on with it, and answers.
    fn answer(
        &self,
        request: &AnswersRequest<'_>,
        watch: &dyn Watch,
    ) -> Result<AnswersMade, Refusal>;
}
