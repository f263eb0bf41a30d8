//! What must outlive the process.

use super::design::Design;
use discretion_privacy::noise::Provenance;
use serde::{Deserialize, Serialize};

/// A session: what it was charged for, how far it has come, and the noise on the threshold in
/// force, which is **as secret as the rows**: hence no public fields and no `Debug`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    pub(super) design: Design,
    /// m.
    pub(super) queries: u64,
    /// Where its noise comes from, from the first draw to the last.
    pub(super) randomness: Provenance,
    pub(super) asked: u64,
    pub(super) tests: u64,
    pub(super) paid: u64,
    pub(super) threshold: Option<Threshold>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Threshold {
    pub noise: u64,
    /// Tests that failed under it.
    pub paid: u64,
}

impl State {
    /// A session that begins.
    pub fn begin(design: Design, queries: u64, randomness: Provenance) -> State {
        State { design, queries, randomness, asked: 0, tests: 0, paid: 0, threshold: None }
    }

    /// How queries are tested.
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// How many queries may still be asked.
    pub fn queries_left(&self) -> u64 {
        self.queries.saturating_sub(self.asked)
    }

    /// How many tests may still fail; 0 where none can. Public, as the number of queries is: anyone
    /// can count the answers.
    pub fn unstable_left(&self) -> u64 {
        self.design.paid().map_or(0, |most| most.saturating_sub(self.paid))
    }

    /// The session as text, to be kept where the rows are kept.
    pub fn to_secret_text(&self) -> String {
        serde_json::to_string(self).expect("a state is plain data")
    }

    /// The session that [`State::to_secret_text`] wrote.
    pub fn from_secret_text(text: &str) -> Option<State> {
        serde_json::from_str(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Sparse;

    #[test]
    fn a_state_reads_back_as_it_was_written() {
        let (threshold_scale, query_scale) = (10.0 / 3.0, 0.1 + 0.2);
        let sparse = Sparse { thresholds: 1, paid_each: 5, threshold_scale, query_scale, cut: 17 };
        let first = State::begin(Design::Sparse(sparse), 100, Provenance::OperatingSystem);
        let threshold = Some(Threshold { noise: 57, paid: 1 });
        let later = State { asked: 12, paid: 3, tests: 12, threshold, ..first.clone() };
        for state in [first, later] {
            let text = state.to_secret_text();
            let back = State::from_secret_text(&text).unwrap();
            assert_eq!((back.to_secret_text(), back.design), (text, Design::Sparse(sparse)));
        }
        assert!(State::from_secret_text("").is_none() && State::from_secret_text("{}").is_none());
    }
}
