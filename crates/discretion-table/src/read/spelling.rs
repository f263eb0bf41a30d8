//! The spelling that all spellings of an identifier have in common.
//!
//! Two texts have one spelling if they differ in: blanks at the ends, several blanks for one, kinds
//! of blanks, dashes and apostrophes; small and large letters; composed and decomposed letters,
//! full-width and other compatible forms (NFKC); characters that nobody sees. And if they are the
//! same decimal number: a plus sign, zeros before it and after its point, a decimal point or comma,
//! thousands in groups, an exponent as programs write it.

use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// Exponents beyond this are no number's: those of double precision end at 308.
const MOST_EXPONENT: usize = 400;

/// The common spelling of a trimmed text, but for small and large letters of ASCII.
pub(super) fn common(text: &[u8]) -> Cow<'_, [u8]> {
    if text.is_ascii() {
        return of_ascii(text);
    }
    match std::str::from_utf8(text) {
        Ok(text) => of_ascii(folded(text).as_bytes()).into_owned().into(),
        Err(_) => text.into(),
    }
}

/// A text without differences of letter case and of compatible forms.
fn folded(text: &str) -> String {
    let seen = text.nfkc().filter(|&c| !is_invisible(c)).map(|c| match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}' | '\u{2019}' | '\u{2bc}' => '\'',
        c if c.is_whitespace() => ' ',
        c => c,
    });
    // By way of capitals, which take ß with ss and the final ς with σ; first in small letters,
    // because the capital ẞ is its own capital.
    let letters = seen.flat_map(char::to_lowercase).flat_map(char::to_uppercase);
    letters.flat_map(char::to_lowercase).nfkc().collect()
}

/// Soft hyphens, marks of zero width and of direction, joiners, byte order marks.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

fn of_ascii(text: &[u8]) -> Cow<'_, [u8]> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let is_even = |both: &[u8]| !is_blank(&both[1]) || (both[1] == b' ' && !is_blank(&both[0]));
    let ends = [text.first(), text.last()];
    if ends.into_iter().flatten().any(is_blank) || !text.windows(2).all(is_even) {
        let words = text.split(is_blank).filter(|word| !word.is_empty());
        return of_ascii(&words.collect::<Vec<_>>().join(&b' ')).into_owned().into();
    }
    match text.first() {
        // The usual whole number.
        Some(b'1'..=b'9') if text.iter().all(u8::is_ascii_digit) => text.into(),
        Some(b'0'..=b'9' | b'+' | b'-' | b'.' | b',') => {
            number(text).map_or(text.into(), Cow::Owned)
        }
        _ => text.into(),
    }
}

/// A decimal number as digits with a minus sign and a point where they are needed; nothing if the
/// text is no number.
fn number(text: &[u8]) -> Option<Vec<u8>> {
    let (negative, unsigned) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let (mantissa, exponent) = match unsigned.iter().position(|byte| b"eE".contains(byte)) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let (mut digits, mut point, has_point) = digits_and_point(mantissa)?;
    if let Some(exponent) = exponent {
        let (up, size) = match exponent {
            [b'+', rest @ ..] => (true, rest),
            [b'-', rest @ ..] => (false, rest),
            // `12e4` may be a code.
            rest if has_point => (true, rest),
            _ => return None,
        };
        let size: usize = match size.iter().all(u8::is_ascii_digit) {
            true => std::str::from_utf8(size).ok()?.parse().ok()?,
            false => return None,
        };
        if size > MOST_EXPONENT {
            return None;
        }
        if up {
            point += size;
            digits.resize(digits.len().max(point), b'0');
        } else {
            let zeros = size.saturating_sub(point);
            digits.splice(..0, std::iter::repeat_n(b'0', zeros));
            point = (point + zeros) - size;
        }
    }
    let (whole, fraction) = digits.split_at(point);
    let whole = &whole[whole.iter().take_while(|&&digit| digit == b'0').count()..];
    let decimals = fraction.iter().rposition(|&digit| digit != b'0').map_or(0, |last| last + 1);
    let fraction = &fraction[..decimals];
    let mut usual = Vec::with_capacity(whole.len() + decimals + 3);
    if negative && !(whole.is_empty() && fraction.is_empty()) {
        usual.push(b'-');
    }
    usual.extend(if whole.is_empty() { b"0" } else { whole });
    if !fraction.is_empty() {
        usual.push(b'.');
        usual.extend(fraction);
    }
    Some(usual)
}

