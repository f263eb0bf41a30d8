//! One live round at a member: report, check, prepare, let go.

use super::agreement::{AttemptName, attempt_at};
use super::failure::{Failure, ledger_failure, own_failure, rejected};
use super::member_run::MemberRun;
use super::progress::Progress;
use super::time_padding::TimePadding;
use crate::mailbox::{Kind, Message};
use crate::sums::{Aggregator, RoundError};
use crate::wire::{Charter, Reader, put_bytes};
use crate::{Attempt, Scheme};

impl MemberRun<'_, '_> {
    /// Contributes to a round, and as an aggregator brings it to where its share of the sum is on
    /// the disk, and everybody's is.
    pub(super) fn take_part(&mut self, progress: &mut Progress<'_>) -> Result<(), Failure> {
        let round = progress.released();
        let attempt = attempt_at(&self.mailbox.roster_digest(), round);
        let scheme = progress.scheme(&attempt)?;
        let attempt = AttemptName::new(&attempt);
        let padding = TimePadding::begin();
        let contribution =
            progress.contribute(self.number(), self.membership.oracle, self.membership.held_out);
        let contribution =
            contribution.map_err(own_failure("its contribution could not be computed"))?;
        self.journal.contribute(round, &attempt).map_err(ledger_failure)?;
        let reports = scheme.report(self.number(), &contribution)?;
        padding.wait();
        let aggregators = self.charter().aggregators().iter().copied().zip(reports);
        let (mine, theirs): (Vec<_>, Vec<_>) =
            aggregators.partition(|(to, _)| *to == self.number());
        let digest = progress.digest();
        let message = |(to, body): (usize, Vec<u8>)| {
            (to, Message { kind: Kind::Report, round, body: [&digest[..], &body].concat() })
        };
        self.mailbox.send(theirs.into_iter().map(message).collect())?;
        match mine.into_iter().next() {
            None => Ok(()),
            Some((_, report)) => self.aggregate(&scheme, (round, digest), &attempt, report),
        }
    }

    fn aggregate(
        &mut self,
        scheme: &Scheme,
        (round, digest): (usize, [u8; 32]),
        attempt: &AttemptName,
        report: Vec<u8>,
    ) -> Result<(), Failure> {
        let number =
            self.charter().aggregator_number(self.number()).expect("only aggregators aggregate");
        let key = self.verify_key.expect("aggregators have a key");
        let mut aggregator = Aggregator::new(scheme, number, key);
        // All parts of the checks of all holders' proofs, by holder.
        let mut checks: Vec<Vec<Vec<u8>>> = Vec::new();
        for holder in 0..self.charter().members().len() {
            let message = match holder == self.number() {
                true => report.clone(),
                false => {
                    let body = self.mailbox.receive(holder, Kind::Report, round)?;
                    self.strip_digest(holder, digest, &body)?.to_vec()
                }
            };
            let check = aggregator.receive_from(holder, &message);
            checks.push(vec![check.map_err(rejected(self.charter().name(holder)))?]);
        }
        let mut body = digest.to_vec();
        checks.iter().for_each(|own| put_bytes(&mut body, &own[0]));
        let others = self.other_aggregators();
        self.send_all(&others, Kind::Checks, round, &body)?;
        for &other in &others {
            let body = self.mailbox.receive(other, Kind::Checks, round)?;
            let mut reader = Reader::new(self.strip_digest(other, digest, &body)?);
            for parts in &mut checks {
                let damaged = RoundError::Damaged {
                    from: format!("of aggregator {}", self.charter().name(other)),
                    why: "it does not have a part for each holder",
                };
                parts.push(reader.bytes().ok_or(damaged)?.to_vec());
            }
        }
        for (holder, parts) in checks.iter().enumerate() {
            aggregator.verify(parts).map_err(rejected(self.charter().name(holder)))?;
        }
        // How long exact noise takes to draw depends on what is drawn.
        let padding = TimePadding::begin();
        let sum = aggregator.finish(self.journal.receipt().noise())?;
        self.journal.keep(round, attempt, &sum).map_err(ledger_failure)?;
        padding.wait();
        // Nobody lets go of anything before everybody can: a crash loses nothing.
        self.send_all(&others, Kind::Prepared, round, &[])?;
        for &other in &others {
            self.mailbox.receive(other, Kind::Prepared, round)?;
        }
        Ok(())
    }

    /// What follows the digest of what a member takes to be released so far, which must be our own.
    ///
    /// A proof is bound to that digest too, but proofs are sound only if every aggregator is
    /// honest. This comparison rests on the channel to the member alone.
    fn strip_digest<'b>(
        &self,
        member: usize,
        digest: [u8; 32],
        body: &'b [u8],
    ) -> Result<&'b [u8], Failure> {
        match body.split_at_checked(digest.len()) {
            Some((theirs, rest)) if theirs == digest => Ok(rest),
            _ => {
                let why = format!(
                    "{} and {} do not agree on what was released so far: an aggregator told them different things, or their \
                     machines compute differently",
                    self.charter().name(member),
                    self.charter().name(self.number())
                );
                Err(Failure::refused(why))
            }
        }
    }

    /// Lets go of this aggregator's share, if it is one, and opens the sum.
    pub(super) fn open_round(&mut self, progress: &mut Progress<'_>) -> Result<(), Failure> {
        let round = progress.released();
        let mut sums = Vec::new();
        if self.is_aggregator() {
            let sum = self.journal.let_go(round).map_err(ledger_failure)?;
            let mut everybody = self.other_members();
            everybody.push(self.charter().coordinator());
            self.send_all(&everybody, Kind::Sum, round, &sum)?;
            sums.push((self.number(), sum));
        }
        for other in self.other_aggregators() {
            sums.push((other, self.mailbox.receive(other, Kind::Sum, round)?));
        }
        open_sum(self.charter(), progress, sums)
    }
}

/// Opens a round's sum from the aggregators' shares.
pub(super) fn open_sum(
    charter: &Charter,
    progress: &mut Progress<'_>,
    sums: Vec<(usize, Vec<u8>)>,
) -> Result<(), Failure> {
    // Opening needs no attempt: whatever attempt the shares are of, they are of the same.
    let scheme = progress.scheme(&Attempt::default())?;
    let number =
        |member: usize| charter.aggregator_number(member).expect("only aggregators have shares");
    let sums: Vec<(usize, Vec<u8>)> =
        sums.into_iter().map(|(member, sum)| (number(member), sum)).collect();
    let sum = scheme.open_from(&sums)?;
    progress.release(sum).map_err(own_failure("the next round could not be planned"))
}
