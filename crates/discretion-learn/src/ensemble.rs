//! One model for each chunk of rows, and their votes.

use crate::cache::Cache;
use crate::learner::{ChunkFailure, Learner, PreparedQueries};
use crate::votes::{Scores, Votes};
use discretion::noise::{NotPrivate, Sensitive};
use discretion::vote::{Ballot, Bins};
use discretion_table::{Classes, PlainRows, UnitRows};
use rayon::prelude::*;
use std::cell::Cell;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What was trained: for each chunk a model, or why there is none.
pub struct Ensemble {
    models: Vec<Result<Vec<u8>, ChunkFailure>>,
}

/// Trains a model on each of `chunks` chunks, on all cores. Chunk j is the rows, or the whole
/// persons, at positions j, j + k, j + 2k, …, and its seed is j.
///
/// Models that the cache holds are not trained again, and new ones are kept there as soon as they
/// are finished. A chunk fails alone: if its learner returns a failure or panics, or if it has no
/// rows. `progress` is told how many chunks are done, from any thread.
pub fn train_all(
    learner: &dyn Learner,
    rows: &UnitRows,
    chunks: usize,
    cache: Option<&Cache>,
    progress: &(dyn Fn(usize) + Sync),
) -> Ensemble {
    assert!(rows.have_classes(), "rows to learn from have classes");
    let done = AtomicUsize::new(0);
    let train = |chunk: usize| {
        let model = match cache.and_then(|cache| cache.take(chunk)) {
            Some(model) => Ok(model),
            None => {
                let model = train_one(learner, rows, chunk, chunks);
                if let (Some(cache), Ok(model)) = (cache, &model) {
                    cache.keep(chunk, model);
                }
                model
            }
        };
        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        model
    };
    // One chunk at a time for each thread: a program may take a minute for one and a moment for the
    // next.
    let models = (0..chunks).into_par_iter().with_max_len(1).map(train).collect();
    Ensemble { models }
}

fn train_one(
    learner: &dyn Learner,
    rows: &UnitRows,
    chunk: usize,
    chunks: usize,
) -> Result<Vec<u8>, ChunkFailure> {
    if chunk >= rows.count() {
        return Err(ChunkFailure::because("the chunk has no rows"));
    }
    let own = rows.gather((chunk..rows.count()).step_by(chunks));
    guarded(|| learner.train(&own, chunk as u64))
}

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is in a learner, whose panic would be caught and cost its chunk's vote
/// alone.
///
/// A panic hook runs before that. One that tells people of a bug, or that nothing was released,
/// asks here first and says nothing: neither would be true, and whether it was said would depend on
/// rows.
pub fn is_guarded() -> bool {
    GUARDED.get()
}

/// A panic is the learner's failure and not the run's: the run must end the same way whatever one
/// row holds.
fn guarded<T>(learn: impl FnOnce() -> Result<T, ChunkFailure>) -> Result<T, ChunkFailure> {
    // Not always false before: a thread that waits within a learner may be handed another chunk.
    let before = GUARDED.replace(true);
    let learned = catch_unwind(AssertUnwindSafe(learn));
    GUARDED.set(before);
    learned.unwrap_or_else(|_| Err(ChunkFailure::because("the learner panicked")))
}

impl Ensemble {
    /// What every model votes on these queries. A chunk whose learner fails, now or in training,
    /// votes class 0.
    ///
    /// Fails only if the learner cannot make the queries ready ([`Learner::prepare`]). That looks
    /// at no row, but the run ends, so it is assumed that no learner has filled the disk or the
    /// memory by what it did with a chunk.
    pub fn votes(
        &self,
        learner: &dyn Learner,
        classes: &Classes,
        queries: &PlainRows,
        progress: &(dyn Fn(usize) + Sync),
    ) -> io::Result<Votes> {
        let ask = |prepared: &dyn PreparedQueries, model: &[u8]| prepared.classes(model);
        let known = |class: &u16| usize::from(*class) < classes.count();
        let (votes, failed) = self.ask_all(learner, queries, progress, ask, known)?;
        Ok(Votes { classes: classes.count(), queries: queries.count(), votes, failed })
    }

