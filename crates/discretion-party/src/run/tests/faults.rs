//! Members that vanish, at every step of a round.

use super::*;
use crate::mailbox::{Kind, MailboxClient, Message};

/// A member that greets, says where it stands, and is never heard of again.
fn vanishes(study: &TestStudy, secret: &SecretKey, options: &ConnectionOptions) {
    let mut mailbox = MailboxClient::connect(&study.charter, secret, options, |_| {}).unwrap();
    let others =
        (0..3).filter(|&other| other != mailbox.number()).map(|other| (other, empty_journal()));
    mailbox.send(others.collect()).unwrap();
}

#[test]
fn one_who_vanishes_stops_the_round_and_the_next_attempt_is_free() {
    let study = TestStudy::new(joint(2, 1), vec![0, 1]);
    let results = study.run(&[(2, &vanishes)]);
    let why = sentence(&results.coordinator);
    assert!(why.contains("west has not been heard of"), "{why}");
    assert!(why.contains("no sum was opened here") && why.contains("north: ε = 1"), "{why}");
    assert!(why.contains("west: nothing, or it did not say"), "{why}");
    for member in &results.members[..2] {
        let why = sentence(member);
        assert!(
            why.contains("west has not been heard of") && why.contains("stays and pays"),
            "{why}"
        );
    }
    assert_eq!(study.charges(), [1, 1, 0]);
    let again = study.run(&[]);
    assert!(again.coordinator.is_ok(), "{:?}", again.coordinator);
    assert_eq!(study.charges(), [1, 1, 1]);
}

/// A holder that is no aggregator reports and leaves: its rows are in the sum, and nobody misses
/// it.
#[test]
fn one_who_vanishes_after_its_last_report_does_no_harm() {
    let study = TestStudy::new(joint(2, 1), vec![0, 1]);
    let leaves = |study: &TestStudy, secret: &SecretKey, options: &ConnectionOptions| {
        // The same as a member, in a process that is stopped when its report has left: no thread
        // can be killed, so it stops to listen.
        let report = |scheme: &Scheme| {
            scheme
                .report(2, &study.charter.plan().contribute(2, &study.tables[2].all()).unwrap())
                .unwrap()
        };
        let mut mailbox = up_to_report(study, secret, options, &report, 0);
        let complete = Message { kind: Kind::Complete, round: 0, body: Vec::new() };
        mailbox.send(vec![(study.charter.coordinator(), complete)]).unwrap();
    };
    let results = study.run(&[(2, &leaves)]);
    let outcome = results.coordinator.unwrap();
    assert!(results.members[..2].iter().all(|member| member.as_ref().unwrap().outcome == outcome));
}

/// After an attempt that was given up, an aggregator that has let go of its share cannot be made to
/// forget it, and a holder that is asked for a second contribution refuses.
#[test]
fn nobody_contributes_twice_to_what_may_have_been_released() {
    let study = TestStudy::new(joint(2, 1), vec![0, 1]);
    assert!(study.run(&[]).coordinator.is_ok());
    // South's ledger is lost: it knows nothing of the sum that north has let go of.
    std::fs::remove_file(study.ledger(1)).unwrap();
    let results = study.run(&[]);
    for member in &results.members {
        let why = sentence(member);
        assert!(why.contains("may have been released") && why.contains("raise `run`"), "{why}");
    }
    assert_eq!(study.charges(), [1, 0, 1], "nobody is charged for what will not be done");
}
