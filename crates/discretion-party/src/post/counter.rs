//! What members ask of the office: to be let in, to hand over, to collect.

use super::exchange::{Answering, Asked, COLLECT, Pieces, Request, SEND, read, write};
use super::message::Kind;
use super::office::{Lines, Office, Place, State};
use super::reply::{Answer, sign};
use crate::wire::{Greeting, Roster, SignedText, one_line};
use std::time::Instant;

/// How much a collection brings at most, unless one piece is longer.
const MOST_COLLECTED: usize = 4 << 20;

impl Office {
    /// A greeting. Nothing if the reply should wait for the others.
    pub(super) fn greet(&self, bytes: &[u8], is_last_look: bool) -> Option<SignedText> {
        let reply = |answer| Some(sign(&self.secret, bytes, (self.clock)(), answer));
        let refuse = |why: String| reply(Answer::Refused(why));
        let Ok(signed) = serde_json::from_slice::<SignedText>(bytes) else {
            return refuse("this is no greeting".to_owned());
        };
        let hello = match Greeting::check(&signed, &self.charter) {
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
            if let Some(off) = Greeting::clock_is_off(hello.at, (self.clock)()) {
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
            Some(all) => Answer::Roster(all.clone()),
            None if is_known && !is_last_look => return None,
            None => Answer::WaitingFor(self.missing(&state.places)),
        };
        drop(state);
        if !is_known {
            self.tell();
        }
        reply(answer)
    }

    pub(super) fn missing(&self, places: &[Place]) -> Vec<String> {
        let is_missing = |place: &Place| place.hello.is_none() || self.is_gone(place);
        let missing = places.iter().enumerate().filter(|(_, place)| is_missing(place));
        missing.map(|(number, _)| self.charter.name(number).to_owned()).collect()
    }

    /// Everybody is here: the lines follow from their greetings.
    fn begin(&self, state: &mut State) -> Result<(), String> {
        let theirs =
            state.places.iter().map(|place| place.hello.as_ref().expect("nobody is missing").0.clone());
        let all: Vec<SignedText> = theirs.chain([self.own.clone()]).collect();
        let roster = Roster::new(&self.charter, &all, &self.own)?;
        let greeting = state.greeting.take().expect("a study begins once");
        let pairs = roster.pairwise_keys(&self.charter, greeting)?;
        for (number, place) in state.places.iter_mut().enumerate() {
            let line = |label| Answering::new(&pairs, number, label);
            place.lines = Some(Lines { send: line(SEND), collect: line(COLLECT) });
            place.heard = Instant::now();
        }
        state.roster = Some(all);
        Ok(())
    }

    /// Marks a member as waiting for as long as the result lives.
    pub(super) fn wait(&self, bytes: &[u8], is_greeting: bool) -> Option<Waiting<'_>> {
        let mut state = self.state();
        let member = if is_greeting {
            if state.roster.is_some() {
                return None;
            }
            let signed = serde_json::from_slice::<SignedText>(bytes).ok()?;
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
                    let why = one_line(&String::from_utf8_lossy(&message.body), 400);
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
