//! The smallest ε at which nineteen queries in twenty are still answered.

use super::methods::Method;
use super::poll::Poll;
use super::sessions::{self, Line, Setting};
use crate::Failure;

/// The share of queries to be answered.
const ENOUGH: f64 = 0.95;

/// Each ε that is tried is this much smaller than the one before.
const STEP: f64 = 0.8;

/// The last session that answers enough, going down from ε = 1; none if that one does not.
pub fn search(
    poll: &Poll,
    queries: u64,
    rounds: usize,
    seed: u64,
) -> Result<Option<Line>, Failure> {
    let mut found = None;
    let mut epsilon = 1.0;
    loop {
        let Some(setting) = Setting::affordable(epsilon, queries, queries / 20, poll.rows()) else {
            return Ok(found);
        };
        let votes = poll.labels(setting.chunks)?;
        let line =
            sessions::labels(&[Method::Ours], &setting, &votes, poll, rounds, seed).remove(0);
        if line.answered < ENOUGH {
            return Ok(found);
        }
        found = Some(line);
        epsilon *= STEP;
    }
}
