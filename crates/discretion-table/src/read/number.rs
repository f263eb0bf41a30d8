//! Decimal numbers from bytes, exactly rounded.

/// Why a field is not a finite number.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NotNumeric {
    /// It is something else.
    Text,
    /// It is an infinity or not-a-number, or too large for a double.
    Infinite,
}

/// 15 digits always fit the 53 bits of a double.
const MOST_DIGITS: usize = 15;

/// Powers of ten that a double holds exactly. An exact integer divided by one of them is
/// correctly rounded, because division is.
const POWERS: [f64; MOST_DIGITS + 1] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// Reads a number such as `-12` or `3.25` at the start of `bytes`, and returns it with its
/// length. `None` if there is none, or if it has too many digits for the short way.
#[inline]
pub(crate) fn plain_prefix(bytes: &[u8]) -> Option<(f64, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(negative);
    let (whole, mut end) = digits(bytes, start, 0);
    let mut count = end - start;
    let mut mantissa = whole;
    let mut decimals = 0;
    if bytes.get(end) == Some(&b'.') {
        let point = end;
        (mantissa, end) = digits(bytes, point + 1, whole);
        decimals = end - point - 1;
        count += decimals;
    }
    if count == 0 || count > MOST_DIGITS {
        return None;
    }
    let magnitude = mantissa as f64;
    let magnitude = if decimals == 0 { magnitude } else { magnitude / POWERS[decimals] };
    Some((if negative { -magnitude } else { magnitude }, end))
}

/// Appends the digits from `at` on to `value`. Wraps past 18 digits, which the caller refuses.
/// Signed, because a signed integer becomes a double in one instruction.
#[inline]
fn digits(bytes: &[u8], mut at: usize, mut value: i64) -> (i64, usize) {
    while let Some(digit) = bytes.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        value = value.wrapping_mul(10).wrapping_add(i64::from(digit));
        at += 1;
    }
    (value, at)
}

/// A trimmed field as a number; `None` if it is empty, that is, missing.
pub(crate) fn parse(field: &[u8]) -> Result<Option<f64>, NotNumeric> {
    if field.is_empty() {
        return Ok(None);
    }
    if let Some((value, length)) = plain_prefix(field)
        && length == field.len()
    {
        return Ok(Some(value));
    }
    let text = str::from_utf8(field).map_err(|_| NotNumeric::Text)?;
    let value: f64 = text.parse().map_err(|_| NotNumeric::Text)?;
    if value.is_finite() { Ok(Some(value)) } else { Err(NotNumeric::Infinite) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_csv_files_hold() {
        for text in [
            "0",
            "7",
            "-0",
            "12345",
            "-42",
            "+5",
            "0.00",
            "3.25",
            ".5",
            "5.",
            "1e3",
            "-1.5E-7",
            "123456789012345678",
        ] {
            assert_eq!(parse(text.as_bytes()), Ok(Some(text.parse().unwrap())), "{text}");
        }
        assert_eq!(parse(b""), Ok(None));
    }

    #[test]
    fn refuses_the_rest() {
        for text in ["NA", "-", ".", "1,5", "1 5", "0x10", "1_000", "12a", "\u{663}", "e5", "--1"] {
            assert_eq!(parse(text.as_bytes()), Err(NotNumeric::Text), "{text}");
        }
        for text in ["NaN", "nan", "-nan", "inf", "-Infinity", "1e400"] {
            assert_eq!(parse(text.as_bytes()), Err(NotNumeric::Infinite), "{text}");
        }
        assert_eq!(parse(b"1\xff"), Err(NotNumeric::Text));
    }

    proptest! {
        #[test]
        fn agrees_with_the_standard_library(text in "-?[0-9]{0,18}(\\.[0-9]{0,18})?") {
            match text.parse::<f64>() {
                Ok(value) => {
                    let ours = parse(text.as_bytes()).unwrap().unwrap();
                    prop_assert_eq!(ours.to_bits(), value.to_bits());
                }
                Err(_) if text.is_empty() => prop_assert_eq!(parse(b""), Ok(None)),
                Err(_) => prop_assert_eq!(parse(text.as_bytes()), Err(NotNumeric::Text)),
            }
        }
    }
}
