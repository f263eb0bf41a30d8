//! A student of the answers beside a model that is fitted directly.

use super::{InventedVote, Judged, Truth};
use crate::Learner;

/// Both, on invented rows of one truth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beside {
    /// What they had to find out.
    pub truth: Truth,
    /// The student.
    pub student: Judged,
    /// Logistic regression on as many rows as the table has, for the budget of the vote.
    pub direct: Judged,
}

impl InventedVote<'_> {
    /// What a student of the answers of this learner's models is beside a model fitted directly,
    /// for each truth; nothing where one of them cannot be had.
    pub fn beside(&self, learner: &dyn Learner) -> Vec<Beside> {
        let of = |truth| {
            let scene = self.scene(truth);
            let (_, told) = self.voted(learner, &scene);
            let student = self.judged(&self.student(&scene.queries, &told)?, &scene.judge);
            let direct = self.judged(&self.fitted(&scene.whole)?, &scene.judge);
            Some(Beside { truth, student, direct })
        };
        [Truth::Straight, Truth::Bent].into_iter().filter_map(of).collect()
    }
}
