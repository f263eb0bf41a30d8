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

/// Reads a number such as `-12` or `3.25` at the start of `bytes`, and returns it with its length.
/// `decimal` is the point in it. `None` if there is none, or if it has too many digits for the
/// short way.
#[inline(always)]
pub(crate) fn plain_prefix(bytes: &[u8], decimal: u8) -> Option<(f64, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(negative);
    let (mut mantissa, whole) = match &bytes[start..] {
        [digit @ b'0'..=b'9', point, ..] if *point == decimal => (u64::from(digit - b'0'), 1),
        bytes => whole_digits(bytes),
    };
    let (mut end, mut decimals) = (start + whole, 0);
    if bytes.get(end) == Some(&decimal) {
        (mantissa, decimals) = more_digits(mantissa, &bytes[end + 1..]);
        end += 1 + decimals;
    }
    if whole + decimals == 0 || whole + decimals > MOST_DIGITS {
        return None;
    }
    let magnitude = exact(mantissa);
    let magnitude = if decimals == 0 { magnitude } else { magnitude / POWERS[decimals] };
    Some((if negative { -magnitude } else { magnitude }, end))
}

/// An integer below 2⁵² as a double: it is made the last bits of 2⁵² + itself. The instruction that
/// converts integers waits for whatever was last computed in the register that it writes to, which
/// is the number of the field before.
#[inline]
fn exact(integer: u64) -> f64 {
    const TWO_52: f64 = (1_u64 << 52) as f64;
    f64::from_bits(TWO_52.to_bits() | integer) - TWO_52
}

/// The number that the digits at the start of `bytes` are, and how many there are. Wraps past 18
/// digits, which the caller refuses.
#[inline]
fn whole_digits(bytes: &[u8]) -> (u64, usize) {
    // Eight bytes at once: how many digits a whole number has is hard to foresee, so that a loop
    // over them would often be left where the processor did not expect it. Decimals are mostly as
    // many as in the row before.
    if let Some(&word) = bytes.first_chunk() {
        let word = u64::from_le_bytes(word) ^ u64::from_le_bytes([b'0'; 8]);
        // Adding 0x76 sets the highest bit of a byte from 10 on. What it carries goes to later
        // bytes.
        let others = (word | word.wrapping_add(0x7676_7676_7676_7676)) & 0x8080_8080_8080_8080;
        let count = others.trailing_zeros() / 8;
        if count < 8 {
            return (eight_digits(word.checked_shl(64 - 8 * count).unwrap_or(0)), count as usize);
        }
    }
    more_digits(0, bytes)
}

/// Appends the digits at the start of `bytes` to a number, and says how many there are. Wraps as
/// well.
#[inline]
fn more_digits(number: u64, bytes: &[u8]) -> (u64, usize) {
    let digits = bytes.iter().map(|byte| byte.wrapping_sub(b'0')).take_while(|digit| *digit < 10);
    digits.fold((number, 0), |(number, count), digit| {
        (number.wrapping_mul(10).wrapping_add(u64::from(digit)), count + 1)
    })
}

/// The number of eight decimal digits, the first one in the lowest byte: neighbours are joined to
/// numbers of two digits, these to numbers of four, and these to the whole.
#[inline]
fn eight_digits(word: u64) -> u64 {
    let join = |word: u64, power: u64, bits: u32| word.wrapping_mul((power << bits) + 1) >> bits;
    let pairs = join(word, 10, 8) & 0x00ff_00ff_00ff_00ff;
    let fours = join(pairs, 100, 16) & 0x0000_ffff_0000_ffff;
    join(fours, 10_000, 32)
}

/// A trimmed field as a number; `None` if it is empty, that is, missing.
pub(crate) fn parse(field: &[u8]) -> Result<Option<f64>, NotNumeric> {
    parse_with(field, b'.')
}

/// The same where decimals follow another sign than a point.
pub(crate) fn parse_with(field: &[u8], decimal: u8) -> Result<Option<f64>, NotNumeric> {
    if field.is_empty() {
        return Ok(None);
    }
    if let Some((value, length)) = plain_prefix(field, decimal)
        && length == field.len()
    {
        return Ok(Some(value));
    }
    let text = str::from_utf8(field).map_err(|_| NotNumeric::Text)?;
    let value: f64 = match decimal {
        b'.' => text.parse(),
        // A point in such a number may stand between thousands. Whoever wrote it has to say.
        _ if text.contains('.') => return Err(NotNumeric::Text),
        _ => text.replace(char::from(decimal), ".").parse(),
    }
    .map_err(|_| NotNumeric::Text)?;
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

    #[test]
    fn decimals_may_follow_a_comma() {
        for text in ["0,5", "-3,25", "12", "1e3", "1,5E-7", ",5", "5,", "123456789012345678,25"] {
            let expected = text.replace(',', ".").parse().unwrap();
            assert_eq!(parse_with(text.as_bytes(), b','), Ok(Some(expected)), "{text}");
        }
        for text in ["1.5", "1.500,25", "1.000", "1,5,2", "."] {
            assert_eq!(parse_with(text.as_bytes(), b','), Err(NotNumeric::Text), "{text}");
        }
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
