//! Several problems over the same rows, solved side by side so that one pass over the rows serves
//! them all.

use super::{Problem, Start};
use crate::erm::{Answer, AskOracle, Facts, Oracle, OracleError, Point, Question, Sums};
use crate::outcome::{Loss, Outcome};
use discretion_privacy::noise::{BigFloat, NoiseVector, Sensitive};
use std::sync::{Condvar, Mutex};

/// One of several problems that differ in λ, in b, or in where the search starts.
pub struct Job<'a> {
    /// λ.
    pub lambda: f64,
    /// ‖b‖ is ordinarily no longer than this.
    pub ordinary_noise: f64,
    /// b, if there is one.
    pub noise: Option<&'a NoiseVector>,
    /// Where the search starts; it changes how long it takes and nothing that is promised.
    pub start: Start<'a>,
}

/// The minimiser of every job, each as [`Problem::minimise`] would find it alone, bit for bit.
/// Panics if a job starts where another table's would.
pub fn minimise_all(
    oracle: &dyn Oracle,
    outcome: &dyn Outcome,
    jobs: &[Job<'_>],
) -> Result<Vec<Sensitive<Vec<BigFloat>>>, OracleError> {
    jobs.iter().for_each(|job| job.start.check(oracle));
    // A worker of rayon's must not wait for threads that need rayon's workers to sum: if all of
    // them did, none would be left. There, and where there is nothing to share, one job follows the
    // other.
    if jobs.len() == 1 || rayon::current_thread_index().is_some() {
        return jobs.iter().map(|job| solve(oracle, outcome, job)).collect();
    }
    let pass = SharedPass {
        oracle,
        queue: Mutex::new(Queue { solvers: jobs.len(), waiting: Vec::new(), answered: Vec::new() }),
        wake_up: Condvar::new(),
    };
    // All solvers are counted before the first one asks: a pass waits for everyone who may still
    // ask.
    let oracles: Vec<SharedOracle<'_>> =
        (0..jobs.len()).map(|number| SharedOracle { pass: &pass, number }).collect();
    std::thread::scope(|scope| {
        let start = |(job, oracle)| scope.spawn(move || solve(&oracle, outcome, job));
        let threads: Vec<_> = jobs.iter().zip(oracles).map(start).collect();
        threads.into_iter().map(|thread| thread.join().expect("a solver does not panic")).collect()
    })
}

fn solve(
    oracle: &dyn Oracle,
    outcome: &dyn Outcome,
    job: &Job<'_>,
) -> Result<Sensitive<Vec<BigFloat>>, OracleError> {
    // The start was checked against the oracle behind this one.
    let problem = Problem::new(oracle, outcome, job.lambda, job.ordinary_noise);
    Problem { start: job.start, ..problem }.minimise(job.noise)
}

/// One pass after the other for solvers that share an oracle. All of them use one loss.
struct SharedPass<'a> {
    oracle: &'a dyn Oracle,
    queue: Mutex<Queue>,
    /// A pass was made, or a solver is done.
    wake_up: Condvar,
}

/// What a pass found at one solver's points.
type Found = Result<Vec<Sensitive<Sums>>, OracleError>;

/// What waits for the next pass, and what the last one found that nobody has fetched yet; each with
/// the solver's number.
struct Queue {
    /// How many solvers may still ask.
    solvers: usize,
    waiting: Vec<(usize, Vec<Point>)>,
    answered: Vec<(usize, Found)>,
}

/// The oracle as one of the solvers that share it sees it. Once this is dropped, no pass waits for
/// that solver.
struct SharedOracle<'a> {
    pass: &'a SharedPass<'a>,
    number: usize,
}

impl SharedPass<'_> {
    /// Waits for the pass that all solvers wait for, and returns what it found at these points.
    fn sums_at(&self, number: usize, loss: &dyn Loss, points: &[Point]) -> Found {
        let mut queue = self.queue.lock().expect("no solver panics in the queue");
        queue.waiting.push((number, points.to_vec()));
        loop {
            // Also after someone left: whoever wakes first makes the pass.
            self.make(&mut queue, loss);
            if let Some(at) = queue.answered.iter().position(|(asker, _)| *asker == number) {
                return queue.answered.swap_remove(at).1;
            }
            queue = self.wake_up.wait(queue).expect("no solver panics in the queue");
        }
    }

    /// Makes the pass if every solver waits for it.
    fn make(&self, queue: &mut Queue, loss: &dyn Loss) {
        if queue.waiting.is_empty() || queue.waiting.len() < queue.solvers {
            return;
        }
        let waiting =
            queue.waiting.drain(..).map(|(number, points)| ((number, points.len()), points));
        let (askers, points): (Vec<_>, Vec<_>) = waiting.unzip();
        let points: Vec<Point> = points.into_iter().flatten().collect();
        let mut found = self.oracle.sums_at(loss, &points).map(Vec::into_iter);
        for (number, count) in askers {
            let share = match &mut found {
                Ok(sums) => Ok(sums.take(count).collect()),
                Err(error) => Err(error.clone()),
            };
            queue.answered.push((number, share));
        }
        self.wake_up.notify_all();
    }
}

impl Oracle for SharedOracle<'_> {
    fn facts(&self) -> Facts {
        self.pass.oracle.facts()
    }

    fn answer(&self, question: Question<'_>) -> Result<Answer, OracleError> {
        match question {
            Question::Sums { loss, points } => {
                self.pass.sums_at(self.number, loss, points).map(Answer::Sums)
            }
            // Noise so far out is too rare for two solvers to have it at once: there is nothing to
            // share.
            other => self.pass.oracle.answer(other),
        }
    }

    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        self.pass.oracle.sample()
    }
}

impl Drop for SharedOracle<'_> {
    fn drop(&mut self) {
        if let Ok(mut queue) = self.pass.queue.lock() {
            queue.solvers -= 1;
            self.pass.wake_up.notify_all();
        }
    }
}
