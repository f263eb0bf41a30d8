//! What the log says about an account: its cap and filter, everything it paid for, and how much of the cap that is.
//! Nothing of it is stored.

use crate::entry::{Entry, Kind};
use crate::error::Error;
use crate::explain::Explain;
use crate::fingerprint::comparable;
use crate::terms;
use discretion_privacy::account::{Cap, CostError, Event, Filter, Totals};
use std::collections::{BTreeMap, HashMap, HashSet};

/// An account that was opened.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) opened_at: String,
    /// The cap at opening and after every raise.
    caps: Vec<Cap>,
    filter: Option<Filter>,
    /// The text of each event with how often it was charged: equal events are parsed and priced once.
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
    /// The first charge with a fingerprint of each kind.
    first_tables: Vec<(u64, String, String)>,
}

impl State {
    pub(crate) fn take(&mut self, entry: Entry, explain: &Explain) -> Result<(), Error> {
        match entry.kind {
            Kind::Opened | Kind::Raised | Kind::Upgraded => {
                if entry.kind == Kind::Opened {
                    self.opened_at = entry.at;
                }
                let (cap, filter) = terms::parse(entry.cap.as_deref(), entry.number, explain)?;
                self.caps.push(cap);
                self.filter = filter;
                // What was charged before may cost something else now.
                (self.used, self.costs) = (Totals::default(), HashMap::new());
                self.new = self.events.iter().map(|(text, &times)| (text.clone(), times)).collect();
            }
            Kind::Charged => {
                self.charges += 1;
                self.unreleased.insert(entry.number);
                if let Some(digest) = entry.digest.filter(|digest| self.first_table(digest).is_none()) {
                    self.first_tables.push((entry.number, entry.at, digest));
                }
                let text = entry.event.unwrap_or_default();
                self.first_event.get_or_insert_with(|| text.clone());
                self.last = Some((entry.number, text.clone()));
                self.new.push((text.clone(), 1));
                *self.events.entry(text).or_default() += 1;
            }
            Kind::Released => {
                self.unreleased.remove(&entry.charge.unwrap_or_default());
            }
        }
        Ok(())
    }

    /// The first charge with a fingerprint that this one can be compared with.
    pub(crate) fn first_table(&self, digest: &str) -> Option<&(u64, String, String)> {
        self.first_tables.iter().find(|(_, _, first)| comparable(first, digest))
    }

    /// How many charges released neither a file nor an answer.
    pub(crate) fn unreleased(&self, answers: &HashMap<u64, u64>) -> u64 {
        self.unreleased.iter().filter(|charge| !answers.contains_key(charge)).count() as u64
    }

    /// The cap now and the cap at opening; an account whose first entry is missing has none.
    pub(crate) fn caps(&self, name: &str, explain: &Explain) -> Result<(Cap, Cap), Error> {
        let missing = || explain.corrupted(format!("account '{name}' was charged but never opened"));
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
    pub(crate) fn used(&mut self, name: &str, explain: &Explain) -> Result<(Filter, Totals), Error> {
        let filter = self.filter(name, explain)?;
        while let Some((text, times)) = self.new.last() {
            let cost = match self.costs.get(text) {
                Some(cost) => *cost,
                None => match filter.cost(&parse(text, explain)?) {
                    Ok(cost) => cost,
                    // Charged before there were filters. It is not the end of every account in the file, but of this one.
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
        explain.corrupted(format!("an event cannot be read, or is of a newer discretion ({error}): {text}"))
    })
}
