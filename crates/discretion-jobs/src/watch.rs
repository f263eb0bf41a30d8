//! How whoever started a run hears of it.

use crate::plan::delta::too_large;
use discretion::Refusal;
use discretion::privacy::{Budget, Unit};
use discretion_ledger::TableChanged;
use discretion_table::Progress;

/// Somebody who started a run: the command line prints, Python collects notes, a service writes its
/// log.
pub trait Watch {
    /// Something happened. Nothing in it depends on rows.
    fn tell(&self, news: News<'_>);

    /// An account is about to be charged: the last moment to say no, for whoever was asked to stop
    /// meanwhile.
    fn before_charge(&self) -> Result<(), Refusal> {
        Ok(())
    }

    /// A table is about to be read: what hears how much of its files is read, and is gone when they
    /// are.
    fn reading(&self, _table: &str) -> Box<dyn Fn(Progress) + '_> {
        Box::new(|_| {})
    }
}

/// What happened.
#[derive(Clone, Copy, Debug)]
pub enum News<'n> {
    /// The run goes on, and probably should not.
    Warning(&'n str),
    /// Something worth knowing.
    Note(&'n str),
    /// What is expected of results that the run itself will tell.
    Forecast(&'n str),
    /// An account was charged. Whatever ends the run from here on, the charge stays.
    Charged {
        /// The account.
        account: &'n str,
        /// The charge's number.
        number: u64,
    },
    /// The table is not the one that the account began with.
    TableChanged {
        /// The account.
        account: &'n str,
        /// Since when.
        changed: &'n TableChanged,
    },
    /// The work begins.
    Working(&'static str),
    /// The work is over, or given up.
    Done,
}

/// What has to be known of a run that is stopped after its charge. `otherwise` says what is lost if
/// the file is not there.
pub fn if_stopped(charge: u64, file: &std::path::Path, otherwise: &str) -> String {
    format!("charge {charge} stays in the ledger; unless {} is there, {otherwise}", file.display())
}

/// What is lost of a run that makes a file.
pub const NOTHING_RELEASED: &str = "nothing was released for it, and another run is charged again";

/// Nobody listens.
pub struct Silence;

impl Watch for Silence {
    fn tell(&self, _: News<'_>) {}
}

/// Warns of a δ of 1 over the number of rows or persons, which lets a run publish what somebody has
/// as it is.
pub fn warn_of_delta(budget: Budget, (unit, rows): (Unit, usize), watch: &dyn Watch) {
    if let Some(sentence) = too_large(budget, unit, rows) {
        watch.tell(News::Warning(&sentence));
    }
}

/// Says that the work is over, however it ends.
pub(crate) struct Working<'w>(&'w dyn Watch);

impl<'w> Working<'w> {
    pub(crate) fn new(watch: &'w dyn Watch, doing: &'static str) -> Working<'w> {
        watch.tell(News::Working(doing));
        Working(watch)
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.0.tell(News::Done);
    }
}
