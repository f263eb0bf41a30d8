use super::*;

struct Prepared {
    tables: [Matrix; 2],
    plan: Plan,
}

fn prepared() -> Prepared {
    let tables = [one_class(10, true), one_class(12, false)];
    let plan = plan(joint(2, 1), &tables);
    Prepared { tables, plan }
}

fn reports(scheme: &Scheme, prepared: &Prepared) -> Vec<Vec<Vec<u8>>> {
    let contributions = contributions(&prepared.plan, &prepared.tables);
    contributions.iter().enumerate().map(|(j, one)| scheme.report(j, one).unwrap()).collect()
}

#[test]
fn a_second_contribution_and_a_misdirected_one_are_refused() {
    let prepared = prepared();
    let scheme = Scheme::new(prepared.plan.average(), b"study", &ATTEMPT).unwrap();
    let messages = reports(&scheme, &prepared);
    let mut all = aggregators(&scheme);
    let misdirected = all[0].receive(&messages[0][1]);
    assert_eq!(misdirected, Err(RoundError::Misdirected { holder: 0, meant: 1, here: 0 }));
    let checks = submit(&mut all, &messages[0]).unwrap();
    for again in [&messages[0], &reports(&scheme, &prepared)[0]] {
        assert!(matches!(all[0].receive(&again[0]), Err(RoundError::OutOfTurn { holder: 0, .. })));
    }
    assert!(matches!(all[0].verify(&checks), Err(RoundError::OutOfTurn { holder: 0, .. })));
    // What was accepted stays so.
    submit(&mut all, &messages[1]).unwrap();
    let source = &mut Seeded::new(1);
    let sums: Vec<Vec<u8>> = all.into_iter().map(|one| one.finish(source).unwrap()).collect();
    scheme.open(&sums).unwrap();
}

#[test]
fn truncated_and_foreign_messages_are_refused_and_change_nothing() {
    let prepared = prepared();
    let scheme = Scheme::new(prepared.plan.average(), b"study", &ATTEMPT).unwrap();
    let messages = reports(&scheme, &prepared);
    let mut all = aggregators(&scheme);
    let message = &messages[0][0];
    for end in [0, 1, 12, 13, 40, message.len() / 2, message.len() - 1] {
        assert!(
            matches!(all[0].receive(&message[..end]), Err(RoundError::Damaged { .. })),
            "{end}"
        );
    }
    let check = all[0].receive(message).unwrap();
    // A check is no report and no sum; a check from one aggregator alone is none.
    assert!(matches!(all[1].receive(&check), Err(RoundError::Damaged { .. })));
    assert!(matches!(scheme.open(std::slice::from_ref(&check)), Err(RoundError::Damaged { .. })));
    assert!(matches!(all[0].verify(std::slice::from_ref(&check)), Err(RoundError::Damaged { .. })));
    assert!(matches!(
        all[0].verify(&[check.clone(), check.clone()]),
        Err(RoundError::Damaged { .. })
    ));
    assert!(matches!(all[0].verify(&[]), Err(RoundError::Damaged { .. })));
    let other = all[1].receive(&messages[0][1]).unwrap();
    all[0].verify(&[other.clone(), check.clone()]).unwrap();
    all[1].verify(&[check, other]).unwrap();
}

/// A holder that computed with another study, another attempt or another plan is rejected and
/// named.
#[test]
fn another_study_attempt_or_plan_does_not_verify() {
    let prepared = prepared();
    let round = prepared.plan.average();
    let scheme = Scheme::new(round, b"study", &ATTEMPT).unwrap();
    let other_plan =
        plan(Joint { budget: Budget::Pure { epsilon: 1.0001 }, ..joint(2, 1) }, &prepared.tables);
    for other in [
        Scheme::new(round, b"another study", &ATTEMPT).unwrap(),
        Scheme::new(round, b"study", &[4; 16]).unwrap(),
        Scheme::new(other_plan.average(), b"study", &ATTEMPT).unwrap(),
    ] {
        let mut all = aggregators(&scheme);
        let refused = submit(&mut all, &reports(&other, &prepared)[1]);
        assert_eq!(refused, Err(RoundError::Rejected { holder: 1 }));
        let finished = all.remove(0);
        assert!(finished.finish(&mut Seeded::new(1)).is_err());
    }
}

#[test]
fn nothing_leaves_while_someone_is_missing() {
    let prepared = prepared();
    let scheme = Scheme::new(prepared.plan.average(), b"study", &ATTEMPT).unwrap();
    let messages = reports(&scheme, &prepared);
    let mut all = aggregators(&scheme);
    submit(&mut all, &messages[0]).unwrap();
    // One aggregator got the second holder's share, the other did not.
    all[0].receive(&messages[1][0]).unwrap();
    for aggregator in all {
        assert_eq!(aggregator.finish(&mut Seeded::new(1)), Err(RoundError::Missing { holder: 1 }));
    }
}

#[test]
fn a_sum_needs_every_aggregator_once() {
    let prepared = prepared();
    let scheme = Scheme::new(prepared.plan.average(), b"study", &ATTEMPT).unwrap();
    let mut all = aggregators(&scheme);
    for messages in reports(&scheme, &prepared) {
        submit(&mut all, &messages).unwrap();
    }
    let source = &mut Seeded::new(1);
    let sums: Vec<Vec<u8>> = all.into_iter().map(|one| one.finish(source).unwrap()).collect();
    assert_eq!(scheme.open(&sums[..1]), Err(RoundError::Incomplete { found: 1, expected: 2 }));
    let twice = [sums[0].clone(), sums[0].clone()];
    assert!(matches!(scheme.open(&twice), Err(RoundError::Damaged { .. })));
    let mut short = sums.clone();
    short[1].pop();
    assert!(matches!(scheme.open(&short), Err(RoundError::Damaged { .. })));
}

#[test]
fn one_aggregator_shares_nothing() {
    let tables = [one_class(10, true)];
    let plan = plan(joint(1, 0), &tables);
    let refused = Scheme::new(plan.average(), b"study", &ATTEMPT);
    assert!(matches!(refused, Err(RoundError::Aggregators(1))));
    let mut sharing = joint(255, 1);
    sharing.lambda = 0.5;
    let plan = super::plan(sharing, &tables);
    assert!(matches!(
        Scheme::new(plan.average(), b"study", &ATTEMPT),
        Err(RoundError::Aggregators(255))
    ));
}
