//! Where a study goes on, computed by everybody from what everybody's journal holds.

use crate::Attempt;
use crate::wire::{Charter, digest};
use discretion_disk::hex::{hex, unhex};
use serde::{Deserialize, Serialize};

/// The attempt at a round of those who are in this roster.
pub(super) fn attempt_at(roster_digest: &[u8; 32], round: usize) -> Attempt {
    let name = digest("attempt", &[roster_digest, &(round as u64).to_be_bytes()]);
    name[..size_of::<Attempt>()].try_into().expect("a digest is longer")
}

/// An attempt as its name in hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct AttemptName(String);

impl AttemptName {
    pub(super) fn new(attempt: &Attempt) -> AttemptName {
        AttemptName(hex(attempt))
    }

    fn is_one(&self) -> bool {
        unhex(&self.0).is_some_and(|bytes| bytes.len() == size_of::<Attempt>())
    }
}

/// What a member's journal holds, as far as others must know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JournalSummary {
    /// The last round that it contributed to, and in which attempt.
    pub(super) contributed: Option<(usize, AttemptName)>,
    /// For each round, from the first, the attempt whose noisy share of the sum it has, and whether
    /// it let go of it.
    pub(super) shares: Vec<(AttemptName, bool)>,
}

impl JournalSummary {
    /// Another member's, if it is one.
    pub(super) fn read(body: &[u8]) -> Option<JournalSummary> {
        let summary: JournalSummary = serde_json::from_slice(body).ok()?;
        let names = summary.shares.iter().map(|(name, _)| name);
        let mut names = names.chain(summary.contributed.as_ref().map(|(_, name)| name));
        names.all(AttemptName::is_one).then_some(summary)
    }
}

/// Where a study goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Agreement {
    /// The first round of which not every aggregator has its share. Those before it are opened from
    /// what is there.
    pub(super) live: usize,
    /// Earlier attempts at that round, which have to be abandoned.
    pub(super) pending: Vec<AttemptName>,
}

impl Agreement {
    /// From everybody's journal, in the members' order.
    pub(super) fn new(
        charter: &Charter,
        rounds: usize,
        summaries: &[JournalSummary],
    ) -> Result<Agreement, String> {
        let aggregators = charter.aggregators();
        let share =
            |member: usize, round: usize| summaries[member].shares.get(round).map(|(name, _)| name);
        let is_whole = |&round: &usize| {
            let first = share(aggregators[0], round);
            first.is_some() && aggregators.iter().all(|&member| share(member, round) == first)
        };
        let live = (0..rounds).take_while(is_whole).count();
        for (member, summary) in summaries.iter().enumerate() {
            let beyond = summary.shares.len() > live + 1
                || summary.contributed.as_ref().is_some_and(|(round, _)| *round > live);
            if beyond {
                return Err(format!(
                    "the journal of {} is further than the others', so somebody's ledger was lost or turned back; {NEW_RUN}",
                    charter.name(member)
                ));
            }
        }
        let at_live = summaries.iter().filter_map(|summary| summary.contributed.as_ref());
        let mut pending: Vec<_> =
            at_live.filter(|(round, _)| *round == live).map(|(_, name)| name.clone()).collect();
        pending.sort();
        pending.dedup();
        Ok(Agreement { live, pending })
    }

    /// Whether an aggregator with this journal can vouch that it never let go of its share of
    /// `attempt`, and never will.
    ///
    /// Every share counts, not only that of the live round: others may have been told of another
    /// live round than this one.
    pub(super) fn can_vouch(&self, summary: &JournalSummary, attempt: &AttemptName) -> bool {
        let shares = summary.shares.iter().enumerate();
        shares
            .filter(|(_, (name, _))| name == attempt)
            .all(|(round, (_, is_sent))| round == self.live && !is_sent)
    }

    /// Refuses a new attempt if too few can vouch for this member's last one.
    ///
    /// More than t have to, so that one of them at least is honest. Its share of the sum is then
    /// missing for ever, and nobody learned anything from the attempt.
    pub(super) fn check(
        &self,
        charter: &Charter,
        own: &JournalSummary,
        vouches: impl Fn(usize, &AttemptName) -> bool,
    ) -> Result<(), String> {
        let Some((round, attempt)) = &own.contributed else { return Ok(()) };
        let count =
            || charter.aggregators().iter().filter(|&&member| vouches(member, attempt)).count();
        let is_let_go = own.shares.get(self.live).is_some_and(|(_, is_sent)| *is_sent);
        if *round < self.live || !is_let_go && count() > charter.plan().sharing().colluders() {
            return Ok(());
        }
        Err(format!(
            "the last attempt may have been released, and another one would be a second release; {NEW_RUN}"
        ))
    }
}

const NEW_RUN: &str = "to begin anew, for a new charge, everybody has to raise `run` in [party]";
