//! Members and a coordinator in threads, over loopback, each with its own ledger on the disk.

mod agreement;
mod cheating;
mod crowd;
mod faults;
mod outcomes;
mod refusals;

use super::agreement::{JournalSummary, attempt_at};
use super::progress::Progress;
use super::{MemberOutcome, Membership, Outcome, coordinate, join};
use crate::mailbox::{
    ConnectionOptions, Kind, MailboxClient, MailboxServer, Mailboxes, Message, serve,
};
use crate::sums::tests::{joint, one_class, plan, rows};
use crate::wire::{Charter, Member, SecretKey, system_clock};
use crate::{RoundError, Scheme};
use discretion::Refusal;
use discretion::erm::matrix::Matrix;
use discretion::joint::{Joint, Plan, Step};
use discretion::noise::Seeded;
use discretion::privacy::Budget;
use discretion_http::ListenOptions;
use discretion_jobs::Silence;
use discretion_jobs::joint::HeldOutCounts;
use discretion_ledger::{Fingerprint, Happening, Ledger};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

const NAMES: [&str; 3] = ["north", "south", "west"];

/// A study of three members, their tables and their ledgers.
struct TestStudy {
    charter: Charter,
    coordinator: Vec<u8>,
    secrets: Vec<SecretKey>,
    tables: Vec<Matrix>,
    /// What each holds out, if the plan has counts.
    held_out: Option<Vec<HeldOutCounts>>,
    folder: TempDir,
}

/// How the members of a study fare.
struct Results {
    coordinator: Result<Outcome, Refusal>,
    members: Vec<Result<MemberOutcome, Refusal>>,
}

/// A member that does something else than to join.
type Rogue<'r> = &'r (dyn Fn(&TestStudy, &SecretKey, &ConnectionOptions) + Sync);

impl TestStudy {
    fn new(joint: Joint, aggregators: Vec<usize>) -> TestStudy {
        TestStudy::of(joint, aggregators, tables())
    }

    fn of(joint: Joint, aggregators: Vec<usize>, tables: Vec<Matrix>) -> TestStudy {
        let plan = plan(joint, &tables);
        TestStudy::planned(plan, aggregators, tables, None)
    }

    fn planned(
        plan: Plan,
        aggregators: Vec<usize>,
        tables: Vec<Matrix>,
        held_out: Option<Vec<HeldOutCounts>>,
    ) -> TestStudy {
        let folder = TempDir::new().unwrap();
        let keys = folder.path().join("coordinator.key");
        let coordinator = SecretKey::create(&keys).unwrap().public();
        let secrets: Vec<SecretKey> = NAMES.iter().map(|_| SecretKey::new().unwrap()).collect();
        let member = |(name, secret): (&&str, &SecretKey)| Member {
            name: (*name).to_owned(),
            key: secret.public(),
        };
        let members = NAMES.iter().zip(&secrets).map(member).collect();
        let public = [("[columns]", b"age".to_vec()), ("[spend]", b"1".to_vec())];
        let charter = Charter::new(coordinator, members, aggregators, plan, &public);
        TestStudy {
            charter,
            coordinator: std::fs::read(keys).unwrap(),
            secrets,
            tables,
            held_out,
            folder,
        }
    }

    fn coordinator(&self) -> SecretKey {
        let path = self.folder.path().join("again.key");
        std::fs::write(&path, &self.coordinator).unwrap();
        SecretKey::read(&path).unwrap().unwrap()
    }

    fn ledger(&self, member: usize) -> PathBuf {
        self.folder.path().join(format!("{member}.sqlite"))
    }

    fn listen_options(&self) -> ListenOptions {
        ListenOptions {
            listen: ([127, 0, 0, 1], 0).into(),
            tls: None,
            patience: Duration::from_secs(10),
            most_connections: 64,
            last_answers: Duration::from_secs(1),
        }
    }

    fn options(&self, url: &str) -> ConnectionOptions {
        ConnectionOptions {
            url: url.to_owned(),
            authority: None,
            patience: Duration::from_secs(3),
            clock: system_clock,
        }
    }

    /// The coordinator, whose patience with members is this.
    fn serve(&self, patience: Duration) -> (Arc<Mailboxes>, MailboxServer) {
        let mailboxes =
            Mailboxes::new(self.charter.clone(), self.coordinator(), patience, system_clock);
        let mailboxes = Arc::new(mailboxes.unwrap());
        (mailboxes.clone(), serve(mailboxes, self.listen_options()).unwrap())
    }

