//! Cuts a stream of CSV text into blocks that end where a record ends.

use super::bounds::LONGEST_RECORD;
use super::fields::{Commas, split};
use super::source::Source;
use crate::problem::Problem;

/// About what is read at a time: large enough to be worth a task, small enough for the cache.
pub(crate) const BLOCK: usize = 1 << 18;

/// The blocks of a file, in order. Each begins at a record and ends with a newline.
pub(crate) struct Blocks {
    source: Source,
    /// The beginning of the record that the last block could not complete.
    rest: Vec<u8>,
    ended: bool,
}

impl Blocks {
    pub fn new(source: Source) -> Self {
        Self { source, rest: Vec::new(), ended: false }
    }

    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Puts the next block in the place of an earlier one, whose memory it uses. False if there is
    /// none, as after an error.
    pub fn next(&mut self, block: &mut Vec<u8>) -> Result<bool, Problem> {
        if self.ended {
            return Ok(false);
        }
        self.ended = true;
        let (length, more) = self.read(block)?;
        self.ended = !more;
        block.truncate(length);
        if block.last().is_some_and(|&last| last != b'\n') {
            block.push(b'\n');
        }
        Ok(length > 0)
    }

    /// Reads until a record ends. Returns how much of the block that is, and whether there may be
    /// more.
    fn read(&mut self, block: &mut Vec<u8>) -> Result<(usize, bool), Problem> {
        if block.capacity() > 8 * BLOCK {
            // One endless record must not leave its memory with every place.
            *block = Vec::new();
        }
        // What the last block left in this memory is overwritten, not cleared.
        let mut filled = self.rest.len();
        block.resize(filled + BLOCK, 0);
        block[..filled].copy_from_slice(&self.rest);
        self.rest.clear();
        loop {
            filled += self.source.fill(&mut block[filled..])?;
            if filled < block.len() {
                return Ok((filled, false));
            }
            if let Some(end) = end_of_last_record(block) {
                self.rest.extend_from_slice(&block[end..]);
                return Ok((end, true));
            }
            if filled > LONGEST_RECORD {
                block.push(b'\n');
                return Err(why_endless(block));
            }
            block.resize((2 * filled).min(LONGEST_RECORD + BLOCK), 0);
        }
    }
}

/// What is wrong with a record that does not end. A misplaced quote, the usual reason, has its own
/// message.
fn why_endless(text: &[u8]) -> Problem {
    let endless = Problem::EndlessRow { megabytes: LONGEST_RECORD >> 20 };
    split(text, &mut Vec::new(), Commas).err().unwrap_or(endless)
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
