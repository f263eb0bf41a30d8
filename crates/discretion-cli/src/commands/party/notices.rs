//! What happens, for people: one line for each thing, and a sign of life in between where that is a
//! terminal.

use crate::progress::Busy;
use discretion_party::run::Notice;
use discretion_report::numbers::plain::short;
use discretion_report::words;

/// Lines on standard error. Nothing in them depends on rows.
#[derive(Default)]
pub struct Notices {
    busy: Option<Busy>,
}

impl Notices {
    /// Says it.
    pub fn say(&mut self, notice: &Notice) {
        // Gone before a line is written, and back after it.
        self.busy = None;
        let (line, meanwhile) = match notice {
            Notice::WaitingFor(names) if names.is_empty() => {
                ("everybody is on the way".to_owned(), "waiting")
            }
            Notice::WaitingFor(names) => (format!("waiting for {}", names.join(", ")), "waiting"),
            Notice::Everybody => {
                ("everybody is here, and runs the same study".to_owned(), "agreeing")
            }
            Notice::Charged { charge, quote } => (
                format!(
                    "charge {charge}: {} = {}, {} is left",
                    words::symbol(quote.cap),
                    short(quote.cost),
                    short(quote.left)
                ),
                "working",
            ),
            Notice::PaidBefore { charge } => {
                (format!("charge {charge} pays, as before"), "working")
            }
            Notice::Round { number, of, what } => {
                (format!("sum {number} of {of}: {what}"), "working")
            }
            Notice::Kept { number, of } => {
                (format!("sum {number} of {of} was made before, and is opened again"), "working")
            }
        };
        eprintln!("{line}");
        self.busy = Some(Busy::new(meanwhile));
    }
}
