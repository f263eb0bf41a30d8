//! A session's memory in the ledger. The design is kept with the state: a later version of this program may plan
//! another, and goes on with this one.

use crate::exit::Failure;
use discretion::vote::{Answer, Design, Memory, State};
use discretion_ledger::Session;

/// A session of the ledger.
pub struct Kept<'l> {
    session: Session<'l>,
}

/// What a session begins with.
pub fn first_state(design: &Design) -> String {
    format!("{}\n{}", json(design), State::default().to_secret_text())
}

impl<'l> Kept<'l> {
    /// A session that was opened or found.
    pub fn new(session: Session<'l>) -> Kept<'l> {
        Kept { session }
    }

    /// The design that the session was charged for.
    pub fn design(&self) -> Result<Design, Failure> {
        serde_json::from_str(self.parts().0).map_err(|_| damaged())
    }

    /// The state in force.
    pub fn counts(&self) -> Result<State, Failure> {
        State::from_secret_text(self.parts().1).ok_or_else(damaged)
    }

    /// The session itself.
    pub fn session(&self) -> &Session<'l> {
        &self.session
    }

    fn parts(&self) -> (&str, &str) {
        self.session.state().split_once('\n').unwrap_or_default()
    }
}

/// What is kept of a session makes no sense.
pub fn damaged() -> Failure {
    Failure::BadInput(
        "the state of this session in the ledger cannot be read; `discretion ledger verify` says more, and --new opens \
         another session at its full price"
            .to_owned(),
    )
}

fn json(design: &Design) -> String {
    serde_json::to_string(design).expect("a design is plain data")
}

impl Memory for Kept<'_> {
    type Error = Failure;

    fn state(&self) -> String {
        self.parts().1.to_owned()
    }

    fn recall(&self, query: &str) -> Result<Option<Answer>, Failure> {
        let answer = self.session.answer(query)?;
        answer.map(|answer| answer.parse().map_err(|_| damaged())).transpose()
    }

    fn remember(&mut self, state: &str, answers: &[(String, Answer)]) -> Result<(), Failure> {
        let state = format!("{}\n{state}", self.parts().0);
        let answers: Vec<(String, String)> =
            answers.iter().map(|(query, answer)| (query.clone(), answer.to_string())).collect();
        Ok(self.session.commit(&state, &answers)?)
    }
}
