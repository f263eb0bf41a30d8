//! The coordinator's mailboxes: who is here, what waits for whom, who was heard of when.

use super::MailboxError;
use super::message::{Kind, Message, PartialMessage};
use super::request::Responder;
use super::waiting::WaitingPieces;
use crate::wire::{Charter, Clock, KeyError, OwnGreeting, SecretKey, SignedText};
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How often the coordinator looks whether a member is gone.
const LOOK: Duration = Duration::from_millis(100);

/// Mailboxes for one attempt at a study.
pub struct Mailboxes {
    pub(super) charter: Charter,
    pub(super) secret: SecretKey,
    pub(super) clock: Clock,
    patience: Duration,
    /// The coordinator's own greeting.
    pub(super) greeting: SignedText,
    state: Mutex<State>,
    /// Told of every change: the coordinator's thread by the one, waiting requests by the other.
    changed: Condvar,
    changes: watch::Sender<u64>,
}

pub(super) struct State {
    /// The coordinator's, with its fresh keys. Taken when the roster is complete.
    pub(super) own_greeting: Option<OwnGreeting>,
    /// One for each member, in their order.
    pub(super) mailboxes: Vec<Mailbox>,
    pub(super) roster: Option<Vec<SignedText>>,
    /// Why the study was given up, if it was.
    pub(super) given_up: Option<String>,
}

impl State {
    /// Gives the study up. The first reason is the one that everybody is told.
    pub(super) fn give_up(&mut self, why: String) {
        self.given_up.get_or_insert(why);
    }
}

/// A member's mailbox, and what is known of the member.
pub(super) struct Mailbox {
    /// Its greeting, and the time in it.
    pub(super) greeting: Option<(SignedText, u64)>,
    /// Requests of it that wait for a response right now.
    pub(super) waiting: usize,
    pub(super) last_heard: Instant,
    /// Here once the roster is complete.
    pub(super) responders: Option<Responders>,
    /// What waits to be collected.
    pub(super) pieces: WaitingPieces,
    /// What it sent to the coordinator itself.
    pub(super) partial: PartialMessage,
    pub(super) to_coordinator: VecDeque<Message>,
    pub(super) is_complete: bool,
    pub(super) is_finished: bool,
    pub(super) knows_it_was_given_up: bool,
}

impl Mailbox {
    fn new() -> Mailbox {
        Mailbox {
            greeting: None,
            waiting: 0,
            last_heard: Instant::now(),
            responders: None,
            pieces: WaitingPieces::default(),
            partial: PartialMessage::default(),
            to_coordinator: VecDeque::new(),
            is_complete: false,
            is_finished: false,
            knows_it_was_given_up: false,
        }
    }
}

pub(super) struct Responders {
    pub(super) send: Responder,
    pub(super) collect: Responder,
}

impl Mailboxes {
    /// Mailboxes of members of whom nobody is here yet.
    pub fn new(
        charter: Charter,
        secret: SecretKey,
        patience: Duration,
        clock: Clock,
    ) -> Result<Mailboxes, KeyError> {
        charter.check_coordinator(secret.public())?;
        let own_greeting = OwnGreeting::new(&charter, &secret, charter.coordinator(), clock())?;
        let greeting = own_greeting.signed.clone();
        let state = Mutex::new(State {
            own_greeting: Some(own_greeting),
            mailboxes: charter.members().iter().map(|_| Mailbox::new()).collect(),
            roster: None,
            given_up: None,
        });
        let (changed, changes) = (Condvar::new(), watch::Sender::new(0));
        Ok(Mailboxes { charter, secret, clock, patience, greeting, state, changed, changes })
    }

    /// The study.
    pub fn charter(&self) -> &Charter {
        &self.charter
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics here")
    }

