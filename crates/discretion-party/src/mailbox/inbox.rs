//! What a member has collected from the coordinator.

use super::MailboxError;
use super::connection::{Connection, MOST_WORDS};
use super::request::{Pieces, Requester, read};
use crate::wire::{Reader, one_line};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

/// Pieces from others, in order. A thread of its own collects them until this is dropped.
pub(super) struct Inbox {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    is_left: AtomicBool,
}

struct State {
    /// By the participant that they are from.
    pieces: Vec<VecDeque<Vec<u8>>>,
    /// Why no more will come.
    end: Option<MailboxError>,
}

impl Inbox {
    pub(super) fn new(participants: usize, connection: Connection, requester: Requester) -> Inbox {
        let pieces = (0..participants).map(|_| VecDeque::new()).collect();
        let shared = Arc::new(Shared {
            state: Mutex::new(State { pieces, end: None }),
            changed: Condvar::new(),
            is_left: AtomicBool::new(false),
        });
        let collector = shared.clone();
        // A request to the coordinator may take seconds to come back, and nobody waits for that at
        // the end.
        thread::spawn(move || collector.collect(&connection, requester));
        Inbox { shared }
    }

    /// The next piece from a participant, as soon as it is here.
    pub(super) fn next(&self, from: usize) -> Result<Vec<u8>, MailboxError> {
        let mut state = self.shared.state.lock().expect("nobody panics here");
        loop {
            if let Some(piece) = state.pieces[from].pop_front() {
                return Ok(piece);
            }
            if let Some(end) = &state.end {
                return Err(end.clone());
            }
            state = self.shared.changed.wait(state).expect("nobody panics here");
        }
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        self.shared.is_left.store(true, Ordering::Relaxed);
    }
}

impl Shared {
    /// Collects until nobody wants it. While this goes on, the coordinator knows that the member is
    /// alive.
    fn collect(&self, connection: &Connection, mut requester: Requester) {
        let is_left = || self.is_left.load(Ordering::Relaxed);
        while !is_left() {
            let request = requester.request(Vec::new());
            let response = connection.request("/v1/collect", &request, || !is_left());
            let collected = response.and_then(|response| open(&mut requester, response));
            let mut state = self.state.lock().expect("nobody panics here");
            match collected {
                Ok((given_up, pieces)) => {
                    for (from, piece) in pieces {
                        if let Some(queue) = state.pieces.get_mut(from) {
                            queue.push_back(piece);
                        }
                    }
                    if !given_up.is_empty() {
                        state.end = Some(MailboxError::GivenUp(one_line(&given_up, MOST_WORDS)));
                    }
                }
                Err(error) => state.end = Some(error),
            }
            let is_over = state.end.is_some();
            drop(state);
            self.changed.notify_all();
            if is_over {
                return;
            }
        }
    }
}

/// Why the study was given up, empty if it was not, and what was collected.
fn open(requester: &mut Requester, response: Vec<u8>) -> Result<(String, Pieces), MailboxError> {
    let content = requester.open_response(response);
    let content = content.ok_or(MailboxError::Response("was changed or repeated on its way"))?;
    let mut reader = Reader::new(&content);
    let given_up = reader.bytes().map(|why| String::from_utf8_lossy(why).into_owned());
    let pieces = read(reader.rest());
    given_up.zip(pieces).ok_or(MailboxError::Response("is damaged"))
}
