//! What a member did, in its ledger before anyone can see it.

use super::StudyError;
use super::agreement::{AttemptName, JournalSummary};
use crate::wire::Charter;
use discretion::Refusal;
use discretion::noise::Receipt;
use discretion_disk::hex::{hex, unhex};
use discretion_jobs::{Watch, pay};
use discretion_ledger::{
    Account, Charge, Consent, Error as LedgerError, Fingerprint, Ledger, Purchase, Session,
    SettingsName, checkpoint,
};
use serde::{Deserialize, Serialize};

/// A member's journal of one study. Every change is on the disk when the call returns.
pub(super) struct Journal<'a, 'l> {
    account: &'a Account<'l>,
    names: SettingsName,
    session: Option<Session<'l>>,
    state: State,
}

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    contributed: Option<(usize, AttemptName)>,
    shares: Vec<Share>,
}

/// An aggregator's share of a round's sum, with its noise. The same bytes may leave any number of
/// times.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Share {
    attempt: AttemptName,
    sum: String,
    is_sent: bool,
}

impl<'a, 'l> Journal<'a, 'l> {
    /// The journal of this study, if there is one, or an empty one that nothing was charged for.
    pub(super) fn open(
        (ledger, account): (&Ledger, &'a Account<'l>),
        charter: &Charter,
        own: usize,
        (table, consent): (&Fingerprint, Consent),
    ) -> Result<Journal<'a, 'l>, Refusal> {
        let names = charter.journal_name(own);
        let session = account.session_named(&names)?;
        // Whoever changes accounts must not forget what it let go of.
        if session.is_none() {
            for name in names.all() {
                if let Some((account, charge)) = ledger.session_anywhere(name)? {
                    Err(StudyError::OtherAccount { charge, account })?;
                }
            }
        }
        let state = match &session {
            // What the charge would refuse is refused before others hear of this member.
            None => {
                account.allows(table, consent)?;
                State::default()
            }
            Some(session) if session.table_changed(table) => Err(StudyError::OtherTable {
                charge: session.charge(),
                account: account.name().to_owned(),
            })?,
            Some(session) => serde_json::from_str(session.state())
                .map_err(|_| StudyError::Journal(session.charge()))?,
        };
        Ok(Journal { account, names, session, state })
    }

    /// The charge that pays for the study, if it was made.
    pub(super) fn charge_number(&self) -> Option<u64> {
        self.session.as_ref().map(Session::charge)
    }

    /// What others must know of it.
    pub(super) fn summary(&self) -> JournalSummary {
        let share = |share: &Share| (share.attempt.clone(), share.is_sent);
        JournalSummary {
            contributed: self.state.contributed.clone(),
            shares: self.state.shares.iter().map(share).collect(),
        }
    }

    /// Charges the study, whole.
    pub(super) fn pay_for_study(
        &mut self,
        charter: &Charter,
        (table, consent): (&Fingerprint, Consent),
        what: &str,
        watch: &dyn Watch,
    ) -> Result<Charge<'l>, Refusal> {
        let event = charter.plan().event();
        let state = text(&self.state);
        let unit = charter.plan().holders().unit();
        let purchase = Purchase::new(&event, what).about(unit).on(table).only_with(consent);
        let purchase = purchase.with_only_session(self.names.name(), &state);
        let mut charge = pay(self.account, &purchase, watch)?;
        self.session = charge.session.take();
        checkpoint("party: charged");
        Ok(charge)
    }

    /// The door to the noise that the study's charge pays for.
    pub(super) fn receipt(&self) -> Receipt {
        self.session
            .as_ref()
            .expect("the study was charged before anything else was done")
            .receipt()
    }

    fn commit(&mut self) -> Result<(), LedgerError> {
        let session =
            self.session.as_mut().expect("the study was charged before anything else was done");
        session.commit(&text(&self.state), &[])
    }

    /// From here on the member has contributed to this round, in this attempt.
    pub(super) fn contribute(
        &mut self,
        round: usize,
        attempt: &AttemptName,
    ) -> Result<(), LedgerError> {
        self.state.contributed = Some((round, attempt.clone()));
        self.commit()?;
        checkpoint(&format!("party: contributing to round {round}"));
        Ok(())
    }

    /// Keeps the share of a round's sum.
    pub(super) fn keep(
        &mut self,
        round: usize,
        attempt: &AttemptName,
        sum: &[u8],
    ) -> Result<(), LedgerError> {
        assert_eq!(self.state.shares.len(), round, "rounds follow one another");
        checkpoint(&format!("party: preparing round {round}"));
        self.state.shares.push(Share { attempt: attempt.clone(), sum: hex(sum), is_sent: false });
        self.commit()?;
        checkpoint(&format!("party: prepared round {round}"));
        Ok(())
    }

    /// The share of a round's sum, which counts as let go of from here on.
    pub(super) fn let_go(&mut self, round: usize) -> Result<Vec<u8>, Refusal> {
        if !self.state.shares[round].is_sent {
            self.state.shares[round].is_sent = true;
            self.commit()?;
        }
        checkpoint(&format!("party: letting go of round {round}"));
        let sum = unhex(&self.state.shares[round].sum);
        Ok(sum.ok_or(StudyError::Share)?)
    }

    /// Throws away the share of a round that was never let go of, so that it never will be. Another
    /// process of this member that still runs finds the journal moved, and stops.
    pub(super) fn abandon(&mut self, round: usize) -> Result<(), LedgerError> {
        if self.state.shares.get(round).is_some_and(|share| !share.is_sent) {
            self.state.shares.truncate(round);
        }
        self.commit()
    }
}

/// The charge that pays for a member's part already, if one does.
pub fn earlier_charge(
    account: &Account<'_>,
    charter: &Charter,
    member: usize,
) -> Result<Option<u64>, LedgerError> {
    let session = account.session_named(&charter.journal_name(member))?;
    Ok(session.map(|session| session.charge()))
}

fn text(state: &State) -> String {
    serde_json::to_string(state).expect("a journal is plain data")
}
