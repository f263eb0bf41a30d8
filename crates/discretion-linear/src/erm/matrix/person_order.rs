//! Rows in the order of the persons they belong to.

use super::Grouping;
use std::ops::Range;

/// Rows of a bucket, about: so few that there is hardly anything left to put in order.
const BUCKET: usize = 2;

impl Grouping {
    /// Returns rows in the order of [`Rows::group`](super::Rows::group), of each person those that
    /// count or, if none does, one; and where each person's begin, and the last one's end.
    ///
    /// Rows are dealt into buckets by the first bits in which their identifiers differ. Identifiers
    /// are hashes, and so as good as random: buckets are small. Others take longer, and no harm.
    pub fn order(identifiers: &[u128], counts: impl Fn(usize) -> bool) -> (Vec<usize>, Vec<usize>) {
        let first = in_common(identifiers);
        let bits = (identifiers.len() / BUCKET).checked_ilog2().unwrap_or(0).min(24);
        let last = (first + bits).min(u128::BITS);
        let (mut dealt, ends) =
            dealt(identifiers, first..last, |identifier, row| (identifier, row));
        let (mut kept, mut starts) = (Vec::with_capacity(identifiers.len()), vec![0]);
        let mut done = 0;
        for end in ends {
            let bucket = &mut dealt[done..end];
            done = end;
            // Rows of one person stay in their order.
            bucket.sort_by_key(|&(identifier, _)| identifier);
            for of_person in bucket.chunk_by(|(one, _), (other, _)| one == other) {
                let before = kept.len();
                let rows = of_person.iter().map(|&(_, row)| row);
                kept.extend(rows.filter(|&row| counts(row)).take(Grouping::MOST_ROWS));
                if kept.len() == before {
                    kept.push(of_person[0].1);
                }
                starts.push(kept.len());
            }
        }
        (kept, starts)
    }
}

/// How many first bits the identifiers have in common.
fn in_common(identifiers: &[u128]) -> u32 {
    let differ =
        identifiers.iter().fold(0, |differ, identifier| differ | (identifier ^ identifiers[0]));
    differ.leading_zeros()
}

/// Identifiers and their places, as `item` notes them, bucket by bucket and in the order that they
/// had; and where each bucket ends. The bucket is what these bits of an identifier say, of which
/// the first is 0.
pub(super) fn dealt<T: Copy>(
    identifiers: &[u128],
    bits: Range<u32>,
    item: impl Fn(u128, usize) -> T,
) -> (Vec<T>, Vec<usize>) {
    let bucket = |identifier: u128| match bits.is_empty() {
        true => 0,
        false => {
            ((identifier << bits.start >> u64::BITS) as u64 >> (u64::BITS - bits.len() as u32))
                as usize
        }
    };
    let Some(&first) = identifiers.first() else { return (Vec::new(), vec![0; 1 << bits.len()]) };
    let mut next = vec![0; 1 << bits.len()];
    identifiers.iter().for_each(|&identifier| next[bucket(identifier)] += 1);
    let mut before = 0;
    for count in &mut next {
        before += std::mem::replace(count, before);
    }
    let mut dealt = vec![item(first, 0); identifiers.len()];
    for (place, &identifier) in identifiers.iter().enumerate() {
        let free = &mut next[bucket(identifier)];
        dealt[*free] = item(identifier, place);
        *free += 1;
    }
    // Where the next one would come is where a bucket ends.
    (dealt, next)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Identifiers spread over all bits, with their first bits in common, and in one bucket.
    #[test]
    fn persons_come_in_order_and_their_rows_as_they_came() {
        let spread =
            |row: u128| (row % 977).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
        for of in [spread, |row| row % 977, |row| (row % 977) << 64, |_| 7, |row| u128::MAX - row] {
            for all in [0, 1, 2, 15, 16, 17, 3000] {
                let identifiers: Vec<u128> = (0..all).map(of).collect();
                let counts = |row: usize| row % 3 != 1;
                let mut expected: Vec<usize> = (0..identifiers.len()).collect();
                expected.sort_by_key(|&row| identifiers[row]);
                let (mut kept, mut starts) = (Vec::new(), vec![0]);
                for of_person in expected.chunk_by(|&a, &b| identifiers[a] == identifiers[b]) {
                    let before = kept.len();
                    kept.extend(of_person.iter().filter(|&&row| counts(row)));
                    if kept.len() == before {
                        kept.push(of_person[0]);
                    }
                    starts.push(kept.len());
                }
                assert_eq!(Grouping::order(&identifiers, counts), (kept, starts), "{all}");
            }
        }
    }
}
