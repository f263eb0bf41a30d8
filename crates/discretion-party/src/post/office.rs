//! The coordinator's mailboxes: who is here, what waits for whom, who was heard of when.

use super::exchange::{Answering, Pieces};
use super::message::{Kind, Message, Partial};
use crate::Stop;
use crate::wire::{Charter, Clock, OwnGreeting, SecretKey, SignedText};
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Mailboxes for one attempt at a study.
pub struct Office {
    pub(super) charter: Charter,
    pub(super) secret: SecretKey,
    pub(super) clock: Clock,
    pub(super) patience: Duration,
    pub(super) own: SignedText,
    pub(super) state: Mutex<State>,
    /// Told of every change: the coordinator's thread by the one, waiting requests by the other.
    pub(super) changed: Condvar,
    pub(super) news: watch::Sender<u64>,
}

pub(super) struct State {
    /// Taken when the roster is complete.
    pub(super) greeting: Option<OwnGreeting>,
    pub(super) places: Vec<Place>,
    pub(super) roster: Option<Vec<SignedText>>,
    pub(super) own: Vec<(Partial, VecDeque<Message>)>,
    pub(super) ended: Option<String>,
}

/// What is known of a member.
pub(super) struct Place {
    pub(super) hello: Option<(SignedText, u64)>,
    /// Questions of it that wait for an answer right now.
    pub(super) waiting: usize,
    pub(super) heard: Instant,
    pub(super) lines: Option<Lines>,
    pub(super) mail: Pieces,
    pub(super) is_complete: bool,
    pub(super) is_finished: bool,
    pub(super) knows_the_end: bool,
}

pub(super) struct Lines {
    pub(super) send: Answering,
    pub(super) collect: Answering,
}

impl Office {
    /// An office that nobody has come to yet.
    pub fn new(
        charter: Charter,
        secret: SecretKey,
        patience: Duration,
        clock: Clock,
    ) -> Result<Office, Stop> {
        if !charter.is_coordinator(secret.public()) {
            return Err(Stop::BadInput(format!(
                "the study's coordinator has another key than this one, which is {}",
                secret.public()
            )));
        }
        let greeting = OwnGreeting::new(&charter, &secret, charter.coordinator(), clock())?;
        let place = || Place {
            hello: None,
            waiting: 0,
            heard: Instant::now(),
            lines: None,
            mail: Vec::new(),
            is_complete: false,
            is_finished: false,
            knows_the_end: false,
        };
        let state = State {
            own: (0..charter.members().len()).map(|_| Default::default()).collect(),
            places: (0..charter.members().len()).map(|_| place()).collect(),
            roster: None,
            ended: None,
            greeting: None,
        };
        let own = greeting.signed.clone();
        let state = Mutex::new(State { greeting: Some(greeting), ..state });
        let (changed, news) = (Condvar::new(), watch::Sender::new(0));
        Ok(Office { charter, secret, clock, patience, own, state, changed, news })
    }

    /// The study.
    pub fn charter(&self) -> &Charter {
        &self.charter
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics here")
    }

    pub(super) fn tell(&self) {
        self.changed.notify_all();
        self.news.send_modify(|count| *count += 1);
    }

    pub(super) fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    pub(super) fn is_gone(&self, place: &Place) -> bool {
        place.waiting == 0 && place.heard.elapsed() > self.patience
    }

    /// Who is not here yet, by name.
    pub fn waiting_for(&self) -> Vec<String> {
        let state = self.state();
        if state.roster.is_some() { Vec::new() } else { self.missing(&state.places) }
    }

    /// Waits until everybody is here, for a while at a time: whether that is so.
    pub fn gather(&self, wait: Duration) -> Result<bool, Stop> {
        let mut state = self.state();
        if state.roster.is_none() {
            state = self.changed.wait_timeout(state, wait).expect("nobody panics here").0;
        }
        match (&state.roster, &state.ended) {
            (None, Some(why)) => Err(Stop::Refused(why.clone())),
            (roster, _) => Ok(roster.is_some()),
        }
    }

    /// The next message of a member to the coordinator, which must be of this kind and round.
    /// `late` is called once, if that takes longer than our patience.
    pub(crate) fn receive(
        &self,
        from: usize,
        kind: Kind,
        round: usize,
        mut late: impl FnMut(),
    ) -> Result<Vec<u8>, Stop> {
        let began = Instant::now();
        let mut is_late = false;
        let mut state = self.state();
        loop {
            if !is_late && began.elapsed() > self.patience {
                is_late = true;
                late();
            }
            if let Some(message) = state.own[from].1.pop_front() {
                if (message.kind, message.round) == (kind, round) {
                    return Ok(message.body);
                }
                let name = self.charter.name(from);
                state.ended.get_or_insert(format!("{name} sent a message out of turn"));
            }
            self.look_for_the_gone(&mut state);
            if let Some(why) = &state.ended {
                let why = why.clone();
                drop(state);
                self.tell();
                return Err(Stop::Refused(why));
            }
            state =
                self.changed.wait_timeout(state, Duration::from_millis(100)).expect("nobody panics here").0;
        }
    }

    /// A message of this kind, if one is there.
    pub(crate) fn glance(&self, from: usize, kind: Kind) -> Option<Vec<u8>> {
        let mut state = self.state();
        let queue = &mut state.own[from].1;
        match queue.front() {
            Some(message) if message.kind == kind => queue.pop_front().map(|message| message.body),
            _ => None,
        }
    }

    fn look_for_the_gone(&self, state: &mut State) {
        let number = state.places.iter().position(|place| !place.is_complete && self.is_gone(place));
        if let Some(number) = number {
            let seconds = self.patience.as_secs_f64();
            state.ended.get_or_insert(format!(
                "{} has not been heard of for {seconds} seconds, and something was still needed of it",
                self.charter.name(number)
            ));
        }
    }

    /// Gives the study up, for a reason that everybody is told.
    pub(crate) fn give_up(&self, why: &str) {
        self.state().ended.get_or_insert(why.to_owned());
        self.tell();
    }

    /// Waits until everybody who is still there has what it needs: the end of the study, or that it was given up. Not longer than our
    /// patience.
    pub fn see_off(&self) {
        let began = Instant::now();
        let mut state = self.state();
        while began.elapsed() < self.patience {
            let ended = state.ended.is_some();
            let is_done = |place: &Place| {
                place.lines.is_none()
                    || place.is_finished
                    || ended && place.knows_the_end
                    || self.is_gone(place)
            };
            if state.places.iter().all(is_done) {
                return;
            }
            state =
                self.changed.wait_timeout(state, Duration::from_millis(100)).expect("nobody panics here").0;
        }
    }
}
