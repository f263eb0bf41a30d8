//! Sessions: paid for once, gone on with, and ended.

use super::{ANSWER, STUDY, charges, queries, table, workspace};
use crate::workspace::Workspace;
use discretion_ledger::STEPS;

/// The state that a session is in: secret, and so only here for tests.
fn state(workspace: &Workspace) -> Option<String> {
    let connection = rusqlite::Connection::open(workspace.ledger()).ok()?;
    connection.query_row("SELECT state FROM sessions", [], |row| row.get(0)).ok()
}

fn threshold(state: &str) -> Option<&str> {
    let noise = state.split_once("\"noise\":")?.1;
    noise.split(',').next()
}

#[test]
fn asking_again_costs_nothing_and_gives_the_same_answers() {
    let workspace = workspace(STUDY);
    workspace.run(&ANSWER).succeeds();
    let (answers, before) = (workspace.read("a.csv"), state(&workspace));
    let run = workspace.run(&ANSWER).succeeds();
    assert!(run.stdout.contains("nothing new was charged"), "{}", run.stdout);
    assert_eq!((workspace.read("a.csv"), state(&workspace)), (answers, before));
    assert_eq!(charges(&workspace, "t"), 1);
    // 103 of 130 are used: 27 more may be asked.
    workspace.write("more.csv", queries(128, 0));
    let more = ["answer", "study.toml", "--queries", "more.csv", "--out", "b.csv"];
    workspace
        .run(&more)
        .fails(1, "there are 28 new queries, and this session may still answer 27 of its 130");
    assert!(!workspace.path("b.csv").exists());
}

/// Killed between question and answer, at every step there is: one charge, one threshold, the
/// answers that were given.
#[test]
fn a_killed_session_goes_on_where_it_was() {
    let own = ["answer: charged", "answer: trained", "answer: answered", "answer: written"];
    for step in STEPS.iter().copied().chain(own) {
        let workspace = workspace(STUDY);
        let status =
            workspace.command(&ANSWER).env("DISCRETION_ABORT_AT", step).output().unwrap().status;
        assert_eq!(status.code(), None, "{step}: the process was to be killed");
        let charged = !["charge:before-begin", "charge:before-commit"].contains(&step);
        assert_eq!(charges(&workspace, "t"), u64::from(charged), "{step}");
        let before = state(&workspace);
        workspace.run(&ANSWER).succeeds();
        assert_eq!(charges(&workspace, "t"), 1, "{step}");
        let after = state(&workspace).unwrap();
        if let Some(threshold_before) = before.as_deref().and_then(threshold) {
            assert_eq!(
                threshold(&after),
                Some(threshold_before),
                "{step}: a threshold was drawn again"
            );
        }
        let paid: u64 =
            after.split_once("\"paid\":").unwrap().1.split(',').next().unwrap().parse().unwrap();
        assert!(paid <= 4, "{step}: {paid} answers were paid for");
        workspace.run(&["ledger", "verify"]).succeeds();
    }
}

#[test]
fn a_session_ends_at_its_last_unstable_answer() {
    let workspace = workspace(STUDY);
    workspace.write("q.csv", queries(30, 30));
    let run = workspace.run(&ANSWER).succeeds();
    assert!(run.stdout.contains("the session ended at its last unstable answer"), "{}", run.stdout);
    assert!(!run.stdout.contains("left in this session"), "{}", run.stdout);
    let first = workspace.read("a.csv");
    assert!(first.contains(",not asked\n"), "{first}");
    workspace.run(&ANSWER).succeeds();
    assert_eq!(workspace.read("a.csv"), first, "old answers are told again");
    // Nothing new is asked, and no file says so.
    workspace.write("new.csv", "age,job\n99.5,clerk\n");
    let later = ["answer", "study.toml", "--queries", "new.csv", "--out", "b.csv"];
    workspace
        .run(&later)
        .fails(1, "the session of charge ")
        .says("is over: as many of its answers were unstable");
    assert!(!workspace.path("b.csv").exists());
    assert_eq!(charges(&workspace, "t"), 1);
}

#[test]
fn another_session_is_charged_only_if_asked_for_and_paid_for() {
    let workspace = workspace(STUDY);
    workspace.run(&ANSWER).succeeds();
    let again = [&ANSWER[..], &["--new"]].concat();
    workspace.run(&again).fails(1, "").says("'t'");
    assert_eq!(charges(&workspace, "t"), 1);
    // Another table under the same account and settings is another session.
    workspace.write("t.csv", table(6120));
    workspace.run(&ANSWER).fails(1, "the table is not the one that the session of charge ");
}

#[test]
fn a_dry_run_charges_nothing() {
    let workspace = workspace(STUDY);
    let run = workspace.run(&["answer", "study.toml", "--dry-run"]).succeeds();
    assert!(run.stdout.contains("'t' pays ε = 8"), "{}", run.stdout);
    assert_eq!(charges(&workspace, "t"), 0);
    assert_eq!(workspace.written(), ["q.csv"]);
}
