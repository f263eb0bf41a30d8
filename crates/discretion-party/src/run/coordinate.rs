//! What the coordinator does: it keeps the mailboxes and opens the sums, as every member does.

use super::notice::Notice;
use super::progress::{Outcome, Progress, released_in_words};
use super::round::open_sum;
use crate::mailbox::{Kind, MailboxError, Mailboxes};
use crate::wire::one_line;
use discretion::Refusal;
use std::time::Duration;

/// The coordinator's run of a study.
struct CoordinatorRun<'m> {
    mailboxes: &'m Mailboxes,
    /// What each member's ledger was charged, in its own words.
    charged: Vec<Option<String>>,
}

/// Waits for everybody, and for their sums. Members may still be fetching them when this returns:
/// [`Mailboxes::wait_until_all_are_done`].
pub fn coordinate(
    mailboxes: &Mailboxes,
    notice: &mut dyn FnMut(Notice),
) -> Result<Outcome, Refusal> {
    let mut before = None;
    while !mailboxes.wait_for_everybody(Duration::from_millis(200))? {
        let missing = mailboxes.waiting_for();
        if before.as_ref() != Some(&missing) {
            notice(Notice::WaitingFor(missing.clone()));
            before = Some(missing);
        }
    }
    notice(Notice::Everybody);
    let mut run =
        CoordinatorRun { mailboxes, charged: vec![None; mailboxes.charter().members().len()] };
    let mut progress = Progress::new(mailboxes.charter());
    let ran = run.run(&mut progress, notice);
    let released = progress.released();
    ran.and_then(|()| Ok(progress.outcome()?)).map_err(|stop: Refusal| {
        mailboxes.give_up(stop.to_string());
        mailboxes.wait_until_all_are_done();
        stop.and(run.costs(released))
    })
}

impl CoordinatorRun<'_> {
    fn run(
        &mut self,
        progress: &mut Progress<'_>,
        notice: &mut dyn FnMut(Notice),
    ) -> Result<(), Refusal> {
        let charter = self.mailboxes.charter();
        for member in 0..charter.members().len() {
            let charged = self.receive(member, Kind::Charged, 0, notice)?;
            self.charged[member] = Some(text(&charged));
        }
        let rounds = charter.plan().rounds();
        while progress.released() < rounds {
            let round = progress.released();
            notice(Notice::Round { number: round + 1, of: rounds, what: progress.round().what() });
            let mut sums = Vec::new();
            for &member in charter.aggregators() {
                // Aggregators wait for every holder; which one is late they would have to say.
                sums.push((member, self.receive(member, Kind::Sum, round, notice)?));
            }
            open_sum(charter, progress, sums).map_err(|failure| failure.stop)?;
        }
        Ok(())
    }

    /// The next message of a member, who is named if it is late.
    fn receive(
        &self,
        member: usize,
        kind: Kind,
        round: usize,
        notice: &mut dyn FnMut(Notice),
    ) -> Result<Vec<u8>, MailboxError> {
        let name = self.mailboxes.charter().name(member);
        let on_delay = || notice(Notice::WaitingFor(vec![name.to_owned()]));
        self.mailboxes.receive(member, kind, round, on_delay)
    }

    /// What each ledger was charged, as far as is known, and what to do.
    fn costs(&mut self, released: usize) -> String {
        let charter = self.mailboxes.charter();
        for (member, charged) in self.charged.iter_mut().enumerate() {
            if charged.is_none() {
                *charged =
                    self.mailboxes.try_receive(member, Kind::Charged).map(|body| text(&body));
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
