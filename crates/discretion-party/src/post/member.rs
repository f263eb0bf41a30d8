//! A member's side: it greets, sends and collects.

use super::exchange::{Asking, COLLECT, Pieces, SEND, read, write};
use super::message::{Kind, Message, Partial};
use super::reply::{Answer, check};
use super::way::{Call, MOST_WORDS, Way};
use crate::Stop;
use crate::wire::{Channel, Charter, Greeting, OwnGreeting, Reader, Roster, SecretKey, one_line};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How many bytes of pieces one request carries at most, unless one piece is longer.
const MOST_SENT: usize = 4 << 20;

/// A member's post office box: sends to others and receives from them, in order.
pub struct Post {
    charter: Charter,
    own: usize,
    digest: [u8; 32],
    way: Way,
    sending: Asking,
    /// Lines to and from each other member.
    to: Vec<Option<Channel>>,
    from: Vec<Option<Channel>>,
    partial: Vec<Partial>,
    incoming: Arc<Incoming>,
    collector: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Incoming {
    state: Mutex<Arrived>,
    changed: Condvar,
    is_left: AtomicBool,
}

#[derive(Default)]
struct Arrived {
    pieces: Vec<VecDeque<Vec<u8>>>,
    ended: Option<Stop>,
}

impl Post {
    /// Greets the coordinator and waits until everybody is here. `waiting` is told for whom, whenever that changes.
    pub fn enter(
        charter: &Charter,
        secret: &SecretKey,
        call: &Call,
        mut waiting: impl FnMut(&[String]),
    ) -> Result<Post, Stop> {
        let own = crate::run::place_of(charter, secret)?;
        let way = Way::to(call)?;
        let mut greeting = OwnGreeting::new(charter, secret, own, (call.clock)())?;
        let mut hello = greeting.signed.to_bytes();
        let mut made = Instant::now();
        let mut last: Option<Vec<String>> = None;
        let roster = loop {
            let bytes = way.ask("/v1/hello", &hello, || true)?;
            let reply = check(charter, &hello, &bytes).ok_or_else(|| {
                Stop::Refused(format!(
                    "whoever answers at {} does not have the key that the study names for its coordinator, {}",
                    call.url,
                    charter.key(charter.coordinator())
                ))
            })?;
            if let Some(off) = Greeting::clock_is_off(reply.at, (call.clock)()) {
                // The coordinator's own words about a clock come from its side of the same difference.
                let why = format!("the coordinator's clock is {off} this machine's; set the wrong one right");
                return Err(Stop::Refused(why));
            }
            match reply.answer {
                Answer::Refused(why) => return Err(Stop::Refused(one_line(&why, MOST_WORDS))),
                // It is the greeting that is old, and nobody has taken it: the coordinator came later, or was started again.
                Answer::ClockIsOff(_) if made.elapsed() > Duration::from_secs(60) => {
                    greeting = OwnGreeting::new(charter, secret, own, (call.clock)())?;
                    (hello, made) = (greeting.signed.to_bytes(), Instant::now());
                }
                Answer::ClockIsOff(why) => return Err(Stop::Refused(one_line(&why, MOST_WORDS))),
                Answer::Roster(all) => break all,
                Answer::WaitingFor(names) => {
                    let names: Vec<String> = names.iter().map(|name| one_line(name, MOST_WORDS)).collect();
                    if last.as_ref() != Some(&names) {
                        waiting(&names);
                        last = Some(names);
                    }
                }
            }
        };
        let roster = Roster::new(charter, &roster, &greeting.signed).map_err(Stop::Refused)?;
        let pairs = roster.pairwise_keys(charter, greeting).map_err(Stop::Refused)?;
        let coordinator = charter.coordinator();
        let others = |line: &dyn Fn(usize) -> Channel| -> Vec<Option<Channel>> {
            (0..coordinator).map(|other| (other != own).then(|| line(other))).collect()
        };
        let incoming = Arc::new(Incoming::default());
        incoming.state.lock().expect("nobody panics here").pieces =
            (0..charter.count()).map(|_| VecDeque::new()).collect();
        let collecting = Asking::new(&pairs, own, coordinator, COLLECT);
        let collector = {
            let (way, incoming) = (way.clone(), incoming.clone());
            thread::spawn(move || incoming.collect(&way, collecting))
        };
        Ok(Post {
            own,
            digest: roster.digest(),
            way,
            sending: Asking::new(&pairs, own, coordinator, SEND),
            to: others(&|other| pairs.channel_to(other, "message")),
            from: others(&|other| pairs.channel_from(other, "message")),
            partial: (0..charter.count()).map(|_| Partial::default()).collect(),
            incoming,
            collector: Some(collector),
            charter: charter.clone(),
        })
    }

    /// This member's number.
    pub fn own(&self) -> usize {
        self.own
    }

