//! A session's memory in the ledger.

use discretion::noise::Receipt;
use discretion::vote::{Answer, AnswerError, Memory, State};
use discretion::{Refusal, Remedy};
use discretion_ledger::{Account, Happening, Session};

/// A session of the ledger.
pub struct LedgerMemory<'l> {
    session: Session<'l>,
}

impl<'l> LedgerMemory<'l> {
    /// A session that was opened just now.
    pub(super) fn new(session: Session<'l>) -> LedgerMemory<'l> {
        LedgerMemory { session }
    }

    /// A session of an earlier run. Its state can be changed unnoticed, the log cannot: what was
    /// charged must be what the state says.
    pub(super) fn found(
        session: Session<'l>,
        account: &Account<'l>,
    ) -> Result<LedgerMemory<'l>, Refusal> {
        let memory = LedgerMemory::new(session);
        let paid_for = memory.state()?.design().event();
        let entry =
            account.history()?.into_iter().find(|entry| entry.number == memory.session.charge());
        match entry.map(|entry| entry.what) {
            Some(Happening::Charged { event, .. }) if event == paid_for => Ok(memory),
            _ => Err(damaged()),
        }
    }

    /// The state in force.
    pub fn state(&self) -> Result<State, Refusal> {
        State::from_secret_text(self.session.state()).ok_or_else(damaged)
    }

    /// Reads the session again, after another process has gone on with it.
    pub fn reload(&mut self) -> Result<(), Refusal> {
        Ok(self.session.reload()?)
    }

    /// The door to the noise that the session's charge pays for.
    pub fn receipt(&self) -> Receipt {
        self.session.receipt()
    }

    /// The session itself.
    pub fn session(&self) -> &Session<'l> {
        &self.session
    }
}

/// What is kept of a session makes no sense.
fn damaged() -> Refusal {
    Refusal::bad_input(
        "the state of this session in the ledger cannot be read, or is not what was charged for; was the file changed? \
         Restore it from a copy"
            .to_owned(),
    )
    .or(Remedy::NewSession)
}

impl Memory for LedgerMemory<'_> {
    type Error = Refusal;

    fn state(&self) -> String {
        self.session.state().to_owned()
    }

    fn recall(&self, query: &str) -> Result<Option<Answer>, Refusal> {
        let answer = self.session.answer(query)?;
        answer.map(|answer| answer.parse().map_err(|_| damaged())).transpose()
    }

    fn remember(&mut self, state: &str, answers: &[(String, Answer)]) -> Result<(), Refusal> {
        let answers: Vec<(String, String)> =
            answers.iter().map(|(query, answer)| (query.clone(), answer.to_string())).collect();
        Ok(self.session.commit(state, &answers)?)
    }
}

/// Why nothing was answered.
pub fn explain<E: Into<Refusal>>(error: AnswerError<E>) -> Refusal {
    match error {
        AnswerError::Memory(error) => error.into(),
        AnswerError::Noise(error) => {
            Refusal::refused(format!("{error}; nothing was released")).because(error)
        }
        AnswerError::State | AnswerError::Randomness => damaged(),
    }
}
