//! Members that send what they should not.

use super::*;
use crate::mailbox::{Kind, MailboxClient, Message};
use crate::sums::tests::Reveal;
use crate::sums::tests::cheating::with_first_bit;

/// West, up to its report; it then listens until the study ends, as members do.
fn west(
    study: &TestStudy,
    secret: &SecretKey,
    options: &ConnectionOptions,
    report: Report<'_>,
    has_seen: u8,
) {
    let _ = up_to_report(study, secret, options, report, has_seen).receive(0, Kind::Sum, 0);
}

/// A report with a number out of range, one that was cut off, one in another's name: each is
/// rejected by name, and nothing is released.
#[test]
fn reports_that_are_not_what_they_should_be_are_rejected_and_named() {
    let honest = |study: &TestStudy, scheme: &Scheme, holder: usize| {
        let contribution = study.charter.plan().contribute(2, &study.tables[2].all()).unwrap();
        scheme.report(holder, &contribution).unwrap()
    };
    let study = TestStudy::new(joint(2, 1), vec![0, 1]);
    let numbers =
        study.charter.plan().contribute(2, &study.tables[2].all()).unwrap().share(&Reveal);
    let reports: [(Report<'_>, &str); 3] = [
        (&|scheme| with_first_bit(scheme, 2, &numbers, 1 << 90), "its proof does not hold"),
        (
            &|scheme| {
                let mut reports = honest(&study, scheme, 2);
                reports[1].pop();
                reports
            },
            "it ends too early",
        ),
        (&|scheme| honest(&study, scheme, 0), "in the name of another"),
    ];
    for (report, says) in reports {
        let rogue = |study: &TestStudy, secret: &SecretKey, options: &ConnectionOptions| {
            west(study, secret, options, report, 0)
        };
        let results = study.run(&[(2, &rogue)]);
        let why = sentence(&results.coordinator);
        assert!(
            why.contains("the contribution of west was rejected") && why.contains(says),
            "{why}"
        );
        assert!(why.contains("no sum was opened here"), "{why}");
    }
    assert_eq!(study.charges(), [1, 1, 0], "every attempt was paid by the same charge");
    assert!(study.run(&[]).coordinator.is_ok());
}

/// A holder that takes something else to be released so far than an aggregator does, because
/// somebody told them different things, is not added up with it, although its proof could be made
/// to hold by another aggregator.
#[test]
fn whoever_was_told_something_else_is_not_added_up() {
    let study = TestStudy::new(joint(2, 1), vec![0, 1]);
    let report = |scheme: &Scheme| {
        scheme
            .report(2, &study.charter.plan().contribute(2, &study.tables[2].all()).unwrap())
            .unwrap()
    };
    let rogue = |study: &TestStudy, secret: &SecretKey, options: &ConnectionOptions| {
        west(study, secret, options, &report, 1)
    };
    let why = sentence(&study.run(&[(2, &rogue)]).coordinator);
    assert!(
        why.contains("do not agree on what was released so far") && why.contains("west"),
        "{why}"
    );
}

/// What is sent twice is delivered once, and what is out of order, cut off or changed is not
/// delivered at all.
#[test]
fn the_mailboxes_take_each_request_once_and_in_order() {
    let study = TestStudy::new(joint(2, 1), vec![0, 1]);
    let (_, server) = study.serve(Duration::from_secs(60));
    let url = server.url();
    let secrets = &study.secrets;
    thread::scope(|scope| {
        let enter = |member: usize| {
            let options = study.options(url);
            let charter = &study.charter;
            scope.spawn(move || {
                MailboxClient::connect(charter, &secrets[member], &options, |_| {}).unwrap()
            })
        };
        let mut clients: Vec<MailboxClient> =
            [0, 1, 2].map(enter).into_iter().map(|client| client.join().unwrap()).collect();
        let message =
            |body: &[u8]| vec![(1, Message { kind: Kind::Report, round: 0, body: body.to_vec() })];
        let first = clients[0].request(message(b"one"));
        let second = clients[0].request(message(b"two"));
        let agent = ureq::Agent::new_with_config(
            ureq::Agent::config_builder().http_status_as_error(false).build(),
        );
        let send = |bytes: &[u8]| {
            let mut response = agent.post(&format!("{url}/v1/send")).send(bytes).unwrap();
            (response.status().as_u16(), response.body_mut().read_to_vec().unwrap())
        };
        assert_eq!(send(&second).0, 403, "before the first");
        let answered = send(&first);
        assert_eq!(answered.0, 200);
        assert_eq!(send(&first), answered, "the same again");
        let mut changed = second.clone();
        *changed.last_mut().unwrap() ^= 1;
        assert_eq!(send(&changed).0, 403);
        assert_eq!(send(&second[..second.len() - 1]).0, 403);
        assert_eq!(send(&[]).0, 403);
        let mut in_another_name = second.clone();
        in_another_name[7] = 2;
        assert_eq!(send(&in_another_name).0, 403);
        assert_eq!(send(&second).0, 200);
        assert_eq!(send(&first).0, 403, "the one before the last");
        assert_eq!(clients[1].receive(0, Kind::Report, 0), Ok(b"one".to_vec()));
        assert_eq!(clients[1].receive(0, Kind::Report, 0), Ok(b"two".to_vec()));
        // Out of turn.
        let third = clients[0].request(message(b"three"));
        assert_eq!(send(&third).0, 200);
        assert!(
            sentence(&clients[1].receive(0, Kind::Sum, 0))
                .contains("a message of north came out of turn")
        );
    });
}
