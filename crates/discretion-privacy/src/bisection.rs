//! The smallest number that is enough.

/// The smallest x ≥ 0 for which `enough(x)` holds, rounded up by a relative `precision` at most;
/// nothing if none up to `limit` is. `enough` must stay true once it is. What is returned was
/// itself tested.
pub fn smallest_enough(
    start: f64,
    limit: f64,
    precision: f64,
    enough: impl Fn(f64) -> bool,
) -> Option<f64> {
    let (mut low, mut high) = (0.0, start);
    while !enough(high) {
        if high > limit {
            return None;
        }
        (low, high) = (high, 2.0 * high);
    }
    while high - low > precision * high {
        let middle = 0.5 * (low + high);
        if enough(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_returned_is_enough_and_hardly_more() {
        for needed in [1e-7, 0.3, 1.0, 1234.5] {
            let found = smallest_enough(1.0, 1e6, 1e-9, |x| x >= needed).unwrap();
            assert!(found >= needed && found <= needed * (1.0 + 1e-8), "{needed}: {found}");
        }
        assert_eq!(smallest_enough(1.0, 1e6, 1e-9, |_| false), None);
    }
}
