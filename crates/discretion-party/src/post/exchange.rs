//! Sealed requests and their sealed replies between a member and the coordinator.

use crate::wire::{Channel, PairwiseKeys, Reader, digest, put_bytes};

/// The two uses of the way between a member and the coordinator.
pub(super) const SEND: &str = "send";
pub(super) const COLLECT: &str = "collect";

/// A list of pieces: whom each is for, or from.
pub(super) type Pieces = Vec<(usize, Vec<u8>)>;

pub(super) fn write(pieces: &Pieces) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (who, piece) in pieces {
        bytes.extend((*who as u64).to_be_bytes());
        put_bytes(&mut bytes, piece);
    }
    bytes
}

pub(super) fn read(bytes: &[u8]) -> Option<Pieces> {
    let mut reader = Reader::new(bytes);
    let mut pieces = Vec::new();
    while !reader.is_at_end() {
        pieces.push((usize::try_from(reader.u64()?).ok()?, reader.bytes()?.to_vec()));
    }
    Some(pieces)
}

/// A member's end: one request after the other.
pub(super) struct Asking {
    member: usize,
    requests: Channel,
    replies: Channel,
}

impl Asking {
    pub(super) fn new(pairs: &PairwiseKeys, member: usize, coordinator: usize, label: &str) -> Asking {
        let requests = pairs.channel_to(coordinator, &format!("{label} request"));
        let replies = pairs.channel_from(coordinator, &format!("{label} reply"));
        Asking { member, requests, replies }
    }

    /// The bytes of the next request, to be sent until there is a reply.
    pub(super) fn request(&mut self, content: Vec<u8>) -> Vec<u8> {
        let mut bytes = (self.member as u64).to_be_bytes().to_vec();
        bytes.extend(self.requests.next().to_be_bytes());
        bytes.extend(self.requests.seal(content));
        bytes
    }

    /// What the reply to the last request says, or nothing if it is not one.
    pub(super) fn reply(&mut self, bytes: Vec<u8>) -> Option<Vec<u8>> {
        self.replies.open(bytes)
    }
}

/// A request as the coordinator finds it.
pub(super) struct Request<'b> {
    pub(super) member: usize,
    number: u64,
    sealed: &'b [u8],
}

impl<'b> Request<'b> {
    pub(super) fn read(bytes: &'b [u8]) -> Option<Request<'b>> {
        let mut reader = Reader::new(bytes);
        let (member, number) = (usize::try_from(reader.u64()?).ok()?, reader.u64()?);
        Some(Request { member, number, sealed: reader.rest() })
    }
}

/// The coordinator's end: each request is taken once, and its reply is made once.
pub(super) struct Answering {
    requests: Channel,
    replies: Channel,
    last: Option<[u8; 32]>,
    reply: Option<Vec<u8>>,
}

/// What a request is.
pub(super) enum Asked {
    /// The next one.
    New(Vec<u8>),
    /// The last one again, to which there is no reply yet.
    Again,
    /// The last one again, with its reply.
    Answered(Vec<u8>),
}

impl Answering {
    pub(super) fn new(pairs: &PairwiseKeys, member: usize, label: &str) -> Answering {
        let requests = pairs.channel_from(member, &format!("{label} request"));
        let replies = pairs.channel_to(member, &format!("{label} reply"));
        Answering { requests, replies, last: None, reply: None }
    }

    /// Takes a request, or refuses what is neither the next nor the last one.
    pub(super) fn ask(&mut self, request: &Request<'_>) -> Option<Asked> {
        let found = digest("request", &[&request.number.to_be_bytes(), request.sealed]);
        if self.last == Some(found) {
            return Some(self.reply.clone().map_or(Asked::Again, Asked::Answered));
        }
        // A request is sealed with its number: another number in front of it does not open it.
        if request.number != self.requests.next() {
            return None;
        }
        let content = self.requests.open(request.sealed.to_vec())?;
        (self.last, self.reply) = (Some(found), None);
        Some(Asked::New(content))
    }

    /// Seals the reply to the last request, unless that is done: a number seals one reply.
    pub(super) fn answer(&mut self, content: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
        if self.reply.is_none() {
            self.reply = Some(self.replies.seal(content()));
        }
        self.reply.clone().expect("it is there now")
    }
}
