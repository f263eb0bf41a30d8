//! The coordinator's mailboxes: who is here, what waits for whom, who was heard of when.

use super::exchange::{Answering, Asked, COLLECT, Pieces, Request, SEND, read, write};
use super::message::{Kind, Message, Partial};
use super::reply::{Answer, sign};
use crate::Stop;
use crate::wire::{Charter, Clock, Greeting, Hello, Roster, Secret, Signed};
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How much a collection brings at most, unless one piece is longer.
const MOST_COLLECTED: usize = 4 << 20;

/// Mailboxes for one attempt at a study.
pub struct Office {
    charter: Charter,
    secret: Secret,
    clock: Clock,
    patience: Duration,
    own: Signed,
    state: Mutex<State>,
    /// Told of every change: the coordinator's thread by the one, waiting requests by the other.
    changed: Condvar,
    news: watch::Sender<u64>,
}

struct State {
    /// Taken when the roster is complete.
    greeting: Option<Greeting>,
    places: Vec<Place>,
    roster: Option<(Vec<Signed>, [u8; 32])>,
    own: Vec<(Partial, VecDeque<Message>)>,
    ended: Option<String>,
}

/// What is known of a member.
struct Place {
    hello: Option<(Signed, u64)>,
    /// Questions of it that wait for an answer right now.
    waiting: usize,
    heard: Instant,
    lines: Option<Lines>,
    mail: Pieces,
    is_complete: bool,
    is_finished: bool,
    knows_the_end: bool,
}

struct Lines {
    send: Answering,
    collect: Answering,
}

/// Who is here, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Present {
    /// Those who are.
    pub here: Vec<String>,
    /// Those who are not.
    pub missing: Vec<String>,
}

impl Office {
    /// An office that nobody has come to yet.
    pub fn new(charter: Charter, secret: Secret, patience: Duration, clock: Clock) -> Result<Office, Stop> {
        if !charter.is_coordinator(secret.public()) {
            return Err(Stop::BadInput(format!(
                "the study's coordinator has another key than this one, which is {}",
                secret.public()
            )));
        }
        let greeting = Greeting::new(&charter, &secret, charter.coordinator(), clock())?;
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

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics here")
    }

    fn tell(&self) {
        self.changed.notify_all();
        self.news.send_modify(|count| *count += 1);
    }

    pub(super) fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    fn is_gone(&self, place: &Place) -> bool {
        place.waiting == 0 && place.heard.elapsed() > self.patience
    }

    /// A greeting. Nothing if the reply should wait for the others.
    pub(super) fn greet(&self, bytes: &[u8], is_last_look: bool) -> Option<Signed> {
        let reply = |answer| Some(sign(&self.secret, bytes, (self.clock)(), answer));
        let refuse = |why: String| reply(Answer::Refused(why));
        let Ok(signed) = serde_json::from_slice::<Signed>(bytes) else {
            return refuse("this is no greeting".to_owned());
        };
        let hello = match Hello::check(&signed, &self.charter) {
            Ok(hello) if hello.from < self.charter.members().len() => hello,
            Ok(_) => return refuse("the coordinator greets nobody".to_owned()),
            Err(why) => return refuse(format!("the coordinator does not accept this process: {why}")),
        };
        let mut state = self.state();
        if let (Some(why), None) = (&state.ended, &state.roster) {
            return refuse(why.clone());
        }
        let State { places, roster, .. } = &mut *state;
        let place = &mut places[hello.from];
        let is_known = place.hello.as_ref().is_some_and(|(known, _)| *known == signed);
        if !is_known {
            if let Some(off) = Hello::clock_is_off(hello.at, (self.clock)()) {
                return reply(Answer::ClockIsOff(format!(
                    "the clock of this machine is {off} the coordinator's; set it right"
                )));
            }
            if place.hello.as_ref().is_some_and(|(_, at)| *at > hello.at) {
                return refuse("a later greeting of the same member is here".to_owned());
            }
            if roster.is_some() {
                let name = self.charter.name(hello.from);
                let ended = state.ended.is_some();
                state.ended.get_or_insert(format!("{name} was started anew while the study was running"));
                drop(state);
                self.tell();
                let what = if ended { "was given up" } else { "was running and is given up" };
                return refuse(format!("the study {what}; start the coordinator and every member again"));
            }
            place.hello = Some((signed, hello.at));
        }
        // Anybody can repeat a greeting that it saw. Once there are lines, only they are signs of life.
        if roster.is_none() {
            place.heard = Instant::now();
        }
        if roster.is_none()
            && self.missing(places).is_empty()
            && let Err(why) = self.begin(&mut state)
        {
            state.ended = Some(why.clone());
            drop(state);
            self.tell();
            return refuse(why);
        }
        let answer = match &state.roster {
            Some((all, _)) => Answer::Roster(all.clone()),
            None if is_known && !is_last_look => return None,
            None => Answer::WaitingFor(self.missing(&state.places)),
        };
        drop(state);
        if !is_known {
            self.tell();
        }
        reply(answer)
    }

    fn missing(&self, places: &[Place]) -> Vec<String> {
        let is_missing = |place: &Place| place.hello.is_none() || self.is_gone(place);
        let missing = places.iter().enumerate().filter(|(_, place)| is_missing(place));
        missing.map(|(number, _)| self.charter.name(number).to_owned()).collect()
    }

