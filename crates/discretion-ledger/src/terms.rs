//! An account's cap and filter, as the log has them.

use crate::error::Error;
use crate::explain::Explain;
use discretion_privacy::Unit;
use discretion_privacy::account::{Cap, Event, Filter, FilterKind};
use serde::{Deserialize, Serialize};

/// What an account was opened with, raised or upgraded to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoredTerms {
    pub(crate) cap: Cap,
    pub(crate) filter: Filter,
    /// Not written for rows: accounts of before there were persons are about rows.
    #[serde(default, skip_serializing_if = "Unit::is_row")]
    pub(crate) unit: Unit,
}

impl StoredTerms {
    pub(crate) fn text(&self) -> String {
        serde_json::to_string(self).expect("caps and filters are plain data")
    }
}

/// The cap of an entry and its unit and, unless it is of a program that had no filters, its filter.
pub(crate) fn parse(
    text: Option<&str>,
    number: u64,
    explain: &Explain,
) -> Result<(Cap, Option<Filter>, Unit), Error> {
    let text = text.unwrap_or_default();
    if let Ok(StoredTerms { cap, filter, unit }) = serde_json::from_str(text) {
        return Ok((cap, Some(filter), unit));
    }
    let cap = serde_json::from_str(text).map_err(|error| {
        explain.corrupted(format!("the cap of entry {number} cannot be read: {error}"))
    })?;
    Ok((cap, None, Unit::Row))
}

/// The filter of an account from before there were filters: the one that its first run would have
/// opened it with today, raised as its cap was. Order and division of δ follow from the cap at
/// opening and the first run, so nothing that was released since decides them; where a raise has no
/// such filter, plain sums, which need neither.
pub(crate) fn filter_of_old(caps: &[Cap], first: &Event) -> Filter {
    let mut filter = Filter::opened_by(caps[0], None, first);
    for pair in caps.windows(2) {
        let plain = || Filter::opened_by(pair[1], Some(FilterKind::PlainSum), first);
        filter = filter.raised(pair[0], pair[1]).unwrap_or_else(plain);
    }
    filter
}
