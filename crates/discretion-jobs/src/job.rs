//! What a job is: public numbers, then rows, then something that may be published.

use crate::identity::Settings;
use discretion::Refusal;
use discretion::noise::Noise;
use discretion::privacy::account::Event;
use discretion::privacy::{Budget, Unit};
use discretion_formats::{Artefact, LedgerEntry};

/// A run on a sensitive table. [`spend`](crate::spend) plans it, charges for it and only then runs
/// it; adding a command means writing one of these.
pub trait Job {
    /// What it is called, in one word.
    const NAME: &'static str;
    /// What it does while it runs, for whoever waits.
    const DOING: &'static str;
    /// The rows as it needs them.
    type Rows: ?Sized;
    /// Every public number of a run.
    type Plan;
    /// What leaves through the gate.
    type Released;
    /// The file that is made of it.
    type Artefact: Artefact;

    /// What it may spend.
    fn budget(&self) -> Budget;

    /// Returns this job with another budget, from which a refusal learns what would fit into an
    /// account. Nothing for jobs that cannot be planned again.
    fn with_budget(&self, _budget: Budget) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }

    /// Whom its guarantee is about, and what is counted where it says rows.
    fn unit(&self) -> Unit {
        Unit::Row
    }

    /// Everything else that decides what is computed; nothing if doing it again is nobody's mistake.
    /// An account that has paid for a job on some rows is not charged for it again without a word.
    fn settings(&self) -> Option<Settings> {
        None
    }

    /// The public number of rows.
    fn count(rows: &Self::Rows) -> usize;

    /// Fixes every public number of a run on so many rows. What it refuses, it refuses for public
    /// reasons.
    fn plan(&self, rows: usize) -> Result<Self::Plan, Refusal>;

    /// What the run does to the table, for an account.
    fn event(&self, plan: &Self::Plan) -> Event;

    /// What the user should know about a plan, a sentence each.
    fn notes(&self, _plan: &Self::Plan) -> Vec<String> {
        Vec::new()
    }

    /// What a plan says of results that the run itself will tell, a sentence each.
    fn forecasts(&self, _plan: &Self::Plan) -> Vec<String> {
        Vec::new()
    }

    /// Computes and releases, with noise that was paid for.
    fn run(
        &self,
        plan: &Self::Plan,
        rows: &Self::Rows,
        noise: &mut Noise,
    ) -> Result<Self::Released, Refusal>;

    /// The file. It touches no row.
    fn artefact(
        &self,
        plan: &Self::Plan,
        released: Self::Released,
        paid: Option<LedgerEntry>,
    ) -> Result<Self::Artefact, Refusal>;
}
