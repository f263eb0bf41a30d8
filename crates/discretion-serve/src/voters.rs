//! What casts the votes.

use discretion::noise::NotPrivate;
use discretion::vote::Ballot;
use discretion_jobs::vote::Queries;
use discretion_learn::{Ensemble, Learner};
use discretion_table::Classes;
use std::io;

/// Casts the votes on queries, one ballot for each. Replacing one row of the table moves at most
/// one vote of each.
pub trait Voters {
    /// The ballots. An error is the machine's and never depends on rows.
    fn ballots(&self, queries: &Queries) -> io::Result<Vec<Ballot>>;
}

/// The models of a study.
pub struct Models {
    ensemble: Ensemble,
    learner: Box<dyn Learner>,
    classes: Classes,
    scores: bool,
}

impl Models {
    /// Trained models of this learner.
    pub fn new(
        ensemble: Ensemble,
        learner: Box<dyn Learner>,
        classes: Classes,
        scores: bool,
    ) -> Models {
        Models { ensemble, learner, classes, scores }
    }

    /// Chunks whose learner failed in training and why, for the custodian.
    pub fn failed(&self) -> NotPrivate<Vec<(usize, String)>> {
        self.ensemble.failed()
    }
}

impl Voters for Models {
    fn ballots(&self, queries: &Queries) -> io::Result<Vec<Ballot>> {
        let bins = self.scores.then_some(&queries.bins[..]);
        let (ballots, _) =
            self.ensemble.ballots(&*self.learner, &self.classes, &queries.rows, bins, &|_| {})?;
        Ok(ballots)
    }
}
