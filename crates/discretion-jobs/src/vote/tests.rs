use super::{Numbers, SessionRequest, Voting, VotingSession, name_of, session};
use crate::watch::Silence;
use discretion::noise::Sensitive;
use discretion::privacy::{Budget, Unit};
use discretion::vote::{Answer, Ballot, answer};
use discretion::{Refusal, RefusalKind, Remedy};
use discretion_ledger::{Account, Fingerprint, Ledger};
use std::io::Write;

const SPEND: Budget = Budget::Approximate { epsilon: 8.0, delta: 1e-3 };

fn voting(queries: u64) -> Voting {
    let chunks = Some(500);
    let answer = discretion_table::AnswerChoice::Sure;
    let (labels, score_bins) = (2, None);
    let numbers = Numbers {
        queries,
        answer,
        unstable: 2,
        chunks,
        agreement: 0.9,
        miss: 0.05,
        labels,
        score_bins,
        unit: Unit::Row,
    };
    Voting::plan(SPEND, numbers).unwrap()
}

fn table(account: &Account<'_>, bytes: &[u8]) -> Fingerprint {
    let mut keyed = account.fingerprint();
    keyed.write_all(bytes).unwrap();
    keyed.finish()
}

fn open<'l>(
    account: &Account<'l>,
    key: &str,
    table: &Fingerprint,
    names: &[String],
    new: bool,
) -> Result<VotingSession<'l>, Refusal> {
    let what = "votes from elsewhere";
    let request = SessionRequest {
        key: &key.into(),
        table,
        units: (Unit::Row, 5_000),
        what,
        names,
        new,
        consent: None,
    };
    session(account, &voting(3), &request, &Silence)
}

/// As Python does it: a ledger in memory, a key of its own, votes that somebody else has counted.
#[test]
fn a_session_is_charged_once_and_found_again() {
    let ledger = Ledger::in_memory().unwrap();
    let account = ledger.account("t", Budget::Approximate { epsilon: 40.0, delta: 1e-2 }).unwrap();
    let rows = table(&account, b"rows");
    let names: Vec<String> = (0..3).map(|i| name_of(&[i as f32], &[], None)).collect();
    let VotingSession { mut memory, charge } = open(&account, "k", &rows, &names, false).unwrap();
    let charged = charge.expect("it is new").number;
    let clear = || Ballot::Labels(Sensitive::new(vec![0, 500]));
    let asked = [(names[0].clone(), clear()), (names[1].clone(), clear())];
    let mut receipt = memory.receipt();
    let told = answer(asked, &mut memory, receipt.noise()).unwrap();
    let told: Vec<Answer> = told.answers.iter().map(|answer| **answer.as_ref().unwrap()).collect();

    let VotingSession { mut memory, charge } = open(&account, "k", &rows, &names, false).unwrap();
    assert!(charge.is_none() && memory.session().charge() == charged);
    assert_eq!(memory.state().unwrap().queries_left(), 1);
    let other_way = Ballot::Labels(Sensitive::new(vec![500, 0]));
    let again = answer([(names[0].clone(), other_way)], &mut memory, receipt.noise()).unwrap();
    assert_eq!(
        **again.answers[0].as_ref().unwrap(),
        told[0],
        "a remembered answer is not voted on again"
    );

    let more = [names[2].clone(), name_of(&[9.0], &[], None)];
    let refusal = open(&account, "k", &rows, &more, false).err().unwrap();
    assert!(
        refusal
            .to_string()
            .starts_with("there are 2 new queries, and this session may still answer 1 of its 3")
    );
    let refusal = open(&account, "k", &table(&account, b"other"), &[], false).err().unwrap();
    assert_eq!(refusal.remedies(), [Remedy::NewSession]);
    let newer = open(&account, "k", &rows, &more, true).unwrap();
    assert!(newer.charge.is_some_and(|charge| charge.number > charged));
    assert!(open(&account, "another", &rows, &[], false).unwrap().charge.is_some());
}

#[test]
fn missing_numbers_and_zeros_have_one_name() {
    assert_eq!(name_of(&[f32::NAN, 0.0], &[1], None), name_of(&[-f32::NAN, -0.0], &[1], None));
    assert_ne!(name_of(&[1.0], &[], None), name_of(&[2.0], &[], None));
}

#[test]
fn few_rows_come_with_advice_and_too_few_are_refused() {
    let chosen = voting(3).chunks(5_000).unwrap();
    assert_eq!(chosen.chunks, 500);
    assert!(chosen.advice.unwrap().starts_with("5,000 rows leave 10 to each of 500 models"));
    assert_eq!(voting(3).chunks(25_000).unwrap().advice, None);
    assert_eq!(voting(3).chunks(499).unwrap_err().kind(), RefusalKind::Refused);
    let pure = Voting::plan(Budget::Pure { epsilon: 1.0 }, voting(3).numbers);
    assert_eq!(pure.unwrap_err().kind(), RefusalKind::BadInput);
}
