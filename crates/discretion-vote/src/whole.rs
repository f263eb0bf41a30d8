//! Searches over whole numbers.

/// The smallest whole number from `low` to `high` that is enough; nothing if `high` is not. What is
/// enough stays enough.
pub(crate) fn smallest(low: u64, high: u64, enough: impl Fn(u64) -> bool) -> Option<u64> {
    if !enough(high) {
        return None;
    }
    let (mut low, mut high) = (low, high);
    while low < high {
        let middle = low + (high - low) / 2;
        if enough(middle) { high = middle } else { low = middle + 1 }
    }
    Some(high)
}

/// The smallest whole number of all that is enough. Some number must be.
pub(crate) fn smallest_of_all(enough: impl Fn(u64) -> bool) -> u64 {
    let mut high = 1;
    while !enough(high) {
        high *= 2;
    }
    smallest(0, high, enough).expect("it was just seen to be enough")
}

/// The largest whole number from 1 to `most` that `serves`, if 1 does; to about one part in a
/// thousand. What serves more serves less.
pub(crate) fn largest(most: u64, serves: impl Fn(u64) -> bool) -> Option<u64> {
    if !serves(1) {
        return None;
    }
    let (mut low, mut high) = (1, 2);
    while high <= most && serves(high) {
        (low, high) = (high, 2 * high);
    }
    high = high.min(most + 1);
    while high - low > 1 + low / 1000 {
        let middle = low + (high - low) / 2;
        if serves(middle) { low = middle } else { high = middle }
    }
    Some(low)
}
