//! Where a study goes on, from all that journals can hold.

use super::*;
use crate::run::agreement::{Agreement, AttemptName, JournalSummary};

fn name(number: u8) -> AttemptName {
    AttemptName::new(&[number; 16])
}

fn summary(contributed: Option<(usize, u8)>, shares: &[(u8, bool)]) -> JournalSummary {
    JournalSummary {
        contributed: contributed.map(|(round, attempt)| (round, name(attempt))),
        shares: shares.iter().map(|&(attempt, is_sent)| (name(attempt), is_sent)).collect(),
    }
}

#[test]
fn rounds_that_everybody_kept_are_opened_and_the_next_is_live() {
    let study = TestStudy::new(with_step(), vec![0, 1]);
    let agree = |summaries: [JournalSummary; 3]| Agreement::new(&study.charter, 4, &summaries);
    let none = || summary(None, &[]);
    assert_eq!(agree([none(), none(), none()]).unwrap(), Agreement { live: 0, pending: vec![] });
    // Everybody reported, north alone has its share: the round is attempted again.
    let half = agree([
        summary(Some((0, 1)), &[(1, false)]),
        summary(Some((0, 1)), &[]),
        summary(Some((0, 1)), &[]),
    ]);
    assert_eq!(half.unwrap(), Agreement { live: 0, pending: vec![name(1)] });
    // Both have it, one let go of it already: it is opened.
    let both = [
        summary(Some((0, 1)), &[(1, true)]),
        summary(Some((0, 1)), &[(1, false)]),
        summary(Some((0, 1)), &[]),
    ];
    assert_eq!(agree(both).unwrap(), Agreement { live: 1, pending: vec![] });
    // Of two attempts at the second round there are traces of both.
    let second = [
        summary(Some((1, 3)), &[(1, true), (3, false)]),
        summary(Some((1, 2)), &[(1, true)]),
        summary(Some((0, 1)), &[]),
    ];
    assert_eq!(agree(second).unwrap(), Agreement { live: 1, pending: vec![name(2), name(3)] });
    // Shares of two attempts do not fit together.
    let mixed =
        [summary(Some((0, 2)), &[(1, false)]), summary(Some((0, 2)), &[(2, false)]), none()];
    assert_eq!(agree(mixed).unwrap(), Agreement { live: 0, pending: vec![name(2)] });
    // A member that saw the second round while an aggregator has no share of the first.
    let lost = [summary(Some((1, 2)), &[(1, true)]), none(), summary(Some((1, 2)), &[])];
    assert!(agree(lost).unwrap_err().contains("lost or turned back"));
}

/// More than t aggregators have to vouch, and one that let go of its share cannot.
#[test]
fn a_second_attempt_needs_more_vouches_than_there_may_be_colluders() {
    for (colluders, enough) in [(0, 1), (1, 2), (2, 3)] {
        let study = TestStudy::new(joint(3, colluders), vec![0, 1, 2]);
        let own = summary(Some((0, 7)), &[]);
        let others = |vouching: usize| {
            let of = |member: usize| {
                if member < vouching { own.clone() } else { summary(Some((0, 7)), &[(7, true)]) }
            };
            [0, 1, 2].map(of)
        };
        for vouching in 0..3 {
            let summaries = others(vouching);
            let agreement = Agreement { live: 0, pending: vec![name(7)] };
            let vouches = |member: usize, attempt: &AttemptName| {
                agreement.can_vouch(&summaries[member], attempt)
            };
            let checked = agreement.check(&study.charter, &own, vouches);
            assert_eq!(checked.is_ok(), vouching >= enough, "{colluders} {vouching}");
        }
        // An aggregator that was told of a later live round does not vouch for what it has of an
        // earlier one.
        let later = Agreement { live: 1, pending: vec![name(7)] };
        for is_sent in [true, false] {
            assert!(!later.can_vouch(&summary(None, &[(7, is_sent)]), &name(7)));
        }
        // What was released before, or never contributed to, needs nobody's word.
        let agreement = Agreement { live: 1, pending: vec![] };
        assert_eq!(agreement.check(&study.charter, &own, |_, _| false), Ok(()));
        assert_eq!(
            agreement.check(&study.charter, &JournalSummary::default(), |_, _| false),
            Ok(())
        );
    }
}
