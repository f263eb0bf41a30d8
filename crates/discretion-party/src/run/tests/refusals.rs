//! What is refused before anything is charged.

use super::*;

fn refusal(study: &TestStudy, other: &TestStudy, member: usize) -> String {
    let (_, server) = study.serve(Duration::from_secs(2));
    let why = sentence(&other.join(member, other.options(server.url())));
    let ledger = Ledger::open(&other.ledger(member)).unwrap();
    assert!(ledger.list().unwrap().is_empty(), "something was charged");
    why
}

/// The same study but for these.
fn altered(study: &TestStudy, public: &[(&str, Vec<u8>)], joint: Option<Joint>) -> TestStudy {
    let secrets = study.secrets.iter().map(|_| SecretKey::new().unwrap()).collect();
    let tables = tables();
    let plan = joint.map_or_else(|| study.charter.plan().clone(), |joint| plan(joint, &tables));
    let aggregators = study.charter.aggregators().to_vec();
    let coordinator = study.coordinator().public();
    let charter =
        Charter::new(coordinator, study.charter.members().to_vec(), aggregators, plan, public);
    TestStudy {
        charter,
        coordinator: study.coordinator.clone(),
        secrets,
        tables,
        held_out: None,
        folder: TempDir::new().unwrap(),
    }
}

fn same_keys(mut other: TestStudy, study: &mut TestStudy) -> TestStudy {
    std::mem::swap(&mut other.secrets, &mut study.secrets);
    other
}

#[test]
fn another_study_is_refused_by_its_first_difference() {
    let mut study = TestStudy::new(joint(2, 1), vec![0, 1]);
    let columns = [("[columns]", b"weight".to_vec()), ("[spend]", b"1".to_vec())];
    let other = same_keys(altered(&study, &columns, None), &mut study);
    let why = refusal(&study, &other, 1);
    assert!(why.contains("its study is another one: [columns] differs"), "{why}");

    let mut study = TestStudy::new(joint(2, 1), vec![0, 1]);
    let same = [("[columns]", b"age".to_vec()), ("[spend]", b"1".to_vec())];
    let lambda = Joint { lambda: 0.06, ..joint(2, 1) };
    let other = same_keys(altered(&study, &same, Some(lambda)), &mut study);
    let why = refusal(&study, &other, 1);
    assert!(why.contains("the numbers of the plan differs"), "{why}");
}

#[test]
fn wrong_keys_are_refused_on_both_sides() {
    let study = TestStudy::new(joint(2, 1), vec![0, 1]);
    let same = [("[columns]", b"age".to_vec()), ("[spend]", b"1".to_vec())];
    // Nobody in the study has this key: the member itself knows.
    let stranger = altered(&study, &same, None);
    let why = refusal(&study, &stranger, 1);
    assert!(why.contains("nobody in [party.holders] has this key"), "{why}");

    // A study in which south has another key: the coordinator does not know that one.
    let mut members = study.charter.members().to_vec();
    members[1].key = stranger.secrets[1].public();
    let charter = |coordinator, members| {
        Charter::new(coordinator, members, vec![0, 1], study.charter.plan().clone(), &same)
    };
    let impostor =
        TestStudy { charter: charter(study.coordinator().public(), members), ..stranger };
    let why = refusal(&study, &impostor, 1);
    assert!(why.contains("is not signed with the key that the study has for its name"), "{why}");

    // A study with another coordinator's key: whoever answers is not it.
    let mut here = TestStudy::new(joint(2, 1), vec![0, 1]);
    let other = SecretKey::new().unwrap().public();
    let elsewhere = Charter::new(
        other,
        here.charter.members().to_vec(),
        vec![0, 1],
        here.charter.plan().clone(),
        &same,
    );
    let there =
        same_keys(TestStudy { charter: elsewhere, ..altered(&here, &same, None) }, &mut here);
    let why = refusal(&here, &there, 1);
    assert!(
        why.contains("does not have the key that the study names for its coordinator"),
        "{why}"
    );
}

#[test]
fn a_clock_that_is_off_is_refused_with_how_much() {
    let study = TestStudy::new(joint(2, 1), vec![0, 1]);
    let (_, server) = study.serve(Duration::from_secs(2));
    for (clock, says) in [
        ((|| system_clock() + 3 * 3600 + 60) as fn() -> u64, "3 hours"),
        (|| system_clock() - 400, "6 minutes"),
    ] {
        let options = ConnectionOptions { clock, ..study.options(server.url()) };
        let why = sentence(&study.join(0, options));
        assert!(why.contains("clock") && why.contains(says), "{why}");
    }
}

#[test]
fn a_table_of_another_shape_is_refused_before_anybody_is_called() {
    let mut study = TestStudy::new(joint(2, 1), vec![0, 1]);
    let source = &mut Seeded::new(5);
    for (table, says) in [
        (rows(59, 2, source), "59 rows of 3 coefficients, not 60 rows"),
        (rows(60, 3, source), "60 rows of 4 coefficients, not 60 rows of 3"),
    ] {
        study.tables[1] = table;
        let why = sentence(&study.join(1, study.options("http://127.0.0.1:9")));
        assert!(why.contains(says), "{why}");
    }
}

#[test]
fn a_coordinator_that_is_not_there_is_waited_for_and_named() {
    let study = TestStudy::new(joint(2, 1), vec![0, 1]);
    let options = ConnectionOptions {
        patience: Duration::from_millis(300),
        ..study.options("http://127.0.0.1:9")
    };
    let why = sentence(&study.join(1, options));
    assert!(why.contains("the coordinator at http://127.0.0.1:9 has not answered"), "{why}");
    let why = sentence(&study.join(1, study.options("127.0.0.1:9")));
    assert!(why.contains("begins with http:// or https://"), "{why}");
}
