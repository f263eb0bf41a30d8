//! A session's memory in the ledger.

use crate::Error;
use discretion::vote::{Answer, AnswerError, Memory, State};
use discretion_ledger::{Account, Happening, Session};

/// A session of the ledger.
pub struct Kept<'l> {
    session: Session<'l>,
}

impl<'l> Kept<'l> {
    /// A session that was opened just now.
    pub(super) fn new(session: Session<'l>) -> Kept<'l> {
        Kept { session }
    }

    /// A session of an earlier run. Its state can be changed unnoticed, the log cannot: what was charged must be what
    /// the state says.
    pub(super) fn found(session: Session<'l>, account: &Account<'l>) -> Result<Kept<'l>, Error> {
        let kept = Kept::new(session);
        let paid_for = kept.state()?.design().event();
        let entry = account.history()?.into_iter().find(|entry| entry.number == kept.session.charge());
        match entry.map(|entry| entry.what) {
            Some(Happening::Charged { event, .. }) if event == paid_for => Ok(kept),
            _ => Err(damaged()),
        }
    }

    /// The state in force.
    pub fn state(&self) -> Result<State, Error> {
        State::from_secret_text(self.session.state()).ok_or_else(damaged)
    }

    /// Reads the session again, after another process has gone on with it.
    pub fn reload(&mut self) -> Result<(), Error> {
        Ok(self.session.reload()?)
    }

    /// The session itself.
    pub fn session(&self) -> &Session<'l> {
        &self.session
    }
}

/// What is kept of a session makes no sense.
fn damaged() -> Error {
    Error::BadInput(
        "the state of this session in the ledger cannot be read, or is not what was charged for; was the file changed? \
         Restore it from a copy, or open another session at its full price (`discretion answer --new`)"
            .to_owned(),
    )
}

impl Memory for Kept<'_> {
    type Error = Error;

    fn state(&self) -> String {
        self.session.state().to_owned()
    }

    fn recall(&self, query: &str) -> Result<Option<Answer>, Error> {
        let answer = self.session.answer(query)?;
        answer.map(|answer| answer.parse().map_err(|_| damaged())).transpose()
    }

    fn remember(&mut self, state: &str, answers: &[(String, Answer)]) -> Result<(), Error> {
        let answers: Vec<(String, String)> =
            answers.iter().map(|(query, answer)| (query.clone(), answer.to_string())).collect();
        Ok(self.session.commit(state, &answers)?)
    }
}

impl From<AnswerError<Error>> for Error {
    fn from(error: AnswerError<Error>) -> Error {
        match error {
            AnswerError::Memory(error) => error,
            AnswerError::Noise(error) => Error::Refused(format!("{error}; nothing was released")),
            AnswerError::State | AnswerError::Randomness => damaged(),
        }
    }
}

impl From<AnswerError<std::convert::Infallible>> for Error {
    fn from(error: AnswerError<std::convert::Infallible>) -> Error {
        Error::Refused(error.to_string())
    }
}
