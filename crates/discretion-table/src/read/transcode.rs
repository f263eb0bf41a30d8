//! Text in another encoding, as UTF-8. It is done before anything is split, so that nothing behind
//! it has to know.

use crate::reading_problem::ReadingProblem;
use crate::text_format::Encoding;
use std::io::{self, Cursor, Read};

/// Bytes that are decoded at a time.
const CHUNK: usize = 1 << 16;

type Bytes = Box<dyn Read + Send>;

/// The same text as UTF-8, unless the first bytes say that it is in another encoding than declared.
pub(super) fn utf8(
    mut bytes: Bytes,
    encoding: Encoding,
) -> io::Result<Result<Bytes, ReadingProblem>> {
    if encoding == Encoding::Utf8 {
        return Ok(Ok(bytes));
    }
    let mut first = Vec::new();
    bytes.by_ref().take(3).read_to_end(&mut first)?;
    let decode = match (encoding, &first[..]) {
        (Encoding::Latin1, [0xef, 0xbb, 0xbf]) => return Ok(Err(ReadingProblem::NotLatin1)),
        (Encoding::Latin1, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) => {
            return Ok(Err(ReadingProblem::Utf16));
        }
        (Encoding::Latin1, _) => latin1,
        // Without a mark the first letter tells: those of names of columns have one byte that is 0.
        (_, [0xff, 0xfe, ..] | [_, 0, ..]) => utf16::<true>,
        (_, [0xfe, 0xff, ..] | [0, _, ..]) => utf16::<false>,
        (_, []) => utf16::<true>,
        _ => return Ok(Err(ReadingProblem::NotUtf16)),
    };
    let bytes = Cursor::new(first).chain(bytes);
    Ok(Ok(Box::new(Transcoder { bytes, decode, input: Vec::new(), output: Vec::new(), given: 0 })))
}

/// Decodes as much as there is of whole letters, and says how many bytes that was. At the end of
/// the text there is nothing to wait for.
type Decode = fn(&[u8], bool, &mut Vec<u8>) -> usize;

struct Transcoder {
    bytes: io::Chain<Cursor<Vec<u8>>, Bytes>,
    decode: Decode,
    /// Bytes of a letter that has not come whole.
    input: Vec<u8>,
    /// Text, of which so many bytes were given away.
    output: Vec<u8>,
    given: usize,
}

impl Read for Transcoder {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.given == self.output.len() {
            let before = self.input.len();
            self.bytes.by_ref().take(CHUNK as u64).read_to_end(&mut self.input)?;
            let ended = self.input.len() == before;
            if ended && before == 0 {
                return Ok(0);
            }
            self.output.clear();
            self.given = 0;
            let used = (self.decode)(&self.input, ended, &mut self.output);
            self.input.drain(..used);
        }
        let count = into.len().min(self.output.len() - self.given);
        into[..count].copy_from_slice(&self.output[self.given..][..count]);
        self.given += count;
        Ok(count)
    }
}

fn push(letter: char, output: &mut Vec<u8>) {
    output.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
}

/// What bytes from 0x80 to 0x9f are on Windows. Five of them are nothing, and stay what they are in
/// ISO 8859-1.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

fn latin1(input: &[u8], _: bool, output: &mut Vec<u8>) -> usize {
    for &byte in input {
        match byte {
            0..0x80 => output.push(byte),
            0x80..0xa0 => push(WINDOWS[usize::from(byte) - 0x80], output),
            0xa0.. => push(char::from(byte), output),
        }
    }
    input.len()
}

/// What is no letter becomes U+FFFD, as elsewhere.
fn utf16<const LITTLE_ENDIAN: bool>(input: &[u8], ended: bool, output: &mut Vec<u8>) -> usize {
    let unit = |pair: &[u8; 2]| match LITTLE_ENDIAN {
        true => u16::from_le_bytes(*pair),
        false => u16::from_be_bytes(*pair),
    };
    let (pairs, odd) = input.as_chunks::<2>();
    // The first half of a letter of four bytes waits for the other one.
    let waits = !ended && pairs.last().is_some_and(|pair| (0xd800..0xdc00).contains(&unit(pair)));
    let whole = pairs.len() - usize::from(waits);
    for letter in char::decode_utf16(pairs[..whole].iter().map(unit)) {
        push(letter.unwrap_or(char::REPLACEMENT_CHARACTER), output);
    }
    if ended && !odd.is_empty() {
        push(char::REPLACEMENT_CHARACTER, output);
        return input.len();
    }
    2 * whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], encoding: Encoding) -> String {
        let mut text = String::new();
        let bytes: Bytes = Box::new(Cursor::new(bytes.to_vec()));
        utf8(bytes, encoding).unwrap().unwrap().read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn every_byte_of_latin1_is_what_windows_makes_of_it() {
        assert_eq!(decoded(b"M\xfcnchen \x80 \x93x\x94 \xff", Encoding::Latin1), "München € “x” ÿ");
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decoded(&all, Encoding::Latin1).chars().count(), 256);
    }

    #[test]
    fn utf16_of_both_kinds_with_and_without_a_mark() {
        // Letters of two, one and four bytes, across the ends of several chunks.
        let text = "age,größe,𝛼\n".repeat(20_000);
        let units: Vec<u16> = text.encode_utf16().collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        let marked = |mark: [u8; 2], bytes: &[u8]| [&mark, bytes].concat();
        assert!(
            decoded(&little, Encoding::Utf16) == text && decoded(&big, Encoding::Utf16) == text
        );
        for bytes in [marked([0xff, 0xfe], &little), marked([0xfe, 0xff], &big)] {
            assert!(decoded(&bytes, Encoding::Utf16) == format!("\u{feff}{text}"));
        }
        assert_eq!(decoded(&[b'a', 0, 0x3d, 0xd8], Encoding::Utf16), "a\u{fffd}");
        assert_eq!(decoded(&[b'a', 0, b'b'], Encoding::Utf16), "a\u{fffd}");
    }

    #[test]
    fn another_encoding_than_declared_is_noticed() {
        for (bytes, encoding, expected) in [
            (&b"age,y"[..], Encoding::Utf16, "not UTF-16"),
            (b"\xef\xbb\xbfage", Encoding::Utf16, "not UTF-16"),
            (b"\xef\xbb\xbfage", Encoding::Latin1, "is UTF-8"),
            (b"\xff\xfea\0", Encoding::Latin1, "is UTF-16"),
        ] {
            let refused =
                utf8(Box::new(Cursor::new(bytes.to_vec())), encoding).unwrap().err().unwrap();
            assert!(refused.to_string().contains(expected), "{refused}");
        }
    }
}
