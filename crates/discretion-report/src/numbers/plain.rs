//! Numbers as people read them. Files for machines hold every digit instead.

pub use super::count;

/// A number to so many significant digits, without trailing zeros.
pub fn significant(x: f64, digits: usize) -> String {
    let rounded = super::rounded(x, digits);
    match super::is_written_out(rounded) || !rounded.is_finite() {
        true => format!("{rounded}"),
        false => format!("{rounded:e}"),
    }
}

/// A number to three significant digits.
pub fn short(x: f64) -> String {
    significant(x, 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (x, expected) in [
            (0.0, "0"),
            (1.0f64.exp(), "2.72"),
            (0.001, "0.001"),
            (0.000_123_456, "0.000123"),
            (1.234e-9, "1.23e-9"),
            (123_456.0, "123000"),
            (-0.999_96, "-1"),
            (5e12, "5e12"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(short(x), expected);
        }
        assert_eq!(significant(0.123_456, 4), "0.1235");
    }

    #[test]
    fn counts_have_commas() {
        assert_eq!(
            [0, 999, 1000, 32_561, 1_000_000].map(count),
            ["0", "999", "1,000", "32,561", "1,000,000"]
        );
    }
}
