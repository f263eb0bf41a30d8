//! Private answers from any learner: Bassily, Thakkar & Thakurta 2018, on KDD Cup and Adult.
//!
//! Models trained on disjoint chunks vote on held-back rows. Compared are this library's planner
//! and tests, the paper's Algorithm 4 with its constants (once with the corrected and once with the
//! printed distance, which is not private), and the aggregator of PATE, Gaussian noisy max, all at
//! the same ε and δ, with the same votes and by accounting that does not look at the data.

mod all;
mod methods;
mod needs;
mod poll;
mod present;
mod sessions;
mod smallest;
mod student;

#[cfg(test)]
mod tests;

use crate::tables::{ADULT, KDD};
use crate::{Failure, Options, Progress, Results};
use methods::Method;
use poll::Poll;
use sessions::{Line, Setting};

/// δ of every line.
const DELTA: f64 = 1e-6;

/// What is measured on one table.
struct Experiment {
    poll: Poll,
    /// Sessions of labels, by ε.
    labels: Vec<Setting>,
    /// One session of scores.
    scores: Setting,
    /// ε of sessions in which every query is answered.
    all: Vec<f64>,
    /// How often noise is drawn for the same votes.
    rounds: usize,
}

/// Runs it.
pub fn run(options: &Options, progress: Progress<'_>) -> Result<Results, Failure> {
    let experiments = experiments(options)?;
    let of: usize = experiments.iter().map(|experiment| experiment.labels.len() + 3).sum();
    let mut done = 0;
    progress(done, of);
    let mut step = || {
        done += 1;
        progress(done, of);
    };
    let mut measured = Vec::new();
    for experiment in &experiments {
        measured.push(measure(experiment, options.seed, &mut step)?);
    }
    let (rows, epsilon) = if options.quick { (20_000, 8.0) } else { (200_000, 1.0) };
    let rare = all::rare(&Poll::made_up_rare(rows, options.seed), epsilon, options.seed)?;
    present::results(&measured, &rare)
}

/// The lines of one table.
struct TableResults {
    table: String,
    rows: usize,
    lines: Vec<Line>,
    /// The session of the smallest ε that answers nineteen queries in twenty.
    smallest: Option<Line>,
    students: Vec<student::Line>,
    /// Sessions in which every query is answered.
    all: Vec<all::Line>,
}

fn measure(
    experiment: &Experiment,
    seed: u64,
    step: &mut dyn FnMut(),
) -> Result<TableResults, Failure> {
    let poll = &experiment.poll;
    let mut lines = Vec::new();
    let mut students = Vec::new();
    for setting in &experiment.labels {
        let votes = poll.labels(setting.chunks)?;
        lines.extend(sessions::labels(
            &Method::LABELS,
            setting,
            &votes,
            poll,
            experiment.rounds,
            seed,
        ));
        students.push(student::line(setting, &votes, poll, seed)?);
        step();
    }
    let scores = poll.scores(experiment.scores.chunks)?;
    lines.push(sessions::scores(&experiment.scores, &scores, poll, experiment.rounds, seed));
    step();
    let smallest =
        smallest::search(poll, experiment.scores.demand.queries, experiment.rounds, seed)?;
    step();
    let all = all::lines(poll, &experiment.all, experiment.rounds, seed)?;
    step();
    Ok(TableResults { table: poll.name.clone(), rows: poll.rows(), lines, smallest, students, all })
}

fn experiments(options: &Options) -> Result<Vec<Experiment>, Failure> {
    let Some(folder) = options.data.as_ref().filter(|_| !options.quick) else {
        let poll = Poll::made_up(6_000, options.seed);
        return Ok(vec![Experiment {
            labels: vec![
                Setting::planned(4.0, 100, 5, poll.rows()),
                Setting::planned(8.0, 100, 5, poll.rows()),
            ],
            scores: Setting::planned(8.0, 100, 5, poll.rows()).with_bins(4),
            all: vec![8.0],
            poll,
            rounds: 3,
        }]);
    };
    let kdd = Poll::read(&KDD, folder, 1_000, 20_000, options.seed)?;
    let adult = Poll::read(&ADULT, folder, 1_000, 10_000, options.seed)?;
    let planned = |epsilon: f64, unstable: u64, poll: &Poll| {
        Setting::planned(epsilon, 1_000, unstable, poll.rows())
    };
    Ok(vec![
        Experiment {
            // At most one query in fifty may stay unanswered.
            labels: [0.1, 0.25, 0.5, 1.0, 2.0].map(|epsilon| planned(epsilon, 20, &kdd)).into(),
            scores: planned(1.0, 50, &kdd).with_bins(5),
            all: vec![0.1, 1.0],
            poll: kdd,
            rounds: 20,
        },
        Experiment {
            // So many of its people are hard to tell that no number of unstable queries is small.
            labels: [1.0, 4.0, 16.0].map(|epsilon| planned(epsilon, 250, &adult)).into(),
            scores: planned(16.0, 500, &adult).with_bins(5),
            all: vec![0.5, 1.0, 4.0],
            poll: adult,
            rounds: 20,
        },
    ])
}
