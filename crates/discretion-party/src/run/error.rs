//! Why a study is not run here, or not any further.

use discretion::joint::JointError;

/// Why a study is not run here, or not any further.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum StudyError {
    /// A study that another account pays for.
    #[error(
        "charge {charge} of account '{account}' pays for this study already; name that account in [data]"
    )]
    OtherAccount { charge: u64, account: String },
    /// A table that was not charged for.
    #[error(
        "the table is not the one that charge {charge} of account '{account}' was made for; bring that one, or raise `run` in \
         [party], everywhere, for a new charge"
    )]
    OtherTable { charge: u64, account: String },
    /// A table that is not the one that the study has for this member.
    #[error(transparent)]
    Table(JointError),
    /// A journal that is none.
    #[error("the journal of charge {0} cannot be read")]
    Journal(u64),
    /// A share in the journal that is none.
    #[error("the journal cannot be read")]
    Share,
    /// A budget that is too small.
    #[error("account '{0}' cannot pay for this study; `discretion ledger show` says what is left")]
    CannotPay(String),
    /// Something that everybody may know: members do not agree, or a contribution was rejected.
    #[error("{0}")]
    Public(String),
}

impl StudyError {
    /// Whether a file or an argument has to be repaired.
    pub(crate) fn is_bad_input(&self) -> bool {
        matches!(self, StudyError::Table(_))
    }
}
