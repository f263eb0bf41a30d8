//! What a holder of rows runs.

use super::StudyError;
use super::failure::{Failure, own_failure};
use super::journal::Journal;
use super::member_run::MemberRun;
use super::notice::Notice;
use super::progress::{Outcome, Progress, released_in_words};
use crate::mailbox::{ConnectionOptions, Kind, MailboxClient};
use crate::wire::{Charter, SecretKey};
use discretion::Refusal;
use discretion::erm::Oracle;
use discretion_jobs::joint::HeldOutCounts;
use discretion_jobs::{Watch, warn_of_delta};
use discretion_ledger::{Account, Consent, Fingerprint, Ledger};

/// A holder that takes part: its rows, its key and its account.
pub struct Membership<'m, 'l> {
    /// The study.
    pub charter: &'m Charter,
    /// The holder's key.
    pub secret: &'m SecretKey,
    /// Where the coordinator is.
    pub connection: ConnectionOptions,
    /// Where its account and its journals are.
    pub ledger: &'m Ledger,
    /// Who pays.
    pub account: &'m Account<'l>,
    /// The table's fingerprint.
    pub table: &'m Fingerprint,
    /// What the holder allows that looks like a mistake.
    pub consent: Consent,
    /// The rows.
    pub oracle: &'m dyn Oracle,
    /// Rows that are held out, if the plan has a round for them.
    pub held_out: Option<&'m HeldOutCounts>,
    /// What the charge is for, in words.
    pub what: String,
    /// Who hears of the charge.
    pub watch: &'m dyn Watch,
}

/// What came of it for one member.
#[derive(Clone, Debug)]
pub struct MemberOutcome {
    /// What was released.
    pub outcome: Outcome,
    /// The charge that paid for it; nothing if this member's rows are not in it any more than
    /// before.
    pub charge: Option<u64>,
}

/// Takes part in a study, from the greeting to the last sum.
pub fn join(
    membership: Membership<'_, '_>,
    notice: &mut dyn FnMut(Notice),
) -> Result<MemberOutcome, Refusal> {
    let charter = membership.charter;
    let mut run = MemberRun::connect(membership, notice)?;
    let mut progress = Progress::new(charter);
    let ran = run.run(&mut progress, notice);
    let released = progress.released();
    let failed = own_failure("the model could not be computed");
    match ran.and_then(|()| progress.outcome().map_err(failed)) {
        Ok(outcome) => {
            let _ = run.tell_coordinator(Kind::Finished, &[]);
            Ok(MemberOutcome { outcome, charge: run.journal.charge_number() })
        }
        Err(Failure { stop, public_reason }) => {
            if let Some(reason) = public_reason {
                let _ = run.tell_coordinator(Kind::Refused, reason.as_bytes());
            }
            Err(stop.and(run.cost(released)))
        }
    }
}

impl<'m, 'l> MemberRun<'m, 'l> {
    /// Checks what can be checked alone, and waits until everybody is here.
    fn connect(
        membership: Membership<'m, 'l>,
        notice: &mut dyn FnMut(Notice),
    ) -> Result<MemberRun<'m, 'l>, Refusal> {
        let Membership {
            charter,
            secret,
            ref connection,
            ledger,
            account,
            table,
            oracle,
            consent,
            ..
        } = membership;
        let number = charter.member_number(secret.public())?;
        charter.plan().holders().check(number, oracle).map_err(StudyError::Table)?;
        assert_eq!(
            membership.held_out.is_some(),
            charter.plan().counts().is_some(),
            "rows are held out as planned"
        );
        let journal = Journal::open((ledger, account), charter, number, (table, consent))?;
        // The same refusal as a charge would give, before anybody waits.
        if journal.charge_number().is_none() && !account.price(&charter.plan().event())?.within {
            Err(StudyError::CannotPay(account.name().to_owned()))?;
        }
        let holders = charter.plan().holders();
        let rows = (holders.unit(), holders.rows());
        warn_of_delta(charter.plan().budget(), rows, membership.watch);
        let on_wait = |names: &[String]| notice(Notice::WaitingFor(names.to_vec()));
        let mailbox = MailboxClient::connect(charter, secret, connection, on_wait)?;
        notice(Notice::Everybody);
        Ok(MemberRun { membership, mailbox, journal, verify_key: None })
    }

    /// What a study that was given up has cost this member, and what to do.
    fn cost(&self, released: usize) -> String {
        let released = released_in_words(released);
        match self.journal.charge_number() {
            None => "nothing was charged, and nothing was released".to_owned(),
            Some(charge) => format!(
                "{released}. Charge {charge} of account '{}' stays and pays for going on: unless the reason above asks for a new \
                 run, start the coordinator and every member again, with the same commands",
                self.membership.account.name()
            ),
        }
    }
}
