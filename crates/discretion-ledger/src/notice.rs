//! What looks like a mistake before an account is charged: other rows than before, rows that have
//! an account already, a job that was paid for. Each is a person's to decide.

use crate::account::Account;
use crate::error::Error;
use crate::fingerprint::Fingerprint;
use crate::purchase::{AlsoUnder, Consent, EarlierRun, TableChanged};
use crate::settings_name::SettingsName;
use discretion_privacy::Unit;

/// What was noticed.
#[derive(Default)]
pub(crate) struct Noticed {
    pub(crate) table_changed: Option<TableChanged>,
    pub(crate) also_under: Option<AlsoUnder>,
    pub(crate) repeated: Option<EarlierRun>,
}

impl Noticed {
    /// Refuses what a person who was asked did not allow.
    pub(crate) fn unless_allowed(
        &self,
        account: &str,
        consent: Option<Consent>,
    ) -> Result<(), Error> {
        let Some(consent) = consent else { return Ok(()) };
        let account = account.to_owned();
        match self {
            Noticed { repeated: Some(EarlierRun { charge, at }), .. } if !consent.again => {
                Err(Error::Repeated { account, charge: *charge, at: at.clone() })
            }
            Noticed { also_under: Some(AlsoUnder { account: other }), .. }
                if !consent.second_account =>
            {
                Err(Error::SecondAccount { account, other: other.clone() })
            }
            Noticed { table_changed: Some(TableChanged { first_charge, at }), .. }
                if !consent.rows_changed =>
            {
                Err(Error::RowsChanged { account, first_charge: *first_charge, at: at.clone() })
            }
            _ => Ok(()),
        }
    }
}

impl Account<'_> {
    /// Whether a charge for this table would be allowed, as far as the table is concerned. Charges
    /// and writes nothing.
    pub fn allows(&self, table: &Fingerprint, consent: Consent) -> Result<(), Error> {
        self.notice(Some(table), None)?.unless_allowed(&self.name, Some(consent))
    }

    /// What a person should know before a charge for this job on this table.
    pub(crate) fn notice(
        &self,
        table: Option<&Fingerprint>,
        job: Option<&SettingsName>,
    ) -> Result<Noticed, Error> {
        let Some(table) = table else { return Ok(Noticed::default()) };
        self.ledger.with_accounts(|accounts| {
            let here = accounts.get(&self.name);
            let known =
                here.is_some_and(|state| table.digests().any(|digest| state.has_table(digest)));
            let mut others = accounts.iter().filter(|(name, _)| !known && **name != self.name);
            let twin = others
                .find(|(name, state)| state.has_table(&table.under(&self.ledger.secret, name)));
            Ok(Noticed {
                table_changed: here.and_then(|state| state.changed_from(table)),
                also_under: twin.map(|(name, _)| AlsoUnder { account: name.clone() }),
                repeated: here.zip(job).and_then(|(state, job)| state.earlier_run(table, job)),
            })
        })
    }

    /// The last charge for the same job on the same table that released something. Refuses, as a
    /// charge does, if the account is about another unit than the job: what was released promises
    /// something else.
    pub fn earlier_run(
        &self,
        table: &Fingerprint,
        job: &SettingsName,
        unit: Unit,
    ) -> Result<Option<EarlierRun>, Error> {
        self.ledger.with_account(&self.name, |state| {
            let Some(state) = state else { return Ok(None) };
            self.same_unit(state.unit, unit)?;
            Ok(state.earlier_run(table, job))
        })
    }
}
