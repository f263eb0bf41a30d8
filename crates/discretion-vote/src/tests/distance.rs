//! Every count vector of up to twelve votes on four labels, and every vote that could be another.

use crate::tally::Tally;

/// Calls `each` with all vectors of `labels` counts that sum to `votes`.
pub(super) fn all_counts(labels: usize, votes: u32, each: &mut dyn FnMut(&[u32])) {
    fn extend(counts: &mut Vec<u32>, labels: usize, left: u32, each: &mut dyn FnMut(&[u32])) {
        if counts.len() + 1 == labels {
            counts.push(left);
            each(counts);
            counts.pop();
            return;
        }
        for count in 0..=left {
            counts.push(count);
            extend(counts, labels, left - count, each);
            counts.pop();
        }
    }
    extend(&mut Vec::new(), labels, votes, each);
}

/// The paper's distance, whose sensitivity is 2.
pub(super) fn printed(counts: &[u32]) -> Tally {
    let mut sorted = counts.to_vec();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    let gap = sorted[0] - sorted.get(1).copied().unwrap_or(0);
    Tally { distance: gap.saturating_sub(1), ..Tally::of(counts) }
}

/// Moves that change the distance by more than 1, and moves that change a winner at a positive
/// distance.
fn violations(labels: usize, most_votes: u32, tally: fn(&[u32]) -> Tally) -> (u32, u32) {
    let (mut jumps, mut switches) = (0, 0);
    for votes in 1..=most_votes {
        all_counts(labels, votes, &mut |counts| {
            let before = tally(counts);
            for from in (0..labels).filter(|&from| counts[from] > 0) {
                for to in (0..labels).filter(|&to| to != from) {
                    let mut moved = counts.to_vec();
                    moved[from] -= 1;
                    moved[to] += 1;
                    let after = tally(&moved);
                    jumps += u32::from(before.distance.abs_diff(after.distance) > 1);
                    let positive = before.distance > 0 || after.distance > 0;
                    switches += u32::from(before.winner != after.winner && positive);
                }
            }
        });
    }
    (jumps, switches)
}

#[test]
fn one_vote_moves_the_distance_by_one_and_no_winner_at_a_positive_distance() {
    for labels in 2..=4 {
        assert_eq!(violations(labels, 12, Tally::of), (0, 0), "{labels} labels");
    }
}

#[test]
fn the_printed_distance_fails() {
    let (jumps, switches) = violations(4, 12, printed);
    assert!(jumps > 0 && switches > 0, "{jumps} {switches}");
    // Moves to and from a tie that another label wins, with two and three labels and up to thirteen
    // votes.
    let switches: u32 = [2, 3].map(|labels| violations(labels, 13, printed).1).iter().sum();
    assert_eq!(switches, 108);
}

/// A shifted histogram leaves scores out, so there a vote can come or go instead of moving.
#[test]
fn a_vote_that_comes_or_goes_is_no_worse() {
    for votes in 1..=12 {
        all_counts(4, votes, &mut |counts| {
            let before = Tally::of(counts);
            for label in (0..4).filter(|&label| counts[label] > 0) {
                let mut fewer = counts.to_vec();
                fewer[label] -= 1;
                let after = Tally::of(&fewer);
                assert!(before.distance.abs_diff(after.distance) <= 1, "{counts:?}");
                let stays =
                    before.winner == after.winner || (before.distance, after.distance) == (0, 0);
                assert!(stays, "{counts:?}");
            }
        });
    }
}

#[test]
fn one_label_alone_always_wins() {
    assert_eq!(Tally::of(&[7]), Tally { winner: 0, distance: 3 });
    assert_eq!(Tally::of(&[0, 0, 0]), Tally { winner: 0, distance: 0 });
}
