//! A memory that ends with the process, for experiments.

use super::answer::Answer;
use super::design::Design;
use super::session::Memory;
use super::state::State;
use discretion_privacy::noise::Provenance;
use std::collections::HashMap;
use std::convert::Infallible;

/// Remembers a session until it is dropped. For experiments on public tables, and where one process
/// is all there is.
pub struct Recent {
    state: String,
    answers: HashMap<String, Answer>,
}

impl Recent {
    /// A session that begins.
    pub fn new(design: Design, queries: u64, randomness: Provenance) -> Recent {
        let state = State::begin(design, queries, randomness).to_secret_text();
        Recent { state, answers: HashMap::new() }
    }
}

impl Memory for Recent {
    type Error = Infallible;

    fn state(&self) -> String {
        self.state.clone()
    }

    fn recall(&self, query: &str) -> Result<Option<Answer>, Infallible> {
        Ok(self.answers.get(query).copied())
    }

    fn remember(&mut self, state: &str, answers: &[(String, Answer)]) -> Result<(), Infallible> {
        self.state = state.to_owned();
        self.answers.extend(answers.iter().cloned());
        Ok(())
    }
}
