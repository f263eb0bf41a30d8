//! One live round at a member: report, check, prepare, let go.

use super::agreement::AttemptName;
use super::course::Course;
use super::journal::Journal;
use super::pace::Pace;
use crate::mailbox::{Kind, MailboxClient, Message};
use crate::sums::{Aggregator, PartyError};
use crate::wire::{Charter, Reader, digest, put_bytes};
use crate::{Attempt, Scheme, Stop, VerifyKey};
use discretion::erm::Oracle;
use discretion::noise::OperatingSystem;

/// A local failure: what this process is told, and what everybody may know of it.
pub(super) struct Failed {
    pub(super) stop: Stop,
    /// Nothing if it is not this member that failed.
    pub(super) told: Option<String>,
}

impl Failed {
    /// A refusal that everybody may know as this process does.
    pub(super) fn refused(why: String) -> Failed {
        Failed { stop: Stop::Refused(why.clone()), told: Some(why) }
    }
}

impl From<Stop> for Failed {
    /// Others failed, or the network.
    fn from(stop: Stop) -> Failed {
        Failed { stop, told: None }
    }
}

impl From<PartyError> for Failed {
    /// A round is refused for reasons that are in its messages: everybody may know them.
    fn from(error: PartyError) -> Failed {
        Failed { told: Some(error.to_string()), stop: error.into() }
    }
}

/// A holder's message that is not accepted: it is named.
fn from_holder(name: &str) -> impl Fn(PartyError) -> Failed {
    move |error| {
        let why = match error {
            PartyError::Rejected { .. } => "its proof does not hold".to_owned(),
            other => other.to_string(),
        };
        Failed::refused(format!("the contribution of {name} was rejected: {why}"))
    }
}

/// This member's own failure, of which others are told only this.
pub(super) fn own<E: Into<Stop>>(told: &str) -> impl Fn(E) -> Failed {
    move |error| Failed { stop: error.into(), told: Some(told.to_owned()) }
}

pub(super) const NO_LEDGER: &str = "its ledger cannot be written";

/// What a member needs in every round.
pub(super) struct Hand<'h, 'a, 'l> {
    pub(super) charter: &'h Charter,
    pub(super) mailbox: &'h mut MailboxClient,
    pub(super) journal: &'h mut Journal<'a, 'l>,
    pub(super) oracle: &'h dyn Oracle,
    /// Of the aggregators alone.
    pub(super) key: Option<VerifyKey>,
}