    /// The score that every model gives to these queries. A chunk whose learner fails, now or in
    /// training, has score 0.
    ///
    /// Fails only if the learner cannot make the queries ready ([`Learner::prepare`]). That looks
    /// at no row, but the run ends, so it is assumed that no learner has filled the disk or the
    /// memory by what it did with a chunk.
    pub fn scores(
        &self,
        learner: &dyn Learner,
        queries: &PlainRows,
        progress: &(dyn Fn(usize) + Sync),
    ) -> io::Result<Scores> {
        let ask = |prepared: &dyn PreparedQueries, model: &[u8]| prepared.scores(model);
        let possible = |score: &f32| (0.0..=1.0).contains(score);
        let (scores, failed) = self.ask_all(learner, queries, progress, ask, possible)?;
        Ok(Scores { queries: queries.count(), scores, failed })
    }

    /// A ballot for each query, labels or with `bins` scores, and how many chunks' learners failed,
    /// in training or now. Fails as [`Ensemble::votes`] does.
    pub fn ballots(
        &self,
        learner: &dyn Learner,
        classes: &Classes,
        queries: &PlainRows,
        bins: Option<&[Bins]>,
        progress: &(dyn Fn(usize) + Sync),
    ) -> io::Result<(Vec<Ballot>, NotPrivate<usize>)> {
        let each = 0..queries.count();
        Ok(match bins {
            Some(bins) => {
                let scores = self.scores(learner, queries, progress)?;
                let ballot = |query| Ballot::Scores(scores.scores(query), bins[query]);
                (each.map(ballot).collect(), scores.failed())
            }
            None => {
                let votes = self.votes(learner, classes, queries, progress)?;
                (each.map(|query| Ballot::Labels(votes.counts(query))).collect(), votes.failed())
            }
        })
    }

    fn ask_all<T: Copy + Default + Send>(
        &self,
        learner: &dyn Learner,
        queries: &PlainRows,
        progress: &(dyn Fn(usize) + Sync),
        ask: impl Fn(&dyn PreparedQueries, &[u8]) -> Result<Vec<T>, ChunkFailure> + Sync,
        possible: impl Fn(&T) -> bool + Sync,
    ) -> io::Result<(Vec<Vec<T>>, usize)> {
        assert!(queries.count() > 0, "there are queries");
        let prepared = learner.prepare(queries)?;
        let (done, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let answers = |model: &Result<Vec<u8>, ChunkFailure>| {
            let answers =
                model.as_ref().ok().and_then(|model| guarded(|| ask(&*prepared, model)).ok());
            let answers =
                answers.filter(|all| all.len() == queries.count() && all.iter().all(&possible));
            progress(done.fetch_add(1, Ordering::Relaxed) + 1);
            answers.unwrap_or_else(|| {
                failed.fetch_add(1, Ordering::Relaxed);
                // The fixed public vote: class 0, score 0.
                vec![T::default(); queries.count()]
            })
        };
        let all = self.models.par_iter().with_max_len(1).map(answers).collect();
        Ok((all, failed.into_inner()))
    }

    /// How many chunks there are.
    pub fn chunks(&self) -> usize {
        self.models.len()
    }

    /// The chunks whose learner failed in training, and why, for the custodian.
    pub fn failed(&self) -> NotPrivate<Vec<(usize, String)>> {
        let reason = |(chunk, model): (usize, &Result<Vec<u8>, ChunkFailure>)| {
            model.as_ref().err().map(|failure| (chunk, failure.reason().into_inner()))
        };
        Sensitive::new(self.models.iter().enumerate().filter_map(reason).collect()).not_private()
    }
}

#[cfg(test)]
#[path = "ensemble_tests.rs"]
mod tests;
