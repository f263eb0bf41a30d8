//! Everything before the first round: where to go on, the charge, the end of earlier attempts, the
//! aggregators' key.

use super::agreement::{Agreement, AttemptName, JournalSummary};
use super::failure::{Failure, ledger_failure, own_failure};
use super::member_run::MemberRun;
use super::notice::Notice;
use crate::VerifyKey;
use crate::mailbox::{Kind, MailboxError};
use crate::wire::{Charter, digest, random};

impl MemberRun<'_, '_> {
    /// The first live round.
    pub(super) fn begin(&mut self, notice: &mut dyn FnMut(Notice)) -> Result<usize, Failure> {
        let charter = self.charter();
        let rounds = charter.plan().rounds();
        let summaries = self.exchange_summaries()?;
        let agreement = Agreement::new(charter, rounds, &summaries).map_err(Failure::refused)?;
        let predicted =
            |member: usize, attempt: &AttemptName| agreement.can_vouch(&summaries[member], attempt);
        // Everybody's, so that nobody is charged for what another will refuse.
        summaries
            .iter()
            .try_for_each(|one| agreement.check(charter, one, predicted))
            .map_err(Failure::refused)?;
        let paid = self.pay(&agreement, notice)?;
        self.tell_coordinator(Kind::Charged, paid.as_bytes())?;
        if agreement.live < rounds {
            self.abandon(&agreement, &summaries[self.number()])?;
            self.agree_on_a_key()?;
        }
        Ok(agreement.live)
    }

    /// What everybody's journal holds, in the members' order.
    fn exchange_summaries(&mut self) -> Result<Vec<JournalSummary>, Failure> {
        let own = self.journal.summary();
        let body = serde_json::to_vec(&own).expect("a summary is plain data");
        let others = self.other_members();
        self.send_all(&others, Kind::JournalSummary, 0, &body)?;
        let mut summaries = vec![own; self.charter().members().len()];
        for other in others {
            let body = self.mailbox.receive(other, Kind::JournalSummary, 0)?;
            summaries[other] =
                JournalSummary::read(&body).ok_or_else(|| damaged(self.charter(), other))?;
        }
        Ok(summaries)
    }

    /// Charges the account, unless an earlier charge pays or there is nothing to pay for: what was
    /// charged, in words.
    fn pay(
        &mut self,
        agreement: &Agreement,
        notice: &mut dyn FnMut(Notice),
    ) -> Result<String, Failure> {
        let charter = self.charter();
        if let Some(charge) = self.journal.charge_number() {
            notice(Notice::PaidBefore { charge });
            return Ok("nothing new, an earlier charge pays".to_owned());
        }
        if agreement.live == charter.plan().rounds() {
            return Ok("nothing, all sums are there".to_owned());
        }
        let charged = self.journal.pay_for_study(
            charter,
            (self.membership.table, self.membership.consent),
            &self.membership.what,
            self.membership.watch,
        );
        let charged = charged.map_err(own_failure("its account was not charged"))?;
        notice(Notice::Charged { charge: charged.number, quote: Box::new(charged.quote.clone()) });
        Ok(charter.plan().budget().to_string())
    }

    /// Earlier attempts at the first live round are given up by everybody, for ever, before there
    /// is another one.
    fn abandon(&mut self, agreement: &Agreement, own: &JournalSummary) -> Result<(), Failure> {
        if agreement.pending.is_empty() {
            return Ok(());
        }
        let charter = self.charter();
        let mut vouched: Vec<(usize, Vec<AttemptName>)> = Vec::new();
        if self.is_aggregator() {
            let can = |attempt: &&AttemptName| agreement.can_vouch(own, attempt);
            let mine: Vec<AttemptName> = agreement.pending.iter().filter(can).cloned().collect();
            self.journal.abandon(agreement.live).map_err(ledger_failure)?;
            let body = serde_json::to_vec(&mine).expect("names are plain data");
            self.send_all(&self.other_members(), Kind::Vouch, 0, &body)?;
            vouched.push((self.number(), mine));
        }
        for other in self.other_aggregators() {
            let body = self.mailbox.receive(other, Kind::Vouch, 0)?;
            let names = serde_json::from_slice(&body).map_err(|_| damaged(charter, other))?;
            vouched.push((other, names));
        }
        let vouches = |member: usize, attempt: &AttemptName| {
            vouched.iter().any(|(who, names)| *who == member && names.contains(attempt))
        };
        agreement.check(charter, own, vouches).map_err(Failure::refused)
    }

    /// Proofs are checked at points that no holder could foresee which is no aggregator.
    fn agree_on_a_key(&mut self) -> Result<(), Failure> {
        if !self.is_aggregator() {
            return Ok(());
        }
        let seed: VerifyKey = random()?;
        self.send_all(&self.other_aggregators(), Kind::Seed, 0, &seed)?;
        let mut seeds = Vec::new();
        for &member in self.charter().aggregators() {
            let is_own = member == self.number();
            seeds.push(if is_own {
                seed.to_vec()
            } else {
                self.mailbox.receive(member, Kind::Seed, 0)?
            });
        }
        let seeds: Vec<&[u8]> = seeds.iter().map(Vec::as_slice).collect();
        self.verify_key = Some(digest("verify key", &seeds));
        Ok(())
    }
}

fn damaged(charter: &Charter, member: usize) -> MailboxError {
    MailboxError::Message {
        from: charter.name(member).to_owned(),
        problem: "is damaged".to_owned(),
    }
}
