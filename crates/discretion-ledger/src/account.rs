//! An account: price, charge, raise, look back.

use crate::answers::answers_of_charges;
use crate::charged;
use crate::entry::{self, Kind, Record};
use crate::error::{Error, Room, short};
use crate::fault::checkpoint;
use crate::fingerprint::{Fingerprint, Fingerprinter, person_key};
use crate::history::{self, HistoryEntry, Quote, Standing};
use crate::ledger::Ledger;
use crate::notice::Noticed;
use crate::purchase::{Charge, Purchase, SmallerRun};
use crate::session::{self, Session};
use crate::settings_name::SettingsName;
use crate::snapshot::{LEAST_OFFER, Snapshot, standing_of};
use crate::store;
use crate::stored::{NEWEST, Stored};
use crate::terms::StoredTerms;
use discretion_privacy::Unit;
use discretion_privacy::account::{Cap, CostError, Event, Filter, Search, Terms, Totals, amount};
use rusqlite::params;
use serde::Serialize;

/// The number of smaller runs that are planned before a refusal offers one: planning a run may take
/// half a second.
const MOST_PLANS: u32 = 12;

/// An account of a ledger. It holds no numbers of its own: every call reads the file.
pub struct Account<'l> {
    pub(crate) ledger: &'l Ledger,
    pub(crate) name: String,
    /// What the study says of it, which must be so; nothing for a command that only looks or
    /// raises.
    pub(crate) terms: Option<Terms>,
}

impl Ledger {
    /// The account of a study whose `[budget]` is `terms`. It is opened by its first charge, not
    /// here. If it exists with another cap, that is an error.
    pub fn account(&self, name: &str, terms: impl Into<Terms>) -> Result<Account<'_>, Error> {
        if !(1..=200).contains(&name.chars().count()) || name.chars().any(char::is_control) {
            return Err(Error::BadName(name.to_owned()));
        }
        let terms = terms.into();
        terms.cap.checked()?;
        let account = Account { ledger: self, name: name.to_owned(), terms: Some(terms) };
        account.check()?;
        Ok(account)
    }

    /// An account that exists, whatever its cap.
    pub fn existing_account(&self, name: &str) -> Result<Account<'_>, Error> {
        let account = Account { ledger: self, name: name.to_owned(), terms: None };
        account.check()?;
        Ok(account)
    }
}

