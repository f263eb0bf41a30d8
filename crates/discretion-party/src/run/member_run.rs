//! A member's run of a study, round by round.

use super::failure::Failure;
use super::join::Membership;
use super::journal::Journal;
use super::notice::Notice;
use super::progress::Progress;
use crate::VerifyKey;
use crate::mailbox::{Kind, MailboxClient, MailboxError, Message};
use crate::wire::Charter;

/// What a member needs in every round.
pub(super) struct MemberRun<'m, 'l> {
    pub(super) membership: Membership<'m, 'l>,
    pub(super) mailbox: MailboxClient,
    pub(super) journal: Journal<'m, 'l>,
    /// Of the aggregators alone.
    pub(super) verify_key: Option<VerifyKey>,
}

impl<'m> MemberRun<'m, '_> {
    pub(super) fn charter(&self) -> &'m Charter {
        self.membership.charter
    }

    /// This member's number.
    pub(super) fn number(&self) -> usize {
        self.mailbox.number()
    }

    pub(super) fn is_aggregator(&self) -> bool {
        self.charter().aggregator_number(self.number()).is_some()
    }

    /// The other members of a list.
    fn others(&self, members: impl Iterator<Item = usize>) -> Vec<usize> {
        members.filter(|&member| member != self.number()).collect()
    }

    pub(super) fn other_aggregators(&self) -> Vec<usize> {
        self.others(self.charter().aggregators().iter().copied())
    }

    pub(super) fn other_members(&self) -> Vec<usize> {
        self.others(0..self.charter().members().len())
    }

    pub(super) fn send_all(
        &mut self,
        to: &[usize],
        kind: Kind,
        round: usize,
        body: &[u8],
    ) -> Result<(), MailboxError> {
        let message = || Message { kind, round, body: body.to_vec() };
        self.mailbox.send(to.iter().map(|&to| (to, message())).collect())
    }

    pub(super) fn tell_coordinator(&mut self, kind: Kind, body: &[u8]) -> Result<(), MailboxError> {
        self.send_all(&[self.charter().coordinator()], kind, 0, body)
    }

    /// All rounds. Those before the first live one are opened from what the aggregators kept.
    pub(super) fn run(
        &mut self,
        progress: &mut Progress<'_>,
        notice: &mut dyn FnMut(Notice),
    ) -> Result<(), Failure> {
        let rounds = self.charter().plan().rounds();
        let live = self.begin(notice)?;
        while progress.released() < rounds {
            let number = progress.released() + 1;
            if number <= live {
                notice(Notice::Kept { number, of: rounds });
            } else {
                notice(Notice::Round { number, of: rounds, what: progress.round().what() });
                self.take_part(progress)?;
            }
            // A holder that is no aggregator is needed until its last report is on its way.
            if number == rounds && !self.is_aggregator() {
                self.tell_coordinator(Kind::Complete, &[])?;
            }
            self.open_round(progress)?;
            if number == rounds && self.is_aggregator() {
                self.tell_coordinator(Kind::Complete, &[])?;
            }
        }
        Ok(())
    }
}
