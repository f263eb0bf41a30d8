//! What members hand over for others, and what they collect.

use super::mailboxes::{Mailboxes, State};
use super::message::Kind;
use super::request::{IncomingRequest, Pieces, Request, read, write};
use super::waiting::TooMuch;
use crate::wire::{one_line, put_bytes};
use std::time::Instant;

/// How much of one member's may wait for another. It bounds what a member can make the coordinator
/// remember.
const MOST_WAITING: usize = 256 << 20;

/// How much a collection brings at most, unless one piece is longer.
const MOST_COLLECTED: usize = 4 << 20;

/// Why pieces are in no mailbox.
enum NotDelivered {
    /// One is for nobody, or for the coordinator and damaged.
    NoMessage,
    /// So much of this sender would wait for that member.
    TooMuch { to: usize },
}

impl Mailboxes {
    /// Takes pieces that a member sends to others. Nothing refuses.
    pub(super) fn send(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let request = Request::read(bytes)?;
        let mut state = self.state();
        let mailbox = state.mailboxes.get_mut(request.member)?;
        let responder = &mut mailbox.responders.as_mut()?.send;
        let content = match responder.accept(&request)? {
            IncomingRequest::Repeat(response) => return response,
            IncomingRequest::New(content) => content,
        };
        mailbox.last_heard = Instant::now();
        let response = responder.respond(Vec::new);
        let delivered = read(&content).ok_or(NotDelivered::NoMessage);
        if let Err(why) =
            delivered.and_then(|pieces| self.deliver(&mut state, request.member, pieces))
        {
            state.give_up(self.explain(&why, request.member));
        }
        drop(state);
        self.notify();
        Some(response)
    }

    /// Why everybody is told that the study is over.
    fn explain(&self, why: &NotDelivered, from: usize) -> String {
        let from = self.charter.name(from);
        match why {
            NotDelivered::NoMessage => format!("{from} sent what is no message"),
            NotDelivered::TooMuch { to } => format!(
                "{from} sent more to {} than may wait there to be collected, {} MB",
                self.charter.name(*to),
                MOST_WAITING >> 20
            ),
        }
    }

    /// Puts pieces into mailboxes.
    fn deliver(&self, state: &mut State, from: usize, pieces: Pieces) -> Result<(), NotDelivered> {
        for (to, piece) in pieces {
            if to != self.charter.coordinator() {
                let mailbox = state.mailboxes.get_mut(to).ok_or(NotDelivered::NoMessage)?;
                let added = mailbox.pieces.push(from, piece, MOST_WAITING);
                added.map_err(|TooMuch| NotDelivered::TooMuch { to })?;
                continue;
            }
            let mailbox = &mut state.mailboxes[from];
            let message = match mailbox.partial.add(&piece) {
                Ok(None) => continue,
                Ok(Some(message)) => message,
                Err(()) => return Err(NotDelivered::NoMessage),
            };
            match message.kind {
                Kind::Complete => mailbox.is_complete = true,
                Kind::Finished => mailbox.is_finished = true,
                Kind::Refused => {
                    let why = one_line(&String::from_utf8_lossy(&message.body), 400);
                    state.give_up(format!("{} cannot go on: {why}", self.charter.name(from)));
                }
                _ => mailbox.to_coordinator.push_back(message),
            }
        }
        Ok(())
    }

    /// What waits for a member. `None` refuses; `Some(None)` has nothing yet.
    pub(super) fn collect(&self, bytes: &[u8], is_last_look: bool) -> Option<Option<Vec<u8>>> {
        let request = Request::read(bytes)?;
        let mut state = self.state();
        let given_up = state.given_up.clone();
        let mailbox = state.mailboxes.get_mut(request.member)?;
        let responder = &mut mailbox.responders.as_mut()?.collect;
        if let IncomingRequest::Repeat(Some(response)) = responder.accept(&request)? {
            return Some(Some(response));
        }
        mailbox.last_heard = Instant::now();
        if mailbox.pieces.is_empty() && given_up.is_none() && !is_last_look {
            return Some(None);
        }
        let pieces = &mut mailbox.pieces;
        let content = || {
            let taken = pieces.take(MOST_COLLECTED);
            let mut content = Vec::new();
            // That the study was given up is told with the last of the pieces.
            let why = given_up.as_deref().filter(|_| pieces.is_empty()).unwrap_or_default();
            put_bytes(&mut content, why.as_bytes());
            content.extend(write(&taken));
            content
        };
        let response = responder.respond(content);
        mailbox.knows_it_was_given_up |= given_up.is_some() && mailbox.pieces.is_empty();
        Some(Some(response))
    }
}

/// Which member says that a request is its own.
pub(super) fn sender(state: &State, bytes: &[u8]) -> Option<usize> {
    Request::read(bytes)
        .map(|request| request.member)
        .filter(|&member| member < state.mailboxes.len())
}