    /// What this attempt is called by those who are in it.
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// Sends a message to each of these, in one request if that is large enough.
    pub fn send(&mut self, messages: Vec<(usize, Message)>) -> Result<(), Stop> {
        let mut pieces: Pieces = Vec::new();
        let mut size = 0;
        for (to, message) in messages {
            for piece in message.pieces() {
                let piece = match self.to.get_mut(to) {
                    // What goes to the coordinator is sealed with the whole request.
                    None => piece,
                    Some(line) => line.as_mut().expect("nobody writes to itself").seal(piece),
                };
                size += piece.len();
                pieces.push((to, piece));
                if size >= MOST_SENT {
                    size = 0;
                    self.hand_over(std::mem::take(&mut pieces))?;
                }
            }
        }
        if pieces.is_empty() { Ok(()) } else { self.hand_over(pieces) }
    }

    /// The next request itself, for tests that send it as they like.
    #[cfg(test)]
    pub(crate) fn request(&mut self, messages: Vec<(usize, Message)>) -> Vec<u8> {
        let seal = |(to, message): (usize, Message)| {
            let [piece] = <[Vec<u8>; 1]>::try_from(message.pieces()).expect("it is short");
            (to, self.to[to].as_mut().expect("nobody writes to itself").seal(piece))
        };
        let pieces: Pieces = messages.into_iter().map(seal).collect();
        self.sending.request(write(&pieces))
    }

    fn hand_over(&mut self, pieces: Pieces) -> Result<(), Stop> {
        let request = self.sending.request(write(&pieces));
        let reply = self.way.ask("/v1/send", &request, || true)?;
        self.sending.reply(reply).map(drop).ok_or_else(|| {
            Stop::Refused("the coordinator's answer was changed, repeated or left out on its way".to_owned())
        })
    }

    /// The next message of a member, which must be of this kind and round.
    pub fn receive(&mut self, from: usize, kind: Kind, round: usize) -> Result<Vec<u8>, Stop> {
        let broken = |what: &str| {
            let name = self.charter.name(from);
            Stop::Refused(format!("a message of {name} {what}"))
        };
        loop {
            let piece = {
                let mut state = self.incoming.state.lock().expect("nobody panics here");
                loop {
                    if let Some(piece) = state.pieces[from].pop_front() {
                        break piece;
                    }
                    if let Some(stop) = &state.ended {
                        return Err(stop.clone());
                    }
                    state = self.incoming.changed.wait(state).expect("nobody panics here");
                }
            };
            let line = self.from[from].as_mut().expect("nobody writes to itself");
            let piece = line.open(piece);
            let piece =
                piece.ok_or_else(|| broken("was changed, repeated, reordered or left out on its way"))?;
            let message = self.partial[from].add(&piece).map_err(|()| broken("is damaged"))?;
            if let Some(Message { kind: found, round: of, body }) = message {
                if (found, of) == (kind, round) {
                    return Ok(body);
                }
                return Err(broken(&format!("came out of turn ({found:?} instead of {kind:?})")));
            }
        }
    }
}

impl Drop for Post {
    fn drop(&mut self) {
        self.incoming.is_left.store(true, Ordering::Relaxed);
        // A question to the coordinator may take seconds to come back, and nobody waits for it.
        drop(self.collector.take());
    }
}

impl Incoming {
    /// Asks for mail until nobody wants it. While this goes on, the coordinator knows that the member is alive.
    fn collect(&self, way: &Way, mut asking: Asking) {
        let is_left = || self.is_left.load(Ordering::Relaxed);
        while !is_left() {
            let request = asking.request(Vec::new());
            let arrived = way.ask("/v1/collect", &request, || !is_left()).and_then(|reply| {
                let content = asking.reply(reply).ok_or_else(|| {
                    Stop::Refused("the coordinator's answer was changed or repeated on its way".to_owned())
                })?;
                let mut reader = Reader::new(&content);
                let ended = reader.bytes().map(|why| String::from_utf8_lossy(why).into_owned());
                let pieces = read(reader.rest());
                ended
                    .zip(pieces)
                    .ok_or_else(|| Stop::Refused("the coordinator's answer is damaged".to_owned()))
            });
            let mut state = self.state.lock().expect("nobody panics here");
            match arrived {
                Ok((ended, pieces)) => {
                    for (from, piece) in pieces {
                        if let Some(queue) = state.pieces.get_mut(from) {
                            queue.push_back(piece);
                        }
                    }
                    if !ended.is_empty() {
                        state.ended = Some(Stop::Refused(one_line(&ended, MOST_WORDS)));
                    }
                }
                Err(stop) => state.ended = Some(stop),
            }
            let is_over = state.ended.is_some();
            drop(state);
            self.changed.notify_all();
            if is_over {
                return;
            }
        }
    }
}
