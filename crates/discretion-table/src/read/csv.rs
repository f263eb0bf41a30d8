//! CSV files: the header, then blocks that are parsed on all cores while the next are read.

use super::Request;
use super::blocks::{BLOCK, Blocks};
use super::encoded::Encoded;
use super::fields::split;
use super::header;
use super::in_order::in_order;
use super::label::Labeller;
use super::record::{Bad, Parsed, Parser};
use super::source::Source;
use crate::error::{Error, Location, Place};
use crate::problem::Problem;
use std::path::Path;

/// A block on its way from the file to the rows in it. Its memory serves one block after the other.
struct Block<T> {
    text: Vec<u8>,
    stage: Stage<T>,
}

enum Stage<T> {
    /// Not parsed yet; there is memory for its rows.
    Text(Encoded),
    /// It could not be read.
    Unreadable(Problem),
    Parsed(Result<Parsed<T>, Bad>),
}

/// As [`Request::read`].
pub(crate) fn read<T: Send, E: From<Error>>(
    request: &Request<'_>,
    make: &(impl Fn(Encoded) -> T + Sync),
    each: &mut impl FnMut(T) -> Result<Encoded, E>,
) -> Result<u64, E> {
    let (header, Rest { lines, first, mut blocks }) = open(request.path)?;
    let roles = header::roles(&header, request).map_err(|problem| at_line(request.path, 1, problem))?;
    let parser = Parser { roles, encoder: request.encoder, labeller: Labeller::new(request)? };
    let mut order = Order { path: request.path, lines, rows: 0, blank: None };
    let progress = blocks.source().progress();
    let places = places(&blocks);
    let mut first = Some(first);
    let take = |block: &mut Block<T>| match first.take() {
        Some(first) => {
            block.text = first;
            true
        }
        None => blocks.next(&mut block.text).unwrap_or_else(|problem| {
            block.stage = Stage::Unreadable(problem);
            true
        }),
    };
    let parse = |block: &mut Block<T>| {
        if let Stage::Text(memory) = &mut block.stage {
            let parsed = parser.parse(&block.text, std::mem::take(memory));
            block.stage = Stage::Parsed(parsed.map(|parsed| parsed.map(make)));
        }
    };
    in_order(places, take, parse, |block| {
        let stage = std::mem::replace(&mut block.stage, Stage::Text(Encoded::default()));
        block.stage = Stage::Text(order.deliver(stage, each)?);
        (request.progress)(progress());
        Ok::<(), E>(())
    })?;
    Ok(order.rows)
}

/// Two blocks for each core and one that is delivered keep all of them busy; a small file needs fewer.
fn places<T>(blocks: &Blocks) -> Vec<Block<T>> {
    let most = 2 * rayon::current_num_threads() + 1;
    let needed = blocks.source().length().map_or(most as u64, |length| length / BLOCK as u64 + 1);
    let place = || Block { text: Vec::new(), stage: Stage::Text(Encoded::default()) };
    std::iter::repeat_with(place).take(most.min(usize::try_from(needed).unwrap_or(most))).collect()
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
pub(crate) fn open(path: &Path) -> Result<(Vec<String>, Rest), Error> {
    let at_header = |problem| at_line(path, 1, problem);
    let mut blocks = Blocks::new(Source::open(path)?);
    let mut first = Vec::new();
    if !blocks.next(&mut first).map_err(|problem| Location::file(path).error(problem))? {
        return Err(Location::file(path).error(Problem::EmptyFile));
    }
    if first.starts_with(b"\x1f\x8b") {
        return Err(Location::file(path).error(Problem::Compressed));
    }
    if first.starts_with(b"\xff\xfe") || first.starts_with(b"\xfe\xff") {
        return Err(Location::file(path).error(Problem::Utf16));
    }
    let text = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&first);
    if text.trim_ascii().is_empty() {
        return Err(Location::file(path).error(Problem::EmptyFile));
    }
    if text.starts_with(b"\n") || text.starts_with(b"\r\n") {
        return Err(at_header(Problem::BlankHeader));
    }
    let mut fields = Vec::new();
    let record = split(text, &mut fields).map_err(at_header)?;
    if let [only] = &fields[..]
        && memchr::memchr2(b';', b'\t', only).is_some()
    {
        return Err(at_header(Problem::OtherSeparator));
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
    rows: u64,
    /// The first blank line that no row has followed so far.
    blank: Option<u64>,
}

impl Order<'_> {
    fn error(&self, lines_before: u64, problem: Problem) -> Error {
        at_line(self.path, self.lines + lines_before + 1, problem)
    }

    /// Hands the rows of a block to `each`, and returns the memory that comes back.
    fn deliver<T, E: From<Error>>(
        &mut self,
        block: Stage<T>,
        each: &mut impl FnMut(T) -> Result<Encoded, E>,
    ) -> Result<Encoded, E> {
        let parsed = match block {
            Stage::Text(memory) => return Ok(memory),
            Stage::Unreadable(problem) => return Err(self.error(0, problem).into()),
            Stage::Parsed(parsed) => parsed.map_err(|bad| match self.blank {
                // Whatever is wrong, it is a line below the blank one.
                Some(blank) => at_line(self.path, blank, Problem::BlankLine),
                None => self.error(bad.lines_before, bad.problem),
            })?,
        };
        self.accept(&parsed)?;
        if parsed.rows > 0 { each(parsed.content) } else { Ok(Encoded::default()) }
    }

    fn accept<T>(&mut self, parsed: &Parsed<T>) -> Result<(), Error> {
        if let Some(blank) = self.blank
            && parsed.rows > 0
        {
            return Err(at_line(self.path, blank, Problem::BlankLine));
        }
        self.blank = self.blank.or(parsed.blank.map(|lines_before| self.lines + lines_before + 1));
        self.lines += parsed.lines;
        self.rows += parsed.rows;
        Ok(())
    }
}
