//! Cuts a stream of CSV text into blocks that end where a record ends.

use super::source::Source;
use crate::problem::Problem;

/// About what is read at a time: large enough to be worth a task, small enough for the cache.
const BLOCK: usize = 1 << 19;

/// A record that grows past this is taken for an open quote; it bounds the memory in use.
const LONGEST_RECORD: usize = 64 << 20;

/// The blocks of a file, in order. Each begins at a record and ends with a newline.
pub(crate) struct Blocks {
    source: Source,
    /// The beginning of the record that the last block could not complete.
    rest: Vec<u8>,
    ended: bool,
    endless: bool,
}

impl Blocks {
    pub fn new(source: Source) -> Self {
        Self { source, rest: Vec::new(), ended: false, endless: false }
    }

    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Up to `count` blocks, fewer or none at the end of the file.
    pub fn group(&mut self, count: usize) -> Group {
        let mut blocks = Vec::with_capacity(count);
        while blocks.len() < count {
            match self.next() {
                Ok(Some(block)) => blocks.push(block),
                Ok(None) => break,
                Err(problem) => return Group { blocks, problem: Some(problem) },
            }
        }
        Group { blocks, problem: None }
    }

    pub fn next(&mut self) -> Result<Option<Vec<u8>>, Problem> {
        if self.endless {
            return Err(Problem::EndlessRow { megabytes: LONGEST_RECORD >> 20 });
        }
        if self.ended {
            return Ok(None);
        }
        let mut block = Vec::with_capacity(self.rest.len() + BLOCK);
        block.append(&mut self.rest);
        loop {
            if self.source.append_to(&mut block, BLOCK)? < BLOCK {
                self.ended = true;
                return Ok(terminated(block));
            }
            if let Some(end) = end_of_last_record(&block) {
                self.rest.extend_from_slice(&block[end..]);
                block.truncate(end);
                return Ok(Some(block));
            }
            if block.len() > LONGEST_RECORD {
                // The parser sees it first: a misplaced quote, the usual reason, has its own message.
                self.endless = true;
                return Ok(terminated(block));
            }
        }
    }
}

/// Some blocks, and what went wrong after them.
#[derive(Default)]
pub(crate) struct Group {
    pub blocks: Vec<Vec<u8>>,
    pub problem: Option<Problem>,
}

fn terminated(mut block: Vec<u8>) -> Option<Vec<u8>> {
    match block.last() {
        None => return None,
        Some(b'\n') => {}
        Some(_) => block.push(b'\n'),
    }
    Some(block)
}

/// The position after the last newline outside quotes, if the text from the beginning of a
/// record holds one.
///
/// A newline is outside quotes if an even number of quotes precede it: an escaped quote counts
/// twice, and quotes elsewhere than around a field are refused by the parser, which meets them
/// before any wrong cut that they could cause.
fn end_of_last_record(text: &[u8]) -> Option<usize> {
    let mut quotes_before = memchr::memchr_iter(b'"', text).count();
    let mut end = text.len();
    loop {
        let quote = if quotes_before == 0 { None } else { memchr::memrchr(b'"', &text[..end]) };
        let start = quote.map_or(0, |quote| quote + 1);
        if quotes_before.is_multiple_of(2)
            && let Some(newline) = memchr::memrchr(b'\n', &text[start..end])
        {
            return Some(start + newline + 1);
        }
        end = quote?;
        quotes_before -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::end_of_last_record;

    #[test]
    fn cuts_after_newlines_outside_quotes() {
        for (text, expected) in [
            ("", None),
            ("a,b", None),
            ("a\nb", Some("a\n")),
            ("a\n\"b\n", Some("a\n")),
            ("a\n\"b\n\",c\nd", Some("a\n\"b\n\",c\n")),
            ("a\n\"b\"\"\n\",c", Some("a\n")),
            ("\"a\nb", None),
            ("\"a\"\n\"b\"\n\"c", Some("\"a\"\n\"b\"\n")),
        ] {
            let cut = end_of_last_record(text.as_bytes()).map(|end| &text[..end]);
            assert_eq!(cut, expected, "{text:?}");
        }
    }
}