/// The digits of a mantissa, how many of them are before its point, and whether it has one.
///
/// A single point or comma is a decimal one (`7.0`, `7,0`). Of several separators the last is, if
/// it is another one than those before it (`1.234,5`); the others part groups of three digits.
fn digits_and_point(mantissa: &[u8]) -> Option<(Vec<u8>, usize, bool)> {
    let is_separator = |byte: &u8| b".,' ".contains(byte);
    let separators: Vec<u8> = mantissa.iter().copied().filter(is_separator).collect();
    let groups: Vec<&[u8]> = mantissa.split(is_separator).collect();
    if !groups.iter().all(|group| group.iter().all(u8::is_ascii_digit)) {
        return None;
    }
    let digits = groups.concat();
    let has_point = match &separators[..] {
        [.., last] if !b".,".contains(last) => false,
        [_] => true,
        [before @ .., last] => !before.contains(last),
        [] => false,
    };
    let (whole, parting) = match has_point {
        true => (&groups[..groups.len() - 1], &separators[..separators.len() - 1]),
        false => (&groups[..], &separators[..]),
    };
    let are_thousands = match whole {
        [_] => true,
        [first, others @ ..] => {
            (1..=3).contains(&first.len())
                && others.iter().all(|group| group.len() == 3)
                && parting.windows(2).all(|both| both[0] == both[1])
        }
        [] => false,
    };
    let point = whole.iter().map(|group| group.len()).sum();
    (are_thousands && !digits.is_empty()).then_some((digits, point, has_point))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::person;

    fn are_one(texts: &[&str]) {
        for text in texts {
            assert_eq!(person(text.as_bytes()), person(texts[0].as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn letters_of_every_script_have_one_case() {
        are_one(&["Müller-1", "MÜLLER-1", "müller-1", "Mu\u{308}ller-1", "MU\u{308}LLER‑1"]);
        are_one(&["Straße", "STRASSE", "STRAẞE", "straße"]);
        are_one(&["Ὀδυσσεύς", "ὈΔΥΣΣΕΎΣ", "ὀδυσσεύσ"]);
        are_one(&["Ильин", "ИЛЬИН"]);
        are_one(&["K7", "k7", "\u{212a}7", "Ｋ７", "\u{feff}K7", "K\u{ad}7"]);
        are_one(&["A 1", "a  1", "\u{a0}A\u{a0}1\u{2009}", "A\u{3000}1", " a\t1"]);
        are_one(&["O'Neill", "O’NEILL"]);
    }

    #[test]
    fn numbers_have_one_notation() {
        are_one(&["-7", "-007", "-7.0", "−7", "-7,00"]);
        are_one(&["7.50", "7.5", "7,5", "07,500", "+7.5", "７．５", "75e-1", "0.75E+1", "7.5e0"]);
        are_one(&["7", "7,0", "007", "7.0", "7.", "+7", "0.7e+1"]);
        are_one(&["0", "-0", "0.0", "000", ".0", "-0,00", "0e+9"]);
        are_one(&[".5", "0.5", "0,50", "5e-1"]);
        are_one(&["1234567.5", "1,234,567.5", "1.234.567,5", "1 234 567,5", "1'234'567.5"]);
        are_one(&["1234567", "1 234 567", "1.234.567", "1,234,567", "1.234567e+06"]);
        are_one(&["10000000000000000", "1e+16", "1E+16", "1.0E16"]);
    }

    /// What is no other spelling stays another person.
    #[test]
    fn other_identifiers_stay_apart() {
        let all = [
            "7",
            "70",
            "7.5",
            "-7",
            "7e0",
            "12e4",
            "120000",
            "a7",
            "0.7",
            "0",
            ".",
            "+",
            "-",
            ",",
            "e",
            "1e",
            "1e+",
            "1.5e+999",
            "1.2.3",
            "12.34.5",
            "1,2,3",
            "P7",
            "P007",
            "Müller",
            "Mueller",
            "Muller",
            "Müller 1",
            "Müller1",
            "A-1",
            "A1",
            "--7",
            "7-",
            "1 2",
            "12",
            "",
            "1 23",
            "123",
            "1.234",
            "1234",
            "1.234 567",
            "Я",
        ];
        for (k, one) in all.iter().enumerate() {
            for other in &all[..k] {
                assert_ne!(person(one.as_bytes()), person(other.as_bytes()), "{one:?} {other:?}");
            }
        }
    }

    /// A spelling is its own spelling, and no text panics or grows beyond what an exponent allows.
    #[test]
    fn what_is_common_stays_so() {
        let parts = ["0", "7", "-", "+", ".", ",", "e", "E", " ", "'", "Ü", "ß", "\u{a0}", "400"];
        for k in 0..parts.len().pow(4) {
            let text: String =
                (0..4).map(|at| parts[k / parts.len().pow(at) % parts.len()]).collect();
            let once = common(text.as_bytes()).to_ascii_lowercase();
            assert!(once.len() <= text.len() + MOST_EXPONENT, "{text:?}");
            assert_eq!(common(&once).to_ascii_lowercase(), once, "{text:?}");
        }
        assert_eq!(&common(b"\xff\xfe")[..], b"\xff\xfe");
    }
}
