//! From a block of CSV text to encoded rows.

use super::encoded::Encoded;
use super::fields::{field_end, split, without_return};
use super::header::Role;
use super::label::Labeller;
use super::number::{self, NotNumeric};
use crate::encode::{Encoder, NumberCode};
use crate::error::Excerpt;
use crate::problem::Problem;
use crate::schema::trimmed;

/// What is known about a file before its rows are parsed; shared by all threads.
pub(crate) struct Parser<'a> {
    pub roles: Vec<Role>,
    pub encoder: &'a Encoder,
    pub labeller: Option<Labeller>,
}

/// The rows of one block.
pub(crate) struct Parsed {
    pub encoded: Encoded,
    pub rows: u64,
    /// Newlines in the block.
    pub lines: u64,
    /// Lines before the first blank line that no row follows in this block.
    pub blank: Option<u64>,
}

/// What is wrong in a block, and how many of its lines precede it.
pub(crate) struct Bad {
    pub lines_before: u64,
    pub problem: Problem,
}

impl Parser<'_> {
    /// Parses a block that begins at a record and ends with a newline.
    pub fn parse(&self, block: &[u8]) -> Result<Parsed, Bad> {
        let quoted = memchr::memchr(b'"', block).is_some();
        let mut rows = Rows::new(self, memchr::memchr_iter(b'\n', block).count());
        let mut fields = Vec::new();
        let (mut at, mut lines, mut blank) = (0, 0, None);
        while at < block.len() {
            let rest = &block[at..];
            if let [b'\n', ..] | [b'\r', b'\n', ..] = rest {
                blank.get_or_insert(lines);
                at += if rest[0] == b'\n' { 1 } else { 2 };
                lines += 1;
                continue;
            }
            if let Some(lines_before) = blank {
                return Err(Bad { lines_before, problem: Problem::BlankLine });
            }
            let bad = |problem| Bad { lines_before: lines, problem };
            if quoted {
                let record = split(rest, &mut fields).map_err(bad)?;
                rows.push(&fields).map_err(bad)?;
                at += record.length;
                lines += record.lines;
            } else {
                at += rows.push_plain(rest).map_err(bad)?;
                lines += 1;
            }
        }
        Ok(Parsed { rows: rows.count, encoded: rows.encoded, lines, blank })
    }
}

/// Encoded rows in the making.
struct Rows<'p> {
    parser: &'p Parser<'p>,
    encoded: Encoded,
    count: u64,
}

impl<'p> Rows<'p> {
    fn new(parser: &'p Parser<'p>, at_most: usize) -> Self {
        // Exact for tables without newlines in quotes: the matrix keeps these vectors.
        let encoded = Encoded {
            numeric: Vec::with_capacity(at_most * parser.encoder.numbers.len()),
            codes: Vec::with_capacity(at_most * parser.encoder.categories.len()),
            classes: Vec::with_capacity(if parser.labeller.is_some() { at_most } else { 0 }),
        };
        Self { parser, encoded, count: 0 }
    }

    /// Makes room for one row; the file's order of columns need not be the encoder's.
    fn begin(&mut self) -> (usize, usize) {
        let starts = (self.encoded.numeric.len(), self.encoded.codes.len());
        self.encoded.numeric.resize(starts.0 + self.parser.encoder.numbers.len(), 0.0);
        self.encoded.codes.resize(starts.1 + self.parser.encoder.categories.len(), 0);
        self.count += 1;
        starts
    }

    /// Adds a record that is already split.
    fn push(&mut self, fields: &[impl AsRef<[u8]>]) -> Result<(), Problem> {
        let parser = self.parser;
        if fields.len() != parser.roles.len() {
            return Err(Problem::FieldCount { expected: parser.roles.len(), found: fields.len() });
        }
        let starts = self.begin();
        for (role, field) in parser.roles.iter().zip(fields) {
            self.store(*role, field.as_ref(), starts)?;
        }
        Ok(())
    }

    /// Adds the record at the start of a text without quotes, and returns its length. Plain
    /// numbers, most of a table, are read in the same pass that finds where they end.
    fn push_plain(&mut self, text: &[u8]) -> Result<usize, Problem> {
        let parser = self.parser;
        let starts = self.begin();
        let last = parser.roles.len() - 1;
        let mut at = 0;
        for (i, role) in parser.roles.iter().enumerate() {
            let plain = match *role {
                Role::Number(j) => {
                    plain_number(&parser.encoder.numbers[j], &text[at..]).map(|plain| (j, plain))
                }
                _ => None,
            };
            let end = match plain {
                Some((j, (encoded, length))) => {
                    self.encoded.numeric[starts.0 + j] = encoded;
                    at + length
                }
                None => {
                    let end = field_end(text, at);
                    self.store(*role, trimmed(without_return(text, at, end)), starts)?;
                    end
                }
            };
            if (text[end] == b'\n') != (i == last) {
                return Err(self.wrong_count(text));
            }
            at = end + 1;
        }
        Ok(at)
    }

    fn wrong_count(&self, text: &[u8]) -> Problem {
        let line = &text[..memchr::memchr(b'\n', text).unwrap_or(text.len())];
        let found = memchr::memchr_iter(b',', line).count() + 1;
        Problem::FieldCount { expected: self.parser.roles.len(), found }
    }

    fn store(&mut self, role: Role, field: &[u8], starts: (usize, usize)) -> Result<(), Problem> {
        let encoder = self.parser.encoder;
        match role {
            Role::Skip => {}
            Role::Number(j) => {
                self.encoded.numeric[starts.0 + j] = number_code(&encoder.numbers[j], field)?;
            }
            Role::Category(j) => self.encoded.codes[starts.1 + j] = encoder.categories[j].encode(field),
            Role::Target => {
                let labeller = self.parser.labeller.as_ref().expect("a target role comes with a labeller");
                self.encoded.classes.push(labeller.class(field)?);
            }
        }
        Ok(())
    }
}

/// The encoded number at the start of `text` and its length, if it is a plain one that fills
/// its field.
#[inline]
fn plain_number(column: &NumberCode, text: &[u8]) -> Option<(f32, usize)> {
    let ends = |at: usize| matches!(text.get(at), Some(b',' | b'\n'));
    if ends(1)
        && let Some(encoded) = column.digits.get(usize::from(text[0].wrapping_sub(b'0')))
    {
        return Some((*encoded, 1));
    }
    let (value, length) = number::plain_prefix(text)?;
    ends(length).then(|| (column.encode(value), length))
}

pub(super) fn number_code(column: &NumberCode, field: &[u8]) -> Result<f32, Problem> {
    match number::parse(field) {
        Ok(Some(value)) => Ok(column.encode(value)),
        Ok(None) => Ok(column.missing),
        Err(not) => {
            let (column, text) = (column.name.clone(), Excerpt::of(field));
            Err(match not {
                NotNumeric::Text => Problem::NotANumber { column, text },
                NotNumeric::Infinite => Problem::NotFinite { column, text },
            })
        }
    }
}
