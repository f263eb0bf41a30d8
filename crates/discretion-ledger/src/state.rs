//! What the log says about an account: its cap and filter, everything it paid for, and how much of
//! the cap that is. Nothing of it is stored.

use crate::entry::{Entry, Kind};
use crate::error::Error;
use crate::explain::Explain;
use crate::fingerprint::{Fingerprint, comparable, is_former};
use crate::purchase::{EarlierRun, TableChanged, what_and_job};
use crate::settings_name::SettingsName;
use crate::terms;
use discretion_privacy::Unit;
use discretion_privacy::account::{Cap, CostError, Event, Filter, Totals};
use std::collections::{BTreeMap, HashMap, HashSet};

/// An account that was opened.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) opened_at: String,
    /// The cap at opening and after every raise.
    caps: Vec<Cap>,
    filter: Option<Filter>,
    pub(crate) unit: Unit,
    /// The text of each event with how often it was charged: equal events are parsed and priced
    /// once.
    events: BTreeMap<String, u64>,
    /// Those that are not in `used` yet.
    new: Vec<(String, u64)>,
    used: Totals,
    costs: HashMap<String, Totals>,
    first_event: Option<String>,
    /// The last charge, with its event.
    last: Option<(u64, String)>,
    pub(crate) charges: u64,
    /// Charges that no file was released under.
    unreleased: HashSet<u64>,
    /// Every table that was charged for, by its fingerprint, with its first charge.
    tables: BTreeMap<String, TableChanged>,
    /// For each job on each table the last charge that released something.
    jobs: HashMap<(String, String), EarlierRun>,
    /// Charges for a job on a table, until they release something.
    pending_jobs: HashMap<u64, (String, String, String)>,
}

impl State {
    pub(crate) fn take(&mut self, entry: Entry, explain: &Explain) -> Result<(), Error> {
        match entry.kind {
            Kind::Opened | Kind::Raised | Kind::Upgraded => {
                if entry.kind == Kind::Opened {
                    self.opened_at = entry.at;
                }
                let (cap, filter, unit) =
                    terms::parse(entry.cap.as_deref(), entry.number, explain)?;
                self.unit = unit;
                self.caps.push(cap);
                self.filter = filter;
                // What was charged before may cost something else now.
                (self.used, self.costs) = (Totals::default(), HashMap::new());
                self.new = self.events.iter().map(|(text, &times)| (text.clone(), times)).collect();
            }
            Kind::Charged => {
                self.charges += 1;
                self.unreleased.insert(entry.number);
                let job = what_and_job(&entry).1.map(str::to_owned);
                if let Some(digest) = entry.digest {
                    if let Some(job) = job {
                        let pending = (digest.clone(), job, entry.at.clone());
                        self.pending_jobs.insert(entry.number, pending);
                    }
                    let first = TableChanged { first_charge: entry.number, at: entry.at };
                    self.tables.entry(digest).or_insert(first);
                }
                let text = entry.event.unwrap_or_default();
                self.first_event.get_or_insert_with(|| text.clone());
                self.last = Some((entry.number, text.clone()));
                self.new.push((text.clone(), 1));
                *self.events.entry(text).or_default() += 1;
            }
            Kind::Released => {
                let charge = entry.charge.unwrap_or_default();
                self.unreleased.remove(&charge);
                if let Some((digest, job, at)) = self.pending_jobs.remove(&charge) {
                    self.jobs.insert((digest, job), EarlierRun { charge, at });
                }
            }
        }
        Ok(())
    }

    /// Whether there was a charge for a table that has this fingerprint.
    pub(crate) fn has_table(&self, digest: &str) -> bool {
        self.tables.contains_key(digest)
    }

    /// The first charge for another table, if there was none for this one.
    pub(crate) fn changed_from(&self, table: &Fingerprint) -> Option<TableChanged> {
        if !table.tells_tables_apart() || table.digests().any(|digest| self.has_table(digest)) {
            return None;
        }
        let others = self
            .tables
            .iter()
            .filter(|(other, _)| table.digests().any(|one| comparable(one, other)));
        others.map(|(_, first)| first).min_by_key(|first| first.first_charge).cloned()
    }

    /// Whether fingerprints of former programs are here to be compared with.
    pub(crate) fn has_former_fingerprints(&self) -> bool {
        self.tables.keys().any(|digest| is_former(digest))
    }

    /// The last charge for the same job on the same table that released something.
    pub(crate) fn earlier_run(
        &self,
        table: &Fingerprint,
        job: &SettingsName,
    ) -> Option<EarlierRun> {
        let under = |name: &str| self.jobs.get(&(table.digest().to_owned(), name.to_owned()));
        job.all().filter_map(under).max_by_key(|run| run.charge).cloned()
    }

    /// How many charges released neither a file nor an answer.
    pub(crate) fn unreleased(&self, answers: &HashMap<u64, u64>) -> u64 {
        self.unreleased.iter().filter(|charge| !answers.contains_key(charge)).count() as u64
    }

    /// The cap now and the cap at opening; an account whose first entry is missing has none.
    pub(crate) fn caps(&self, name: &str, explain: &Explain) -> Result<(Cap, Cap), Error> {
        let missing =
            || explain.corrupted(format!("account '{name}' was charged but never opened"));
        Ok((*self.caps.last().ok_or_else(missing)?, self.caps[0]))
    }

    /// The log's filter or, in one from before there were filters, what it would be.
    fn filter(&self, name: &str, explain: &Explain) -> Result<Filter, Error> {
        let (cap, _) = self.caps(name, explain)?;
        match (self.filter, &self.first_event) {
            (Some(filter), _) => Ok(filter),
            (None, Some(first)) => Ok(terms::filter_of_old(&self.caps, &parse(first, explain)?)),
            (None, None) => Ok(Filter::unopened(cap, None)),
        }
    }

    /// The filter and all that was used. Reads only what was charged since this was last asked.
    pub(crate) fn used(
        &mut self,
        name: &str,
        explain: &Explain,
    ) -> Result<(Filter, Totals), Error> {
        let filter = self.filter(name, explain)?;
        while let Some((text, times)) = self.new.last() {
            let cost = match self.costs.get(text) {
                Some(cost) => *cost,
                None => match filter.cost(&parse(text, explain)?) {
                    Ok(cost) => cost,
                    // Charged before there were filters. It is not the end of every account in the
                    // file, but of this one.
                    Err(CostError::NotPriced(_)) => Totals::BOUNDLESS,
                    Err(CostError::Event(error)) => return Err(error.into()),
                },
            };
            self.used = self.used.and(cost, *times);
            self.costs.insert(text.clone(), cost);
            self.new.pop();
        }
        Ok((filter, self.used))
    }

    /// The last charge, with its event.
    pub(crate) fn last(&self, explain: &Explain) -> Result<Option<(u64, Event)>, Error> {
        let Some((number, text)) = &self.last else {
            return Ok(None);
        };
        Ok(Some((*number, parse(text, explain)?)))
    }
}

/// An event as the log has it.
pub(crate) fn parse(text: &str, explain: &Explain) -> Result<Event, Error> {
    serde_json::from_str(text).map_err(|error| {
        explain.corrupted(format!(
            "an event cannot be read, or is of a newer discretion ({error}): {text}"
        ))
    })
}