impl<'l> Account<'l> {
    /// The account's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The ledger that it is in.
    pub fn ledger(&self) -> &'l Ledger {
        self.ledger
    }

    /// Takes the table's bytes for [`Purchase::on`].
    pub fn fingerprint(&self) -> Fingerprinter {
        // A log that cannot be read is refused by the charge.
        let former = self.ledger.with_account(&self.name, |state| {
            Ok(state.is_some_and(|state| state.has_former_fingerprints()))
        });
        Fingerprinter::new(&self.ledger.secret, &self.name, former.unwrap_or(false))
    }

    /// The key under which this account's persons are put in order.
    pub fn person_key(&self) -> [u8; 32] {
        person_key(&self.ledger.secret, &self.name)
    }

    /// The newest session of this account that was opened under any of these names.
    pub fn session_named(&self, names: &SettingsName) -> Result<Option<Session<'l>>, Error> {
        let mut newest: Option<Session<'l>> = None;
        for name in names.all() {
            let found = self.session(name)?;
            newest = newest.into_iter().chain(found).max_by_key(Session::charge);
        }
        Ok(newest)
    }

    /// The newest session of this account that was opened with `key`.
    pub fn session(&self, key: &str) -> Result<Option<Session<'l>>, Error> {
        let ledger = self.ledger;
        if !store::has_sessions(ledger.reading()?, &ledger.explain)? {
            return Ok(None);
        }
        let stored = Stored::find(ledger, NEWEST, params![key, self.name])?;
        Ok(stored.map(|stored| Session::new(ledger, &self.name, stored)))
    }

    /// What charging `event` would cost. Charges and writes nothing.
    pub fn price(&self, event: &Event) -> Result<Quote, Error> {
        self.quote(&self.snapshot(Some(event))?, event)
    }

    /// What charging `event` would cost, or the refusal that charging it would meet. `smaller` is as
    /// in [`Purchase::or_smaller`].
    pub fn affordable(
        &self,
        event: &Event,
        smaller: Option<SmallerRun<'_>>,
    ) -> Result<Quote, Error> {
        let now = self.snapshot(Some(event))?;
        let quote = self.quote(&now, event)?;
        if quote.within { Ok(quote) } else { Err(self.overspent(&now, event, smaller)) }
    }

    /// Checks that the account can pay and charges it, in one transaction that is on the disk when
    /// this returns: the only way to charge. An account that does not exist yet is opened in the
    /// same transaction.
    ///
    /// Postcondition: whatever other processes do, and whatever made somebody choose this run after
    /// seeing the results of others, everything ever released under this account satisfies its cap
    /// ([`Filter::allows`]). (An account that was charged before there were filters satisfied
    /// nothing of the kind then: its cap holds on the paths within its filter.)
    pub fn charge(&self, purchase: &Purchase<'_>) -> Result<Charge<'l>, Error> {
        let &Purchase { event, table, session, smaller, .. } = purchase;
        checkpoint("charge:before-begin");
        let Ledger { connection, explain, secret, .. } = self.ledger;
        let transaction = store::begin(connection, explain)?;
        let now = self.snapshot(Some(event))?;
        self.same_unit(now.unit, purchase.unit)?;
        // Before anything is said about money: what was released before is free.
        let noticed = self.notice(table, purchase.job)?;
        noticed.unless_allowed(&self.name, purchase.consent)?;
        let quote = self.quote(&now, event)?;
        if !quote.within {
            // Finding what would fit takes a while, and others may charge meanwhile.
            drop(transaction);
            return Err(self.overspent(&now, event, smaller));
        }
        let (digest, job) = (table.map(Fingerprint::digest), purchase.job.map(SettingsName::name));
        // From here on nothing may read the log as if this were in it.
        let record = |kind| Record {
            kind,
            account: &self.name,
            cap: None,
            event: None,
            charge: None,
            note: "",
            digest: None,
            job: None,
        };
        if !now.is_open {
            let opened = Record { cap: Some(now.written().text()), ..record(Kind::Opened) };
            entry::append(&transaction, explain, secret, opened)?;
        }
        let event = Some(json(event));
        let charged = Record { event, note: purchase.what, digest, job, ..record(Kind::Charged) };
        let number = entry::append(&transaction, explain, secret, charged)?;
        let begun = session
            .map(|new| session::begin((self.ledger, &self.name), &transaction, number, table, new))
            .transpose()?;
        checkpoint("charge:before-commit");
        transaction.commit().map_err(|error| explain.sqlite(error))?;
        charged::remember(explain);
        checkpoint("charge:after-commit");
        let receipt = self.ledger.receipt(&self.name, number);
        let Noticed { table_changed, also_under, .. } = noticed;
        Ok(Charge { number, quote, table_changed, also_under, receipt, session: begun })
    }

    /// Where the account stands.
    pub fn standing(&self) -> Result<Standing, Error> {
        let now = self.snapshot(None)?;
        let answers = answers_of_charges(self.ledger.reading()?, &self.ledger.explain)?;
        self.ledger.with_account(&self.name, |state| match state {
            Some(state) => standing_of(&self.name, state, &answers, self.ledger),
            None => Ok(now.standing(&self.name)),
        })
    }

    /// Everything that happened on the account, the oldest first.
    pub fn history(&self) -> Result<Vec<HistoryEntry>, Error> {
        history::of_account(self.ledger.reading()?, &self.ledger.explain, &self.name)
    }

    /// The largest size up to `at_most` for which `event(size)` could be charged now, to about
    /// three digits; nothing if none could. A larger size must cost more.
    pub fn largest(
        &self,
        at_most: f64,
        event: impl Fn(f64) -> Event,
    ) -> Result<Option<f64>, Error> {
        let now = self.snapshot(Some(&event(at_most)))?;
        Ok(now.filter.largest(&now.used, at_most, event))
    }

    /// Raises the cap of an account that exists and returns the entry's number. The new cap must
    /// cover the old one.
    ///
    /// What then holds for all that was released is the highest cap that somebody could have raised
    /// to, because what they saw may have been why.
    pub fn raise(&self, cap: impl Into<Cap>, reason: &str) -> Result<u64, Error> {
        if reason.trim().is_empty() {
            return Err(Error::NoReason);
        }
        let cap = cap.into().checked()?;
        let Ledger { connection, explain, secret, .. } = self.ledger;
        let transaction = store::begin(connection, explain)?;
        let now = self.snapshot(None)?;
        if !now.is_open {
            return Err(self.ledger.no_such_account(&self.name)?);
        }
        let filter = now.filter.raised(now.cap, cap).filter(|_| cap != now.cap);
        let Some(filter) = filter else {
            return Err(Error::NotARaise { account: self.name.clone(), cap: now.cap, asked: cap });
        };
        let raised = Record {
            kind: Kind::Raised,
            account: &self.name,
            cap: Some(StoredTerms { cap, filter, unit: now.unit }.text()),
            event: None,
            charge: None,
            note: reason,
            digest: None,
            job: None,
        };
        let number = entry::append(&transaction, explain, secret, raised)?;
        transaction.commit().map_err(|error| explain.sqlite(error))?;
        Ok(number)
    }

    /// The account as it is now; one that is not there yet as `first` would open it. Refuses a
    /// study that says otherwise.
    fn snapshot(&self, first: Option<&Event>) -> Result<Snapshot, Error> {
        let explain = &self.ledger.explain;
        let now = self.ledger.with_account(&self.name, |state| {
            let Some(state) = state else {
                return Ok(None);
            };
            let (cap, _) = state.caps(&self.name, explain)?;
            self.same_cap(cap)?;
            let (filter, used) = state.used(&self.name, explain)?;
            self.same_filter(&filter)?;
            self.same_unit(state.unit, self.terms.map_or(state.unit, |terms| terms.unit))?;
            Ok(Some(Snapshot { cap, filter, unit: state.unit, used, is_open: true }))
        })?;
        match (now, self.terms) {
            (Some(now), _) => Ok(now),
            (None, Some(Terms { cap, filter, unit })) => {
                let filter = match first {
                    Some(first) => Filter::opened_by(cap, filter, first),
                    None => Filter::unopened(cap, filter),
                };
                Ok(Snapshot { cap, filter, unit, used: Totals::default(), is_open: false })
            }
            (None, None) => Err(self.ledger.no_such_account(&self.name)?),
        }
    }

    fn quote(&self, now: &Snapshot, event: &Event) -> Result<Quote, Error> {
        let cost =
            now.filter.cost(event).map_err(|reason| not_priced(&self.name, now.cap, reason))?;
        Ok(now.quote(&cost))
    }

    /// Why an event that has a price cannot be charged.
    fn overspent(&self, now: &Snapshot, event: &Event, smaller: Option<SmallerRun<'_>>) -> Error {
        let Snapshot { cap, filter, used, .. } = *now;
        let account = self.name.clone();
        if !filter.allows(&used) {
            return Error::Closed { account, cap };
        }
        let after = filter.cost(event).map_or(used, |cost| used.and(cost, 1));
        if filter.fails_too_often(&after) {
            let (before, after, most) = (used.delta, after.delta, filter.for_failing());
            return Error::FailsTooOften { account, before, after, most, cap };
        }
        let (before, after) = (filter.amount(&used), filter.amount(&after));
        let room = match smaller {
            None => Room::Unknown,
            Some(SmallerRun { budget, event }) => {
                // An account that is not open yet would have the filter of the smaller run.
                let fits = |size: f64| {
                    let event = event(size)?;
                    let now = self.snapshot(Some(&event));
                    Some(now.is_ok_and(|now| now.filter.fits(&now.used, &event)))
                };
                let most = amount(budget);
                // What is left, where a run costs in proportion to its budget.
                let share = (cap.amount() - before) / (after - before);
                let offer = (share > LEAST_OFFER).then(|| {
                    let first = short(most * share);
                    Search { at_most: most, first, precision: 1e-3, questions: MOST_PLANS }
                        .largest(fits)
                });
                Room::Run(offer.flatten().and_then(|size| budget.with_amount(size)))
            }
        };
        Error::Overspent { account, before, after, cap, room }
    }

    /// Refuses an account that is not there, or is not what the study says.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.snapshot(None).map(drop)
    }

    fn same_cap(&self, cap: Cap) -> Result<(), Error> {
        match self.terms {
            Some(Terms { cap: asked, .. }) if asked != cap => {
                Err(Error::CapDiffers { account: self.name.clone(), cap, asked })
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn same_unit(&self, unit: Unit, asked: Unit) -> Result<(), Error> {
        match asked == unit {
            true => Ok(()),
            false => Err(Error::UnitDiffers { account: self.name.clone(), unit, asked }),
        }
    }

    fn same_filter(&self, filter: &Filter) -> Result<(), Error> {
        match self.terms.and_then(|terms| terms.filter) {
            Some(asked) if filter.kind().is_some_and(|kind| kind != asked) => {
                Err(Error::FilterDiffers {
                    account: self.name.clone(),
                    filter: filter.describe(),
                    asked: asked.name(),
                })
            }
            _ => Ok(()),
        }
    }
}

/// Why a run cannot be charged to an account, whatever is left.
pub(crate) fn not_priced(account: &str, cap: Cap, reason: CostError) -> Error {
    match reason {
        CostError::Event(error) => error.into(),
        CostError::NotPriced(reason) => {
            Error::NotPriced { account: account.to_owned(), cap, reason }
        }
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("events are plain data")
}
