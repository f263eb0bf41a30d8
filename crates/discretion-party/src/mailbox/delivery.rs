//! What members hand over for others, and what they collect.

use super::mailboxes::{Mailboxes, State};
use super::message::Kind;
use super::request::{IncomingRequest, Pieces, Request, read, write};
use crate::wire::{one_line, put_bytes};
use std::time::Instant;

/// How much of one member's may wait for another. It bounds what a member can make the coordinator remember.
const MOST_WAITING: usize = 256 << 20;

/// How much a collection brings at most, unless one piece is longer.
const MOST_COLLECTED: usize = 4 << 20;

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
        let pieces = read(&content);
        if !pieces.is_some_and(|pieces| self.deliver(&mut state, request.member, pieces)) {
            state.give_up(format!("{} sent what is no message", self.charter.name(request.member)));
        }
        drop(state);
        self.notify();
        Some(response)
    }

    /// Puts pieces into mailboxes; false if one is for nobody, or too much, or for the coordinator and damaged.
    fn deliver(&self, state: &mut State, from: usize, pieces: Pieces) -> bool {
        for (to, piece) in pieces {
            if to != self.charter.coordinator() {
                let Some(mailbox) = state.mailboxes.get_mut(to) else { return false };
                let of_sender = mailbox.pieces.iter().filter(|(sender, _)| *sender == from);
                if of_sender.map(|(_, piece)| piece.len()).sum::<usize>() + piece.len() > MOST_WAITING {
                    return false;
                }
                mailbox.pieces.push((from, piece));
                continue;
            }
            let mailbox = &mut state.mailboxes[from];
            let message = match mailbox.partial.add(&piece) {
                Ok(None) => continue,
                Ok(Some(message)) => message,
                Err(()) => return false,
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
        true
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
        let mut size = 0;
        let mut fits = |(_, piece): &(usize, Vec<u8>)| {
            size += piece.len();
            size <= MOST_COLLECTED
        };
        let count = pieces.iter().take_while(|one| fits(one)).count().max(1).min(pieces.len());
        let content = || {
            let taken: Pieces = pieces.drain(..count).collect();
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
    Request::read(bytes).map(|request| request.member).filter(|&member| member < state.mailboxes.len())
}
