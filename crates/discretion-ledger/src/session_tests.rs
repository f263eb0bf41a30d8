use super::*;
use crate::Purchase;
use crate::stored::SELECT;
use discretion_privacy::Budget;
use discretion_privacy::account::Event;
use rusqlite::StatementStatus;

fn of_charge() -> String {
    format!("{SELECT} {OF_CHARGE}")
}

/// SQLite's steps so far in every statement of a commit.
fn steps(ledger: &Ledger) -> i32 {
    let of = |sql: &&str| {
        ledger.connection.prepare_cached(sql).unwrap().get_status(StatementStatus::VmStep)
    };
    [&of_charge(), ANSWERED, APPEND, GO_ON].iter().map(of).sum()
}

/// Neither on this account nor on another one, however often it is tried, and nothing is charged
/// for trying.
#[test]
fn what_may_be_there_once_is_there_once() {
    let ledger = Ledger::in_memory().unwrap();
    let cap = Budget::Pure { epsilon: 2.0 };
    let (one, other) = (ledger.account("one", cap).unwrap(), ledger.account("other", cap).unwrap());
    let event = Event::Pure { epsilon: 0.5, what: "sum".into() };
    assert_eq!(ledger.session_anywhere("k").unwrap(), None);
    let charge = one.charge(&Purchase::new(&event, "sum").with_only_session("k", "0")).unwrap();
    assert_eq!(ledger.session_anywhere("k").unwrap(), Some(("one".to_owned(), charge.number)));
    for account in [&one, &other] {
        let Err(error) = account.charge(&Purchase::new(&event, "sum").with_only_session("k", "0"))
        else {
            panic!("twice")
        };
        assert!(
            matches!(error, Error::SessionThere { charge: found, .. } if found == charge.number)
        );
    }
    assert_eq!(one.standing().unwrap().spent.amount, 0.5);
    assert!(ledger.list().unwrap().iter().all(|standing| standing.account != "other"));
    other.charge(&Purchase::new(&event, "sum").with_only_session("another", "0")).unwrap();
}

#[test]
fn the_thousandth_answer_costs_what_the_first_did() {
    let ledger = Ledger::in_memory().unwrap();
    let account = ledger.account("adult", Budget::Pure { epsilon: 1.0 }).unwrap();
    let event = Event::Pure { epsilon: 0.5, what: "vote".into() };
    let mut session = account
        .charge(&Purchase::new(&event, "vote").with_session("k", "0"))
        .unwrap()
        .session
        .unwrap();
    let mut costs = Vec::new();
    for i in 0..1000 {
        let before = steps(&ledger);
        session.commit(&i.to_string(), &[(format!("{i:04x}"), "yes".into())]).unwrap();
        costs.push(steps(&ledger) - before);
    }
    assert_eq!((session.answered(), session.state()), (1000, "999"));
    assert!(costs[0] > 0, "nothing was counted");
    let (least, most) = (costs.iter().min().unwrap(), costs.iter().max().unwrap());
    assert!(most - least <= 10, "between {least} and {most} steps");
}
