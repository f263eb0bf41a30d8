//! CSV files: the header, then blocks that are parsed on all cores while the next are read.

use super::Request;
use super::blocks::{BLOCK, Blocks};
use super::bounds::LONGEST_NAME;
use super::encoded_rows::EncodedRows;
use super::fields::{Separators, split};
use super::files::{Each, Ended, Make};
use super::header;
use super::in_order::in_order;
use super::label::Labeller;
use super::record::{BadLine, ParsedBlock, Parser};
use super::separators::DeclaredSeparators;
use super::source::Source;
use super::tally::Tally;
use crate::error::{Error, Excerpt, Location, Place};
use crate::problem::Problem;
use crate::reading_problem::{ReadingProblem, spelled};
use crate::text_format::TextFormat;
use std::path::Path;

/// As [`Request::read`].
pub(crate) fn read<T: Send>(
    request: &Request<'_>,
    make: Make<'_, T>,
    each: Each<'_, T>,
) -> Result<Tally, Ended> {
    let (header, Rest { lines, first, mut blocks }) = open(request.path, request.format)?;
    let roles =
        header::roles(&header, request).map_err(|problem| at_line(request.path, 1, problem))?;
    let separators = DeclaredSeparators::of(request.path, request.format);
    let parser =
        Parser { roles, encoder: request.encoder, labeller: Labeller::new(request)?, separators };
    let tally = Tally::new(request.encoder, parser.labeller.as_ref());
    let mut order = Order { path: request.path, lines, tally, blank: None };
    let progress = blocks.source().progress();
    let places = places(blocks.source());
    let mut first = Some(first);
    let take = |block: &mut Vec<u8>| match first.take() {
        Some(first) => {
            *block = first;
            Ok(true)
        }
        None => blocks.next(block),
    };
    let parse =
        |block: &mut Vec<u8>, memory| parser.parse(block, memory).map(|parsed| parsed.map(make));
    in_order(places, take, parse, |block| {
        let memory = order.deliver(block, each)?;
        (request.progress)(progress());
        Ok::<EncodedRows, Ended>(memory)
    })?;
    Ok(order.tally)
}

/// Two blocks for each core and one that is delivered keep all of them busy; a small file has
/// fewer.
fn places(source: &Source) -> usize {
    let most = 2 * rayon::current_num_threads() + 1;
    let length = source.length().and_then(|length| usize::try_from(length).ok());
    length.map_or(most, |length| most.min(length / BLOCK + 1))
}

/// What follows the header.
pub(crate) struct Rest {
    /// Lines that the header takes.
    pub lines: u64,
    /// The rest of the block that the header was in, possibly empty.
    pub first: Vec<u8>,
    pub blocks: Blocks,
}

/// Opens a CSV file and reads its header.
pub(crate) fn open(path: &Path, format: TextFormat) -> Result<(Vec<String>, Rest), Error> {
    let separators = DeclaredSeparators::of(path, format);
    let at_header = |problem| at_line(path, 1, problem);
    let mut blocks = Blocks::new(Source::open(path, format.encoding)?);
    let mut first = Vec::new();
    let unreadable = |problem| match problem {
        Problem::Gzip(_) | Problem::Unreadable(_) => Location::file(path).error(problem),
        problem => at_header(problem),
    };
    if !blocks.next(&mut first).map_err(unreadable)? {
        return Err(Location::file(path).error(Problem::EmptyFile));
    }
    if first.starts_with(b"\x1f\x8b") {
        return Err(Location::file(path).error(Problem::Compressed));
    }
    if first.starts_with(b"\xff\xfe") || first.starts_with(b"\xfe\xff") {
        return Err(Location::file(path).error(Problem::from(ReadingProblem::Utf16)));
    }
    let text = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&first);
    if text.trim_ascii().is_empty() {
        return Err(Location::file(path).error(Problem::EmptyFile));
    }
    if text.starts_with(b"\n") || text.starts_with(b"\r\n") {
        return Err(at_header(Problem::BlankHeader));
    }
    let mut fields = Vec::new();
    let record = split(text, &mut fields, separators).map_err(at_header)?;
    // A name in quotes may have any letters in it.
    if let [only] = &fields[..]
        && !text.starts_with(b"\"")
        && let Some(&found) = b";\t,|".iter().find(|&other| only.contains(other))
    {
        let (sign, flag) = match found {
            b';' => (r#"";""#, r#"";""#),
            b'|' => (r#""|""#, r#""|""#),
            b'\t' => (r#""\t""#, "tab"),
            _ => (r#"",""#, ","),
        };
        let (delimiter, found) = (spelled(separators.delimiter()), spelled(found));
        let other = ReadingProblem::OtherDelimiter { delimiter, found, sign, flag };
        return Err(at_header(Problem::from(other)));
    }
    if fields.iter().any(|name| name.contains(&b'\r')) {
        return Err(at_header(Problem::LoneReturns));
    }
    if let Some(name) = fields.iter().find(|name| name.len() > LONGEST_NAME) {
        return Err(at_header(Problem::LongName {
            kilobytes: LONGEST_NAME >> 10,
            text: Excerpt::of(name),
        }));
    }
    let header = fields.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let first = text[record.length..].to_vec();
    Ok((header, Rest { lines: record.lines, first, blocks }))
}

pub(crate) fn at_line(path: &Path, line: u64, problem: Problem) -> Error {
    Location::new(path, Place::Line(line)).error(problem)
}

/// Keeps count of lines and rows while blocks come back in order.
struct Order<'a> {
    path: &'a Path,
    /// Lines before the next block.
    lines: u64,
    tally: Tally,
    /// The first blank line that no row has followed so far.
    blank: Option<u64>,
}

impl Order<'_> {
    fn error(&self, lines_before: u64, problem: Problem) -> Error {
        at_line(self.path, self.lines + lines_before + 1, problem)
    }

    /// Hands the rows of a block to `each`, and returns the memory that comes back.
    fn deliver<T>(
        &mut self,
        block: Result<Result<ParsedBlock<T>, BadLine>, Problem>,
        each: Each<'_, T>,
    ) -> Result<EncodedRows, Ended> {
        let parsed = block.map_err(|problem| self.error(0, problem))?;
        let parsed = parsed.map_err(|bad| match self.blank {
            // Whatever is wrong, it is a line below the blank one.
            Some(blank) => at_line(self.path, blank, Problem::BlankLine),
            None => self.error(bad.lines_before, bad.problem),
        })?;
        self.accept(&parsed)?;
        if parsed.tally.rows > 0 { each(parsed.content) } else { Ok(EncodedRows::default()) }
    }

    fn accept<T>(&mut self, parsed: &ParsedBlock<T>) -> Result<(), Error> {
        if let Some(blank) = self.blank
            && parsed.tally.rows > 0
        {
            return Err(at_line(self.path, blank, Problem::BlankLine));
        }
        self.blank = self.blank.or(parsed.blank.map(|lines_before| self.lines + lines_before + 1));
        self.lines += parsed.lines;
        self.tally.add(&parsed.tally);
        Ok(())
    }
}
