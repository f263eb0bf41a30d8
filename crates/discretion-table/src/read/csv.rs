//! CSV files: the header, then blocks that are parsed on all cores while the next are read.

use super::Request;
use super::blocks::{Blocks, Group};
use super::encoded::Encoded;
use super::fields::split;
use super::header;
use super::label::Labeller;
use super::record::{Bad, Parsed, Parser};
use super::source::Source;
use crate::error::{Error, Location, Place};
use crate::problem::Problem;
use rayon::prelude::*;
use std::path::Path;

/// Hands the encoded rows to `each` in order and returns their number.
pub(crate) fn read<E: From<Error>>(
    request: &Request<'_>,
    each: &mut impl FnMut(Encoded) -> Result<(), E>,
) -> Result<u64, E> {
    let (header, mut rest) = open(request.path)?;
    let roles = header::roles(&header, request).map_err(|problem| at_line(request.path, 1, problem))?;
    let parser = Parser { roles, encoder: request.encoder, labeller: Labeller::new(request)? };
    // Two blocks for each core keep all of them busy to the end of a group.
    let count = 2 * rayon::current_num_threads();
    let mut order = Order { path: request.path, lines: rest.lines, rows: 0, blank: None };
    let mut group = Group { blocks: vec![rest.first], problem: None };
    let mut parsed = Vec::new();
    loop {
        // Three groups are under way: one is delivered here while the pool parses the next one
        // and reads the one after it.
        let mut ahead = (Vec::new(), Group::default());
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| {
                let parse = || group.blocks.par_iter().map(|block| parser.parse(block)).collect();
                let read = || match group.problem.is_none() && !group.blocks.is_empty() {
                    true => rest.blocks.group(count),
                    false => Group::default(),
                };
                ahead = rayon::join(parse, read);
            });
            order.deliver(std::mem::take(&mut parsed), each)
        })?;
        (request.progress)(rest.blocks.source().progress());
        let last = group.blocks.is_empty();
        match group.problem {
            Some(problem) if last => return Err(order.error(0, problem).into()),
            None if last => return Ok(order.rows),
            // Rows before the problem come first: they may have one of their own.
            problem @ Some(_) => group = Group { blocks: Vec::new(), problem },
            None => group = ahead.1,
        }
        parsed = ahead.0;
    }
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
    let first = blocks.next().map_err(|problem| Location::file(path).error(problem))?;
    let first = first.ok_or_else(|| Location::file(path).error(Problem::EmptyFile))?;
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

    fn deliver<E: From<Error>>(
        &mut self,
        blocks: Vec<Result<Parsed, Bad>>,
        each: &mut impl FnMut(Encoded) -> Result<(), E>,
    ) -> Result<(), E> {
        for result in blocks {
            let parsed = result.map_err(|bad| match self.blank {
                // Whatever is wrong, it is a line below the blank one.
                Some(blank) => at_line(self.path, blank, Problem::BlankLine),
                None => self.error(bad.lines_before, bad.problem),
            })?;
            self.accept(&parsed)?;
            if parsed.rows > 0 {
                each(parsed.encoded)?;
            }
        }
        Ok(())
    }

    fn accept(&mut self, parsed: &Parsed) -> Result<(), Error> {
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