impl Hand<'_, '_, '_> {
    /// The other members of a list.
    fn others(&self, members: impl Iterator<Item = usize>) -> Vec<usize> {
        members.filter(|&member| member != self.mailbox.number()).collect()
    }

    pub(super) fn other_aggregators(&self) -> Vec<usize> {
        self.others(self.charter.aggregators().iter().copied())
    }

    pub(super) fn other_members(&self) -> Vec<usize> {
        self.others(0..self.charter.members().len())
    }

    pub(super) fn send_all(
        &mut self,
        to: &[usize],
        kind: Kind,
        round: usize,
        body: &[u8],
    ) -> Result<(), Stop> {
        let message = || Message { kind, round, body: body.to_vec() };
        self.mailbox.send(to.iter().map(|&to| (to, message())).collect())
    }

    /// Contributes to a round, and as an aggregator brings it to where its share of the sum is on the disk, and everybody's is.
    pub(super) fn take_part(&mut self, course: &mut Course<'_>) -> Result<(), Failed> {
        let round = course.released();
        let name = digest("attempt", &[&self.mailbox.roster_digest(), &(round as u64).to_be_bytes()]);
        let attempt: Attempt = name[..size_of::<Attempt>()].try_into().expect("a digest is longer");
        let scheme = course.scheme(&attempt)?;
        let attempt = AttemptName::new(&attempt);
        let pace = Pace::begin();
        let contribution = course.contribute(self.mailbox.number(), self.oracle);
        let contribution = contribution.map_err(own("its contribution could not be computed"))?;
        self.journal.contribute(round, &attempt).map_err(own(NO_LEDGER))?;
        let reports = scheme.report(self.mailbox.number(), &contribution)?;
        pace.wait();
        let aggregators = self.charter.aggregators().iter().copied().zip(reports);
        let (mine, theirs): (Vec<_>, Vec<_>) = aggregators.partition(|(to, _)| *to == self.mailbox.number());
        let so_far = course.so_far();
        let message = |(to, body): (usize, Vec<u8>)| {
            (to, Message { kind: Kind::Report, round, body: [&so_far[..], &body].concat() })
        };
        self.mailbox.send(theirs.into_iter().map(message).collect())?;
        match mine.into_iter().next() {
            None => Ok(()),
            Some((_, report)) => self.aggregate(&scheme, (round, so_far), &attempt, report),
        }
    }

    fn aggregate(
        &mut self,
        scheme: &Scheme,
        (round, so_far): (usize, [u8; 32]),
        attempt: &AttemptName,
        report: Vec<u8>,
    ) -> Result<(), Failed> {
        let own_number = self.mailbox.number();
        let place = self.charter.aggregator(own_number).expect("only aggregators aggregate");
        let key = self.key.expect("aggregators have a key");
        let mut aggregator = Aggregator::new(scheme, place, key);
        // All parts of the checks of all holders' proofs, by holder.
        let mut checks: Vec<Vec<Vec<u8>>> = Vec::new();
        for holder in 0..self.charter.members().len() {
            let message = match holder == own_number {
                true => report.clone(),
                false => {
                    let body = self.mailbox.receive(holder, Kind::Report, round)?;
                    self.same(holder, so_far, &body)?.to_vec()
                }
            };
            let check = aggregator.receive_from(holder, &message);
            checks.push(vec![check.map_err(from_holder(self.charter.name(holder)))?]);
        }
        let mut body = so_far.to_vec();
        checks.iter().for_each(|own| put_bytes(&mut body, &own[0]));
        let others = self.other_aggregators();
        self.send_all(&others, Kind::Checks, round, &body)?;
        for &other in &others {
            let body = self.mailbox.receive(other, Kind::Checks, round)?;
            let mut reader = Reader::new(self.same(other, so_far, &body)?);
            for parts in &mut checks {
                let damaged = PartyError::Damaged {
                    from: format!("of aggregator {}", self.charter.name(other)),
                    why: "it does not have a part for each holder",
                };
                parts.push(reader.bytes().ok_or(damaged)?.to_vec());
            }
        }
        for (holder, parts) in checks.iter().enumerate() {
            aggregator.verify(parts).map_err(from_holder(self.charter.name(holder)))?;
        }
        // How long exact noise takes to draw depends on what is drawn.
        let pace = Pace::begin();
        let sum = aggregator.finish(&mut OperatingSystem)?;
        self.journal.keep(round, attempt, &sum).map_err(own(NO_LEDGER))?;
        pace.wait();
        // Nobody lets go of anything before everybody can: a crash loses nothing.
        self.send_all(&others, Kind::Prepared, round, &[])?;
        for &other in &others {
            self.mailbox.receive(other, Kind::Prepared, round)?;
        }
        Ok(())
    }

    /// What follows the digest of what a member takes to be released so far, which must be our own.
    ///
    /// A proof is bound to that digest too, but proofs are sound only if every aggregator is honest. This comparison rests on the channel
    /// to the member alone.
    fn same<'b>(&self, member: usize, so_far: [u8; 32], body: &'b [u8]) -> Result<&'b [u8], Failed> {
        match body.split_at_checked(so_far.len()) {
            Some((theirs, rest)) if theirs == so_far => Ok(rest),
            _ => {
                let why = format!(
                    "{} and {} do not agree on what was released so far: an aggregator told them different things, or their \
                     machines compute differently",
                    self.charter.name(member),
                    self.charter.name(self.mailbox.number())
                );
                Err(Failed::refused(why))
            }
        }
    }

    /// Lets go of this aggregator's share, if it is one, and opens the sum.
    pub(super) fn open(&mut self, course: &mut Course<'_>) -> Result<(), Failed> {
        let round = course.released();
        let own_number = self.mailbox.number();
        let mut sums = Vec::new();
        if self.charter.aggregator(own_number).is_some() {
            let sum = self.journal.let_go(round).map_err(own(NO_LEDGER))?;
            let mut everybody = self.other_members();
            everybody.push(self.charter.coordinator());
            self.send_all(&everybody, Kind::Sum, round, &sum)?;
            sums.push((own_number, sum));
        }
        for other in self.other_aggregators() {
            sums.push((other, self.mailbox.receive(other, Kind::Sum, round)?));
        }
        open(self.charter, course, sums)
    }
}

/// Opens a round's sum from the aggregators' shares.
pub(super) fn open(
    charter: &Charter,
    course: &mut Course<'_>,
    sums: Vec<(usize, Vec<u8>)>,
) -> Result<(), Failed> {
    // Opening needs no attempt: whatever attempt the shares are of, they are of the same.
    let scheme = course.scheme(&Attempt::default())?;
    let place = |member: usize| charter.aggregator(member).expect("only aggregators have shares");
    let sums: Vec<(usize, Vec<u8>)> = sums.into_iter().map(|(member, sum)| (place(member), sum)).collect();
    let sum = scheme.open_from(&sums)?;
    course.release(sum).map_err(own("the next round could not be planned"))
}
