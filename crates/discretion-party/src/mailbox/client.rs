//! A member's side: it greets, sends and receives.

use super::MailboxError;
use super::connection::{Connection, ConnectionOptions, MOST_WORDS};
use super::greeting_response::{Admission, check};
use super::inbox::Inbox;
use super::message::{Kind, Message, PartialMessage};
use super::request::{COLLECT, Pieces, Requester, SEND, write};
use crate::wire::{
    Channel, Charter, Greeting, OwnGreeting, Roster, SecretKey, SignedText, one_line,
};
use std::time::{Duration, Instant};

/// How many bytes of pieces one request carries at most, unless one piece is longer.
const MOST_SENT: usize = 4 << 20;

/// A member's side of the mailboxes: sends to others and receives from them, in order.
pub struct MailboxClient {
    charter: Charter,
    number: usize,
    roster_digest: [u8; 32],
    connection: Connection,
    requester: Requester,
    /// Channels to and from each other member.
    to: Vec<Option<Channel>>,
    from: Vec<Option<Channel>>,
    partial: Vec<PartialMessage>,
    inbox: Inbox,
}

impl MailboxClient {
    /// Greets the coordinator and waits until everybody is here. `on_wait` is told for whom,
    /// whenever that changes.
    pub fn connect(
        charter: &Charter,
        secret: &SecretKey,
        options: &ConnectionOptions,
        on_wait: impl FnMut(&[String]),
    ) -> Result<MailboxClient, MailboxError> {
        let number = charter.member_number(secret.public())?;
        let connection = Connection::new(options)?;
        let greeter = Greeter { charter, secret, number, options };
        let (greeting, all) = greeter.greet(&connection, on_wait)?;
        let roster = Roster::new(charter, &all, &greeting.signed).map_err(MailboxError::Roster)?;
        let keys = roster.pairwise_keys(charter, greeting).map_err(MailboxError::Roster)?;
        let coordinator = charter.coordinator();
        let others = |channel: &dyn Fn(usize) -> Channel| -> Vec<Option<Channel>> {
            (0..coordinator).map(|other| (other != number).then(|| channel(other))).collect()
        };
        let requester = |label| Requester::new(&keys, number, coordinator, label);
        Ok(MailboxClient {
            number,
            roster_digest: roster.digest(),
            requester: requester(SEND),
            to: others(&|other| keys.channel_to(other, "message")),
            from: others(&|other| keys.channel_from(other, "message")),
            partial: (0..charter.count()).map(|_| PartialMessage::default()).collect(),
            inbox: Inbox::new(charter.count(), connection.clone(), requester(COLLECT)),
            connection,
            charter: charter.clone(),
        })
    }

    /// This member's number.
    pub fn number(&self) -> usize {
        self.number
    }

    /// What this attempt is called by those who are in it.
    pub fn roster_digest(&self) -> [u8; 32] {
        self.roster_digest
    }

    /// Sends a message to each of these, in one request if that is large enough.
    pub fn send(&mut self, messages: Vec<(usize, Message)>) -> Result<(), MailboxError> {
        let mut pieces: Pieces = Vec::new();
        let mut size = 0;
        for (to, message) in messages {
            for piece in message.pieces() {
                let piece = match self.to.get_mut(to) {
                    // What goes to the coordinator is sealed with the whole request.
                    None => piece,
                    Some(channel) => channel.as_mut().expect("nobody writes to itself").seal(piece),
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
        self.requester.request(write(&pieces))
    }

    fn hand_over(&mut self, pieces: Pieces) -> Result<(), MailboxError> {
        let request = self.requester.request(write(&pieces));
        let response = self.connection.request("/v1/send", &request, || true)?;
        let content = self.requester.open_response(response);
        content
            .map(drop)
            .ok_or(MailboxError::Response("was changed, repeated or left out on its way"))
    }

    /// The next message of a member, which must be of this kind and round.
    pub fn receive(
        &mut self,
        from: usize,
        kind: Kind,
        round: usize,
    ) -> Result<Vec<u8>, MailboxError> {
        let broken = |problem: &str| MailboxError::Message {
            from: self.charter.name(from).to_owned(),
            problem: problem.to_owned(),
        };
        loop {
            let piece = self.inbox.next(from)?;
            let channel = self.from[from].as_mut().expect("nobody writes to itself");
            let piece = channel.open(piece);
            let piece = piece
                .ok_or_else(|| broken("was changed, repeated, reordered or left out on its way"))?;
            let message = self.partial[from].add(&piece).map_err(|()| broken("is damaged"))?;
            if let Some(Message { kind: found, round: of, body }) = message {
                if (found, of) == (kind, round) {
                    return Ok(body);
                }
                return Err(broken(&format!(
                    "came out of turn ({} instead of {})",
                    found.word(),
                    kind.word()
                )));
            }
        }
    }
}

/// Who greets whom.
struct Greeter<'g> {
    charter: &'g Charter,
    secret: &'g SecretKey,
    number: usize,
    options: &'g ConnectionOptions,
}

impl Greeter<'_> {
    /// Greets until everybody is here: this member's greeting, and everybody's.
    fn greet(
        &self,
        connection: &Connection,
        mut on_wait: impl FnMut(&[String]),
    ) -> Result<(OwnGreeting, Vec<SignedText>), MailboxError> {
        let Greeter { charter, options, .. } = self;
        let new = || OwnGreeting::new(charter, self.secret, self.number, (options.clock)());
        let (mut greeting, mut made) = (new()?, Instant::now());
        let mut last: Option<Vec<String>> = None;
        loop {
            let sent = greeting.signed.to_bytes();
            let bytes = connection.request("/v1/hello", &sent, || true)?;
            let response = check(charter, &sent, &bytes).ok_or_else(|| MailboxError::Impostor {
                url: options.url.clone(),
                key: charter.key(charter.coordinator()),
            })?;
            if let Some(off) = Greeting::clock_is_off(response.at, (options.clock)()) {
                // The coordinator's own words about a clock come from its side of the same
                // difference.
                return Err(MailboxError::Clock(off));
            }
            match response.admission {
                Admission::Refused(why) => {
                    return Err(MailboxError::GivenUp(one_line(&why, MOST_WORDS)));
                }
                // It is the greeting that is old, and nobody has taken it: the coordinator came
                // later, or was started again.
                Admission::ClockIsOff(_) if made.elapsed() > Duration::from_secs(60) => {
                    (greeting, made) = (new()?, Instant::now());
                }
                Admission::ClockIsOff(why) => {
                    return Err(MailboxError::GivenUp(one_line(&why, MOST_WORDS)));
                }
                Admission::Roster(all) => return Ok((greeting, all)),
                Admission::WaitingFor(names) => {
                    let names: Vec<String> =
                        names.iter().map(|name| one_line(name, MOST_WORDS)).collect();
                    if last.as_ref() != Some(&names) {
                        on_wait(&names);
                        last = Some(names);
                    }
                }
            }
        }
    }
}