    fn join(&self, member: usize, options: ConnectionOptions) -> Result<MemberOutcome, Refusal> {
        let ledger = Ledger::open(&self.ledger(member)).unwrap();
        let account = ledger.account("rows", Budget::Pure { epsilon: 1.5 }).unwrap();
        let mut fingerprint = account.fingerprint();
        fingerprint.update(&[member as u8]);
        let table: Fingerprint = fingerprint.finish();
        join(
            Membership {
                charter: &self.charter,
                secret: &self.secrets[member],
                connection: options,
                ledger: &ledger,
                account: &account,
                table: &table,
                consent: discretion_ledger::Consent::default(),
                oracle: &self.tables[member].all(),
                held_out: self.held_out.as_ref().map(|held_out| &held_out[member]),
                what: "test".to_owned(),
                watch: &Silence,
            },
            &mut |_| {},
        )
    }

    /// Runs the study with these rogues in members' places.
    fn run(&self, rogues: &[(usize, Rogue<'_>)]) -> Results {
        let (mailboxes, server) = self.serve(Duration::from_secs(2));
        self.run_at(&mailboxes, server.url(), rogues)
    }

    /// The same with this coordinator.
    fn run_at(&self, mailboxes: &Mailboxes, url: &str, rogues: &[(usize, Rogue<'_>)]) -> Results {
        thread::scope(|scope| {
            let member = |member: usize| {
                let (url, rogue) = (url, rogues.iter().find(|(who, _)| *who == member));
                scope.spawn(move || match rogue {
                    None => self.join(member, self.options(url)),
                    Some((_, rogue)) => {
                        rogue(self, &self.secrets[member], &self.options(url));
                        Err(RoundError::Missing { holder: member }.into())
                    }
                })
            };
            let members: Vec<_> = (0..NAMES.len()).map(member).collect();
            let coordinator = coordinate(mailboxes, &mut |_| {});
            mailboxes.wait_until_all_are_done();
            let members = members.into_iter().map(|member| member.join().unwrap()).collect();
            Results { coordinator, members }
        })
    }

    /// How often each member was charged.
    fn charges(&self) -> Vec<usize> {
        let count = |member: usize| {
            let ledger = Ledger::open(&self.ledger(member)).unwrap();
            let account = ledger.account("rows", Budget::Pure { epsilon: 1.5 }).unwrap();
            let history = account.history().unwrap_or_default();
            history.iter().filter(|entry| matches!(entry.what, Happening::Charged { .. })).count()
        };
        (0..NAMES.len()).map(count).collect()
    }
}

/// Each member's.
fn tables() -> Vec<Matrix> {
    let source = &mut Seeded::new(5);
    [40, 60, 30].map(|count| rows(count, 2, source)).into()
}

/// What a member says that has done nothing yet.
fn empty_journal() -> Message {
    Message {
        kind: Kind::JournalSummary,
        round: 0,
        body: serde_json::to_vec(&JournalSummary::default()).unwrap(),
    }
}

/// How West makes its report to each aggregator.
type Report<'r> = &'r (dyn Fn(&Scheme) -> Vec<Vec<u8>> + Sync);

/// West, up to its report to north and south, which is made by `report`. With another number than 0
/// it has seen another study so far.
fn up_to_report(
    study: &TestStudy,
    secret: &SecretKey,
    options: &ConnectionOptions,
    report: Report<'_>,
    has_seen: u8,
) -> MailboxClient {
    let mut mailbox = MailboxClient::connect(&study.charter, secret, options, |_| {}).unwrap();
    mailbox.send(vec![(0, empty_journal()), (1, empty_journal())]).unwrap();
    for other in [0, 1] {
        mailbox.receive(other, Kind::JournalSummary, 0).unwrap();
    }
    let progress = Progress::new(&study.charter);
    let scheme = progress.scheme(&attempt_at(&mailbox.roster_digest(), 0)).unwrap();
    let mut digest = progress.digest();
    digest[0] ^= has_seen;
    let message = |(to, body): (usize, Vec<u8>)| {
        (to, Message { kind: Kind::Report, round: 0, body: [&digest[..], &body].concat() })
    };
    let charged = Message { kind: Kind::Charged, round: 0, body: b"1".to_vec() };
    let mut messages = vec![(study.charter.coordinator(), charged)];
    messages.extend(report(&scheme).into_iter().enumerate().map(message));
    mailbox.send(messages).unwrap();
    mailbox
}

fn with_step() -> Joint {
    let step = Step { lambda: None, gradient: 0.3, hessian: 0.3, covariance: 0.1, damping: 0.0 };
    Joint { step: Some(step), ..joint(2, 1) }
}

fn sentence<T, E: std::fmt::Display>(result: &Result<T, E>) -> String {
    result.as_ref().err().expect("it was refused").to_string()
}
