//! What the coordinator does: it keeps the mailboxes and opens the sums, as every member does.

use super::course::{Course, Outcome, released_in_words};
use super::join::Notice;
use super::round::open;
use crate::Stop;
use crate::mailbox::{Kind, Mailboxes};
use crate::wire::one_line;
use std::time::Duration;

/// What a coordinator has to say when a study was given up.
struct Coordinating<'o> {
    mailboxes: &'o Mailboxes,
    /// What each member's ledger was charged, in its own words.
    charged: Vec<Option<String>>,
}

/// Waits for everybody, and for their sums. Members may still be fetching them when this returns: [`Mailboxes::wait_until_all_are_done`].
pub fn coordinate(mailboxes: &Mailboxes, notice: &mut dyn FnMut(Notice)) -> Result<Outcome, Stop> {
    let mut before = None;
    while !mailboxes.wait_for_everybody(Duration::from_millis(200))? {
        let missing = mailboxes.waiting_for();
        if before.as_ref() != Some(&missing) {
            notice(Notice::WaitingFor(missing.clone()));
            before = Some(missing);
        }
    }
    notice(Notice::Everybody);
    let mut coordinating =
        Coordinating { mailboxes, charged: vec![None; mailboxes.charter().members().len()] };
    let mut course = Course::new(mailboxes.charter());
    let ran = coordinating.run(&mut course, notice);
    let finished = ran.and_then(|()| {
        let released = course.released();
        course.outcome().map_err(|error| (error.into(), released))
    });
    if let Err((stop, _)) = &finished {
        mailboxes.give_up(stop.to_string());
        mailboxes.wait_until_all_are_done();
    }
    finished.map_err(|(stop, released): (Stop, usize)| stop.and(coordinating.so_far(released)))
}

impl Coordinating<'_> {
    fn run(&mut self, course: &mut Course<'_>, notice: &mut dyn FnMut(Notice)) -> Result<(), (Stop, usize)> {
        let charter = self.mailboxes.charter();
        for (member, charged) in self.charged.iter_mut().enumerate() {
            let name = charter.name(member).to_owned();
            let late = || notice(Notice::WaitingFor(vec![name.clone()]));
            let body = self.mailboxes.receive(member, Kind::Charged, 0, late).map_err(|stop| (stop, 0))?;
            *charged = Some(text(&body));
        }
        let rounds = charter.plan().rounds();
        while course.released() < rounds {
            let round = course.released();
            notice(Notice::Round { number: round + 1, of: rounds, what: course.round().what() });
            let mut sums = Vec::new();
            for &member in charter.aggregators() {
                // Aggregators wait for every holder; which one is late they would have to say.
                let late = || notice(Notice::WaitingFor(vec![charter.name(member).to_owned()]));
                let sum = self.mailboxes.receive(member, Kind::Sum, round, late);
                sums.push((member, sum.map_err(|stop| (stop, round))?));
            }
            open(charter, course, sums).map_err(|failed| (failed.stop, round))?;
        }
        Ok(())
    }

    /// What each ledger was charged, as far as is known.
    fn so_far(&mut self, released: usize) -> String {
        let charter = self.mailboxes.charter();
        for (member, charged) in self.charged.iter_mut().enumerate() {
            if charged.is_none() {
                *charged = self.mailboxes.try_receive(member, Kind::Charged).map(|body| text(&body));
            }
        }
        let one = |(member, charged): (usize, &Option<String>)| {
            format!(
                "{}: {}",
                charter.name(member),
                charged.as_deref().unwrap_or("nothing, or it did not say")
            )
        };
        let charged: Vec<String> = self.charged.iter().enumerate().map(one).collect();
        let released = released_in_words(released);
        format!(
            "{released}. The ledgers were charged: {}. Charges stay and pay for going on: unless the reason above asks for a \
             new run, start the coordinator and every member again, with the same commands",
            charged.join("; ")
        )
    }
}

/// A member's words, as one line.
fn text(body: &[u8]) -> String {
    one_line(&String::from_utf8_lossy(body), 200)
}
