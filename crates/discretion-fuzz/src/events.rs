//! Events of ledgers: whatever stands there, it is refused or has a price.

use crate::{Verdict, one_line};
use discretion::Refusal;
use discretion::privacy::Budget;
use discretion::privacy::account::{Event, Spend};

/// An event as a ledger has it.
pub fn events(bytes: &[u8]) -> Verdict {
    let event: Event = match serde_json::from_slice(bytes) {
        Ok(event) => event,
        Err(_) => return Verdict::Refused,
    };
    let spend = match Spend::of(&event) {
        Ok(spend) => spend,
        Err(error) => {
            one_line(Refusal::bad_input(error));
            return Verdict::Refused;
        }
    };
    let written = serde_json::to_vec(&event).expect("an event is plain data");
    let again: Event = serde_json::from_slice(&written).expect("an event that was written is read");
    assert_eq!(again, event, "an event that was written is the same");
    for cap in [
        Budget::Pure { epsilon: 1.0 },
        Budget::Approximate { epsilon: 1.0, delta: 1e-6 },
        Budget::Zcdp { rho: 0.1 },
    ] {
        if let Ok(price) = spend.price(cap) {
            assert!(price.amount >= 0.0, "nobody is paid for an event");
        }
    }
    Verdict::Accepted
}
