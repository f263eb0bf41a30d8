//! What a holder of rows runs.

use super::agreement::{Agreement, AttemptName, Standing};
use super::course::{Course, Outcome, released_in_words};
use super::journal::Journal;
use super::round::{Failed, Hand, NO_LEDGER, own};
use crate::mailbox::{ConnectionOptions, Kind, MailboxClient, Message};
use crate::wire::{Charter, SecretKey, digest, random};
use crate::{Stop, VerifyKey};
use discretion::erm::Oracle;
use discretion_ledger::{Account, Fingerprint, Ledger, Quote};

/// A holder that takes part: its rows, its key and its account.
pub struct Membership<'m, 'l> {
    /// The study.
    pub charter: &'m Charter,
    /// The holder's key.
    pub secret: &'m SecretKey,
    /// Where the coordinator is.
    pub connection: ConnectionOptions,
    /// Where its account and its journals are.
    pub ledger: &'m Ledger,
    /// Who pays.
    pub account: &'m Account<'l>,
    /// The table's fingerprint.
    pub table: &'m Fingerprint,
    /// The rows.
    pub oracle: &'m dyn Oracle,
    /// What the charge is for, in words.
    pub what: String,
}

/// What happens meanwhile. Nothing in it depends on rows.
#[derive(Clone, Debug)]
pub enum Notice {
    /// These are not here yet.
    WaitingFor(Vec<String>),
    /// Everybody is here, and runs the same study.
    Everybody,
    /// The account was charged.
    Charged {
        /// The charge's number.
        charge: u64,
        /// What it cost.
        quote: Box<Quote>,
    },
    /// An earlier charge pays.
    PaidBefore {
        /// Its number.
        charge: u64,
    },
    /// A round begins.
    Round {
        /// From 1.
        number: usize,
        /// How many there are.
        of: usize,
        /// What is summed.
        what: &'static str,
    },
    /// A round is opened again from what the aggregators kept.
    Kept {
        /// From 1.
        number: usize,
        /// How many there are.
        of: usize,
    },
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Joined {
    /// What was released.
    pub outcome: Outcome,
    /// The charge that paid for it; nothing if this member's rows are not in it any more than before.
    pub charge: Option<u64>,
}

/// The member with this key.
pub fn place_of(charter: &Charter, secret: &SecretKey) -> Result<usize, Stop> {
    charter.member_with(secret.public()).ok_or_else(|| {
        Stop::BadInput(format!(
            "nobody in [party.holders] has this key, which is {}; write it there, or use another key file",
            secret.public()
        ))
    })
}

/// Takes part in a study, from the greeting to the last sum.
pub fn join(membership: Membership<'_, '_>, notice: &mut dyn FnMut(Notice)) -> Result<Joined, Stop> {
    let Membership { charter, secret, connection, ledger, account, table, oracle, what } = membership;
    let number = place_of(charter, secret)?;
    charter.plan().holders().check(number, oracle).map_err(|error| Stop::BadInput(error.to_string()))?;
    let mut journal = Journal::open((ledger, account), charter, number, table)?;
    if journal.charge_number().is_none() {
        let quote = account.price(&charter.plan().event())?;
        if !quote.within {
            // The same refusal as a charge would give, before anybody waits.
            return Err(Stop::Refused(format!(
                "account '{}' cannot pay for this study; `discretion ledger show` says what is left",
                account.name()
            )));
        }
    }
    let mut mailbox = MailboxClient::connect(charter, secret, &connection, |names| {
        notice(Notice::WaitingFor(names.to_vec()))
    })?;
    notice(Notice::Everybody);
    let mut course = Course::new(charter);
    let mut hand = Hand { charter, mailbox: &mut mailbox, journal: &mut journal, oracle, key: None };
    let ran = run(&mut hand, &mut course, (table, &what), notice);
    let finished = ran.and_then(|()| {
        let released = course.released();
        course.outcome().map_err(own("the model could not be computed")).map_err(|failed| (failed, released))
    });
    match finished {
        Ok(outcome) => {
            let _ = mailbox.send(vec![(
                charter.coordinator(),
                Message { kind: Kind::Finished, round: 0, body: Vec::new() },
            )]);
            Ok(Joined { outcome, charge: journal.charge_number() })
        }
        Err((Failed { stop, told }, released)) => {
            if let Some(told) = told {
                let body = told.into_bytes();
                let _ = mailbox
                    .send(vec![(charter.coordinator(), Message { kind: Kind::Refused, round: 0, body })]);
            }
            Err(stop.and(so_far(&journal, account, released)))
        }
    }
}

/// What a study that was given up has cost this member, and what to do.
fn so_far(journal: &Journal<'_, '_>, account: &Account<'_>, released: usize) -> String {
    let released = released_in_words(released);
    match journal.charge_number() {
        None => "nothing was charged, and nothing was released".to_owned(),
        Some(charge) => format!(
            "{released}. Charge {charge} of account '{}' stays and pays for going on: unless the reason above asks for a new \
             run, start the coordinator and every member again, with the same commands",
            account.name()
        ),
    }
}

type Ran = Result<(), (Failed, usize)>;

fn run(
    hand: &mut Hand<'_, '_, '_>,
    course: &mut Course<'_>,
    (table, what): (&Fingerprint, &str),
    notice: &mut dyn FnMut(Notice),
) -> Ran {
    let rounds = hand.charter.plan().rounds();
    let live = begin(hand, rounds, (table, what), notice).map_err(|failed| (failed, 0))?;
    let coordinator = hand.charter.coordinator();
    let is_aggregator = hand.charter.aggregator(hand.mailbox.number()).is_some();
    let complete = |hand: &mut Hand<'_, '_, '_>| hand.send_all(&[coordinator], Kind::Complete, 0, &[]);
    let step = |hand: &mut Hand<'_, '_, '_>, course: &mut Course<'_>, notice: &mut dyn FnMut(Notice)| {
        let number = course.released() + 1;
        if number <= live {
            notice(Notice::Kept { number, of: rounds });
        } else {
            notice(Notice::Round { number, of: rounds, what: course.round().what() });
            hand.take_part(course)?;
        }
        // A holder that is no aggregator is needed until its last report is on its way.
        if !is_aggregator && number == rounds {
            complete(hand)?;
        }
        hand.open(course)?;
        if is_aggregator && number == rounds {
            complete(hand)?;
        }
        Ok::<(), Failed>(())
    };
    while course.released() < rounds {
        step(hand, course, notice).map_err(|failed| (failed, course.released()))?;
    }
    Ok(())
}

/// Everything before the first round: where to go on, the charge, the end of earlier attempts, the aggregators' key.
fn begin(
    hand: &mut Hand<'_, '_, '_>,
    rounds: usize,
    (table, what): (&Fingerprint, &str),
    notice: &mut dyn FnMut(Notice),
) -> Result<usize, Failed> {
    let charter = hand.charter;
    let standing = hand.journal.standing();
    let body = serde_json::to_vec(&standing).expect("a standing is plain data");
    let others = hand.other_members();
    hand.send_all(&others, Kind::Standing, 0, &body)?;
    let mut standings = vec![standing.clone(); charter.members().len()];
    for other in others {
        let body = hand.mailbox.receive(other, Kind::Standing, 0)?;
        standings[other] = read_standing(charter, other, &body).map_err(Stop::Refused)?;
    }
    let agreement = Agreement::new(charter, rounds, &standings).map_err(Failed::refused)?;
    let predicted = |member: usize, attempt: &AttemptName| agreement.can_vouch(&standings[member], attempt);
    // Everybody's, so that nobody is charged for what another will refuse.
    standings.iter().try_for_each(|one| agreement.check(charter, one, predicted)).map_err(Failed::refused)?;

    let paid = match hand.journal.charge_number() {
        Some(charge) => {
            notice(Notice::PaidBefore { charge });
            "nothing new, an earlier charge pays".to_owned()
        }
        None if agreement.live == rounds => "nothing, all sums are there".to_owned(),
        None => {
            let charged = hand.journal.charge(charter, table, what);
            let charged = charged.map_err(own("its account was not charged"))?;
            let paid = charter.plan().budget().to_string();
            notice(Notice::Charged { charge: charged.number, quote: Box::new(charged.quote.clone()) });
            paid
        }
    };
    hand.send_all(&[charter.coordinator()], Kind::Charged, 0, paid.as_bytes())?;
    if agreement.live < rounds {
        abandon(hand, &agreement, &standing)?;
        agree_on_a_key(hand)?;
    }
    Ok(agreement.live)
}

fn read_standing(charter: &Charter, member: usize, body: &[u8]) -> Result<Standing, String> {
    let damaged = || format!("a message of {} is damaged", charter.name(member));
    let standing: Standing = serde_json::from_slice(body).map_err(|_| damaged())?;
    let names = standing.shares.iter().map(|(name, _)| name);
    let mut names = names.chain(standing.contributed.as_ref().map(|(_, name)| name));
    if names.all(AttemptName::is_one) { Ok(standing) } else { Err(damaged()) }
}

/// Earlier attempts at the first live round are given up by everybody, for ever, before there is another one.
fn abandon(hand: &mut Hand<'_, '_, '_>, agreement: &Agreement, standing: &Standing) -> Result<(), Failed> {
    if agreement.pending.is_empty() {
        return Ok(());
    }
    let charter = hand.charter;
    let own_number = hand.mailbox.number();
    let mut vouched: Vec<(usize, Vec<AttemptName>)> = Vec::new();
    if charter.aggregator(own_number).is_some() {
        let can = |attempt: &&AttemptName| agreement.can_vouch(standing, attempt);
        let mine: Vec<AttemptName> = agreement.pending.iter().filter(can).cloned().collect();
        hand.journal.abandon(agreement.live).map_err(own(NO_LEDGER))?;
        let body = serde_json::to_vec(&mine).expect("names are plain data");
        let others = hand.other_members();
        hand.send_all(&others, Kind::Vouch, 0, &body)?;
        vouched.push((own_number, mine));
    }
    for other in hand.other_aggregators() {
        let body = hand.mailbox.receive(other, Kind::Vouch, 0)?;
        let names = serde_json::from_slice(&body)
            .map_err(|_| Stop::Refused(format!("a message of {} is damaged", charter.name(other))))?;
        vouched.push((other, names));
    }
    let vouches = |member: usize, attempt: &AttemptName| {
        vouched.iter().any(|(who, names)| *who == member && names.contains(attempt))
    };
    agreement.check(charter, standing, vouches).map_err(Failed::refused)
}

/// Proofs are checked at points that no holder could foresee which is no aggregator.
fn agree_on_a_key(hand: &mut Hand<'_, '_, '_>) -> Result<(), Failed> {
    let own_number = hand.mailbox.number();
    if hand.charter.aggregator(own_number).is_none() {
        return Ok(());
    }
    let seed: VerifyKey = random()?;
    let others = hand.other_aggregators();
    hand.send_all(&others, Kind::Seed, 0, &seed)?;
    let mut seeds = Vec::new();
    for &member in hand.charter.aggregators() {
        seeds.push(if member == own_number {
            seed.to_vec()
        } else {
            hand.mailbox.receive(member, Kind::Seed, 0)?
        });
    }
    let seeds: Vec<&[u8]> = seeds.iter().map(Vec::as_slice).collect();
    hand.key = Some(digest("verify key", &seeds));
    Ok(())
}
