//! From a block of CSV text to encoded rows.

use super::codes::{date_code, number_code};
use super::encoded_rows::EncodedRows;
use super::fields::{Commas, Separators, blank_lines, field_end, split, without_return};
use super::header::Role;
use super::label::Labeller;
use super::number;
use super::separators::DeclaredSeparators;
use super::tally::{NumberTally, Tally};
use crate::encode::{Encoder, NumberCode};
use crate::one_of::NO_ONE_YET;
use crate::problem::Problem;
use crate::schema::trimmed;

/// What is known about a file before its rows are parsed; shared by all threads.
pub(crate) struct Parser<'a> {
    pub roles: Vec<Role>,
    pub encoder: &'a Encoder,
    pub labeller: Option<Labeller>,
    pub separators: DeclaredSeparators,
}

/// The rows of one block.
pub(crate) struct ParsedBlock<T> {
    pub content: T,
    /// How many there are, and what was counted.
    pub tally: Tally,
    /// Newlines in the block.
    pub lines: u64,
    /// Lines before the first blank line that no row follows in this block.
    pub blank: Option<u64>,
}

impl<T> ParsedBlock<T> {
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> ParsedBlock<U> {
        ParsedBlock {
            content: make(self.content),
            tally: self.tally,
            lines: self.lines,
            blank: self.blank,
        }
    }
}

/// What is wrong in a block, and how many of its lines precede it.
pub(crate) struct BadLine {
    pub lines_before: u64,
    pub problem: Problem,
}

impl Parser<'_> {
    /// Parses a block that begins at a record and ends with a newline, into the memory of earlier
    /// rows.
    pub fn parse(
        &self,
        block: &[u8],
        memory: EncodedRows,
    ) -> Result<ParsedBlock<EncodedRows>, BadLine> {
        // Told apart here, once for each block, and not at every field.
        match self.separators.are_commas() {
            true => self.parse_by(Commas, block, memory),
            false => self.parse_by(self.separators, block, memory),
        }
    }

    /// Returns true if a field of this role is compared with texts, such as codes.
    #[cfg(feature = "sqlite")]
    pub fn reads_text(&self, role: Role) -> bool {
        match role {
            Role::Skip | Role::Number(_) | Role::CheckedNumber(_) | Role::Weight => false,
            Role::Condition(k) => !self.encoder.conditions[k].is_of_numbers(),
            Role::Several(k) => self.encoder.shared[k].1.iter().any(|&role| self.reads_text(role)),
            Role::Date(_)
            | Role::Category(_)
            | Role::DatePart(_)
            | Role::Indicator(..)
            | Role::Target
            | Role::Person => true,
        }
    }

    /// Rows that come as fields, into the memory of earlier ones.
    #[cfg(feature = "sqlite")]
    pub fn rows(&self, memory: EncodedRows) -> RowBuilder<'_, Commas> {
        RowBuilder::new(self, Commas, memory)
    }

    fn parse_by(
        &self,
        separators: impl Separators,
        block: &[u8],
        memory: EncodedRows,
    ) -> Result<ParsedBlock<EncodedRows>, BadLine> {
        let quoted = memchr::memchr(b'"', block).is_some();
        let mut rows = RowBuilder::new(self, separators, memory);
        let mut fields = Vec::new();
        let (mut at, mut lines, mut blank) = (0, 0, None);
        while at < block.len() {
            let rest = &block[at..];
            let (bytes, count) = blank_lines(rest);
            if count > 0 {
                blank.get_or_insert(lines);
                at += bytes;
                lines += count;
                continue;
            }
            if let Some(lines_before) = blank {
                return Err(BadLine { lines_before, problem: Problem::BlankLine });
            }
            let bad = |problem| BadLine { lines_before: lines, problem };
            if quoted {
                let record = split(rest, &mut fields, separators).map_err(bad)?;
                rows.push(&fields).map_err(bad)?;
                at += record.length;
                lines += record.lines;
            } else {
                at += rows.push_plain(rest).map_err(bad)?;
                lines += 1;
            }
        }
        let (content, tally) = rows.finish();
        Ok(ParsedBlock { tally, content, lines, blank })
    }
}

/// Encoded rows in the making.
pub(crate) struct RowBuilder<'p, S> {
    parser: &'p Parser<'p>,
    separators: S,
    encoded: EncodedRows,
    /// The row at hand, whose fields come in the file's order.
    numbers: Vec<f32>,
    codes: Vec<u16>,
    is_left_out: bool,
    tally: Tally,
}

impl<'p, S: Separators> RowBuilder<'p, S> {
    fn new(parser: &'p Parser<'p>, separators: S, encoded: EncodedRows) -> Self {
        let (numbers, codes) = (parser.encoder.numbers.len(), parser.encoder.categories.len());
        let tally = Tally::new(parser.encoder, parser.labeller.as_ref());
        let (numbers, codes) = (vec![0.0; numbers], vec![NO_ONE_YET; codes]);
        Self { parser, separators, encoded, numbers, codes, is_left_out: false, tally }
    }

    /// Adds the row at hand, which is complete.
    fn add(&mut self) {
        let encoder = self.parser.encoder;
        for &j in &encoder.one_of {
            self.codes[j] =
                encoder.categories[j].indicated(self.codes[j], &mut self.tally.categories[j]);
        }
        self.encoded.numeric.extend_from_slice(&self.numbers);
        self.encoded.codes.extend_from_slice(&self.codes);
        if encoder.leaves_out() {
            self.encoded.left_out.push(std::mem::take(&mut self.is_left_out));
        }
        encoder.one_of.iter().for_each(|&j| self.codes[j] = NO_ONE_YET);
        self.tally.rows += 1;
    }

