//! What every request can see.

use crate::answers::AnswerQueries;
use crate::door::Door;
use crate::folder::Folder;
use crate::work::Work;
use std::path::{Path, PathBuf};
use tokio::sync::watch;

/// The whole of a studio. What matters is in the folder and in the ledger.
pub struct App {
    pub folder: Folder,
    /// The ledger's file, if somebody named it.
    pub ledger: Option<PathBuf>,
    pub door: Door,
    /// The run that is under way, or the last one.
    pub work: Work,
    /// How queries are answered, if they are.
    pub answers: Option<Box<dyn AnswerQueries>>,
    /// Ends the page.
    pub stop: watch::Sender<bool>,
}

impl App {
    /// The ledger, as jobs take it.
    pub fn ledger(&self) -> Option<&Path> {
        self.ledger.as_deref()
    }
}
