//! The lengths in delta-encoded texts. The library makes room for as many as a page claims, and
//! copies the beginnings that texts share as often as it says.

use super::compact::{Compact, Unread};

/// What the head of a delta encoding says.
struct Head {
    parts: usize,
    /// Values in a part of a block.
    part: usize,
    count: usize,
    first: i64,
}

/// Refuses lengths of more texts than `most`.
pub(super) fn check_count(bytes: &[u8], most: usize) -> Result<(), Unread> {
    head(&mut Compact { rest: bytes }, most).map(drop)
}

fn head(bytes: &mut Compact<'_>, most: usize) -> Result<Head, Unread> {
    // The format has blocks of 128 values; the usual programs write no larger ones.
    const LARGEST_BLOCK: usize = 1 << 16;
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let (block, parts, count) =
        (size(bytes.number()?), size(bytes.number()?), size(bytes.number()?));
    let first = bytes.whole()?;
    let part = block.checked_div(parts).unwrap_or(0);
    if part == 0 || part % 32 != 0 || part * parts != block || block > LARGEST_BLOCK {
        return Err(Unread::Wrong("its texts are in blocks of an absurd size"));
    }
    if count > most {
        return Err(Unread::Wrong("a page has more texts than it says"));
    }
    Ok(Head { parts, part, count, first })
}

/// The sum of at most so many lengths, and what follows them.
pub(super) fn sum(bytes: &[u8], most: usize) -> Result<(u64, &[u8]), Unread> {
    let mut bytes = Compact { rest: bytes };
    let Head { parts, part, count, first } = head(&mut bytes, most)?;
    let mut sum = Sum { last: first, all: 0 };
    let mut left = count;
    if left > 0 {
        sum.add(0)?;
        left -= 1;
    }
    while left > 0 {
        let least = bytes.whole()?;
        let (widths, mut rest) = bytes.rest.split_at_checked(parts).ok_or(Unread::Short)?;
        for &width in widths {
            if left == 0 {
                break;
            }
            let (packed, after) =
                rest.split_at_checked(usize::from(width) * part / 8).ok_or(Unread::Short)?;
            if width > 32 {
                return Err(Unread::Wrong("the length of a text is absurd"));
            }
            for place in 0..left.min(part) {
                sum.add(least.wrapping_add(unpacked(packed, place, u32::from(width))))?;
            }
            left -= left.min(part);
            rest = after;
        }
        bytes.rest = rest;
    }
    Ok((sum.all, bytes.rest))
}

struct Sum {
    last: i64,
    all: u64,
}

impl Sum {
    /// Adds the length that differs so much from the last one.
    fn add(&mut self, difference: i64) -> Result<(), Unread> {
        // 32 bits, as the library has it.
        let length = (self.last as i32).wrapping_add(difference as i32);
        self.last = i64::from(length);
        let length =
            u64::try_from(length).map_err(|_| Unread::Wrong("the length of a text is negative"))?;
        self.all += length;
        Ok(())
    }
}

/// The number at a place among numbers of so many bits.
fn unpacked(packed: &[u8], place: usize, width: u32) -> i64 {
    let bit = place * width as usize;
    let bytes = packed
        .iter()
        .skip(bit / 8)
        .take(5)
        .rev()
        .fold(0, |all, &byte| (all << 8) | u64::from(byte));
    ((bytes >> (bit % 8)) & ((1 << width) - 1)) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of 128 in 4 parts: 5 lengths from 7 on, differences −2 + 3, 0, 1, 5, of 3 bits.
    fn five() -> Vec<u8> {
        let mut bytes = vec![0x80, 1, 4, 5, 14, 3, 3, 0, 0, 0];
        bytes.extend([0b0100_0011, 0b0000_1010]);
        bytes.resize(10 + 12, 0);
        bytes
    }

    #[test]
    fn adds_lengths_up() {
        // 7, 8, 6, 5, 8.
        assert_eq!(sum(&[&five()[..], b"texts"].concat(), 5), Ok((34, &b"texts"[..])));
        assert_eq!(check_count(&five(), 5), Ok(()));
        assert_eq!(sum(&[0x80, 1, 4, 0, 0, 9], 0), Ok((0, &[9][..])), "none at all");
    }

    #[test]
    fn refuses_more_than_there_are() {
        assert!(matches!(check_count(&five(), 4), Err(Unread::Wrong(_))));
        assert!(matches!(sum(&five(), 4), Err(Unread::Wrong(_))));
        for end in 0..five().len() {
            assert_eq!(sum(&five()[..end], 5), Err(Unread::Short), "{end}");
        }
        // Minus one, a block of 2³⁵ values, a part of none, numbers of 200 bits.
        assert!(matches!(sum(&[0x80, 1, 4, 1, 1], 9), Err(Unread::Wrong(_))));
        assert!(matches!(
            sum(&[0x80, 0x80, 0x80, 0x80, 0x80, 1, 4, 1, 1], 9),
            Err(Unread::Wrong(_))
        ));
        assert!(matches!(sum(&[0x80, 1, 0, 1, 1], 9), Err(Unread::Wrong(_))));
        let mut wide = five();
        wide[6] = 200;
        wide.resize(5000, 0);
        assert!(matches!(sum(&wide, 5), Err(Unread::Wrong(_))));
    }
}