    /// How many there are.
    #[cfg(feature = "sqlite")]
    pub fn count(&self) -> u64 {
        self.tally.rows
    }

    /// They are all there.
    pub fn finish(mut self) -> (EncodedRows, Tally) {
        self.encoded.leave_out(&mut self.tally);
        (self.encoded, self.tally)
    }

    /// Adds a record that is already split.
    pub fn push(&mut self, fields: &[impl AsRef<[u8]>]) -> Result<(), Problem> {
        let parser = self.parser;
        if fields.len() != parser.roles.len() {
            return Err(Problem::FieldCount { expected: parser.roles.len(), found: fields.len() });
        }
        for (role, field) in parser.roles.iter().zip(fields) {
            self.store(*role, field.as_ref())?;
        }
        self.add();
        Ok(())
    }

    /// Adds the record at the start of a text without quotes, and returns its length. Plain
    /// numbers, most of a table, are read in the same pass that finds where they end.
    fn push_plain(&mut self, text: &[u8]) -> Result<usize, Problem> {
        let (last, others) = self.parser.roles.split_last().expect("a table has columns");
        let mut rest = text;
        for role in others {
            rest = match self.store_plain(*role, rest, self.separators.delimiter())? {
                Some(rest) => rest,
                None => return Err(self.wrong_count(text)),
            };
        }
        match self.store_plain(*last, rest, b'\n')? {
            Some(rest) => {
                self.add();
                Ok(text.len() - rest.len())
            }
            None => Err(self.wrong_count(text)),
        }
    }

    /// Stores the field at the start of a text, and returns what follows, if the field ends with
    /// `separator`.
    #[inline(always)]
    fn store_plain<'t>(
        &mut self,
        role: Role,
        text: &'t [u8],
        separator: u8,
    ) -> Result<Option<&'t [u8]>, Problem> {
        if let Role::Number(j) = role
            && let Some((encoded, rest)) = plain_number(
                &self.parser.encoder.numbers[j],
                text,
                (separator, self.separators.decimal()),
                &mut self.tally.numbers[j],
            )
        {
            self.numbers[j] = encoded;
            return Ok(Some(rest));
        }
        let end = field_end(text, 0, self.separators.delimiter());
        self.store(role, trimmed(without_return(text, 0, end)))?;
        Ok((text[end] == separator).then(|| &text[end + 1..]))
    }

    fn wrong_count(&self, text: &[u8]) -> Problem {
        let line = &text[..memchr::memchr(b'\n', text).unwrap_or(text.len())];
        let found = memchr::memchr_iter(self.separators.delimiter(), line).count() + 1;
        Problem::FieldCount { expected: self.parser.roles.len(), found }
    }

    fn store(&mut self, role: Role, field: &[u8]) -> Result<(), Problem> {
        let (encoder, tally, decimal) =
            (self.parser.encoder, &mut self.tally, self.separators.decimal());
        match role {
            Role::Skip => {}
            Role::Number(j) | Role::CheckedNumber(j) => {
                self.numbers[j] =
                    number_code(&encoder.numbers[j], field, decimal, &mut tally.numbers[j])?;
            }
            Role::Date(j) => {
                self.numbers[j] =
                    date_code(&encoder.numbers[j], field, false, &mut tally.numbers[j])?;
            }
            Role::DatePart(j) => {
                self.codes[j] =
                    encoder.categories[j].encode_part(field, false, &mut tally.categories[j])?;
            }
            Role::Several(k) => {
                for role in &encoder.shared[k].1 {
                    self.store(*role, field)?;
                }
            }
            Role::Category(j) => {
                self.codes[j] = encoder.categories[j].encode(field, &mut tally.categories[j])?;
            }
            Role::Indicator(j, place) => {
                encoder.categories[j].indicate(place, field, &mut self.codes[j])?
            }
            Role::Target => {
                let labeller =
                    self.parser.labeller.as_ref().expect("a target role comes with a labeller");
                self.encoded.classes.push(labeller.counted_class(field, tally)?);
            }
            Role::Condition(k) => {
                self.is_left_out |= !encoder.conditions[k].holds(field, decimal, false)?;
            }
            Role::Weight => {
                self.encoded.weights.push(encoder.weight_code().weight(
                    field,
                    decimal,
                    &mut tally.weight,
                )?);
            }
            Role::Person => {
                let person =
                    encoder.person.as_ref().expect("a person's role comes with its column");
                self.encoded.persons.push(person.person(field)?);
            }
        }
        Ok(())
    }
}

/// The encoded number at the start of `text` and what follows, if it is a plain one that fills
/// its field.
#[inline(always)]
fn plain_number<'t>(
    column: &NumberCode,
    text: &'t [u8],
    (separator, decimal): (u8, u8),
    tally: &mut NumberTally,
) -> Option<(f32, &'t [u8])> {
    if let [digit, end, rest @ ..] = text
        && *end == separator
        && let Some(encoded) = column.digits.get(usize::from(digit.wrapping_sub(b'0')))
        && !encoded.is_nan()
    {
        return Some((*encoded, rest));
    }
    let (value, length) = number::plain_prefix(text, decimal)?;
    match &text[length..] {
        [end, rest @ ..] if *end == separator => Some((column.encode_counted(value, tally), rest)),
        _ => None,
    }
}
