//! Who is let in: the coordinator answers greetings until everybody is here.

use super::greeting_response::{Admission, sign};
use super::mailboxes::{Mailbox, Mailboxes, Responders, State};
use super::request::{COLLECT, Responder, SEND};
use crate::wire::{Greeting, Roster, SignedText};
use std::time::Instant;

impl Mailboxes {
    /// The response to a greeting. Nothing if it should wait for the others.
    pub(super) fn greet(&self, bytes: &[u8], is_last_look: bool) -> Option<SignedText> {
        let respond = |admission| Some(sign(&self.secret, bytes, (self.clock)(), admission));
        let refuse = |why: String| respond(Admission::Refused(why));
        let Ok(signed) = serde_json::from_slice::<SignedText>(bytes) else {
            return refuse("this is no greeting".to_owned());
        };
        let greeting = match Greeting::check(&signed, &self.charter) {
            Ok(greeting) if greeting.from < self.charter.members().len() => greeting,
            Ok(_) => return refuse("the coordinator greets nobody".to_owned()),
            Err(why) => {
                return refuse(format!("the coordinator does not accept this process: {why}"));
            }
        };
        let mut state = self.state();
        if let (Some(why), None) = (&state.given_up, &state.roster) {
            return refuse(why.clone());
        }
        let State { mailboxes, roster, .. } = &mut *state;
        let mailbox = &mut mailboxes[greeting.from];
        let is_known = mailbox.greeting.as_ref().is_some_and(|(known, _)| *known == signed);
        if !is_known {
            if let Some(off) = Greeting::clock_is_off(greeting.at, (self.clock)()) {
                return respond(Admission::ClockIsOff(format!(
                    "the clock of this machine is {off} the coordinator's; set it right"
                )));
            }
            if mailbox.greeting.as_ref().is_some_and(|(_, at)| *at > greeting.at) {
                return refuse("a later greeting of the same member is here".to_owned());
            }
            if roster.is_some() {
                let name = self.charter.name(greeting.from);
                let was_given_up = state.given_up.is_some();
                state.give_up(format!("{name} was started anew while the study was running"));
                drop(state);
                self.notify();
                let what =
                    if was_given_up { "was given up" } else { "was running and is given up" };
                return refuse(format!(
                    "the study {what}; start the coordinator and every member again"
                ));
            }
            mailbox.greeting = Some((signed, greeting.at));
        }
        // Anybody can repeat a greeting that it saw. Once there are channels, only they are signs
        // of life.
        if roster.is_none() {
            mailbox.last_heard = Instant::now();
        }
        if roster.is_none()
            && self.missing(mailboxes).is_empty()
            && let Err(why) = self.complete_roster(&mut state)
        {
            state.give_up(why.clone());
            drop(state);
            self.notify();
            return refuse(why);
        }
        let admission = match &state.roster {
            Some(all) => Admission::Roster(all.clone()),
            None if is_known && !is_last_look => return None,
            None => Admission::WaitingFor(self.missing(&state.mailboxes)),
        };
        drop(state);
        if !is_known {
            self.notify();
        }
        respond(admission)
    }

    /// Who is not here, by name.
    pub(super) fn missing(&self, mailboxes: &[Mailbox]) -> Vec<String> {
        let is_missing = |mailbox: &Mailbox| mailbox.greeting.is_none() || self.is_gone(mailbox);
        let missing = mailboxes.iter().enumerate().filter(|(_, mailbox)| is_missing(mailbox));
        missing.map(|(number, _)| self.charter.name(number).to_owned()).collect()
    }

    /// Everybody is here: the channels follow from their greetings.
    fn complete_roster(&self, state: &mut State) -> Result<(), String> {
        let greeting =
            |mailbox: &Mailbox| mailbox.greeting.as_ref().expect("nobody is missing").0.clone();
        let theirs = state.mailboxes.iter().map(greeting);
        let all: Vec<SignedText> = theirs.chain([self.greeting.clone()]).collect();
        let roster = Roster::new(&self.charter, &all, &self.greeting)?;
        let own_greeting = state.own_greeting.take().expect("a roster is completed once");
        let keys = roster.pairwise_keys(&self.charter, own_greeting)?;
        for (number, mailbox) in state.mailboxes.iter_mut().enumerate() {
            let responder = |label| Responder::new(&keys, number, label);
            mailbox.responders =
                Some(Responders { send: responder(SEND), collect: responder(COLLECT) });
            mailbox.last_heard = Instant::now();
        }
        state.roster = Some(all);
        Ok(())
    }
}

/// Which member's greeting waits here, until the roster is complete.
pub(super) fn sender(state: &State, bytes: &[u8]) -> Option<usize> {
    if state.roster.is_some() {
        return None;
    }
    let signed = serde_json::from_slice::<SignedText>(bytes).ok()?;
    let is_known =
        |mailbox: &Mailbox| mailbox.greeting.as_ref().is_some_and(|(known, _)| *known == signed);
    state.mailboxes.iter().position(is_known)
}
