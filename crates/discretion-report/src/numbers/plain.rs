//! Numbers as people read them. Files for machines hold every digit instead.

/// A number to so many significant digits, without trailing zeros.
pub fn significant(x: f64, digits: usize) -> String {
    let rounded: f64 = format!("{x:.*e}", digits.saturating_sub(1)).parse().unwrap_or(x);
    let size = rounded.abs();
    if rounded == 0.0 || (1e-4..1e7).contains(&size) || !rounded.is_finite() {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}

/// A number to three significant digits.
pub fn short(x: f64) -> String {
    significant(x, 3)
}

/// A count with its thousands set apart: 32,561.
pub fn count(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
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
