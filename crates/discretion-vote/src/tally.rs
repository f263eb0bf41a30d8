//! Who won, and how many votes would have to move before someone else could.

/// Counts of votes, summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tally {
    /// The label with the most votes, the first of them if there are several.
    pub winner: usize,
    /// max(0, ⌈gap/2⌉ − 1), with the gap between the two largest counts. Moving one vote changes
    /// the gap by up to 2, and the distance by at most 1; it is 0 wherever a single vote could
    /// change the winner (`PROOF.md`, Lemma 1).
    pub distance: u32,
}

impl Tally {
    /// Sums up `counts`, one for each label; there is at least one.
    pub fn of(counts: &[u32]) -> Tally {
        // The first of equal counts: a fixed public order breaks ties.
        let winner = (0..counts.len())
            .fold(0, |best, label| if counts[label] > counts[best] { label } else { best });
        let second = counts
            .iter()
            .enumerate()
            .filter(|&(label, _)| label != winner)
            .map(|(_, &count)| count)
            .max();
        let gap = counts[winner] - second.unwrap_or(0);
        Tally { winner, distance: gap.div_ceil(2).saturating_sub(1) }
    }
}
