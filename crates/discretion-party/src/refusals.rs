//! This crate's errors as refusals: which of them somebody has to repair.

use crate::mailbox::MailboxError;
use crate::run::StudyError;
use crate::sums::RoundError;
use crate::wire::KeyError;
use discretion::{Refusal, RefusalKind};
use std::error::Error;

fn refusal(error: impl Error + Send + Sync + 'static, is_bad_input: bool) -> Refusal {
    let kind = if is_bad_input { RefusalKind::BadInput } else { RefusalKind::Refused };
    Refusal::from_error(kind, error)
}

impl From<RoundError> for Refusal {
    fn from(error: RoundError) -> Refusal {
        refusal(error, false)
    }
}

impl From<KeyError> for Refusal {
    fn from(error: KeyError) -> Refusal {
        let is_bad_input = error.is_bad_input();
        refusal(error, is_bad_input)
    }
}

impl From<MailboxError> for Refusal {
    fn from(error: MailboxError) -> Refusal {
        let is_bad_input = error.is_bad_input();
        refusal(error, is_bad_input)
    }
}

impl From<StudyError> for Refusal {
    fn from(error: StudyError) -> Refusal {
        let is_bad_input = error.is_bad_input();
        refusal(error, is_bad_input)
    }
}
