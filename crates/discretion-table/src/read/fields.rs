//! Splits one CSV record into its fields, quotes and all.

use super::bounds::MOST_COLUMNS;
use crate::error::Excerpt;
use crate::problem::Problem;
use crate::schema::trimmed;
use std::borrow::Cow;

pub(crate) use super::separators::{Commas, Separators};

/// One record of a block.
pub(crate) struct Record {
    /// Bytes it takes, its newline included.
    pub length: usize,
    /// Newlines in it, its own included.
    pub lines: u64,
}

/// Splits the record at the start of `text`, which ends with a newline, into trimmed fields.
pub(crate) fn split<'t>(
    text: &'t [u8],
    fields: &mut Vec<Cow<'t, [u8]>>,
    separators: impl Separators,
) -> Result<Record, Problem> {
    let delimiter = separators.delimiter();
    let is_space = |byte: &&u8| matches!(byte, b' ' | b'\t') && **byte != delimiter;
    fields.clear();
    let mut at = 0;
    let mut lines = 1;
    loop {
        if fields.len() == MOST_COLUMNS {
            return Err(Problem::TooManyColumns { most: MOST_COLUMNS });
        }
        let spaces = text[at..].iter().take_while(is_space).count();
        let end = if text[at + spaces] == b'"' {
            let opened = at + spaces + 1;
            let closed = closing_quote(text, opened)?;
            let inner = &text[opened..closed];
            lines += memchr::memchr_iter(b'\n', inner).count() as u64;
            let end = field_end(text, closed + 1, delimiter);
            if !trimmed(without_return(text, closed + 1, end)).is_empty() {
                return Err(Problem::StrayQuote { text: Excerpt::of(&text[at..end]) });
            }
            fields.push(unescaped(inner));
            end
        } else {
            let end = field_end(text, at, delimiter);
            let field = without_return(text, at, end);
            if memchr::memchr(b'"', field).is_some() {
                return Err(Problem::StrayQuote { text: Excerpt::of(trimmed(field)) });
            }
            fields.push(Cow::Borrowed(trimmed(field)));
            end
        };
        at = end + 1;
        if text[end] == b'\n' {
            return Ok(Record { length: at, lines });
        }
    }
}

/// The blank lines that `text` begins with: their bytes and their number.
pub(crate) fn blank_lines(text: &[u8]) -> (usize, u64) {
    let (mut at, mut lines) = (0, 0);
    loop {
        match text[at..] {
            [b'\n', ..] => at += 1,
            [b'\r', b'\n', ..] => at += 2,
            _ => return (at, lines),
        }
        lines += 1;
    }
}

/// The position of the delimiter or newline that ends a field without quotes.
#[inline]
pub(crate) fn field_end(text: &[u8], at: usize, delimiter: u8) -> usize {
    // Most fields are shorter than it takes to set up a search.
    if let Some(&word) = text[at..].first_chunk() {
        let ends = bytes_equal(word, delimiter) | bytes_equal(word, b'\n');
        if ends != 0 {
            return at + ends.trailing_zeros() as usize / 8;
        }
    }
    at + memchr::memchr2(delimiter, b'\n', &text[at..]).expect("a block ends with a newline")
}

/// The highest bit of each byte that is this one, the first byte being the lowest. Bytes behind the
/// first one that is found may be wrong.
#[inline]
fn bytes_equal(word: [u8; 8], byte: u8) -> u64 {
    let zero_where_equal = u64::from_le_bytes(word) ^ u64::from_le_bytes([byte; 8]);
    zero_where_equal.wrapping_sub(u64::from_le_bytes([1; 8]))
        & !zero_where_equal
        & u64::from_le_bytes([128; 8])
}

/// The field `at..end`, without the carriage return of a CRLF line end.
pub(crate) fn without_return(text: &[u8], at: usize, end: usize) -> &[u8] {
    match &text[at..end] {
        [field @ .., b'\r'] if text[end] == b'\n' => field,
        field => field,
    }
}

fn closing_quote(text: &[u8], opened: usize) -> Result<usize, Problem> {
    let mut at = opened;
    loop {
        let quote = at + memchr::memchr(b'"', &text[at..]).ok_or(Problem::OpenQuote)?;
        if text.get(quote + 1) != Some(&b'"') {
            return Ok(quote);
        }
        at = quote + 2;
    }
}

/// The inside of a quoted field, trimmed, with "" as ".
fn unescaped(inner: &[u8]) -> Cow<'_, [u8]> {
    let inner = trimmed(inner);
    if memchr::memchr(b'"', inner).is_none() {
        return Cow::Borrowed(inner);
    }
    let mut plain = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter();
    while let Some(&byte) = bytes.next() {
        plain.push(byte);
        if byte == b'"' {
            bytes.next();
        }
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str) -> Result<(Vec<String>, u64), Problem> {
        let mut fields = Vec::new();
        let record = split(text.as_bytes(), &mut fields, Commas)?;
        assert_eq!(record.length, text.len());
        let texts = fields.iter().map(|field| String::from_utf8(field.to_vec()).unwrap());
        Ok((texts.collect(), record.lines))
    }

    #[test]
    fn splits_quoted_and_plain_fields() {
        for (text, expected, lines) in [
            ("a,b\n", vec!["a", "b"], 1),
            ("a, b \r\n", vec!["a", "b"], 1),
            (",\n", vec!["", ""], 1),
            ("\"a,b\",\"c\nd\"\r\n", vec!["a,b", "c\nd"], 2),
            ("\"say \"\"hi\"\"\", \"x\" \n", vec!["say \"hi\"", "x"], 1),
            ("\"\",\"\"\"\"\n", vec!["", "\""], 1),
        ] {
            let (found, found_lines) = fields(text).unwrap();
            assert_eq!(
                (found.iter().map(String::as_str).collect::<Vec<_>>(), found_lines),
                (expected, lines)
            );
        }
    }

    #[test]
    fn refuses_quotes_in_odd_places() {
        assert!(matches!(fields("a\"b\n"), Err(Problem::StrayQuote { .. })));
        assert!(matches!(fields("\"a\"b\n"), Err(Problem::StrayQuote { .. })));
        assert!(matches!(fields("\"a\n"), Err(Problem::OpenQuote)));
    }
}
