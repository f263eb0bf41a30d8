//! Sealed requests and their sealed responses between a member and the coordinator.

use crate::wire::{Channel, PairwiseKeys, Reader, digest, put_bytes};

/// The two uses of the connection between a member and the coordinator.
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
pub(super) struct Requester {
    member: usize,
    requests: Channel,
    responses: Channel,
}

impl Requester {
    pub(super) fn new(
        keys: &PairwiseKeys,
        member: usize,
        coordinator: usize,
        label: &str,
    ) -> Requester {
        let requests = keys.channel_to(coordinator, &format!("{label} request"));
        let responses = keys.channel_from(coordinator, &format!("{label} reply"));
        Requester { member, requests, responses }
    }

    /// The bytes of the next request, to be sent until there is a response.
    pub(super) fn request(&mut self, content: Vec<u8>) -> Vec<u8> {
        let number = self.requests.next();
        let sealed = self.requests.seal(content);
        Request { member: self.member, number, sealed: &sealed }.to_bytes()
    }

    /// What the response to the last request says, or nothing if it is not one.
    pub(super) fn open_response(&mut self, bytes: Vec<u8>) -> Option<Vec<u8>> {
        self.responses.open(bytes)
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

    /// The bytes that it was read from.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let numbers = [self.member as u64, self.number].map(u64::to_be_bytes);
        [&numbers[0][..], &numbers[1], self.sealed].concat()
    }
}

/// The coordinator's end: each request is taken once, and its response is made once.
pub(super) struct Responder {
    requests: Channel,
    responses: Channel,
    /// A digest of the last request.
    last: Option<[u8; 32]>,
    response: Option<Vec<u8>>,
}

/// A request that was accepted.
pub(super) enum IncomingRequest {
    /// The next one, and what it says.
    New(Vec<u8>),
    /// The last one again, with its response if there is one.
    Repeat(Option<Vec<u8>>),
}

impl Responder {
    pub(super) fn new(keys: &PairwiseKeys, member: usize, label: &str) -> Responder {
        let requests = keys.channel_from(member, &format!("{label} request"));
        let responses = keys.channel_to(member, &format!("{label} reply"));
        Responder { requests, responses, last: None, response: None }
    }

    /// Accepts a request, or refuses what is neither the next nor the last one.
    pub(super) fn accept(&mut self, request: &Request<'_>) -> Option<IncomingRequest> {
        let found = digest("request", &[&request.number.to_be_bytes(), request.sealed]);
        if self.last == Some(found) {
            return Some(IncomingRequest::Repeat(self.response.clone()));
        }
        // A request is sealed with its number: another number in front of it does not open it.
        if request.number != self.requests.next() {
            return None;
        }
        let content = self.requests.open(request.sealed.to_vec())?;
        (self.last, self.response) = (Some(found), None);
        Some(IncomingRequest::New(content))
    }

    /// Seals the response to the last request, unless that is done: a number seals one response.
    pub(super) fn respond(&mut self, content: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
        if self.response.is_none() {
            self.response = Some(self.responses.seal(content()));
        }
        self.response.clone().expect("it is there now")
    }
}