    /// Tells everybody who waits that something changed.
    pub(super) fn notify(&self) {
        self.changed.notify_all();
        self.changes.send_modify(|count| *count += 1);
    }

    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn wait_for_change<'s>(
        &self,
        state: MutexGuard<'s, State>,
        wait: Duration,
    ) -> MutexGuard<'s, State> {
        self.changed.wait_timeout(state, wait).expect("nobody panics here").0
    }

    /// Counts a member as waiting for as long as the result lives.
    pub(super) fn wait(
        &self,
        sender: impl FnOnce(&State) -> Option<usize>,
    ) -> Option<WaitingRequest<'_>> {
        let mut state = self.state();
        let member = sender(&state)?;
        state.mailboxes[member].waiting += 1;
        Some(WaitingRequest { mailboxes: self, member })
    }

    pub(super) fn is_gone(&self, mailbox: &Mailbox) -> bool {
        mailbox.waiting == 0 && mailbox.last_heard.elapsed() > self.patience
    }

    /// Who is not here yet, by name.
    pub fn waiting_for(&self) -> Vec<String> {
        let state = self.state();
        if state.roster.is_some() { Vec::new() } else { self.missing(&state.mailboxes) }
    }

    /// Waits until everybody is here, for a while at a time: whether that is so.
    pub fn wait_for_everybody(&self, wait: Duration) -> Result<bool, MailboxError> {
        let mut state = self.state();
        if state.roster.is_none() {
            state = self.wait_for_change(state, wait);
        }
        match (&state.roster, &state.given_up) {
            (None, Some(why)) => Err(MailboxError::GivenUp(why.clone())),
            (roster, _) => Ok(roster.is_some()),
        }
    }

    /// The next message of a member to the coordinator, which must be of this kind and round.
    /// `on_delay` is called once, if that takes longer than our patience.
    pub(crate) fn receive(
        &self,
        from: usize,
        kind: Kind,
        round: usize,
        mut on_delay: impl FnMut(),
    ) -> Result<Vec<u8>, MailboxError> {
        let began = Instant::now();
        let mut is_late = false;
        let mut state = self.state();
        loop {
            if !is_late && began.elapsed() > self.patience {
                is_late = true;
                on_delay();
            }
            if let Some(message) = state.mailboxes[from].to_coordinator.pop_front() {
                if (message.kind, message.round) == (kind, round) {
                    return Ok(message.body);
                }
                state.give_up(format!("{} sent a message out of turn", self.charter.name(from)));
            }
            self.give_up_if_someone_is_gone(&mut state);
            if let Some(why) = &state.given_up {
                let why = why.clone();
                drop(state);
                self.notify();
                return Err(MailboxError::GivenUp(why));
            }
            state = self.wait_for_change(state, LOOK);
        }
    }

    /// The next message of a member to the coordinator, if one of this kind is there.
    pub(crate) fn try_receive(&self, from: usize, kind: Kind) -> Option<Vec<u8>> {
        let mut state = self.state();
        let messages = &mut state.mailboxes[from].to_coordinator;
        match messages.front() {
            Some(message) if message.kind == kind => {
                messages.pop_front().map(|message| message.body)
            }
            _ => None,
        }
    }

    fn give_up_if_someone_is_gone(&self, state: &mut State) {
        let is_missed = |mailbox: &Mailbox| !mailbox.is_complete && self.is_gone(mailbox);
        if let Some(number) = state.mailboxes.iter().position(is_missed) {
            state.give_up(format!(
                "{} has not been heard of for {} seconds, and something was still needed of it",
                self.charter.name(number),
                self.patience.as_secs_f64()
            ));
        }
    }

    /// Gives the study up, for a reason that everybody is told.
    pub(crate) fn give_up(&self, why: String) {
        self.state().give_up(why);
        self.notify();
    }

    /// Waits until everybody who is still there has what it needs: the end of the study, or that it
    /// was given up. Not longer than our patience.
    pub fn wait_until_all_are_done(&self) {
        let began = Instant::now();
        let mut state = self.state();
        while began.elapsed() < self.patience {
            let was_given_up = state.given_up.is_some();
            let is_done = |mailbox: &Mailbox| {
                mailbox.responders.is_none()
                    || mailbox.is_finished
                    || was_given_up && mailbox.knows_it_was_given_up
                    || self.is_gone(mailbox)
            };
            if state.mailboxes.iter().all(is_done) {
                return;
            }
            state = self.wait_for_change(state, LOOK);
        }
    }
}

/// A member's request that waits for a response.
pub(super) struct WaitingRequest<'m> {
    mailboxes: &'m Mailboxes,
    member: usize,
}

impl Drop for WaitingRequest<'_> {
    /// Answered, or the member hung up.
    fn drop(&mut self) {
        let mut state = self.mailboxes.state();
        let mailbox = &mut state.mailboxes[self.member];
        mailbox.waiting -= 1;
        mailbox.last_heard = Instant::now();
    }
}
