//! What an Arrow file says about its own sizes, compared with the file: a few damaged bytes must
//! not take gigabytes. The library makes room for what is said, and has no limits to set.

use super::bounds::{DECODED, LONGEST_FOOTER, PER_BYTE};
use crate::problem::Problem;
use crate::reading_problem::ReadingProblem;
use arrow_ipc::reader::read_footer_length;
use arrow_ipc::{Block, RecordBatch, root_as_footer, root_as_message};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// What an Arrow file begins with, and ends with.
const MAGIC: &[u8; 6] = b"ARROW1";

/// The end of a file: the length of its footer, and the magic bytes.
const END: u64 = 10;

/// Refuses a file whose parts do not fit into it, or unpack to much more than it.
pub(super) fn check(file: &mut File) -> Result<(), Problem> {
    let damaged = |reason: String| Problem::from(ReadingProblem::ArrowFile(reason));
    let unreadable = |error: std::io::Error| Problem::Unreadable(error.to_string());
    let length = file.metadata().map_err(unreadable)?.len();
    if length == 0 {
        return Err(Problem::EmptyFile);
    }
    let mut first = [0; 6];
    let read = file.read(&mut first).map_err(unreadable)?;
    match &first[..read] {
        start if start == MAGIC => {}
        [b'F', b'E', b'A', b'1', ..] => return Err(Problem::from(ReadingProblem::OldFeather)),
        [0xff, 0xff, 0xff, 0xff, ..] => return Err(Problem::from(ReadingProblem::ArrowStream)),
        _ => return Err(damaged("it does not begin as one".to_owned())),
    }
    let mut end = [0; END as usize];
    let too_short = || damaged("it ends early".to_owned());
    if length < 2 * END {
        return Err(too_short());
    }
    at(file, length - END, &mut end).map_err(unreadable)?;
    let footer = read_footer_length(end).map_err(|error| damaged(error.to_string()))? as u64;
    if footer > LONGEST_FOOTER || footer > length - END {
        return Err(damaged("its footer is longer than it".to_owned()));
    }
    let mut bytes = vec![0; footer as usize];
    at(file, length - END - footer, &mut bytes).map_err(unreadable)?;
    let footer = root_as_footer(&bytes).map_err(|error| damaged(error.to_string()))?;
    let blocks = footer
        .dictionaries()
        .into_iter()
        .flatten()
        .chain(footer.recordBatches().into_iter().flatten());
    for block in blocks {
        let decoded = check_block(file, block, length).map_err(damaged)?;
        let most = DECODED + PER_BYTE.saturating_mul(length);
        if decoded > most {
            return Err(Problem::from(ReadingProblem::ArrowMemory { megabytes: most >> 20 }));
        }
    }
    file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
    Ok(())
}

fn at(file: &mut File, offset: u64, into: &mut [u8]) -> std::io::Result<()> {
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(into)
}

/// How much a block unpacks to, if it is within the file.
fn check_block(file: &mut File, block: &Block, length: u64) -> Result<u64, String> {
    let outside = || "a part of it is not within it".to_owned();
    let positive = |value: i64| u64::try_from(value).map_err(|_| outside());
    let (offset, body) = (positive(block.offset())?, positive(block.bodyLength())?);
    let metadata = positive(i64::from(block.metaDataLength()))?;
    let body_start = offset.checked_add(metadata).ok_or_else(outside)?;
    if body_start.checked_add(body).is_none_or(|end| end > length) || metadata < 8 {
        return Err(outside());
    }
    let mut bytes = vec![0; usize::try_from(metadata).map_err(|_| outside())?];
    at(file, offset, &mut bytes).map_err(|error| error.to_string())?;
    // The length stands before the message, and four bytes that say so in newer files.
    let message = if bytes[..4] == [0xff; 4] { &bytes[8..] } else { &bytes[4..] };
    let message = root_as_message(message).map_err(|error| error.to_string())?;
    let batch = message
        .header_as_record_batch()
        .or_else(|| message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data()));
    batch.map_or(Ok(0), |batch| unpacked(file, batch, body_start, body))
}

/// Each compressed buffer begins with the length of what is in it; -1 says that it is not
/// compressed after all.
fn unpacked(
    file: &mut File,
    batch: RecordBatch<'_>,
    body_start: u64,
    body: u64,
) -> Result<u64, String> {
    if batch.compression().is_none() {
        return Ok(body);
    }
    let mut sum = 0u64;
    for buffer in batch.buffers().into_iter().flatten() {
        let outside = || "a column of it is not within it".to_owned();
        let offset = u64::try_from(buffer.offset()).map_err(|_| outside())?;
        let length = u64::try_from(buffer.length()).map_err(|_| outside())?;
        if offset.checked_add(length).is_none_or(|end| end > body) {
            return Err(outside());
        }
        if length < 8 {
            continue;
        }
        let mut prefix = [0; 8];
        at(file, body_start + offset, &mut prefix).map_err(|error| error.to_string())?;
        let inside = match i64::from_le_bytes(prefix) {
            -1 => length,
            inside => u64::try_from(inside).map_err(|_| outside())?,
        };
        sum = sum.saturating_add(inside);
    }
    Ok(sum)
}
