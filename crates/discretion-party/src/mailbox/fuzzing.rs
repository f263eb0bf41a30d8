//! Doors for `discretion-fuzz`: readers and writers of what travels, and a coordinator with a
//! member that sends what it likes.

use super::greeting_response::{Admission, check};
use super::message::PartialMessage;
use super::request::{COLLECT, Pieces, Request, Requester, SEND, read, write};
use super::{MailboxError, Mailboxes};
use crate::sums::{SumMessage, SumMessageKind};
use crate::wire::{
    Charter, GREETING, OwnGreeting, Reader, Roster, SecretKey, SignedText, system_clock,
};
use std::time::Duration;

/// Every reader that takes these bytes for something, by name, and what its writer makes of that.
pub fn written_again(bytes: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let sum =
        |kind, parts| SumMessage::read(kind, parts, bytes).ok().map(|message| message.to_bytes());
    // What is cut into several pieces is longer than any input.
    let message = PartialMessage::default()
        .add(bytes)
        .ok()
        .flatten()
        .map(|message| message.pieces().concat());
    let request = Request::read(bytes).map(|request| request.to_bytes());
    let all = [
        ("report", sum(SumMessageKind::Report, 3)),
        ("check", sum(SumMessageKind::Check, 1)),
        ("sum", sum(SumMessageKind::Sum, 2)),
        ("pieces", read(bytes).map(|pieces| write(&pieces))),
        ("message", message),
        ("request", request),
    ];
    all.into_iter().filter_map(|(name, written)| Some((name, written?))).collect()
}

/// A coordinator, all of whose members are here, and the channels of two of them: one sends, the
/// other collects.
pub struct BusyCoordinator {
    mailboxes: Mailboxes,
    sender: Requester,
    collector: Requester,
}

impl BusyCoordinator {
    /// Everybody greets. Member 0 sends, member 1 collects.
    pub fn new(
        charter: &Charter,
        coordinator: SecretKey,
        members: &[SecretKey],
    ) -> BusyCoordinator {
        let mailboxes = coordinator_of(charter, coordinator);
        let greet = |(number, secret)| {
            OwnGreeting::new(charter, secret, number, system_clock()).expect("a greeting")
        };
        let mut greetings: Vec<OwnGreeting> = members.iter().enumerate().map(greet).collect();
        let last = greetings.iter().map(|own| mailboxes.greet(&own.signed.to_bytes(), true)).last();
        let (own, response) =
            (greetings.last().expect("members"), last.flatten().expect("a response"));
        let response = check(charter, &own.signed.to_bytes(), &response.to_bytes())
            .expect("the coordinator's");
        let Admission::Roster(all) = response.admission else { panic!("not everybody is here") };
        let mut requester = |label| {
            let own = greetings.remove(0);
            let number = members.len() - greetings.len() - 1;
            let roster = Roster::new(charter, &all, &own.signed).expect("a roster");
            let keys = roster.pairwise_keys(charter, own).expect("keys");
            Requester::new(&keys, number, charter.coordinator(), label)
        };
        let (sender, collector) = (requester(SEND), requester(COLLECT));
        BusyCoordinator { mailboxes, sender, collector }
    }

    /// Whether these bytes, from nobody, are answered as a request of a member.
    pub fn takes_from_a_stranger(&self, bytes: &[u8]) -> bool {
        let collected = self.mailboxes.collect(bytes, true);
        self.mailboxes.send(bytes).is_some() || collected.is_some()
    }

    /// Member 0 sends a request that says this, sealed as it should be. What member 1 then finds
    /// from it, or why the study was given up.
    pub fn sends(mut self, content: &[u8]) -> Result<Vec<Vec<u8>>, String> {
        let request = self.sender.request(content.to_vec());
        let response = self.mailboxes.send(&request).expect("a member's request is answered");
        self.sender.open_response(response).expect("the response is sealed for the member");
        let request = self.collector.request(Vec::new());
        let response = self
            .mailboxes
            .collect(&request, true)
            .flatten()
            .expect("the last look finds something");
        let content =
            self.collector.open_response(response).expect("the response is sealed for the member");
        let mut reader = Reader::new(&content);
        let given_up = String::from_utf8(reader.bytes().expect("a reason or none").to_vec())
            .expect("a sentence");
        let pieces = read(reader.rest()).expect("pieces");
        let from_member_0 =
            |(from, piece)| if from == 0 { piece } else { panic!("a piece is from {from}") };
        let pieces = pieces.into_iter().map(from_member_0).collect();
        if given_up.is_empty() { Ok(pieces) } else { Err(given_up) }
    }
}

/// What a list of pieces says, for whom each is.
pub fn pieces(content: &[u8]) -> Option<Pieces> {
    read(content)
}

/// A coordinator that waits for its members.
fn coordinator_of(charter: &Charter, secret: SecretKey) -> Mailboxes {
    Mailboxes::new(charter.clone(), secret, Duration::from_secs(60), system_clock)
        .expect("a coordinator's key")
}

/// What a coordinator that waits for everybody says to member 0, which signs this text as its
/// greeting, and then to the same bytes without a signature.
pub fn greets(
    charter: &Charter,
    coordinator: SecretKey,
    member: &SecretKey,
    bytes: &[u8],
) -> [String; 2] {
    let mailboxes = coordinator_of(charter, coordinator);
    let signed = SignedText::new(member, GREETING, String::from_utf8_lossy(bytes).into_owned());
    let say = |greeting: &[u8]| {
        let response =
            mailboxes.greet(greeting, true).expect("the last look is answered").to_bytes();
        let response =
            check(charter, greeting, &response).expect("the coordinator signs what it says");
        format!("{:?}", response.admission)
    };
    let said = [say(&signed.to_bytes()), say(bytes)];
    let waits = mailboxes.wait_for_everybody(Duration::ZERO);
    assert!(matches!(waits, Ok(false)), "one greeting gives nothing up: {}", words(waits));
    said
}

fn words(waits: Result<bool, MailboxError>) -> String {
    waits.map_or_else(|error| error.to_string(), |here| here.to_string())
}

/// The text of a greeting of member 0, as it should be.
pub fn greeting_text(charter: &Charter, member: &SecretKey, at: u64) -> String {
    OwnGreeting::new(charter, member, 0, at).expect("a greeting").signed.text
}