    /// Everybody is here: the lines follow from their greetings.
    fn begin(&self, state: &mut State) -> Result<(), String> {
        let theirs =
            state.places.iter().map(|place| place.hello.as_ref().expect("nobody is missing").0.clone());
        let all: Vec<Signed> = theirs.chain([self.own.clone()]).collect();
        let roster = Roster::new(&self.charter, &all, &self.own)?;
        let greeting = state.greeting.take().expect("a study begins once");
        let pairs = roster.pairs(&self.charter, greeting)?;
        for (number, place) in state.places.iter_mut().enumerate() {
            let line = |label| Answering::new(&pairs, number, label);
            place.lines = Some(Lines { send: line(SEND), collect: line(COLLECT) });
            place.heard = Instant::now();
        }
        state.roster = Some((all, roster.digest()));
        Ok(())
    }

    /// Marks a member as waiting for as long as the result lives.
    pub(super) fn wait(&self, bytes: &[u8], is_greeting: bool) -> Option<Waiting<'_>> {
        let mut state = self.state();
        let member = if is_greeting {
            if state.roster.is_some() {
                return None;
            }
            let signed = serde_json::from_slice::<Signed>(bytes).ok()?;
            state
                .places
                .iter()
                .position(|place| place.hello.as_ref().is_some_and(|(known, _)| *known == signed))
        } else {
            Request::read(bytes).map(|request| request.member).filter(|&member| member < state.places.len())
        }?;
        state.places[member].waiting += 1;
        Some(Waiting { office: self, member })
    }

    /// Takes pieces that a member sends to others.
    pub(super) fn send(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let request = Request::read(bytes)?;
        let mut state = self.state();
        let place = state.places.get_mut(request.member)?;
        let content = match place.lines.as_mut()?.send.ask(&request)? {
            Asked::Answered(reply) => return Some(reply),
            Asked::Again => return None,
            Asked::New(content) => content,
        };
        place.heard = Instant::now();
        let reply = place.lines.as_mut()?.send.answer(Vec::new);
        let pieces = read(&content);
        if !pieces.is_some_and(|pieces| self.deliver(&mut state, request.member, pieces)) {
            let name = self.charter.name(request.member);
            state.ended.get_or_insert(format!("{name} sent what is no message"));
        }
        drop(state);
        self.tell();
        Some(reply)
    }

    /// Puts pieces into boxes; false if one is for nobody, or for the coordinator and damaged.
    fn deliver(&self, state: &mut State, from: usize, pieces: Pieces) -> bool {
        for (to, piece) in pieces {
            if to != self.charter.coordinator() {
                let Some(place) = state.places.get_mut(to) else { return false };
                place.mail.push((from, piece));
                continue;
            }
            let message = match state.own[from].0.add(&piece) {
                Ok(None) => continue,
                Ok(Some(message)) => message,
                Err(()) => return false,
            };
            let place = &mut state.places[from];
            match message.kind {
                Kind::Complete => place.is_complete = true,
                Kind::Finished => place.is_finished = true,
                Kind::Refused => {
                    let why = String::from_utf8_lossy(&message.body);
                    let why: String = why.chars().filter(|c| !c.is_control()).take(400).collect();
                    state.ended.get_or_insert(format!("{} cannot go on: {why}", self.charter.name(from)));
                }
                _ => state.own[from].1.push_back(message),
            }
        }
        true
    }

    /// What waits for a member. `None` refuses; `Some(None)` has nothing yet.
    pub(super) fn collect(&self, bytes: &[u8], is_last_look: bool) -> Option<Option<Vec<u8>>> {
        let request = Request::read(bytes)?;
        let mut state = self.state();
        let ended = state.ended.clone();
        let place = state.places.get_mut(request.member)?;
        let lines = place.lines.as_mut()?;
        if let Asked::Answered(reply) = lines.collect.ask(&request)? {
            return Some(Some(reply));
        }
        place.heard = Instant::now();
        if place.mail.is_empty() && ended.is_none() && !is_last_look {
            return Some(None);
        }
        let mail = &mut place.mail;
        let mut size = 0;
        let mut fits = |(_, piece): &(usize, Vec<u8>)| {
            size += piece.len();
            size <= MOST_COLLECTED
        };
        let count = mail.iter().take_while(|one| fits(one)).count().max(1).min(mail.len());
        let content = || {
            let taken: Pieces = mail.drain(..count).collect();
            let mut content = Vec::new();
            // The end is told with the last of the mail.
            let end = ended.as_deref().filter(|_| mail.is_empty()).unwrap_or_default();
            crate::wire::put_bytes(&mut content, end.as_bytes());
            content.extend(write(&taken));
            content
        };
        let reply = lines.collect.answer(content);
        place.knows_the_end |= ended.is_some() && place.mail.is_empty();
        Some(Some(reply))
    }

    /// Who is here.
    pub fn present(&self) -> Present {
        let state = self.state();
        let missing = if state.roster.is_some() { Vec::new() } else { self.missing(&state.places) };
        let names = self.charter.members().iter().map(|member| member.name.clone());
        Present { here: names.filter(|name| !missing.contains(name)).collect(), missing }
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

/// A member's question that waits for an answer.
pub(super) struct Waiting<'o> {
    office: &'o Office,
    member: usize,
}

impl Drop for Waiting<'_> {
    /// Answered, or its asker hung up.
    fn drop(&mut self) {
        let mut state = self.office.state();
        let place = &mut state.places[self.member];
        place.waiting -= 1;
        place.heard = Instant::now();
    }
}
