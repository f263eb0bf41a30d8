//! Parquet files that are damaged at every number and at many bytes. Each is read or refused; none
//! ends in a panic, and all of them together take little memory.

mod bombs;
#[path = "../common/mod.rs"]
mod common;
mod files;
mod thrift;

use common::Table;
use discretion_table::{Purpose, Schema, draft};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a number becomes. Sizes, offsets and counts are numbers, and so are types and encodings.
const OTHERS: [fn(i64) -> i64; 8] = [
    |number| -number - 1,
    |number| number + 1,
    |_| 0,
    |_| i64::from(i32::MAX),
    |_| i64::MAX,
    |_| i64::MIN,
    |number| number * 1000 + 17,
    |number| number ^ 2,
];

/// How many ended how.
#[derive(Default)]
struct Ends {
    read: usize,
    refused: usize,
}

impl Ends {
    /// Reads a file in every way that there is.
    fn add(&mut self, schema: &Schema, bytes: &[u8]) {
        let table = Table::new("t.parquet", bytes);
        let drafted =
            draft(&table.path, Some("t"), true).map(drop).map_err(|error| error.to_string());
        let read = table.read_as(schema, Purpose::Train).map(drop);
        for end in [drafted, read] {
            match end {
                Ok(()) => self.read += 1,
                Err(message) => {
                    assert!(
                        message.starts_with('/') || message.starts_with("t.parquet"),
                        "{message}"
                    );
                    self.refused += 1;
                }
            }
        }
    }
}

/// A file that is taken apart: what precedes the footer, and the footer.
struct Parts<'f> {
    body: &'f [u8],
    footer: &'f [u8],
}

impl Parts<'_> {
    fn of(bytes: &[u8]) -> Parts<'_> {
        let end = bytes.len() - 8;
        let length = u32::from_le_bytes(*bytes[end..].first_chunk().unwrap()) as usize;
        Parts { body: &bytes[..end - length], footer: &bytes[end - length..end] }
    }

    fn file(body: &[u8], footer: &[u8]) -> Vec<u8> {
        [body, footer, &(footer.len() as u32).to_le_bytes(), b"PAR1"].concat()
    }

    /// The chunks: their group and column, and their bytes.
    fn chunks(&self) -> Vec<(i64, i64, Range<usize>)> {
        let numbers = thrift::numbers(self.footer);
        let number = |path: &[i64]| {
            numbers.iter().find(|(found, _)| found == path).map(|(_, number)| *number as usize)
        };
        let mut chunks = Vec::new();
        for group in 0.. {
            for column in 0.. {
                let of = |field| number(&[4, group, 1, column, 3, field]);
                let Some(values) = of(9) else { break };
                let start = of(11).unwrap_or(values);
                chunks.push((group, column, start..start + of(7).unwrap()));
            }
            if number(&[4, group + 1, 3]).is_none() {
                return chunks;
            }
        }
        unreachable!()
    }

    /// The file with other bytes in some place of a chunk, such as a page's header, and everything
    /// behind them where it is then.
    fn with(&self, chunk: &(i64, i64, Range<usize>), place: Range<usize>, bytes: &[u8]) -> Vec<u8> {
        let body = [&self.body[..place.start], bytes, &self.body[place.end..]].concat();
        let moved = bytes.len() as i64 - place.len() as i64;
        let (footer, _) = thrift::rewrite(self.footer, &mut |path, number| match path[..] {
            // Bytes of the chunk that the page is in; where chunks begin.
            [4, group, 1, column, 3, 7] if (group, column) == (chunk.0, chunk.1) => number + moved,
            [4, _, 1, _, 3, 9 | 11] if number > place.start as i64 => number + moved,
            _ => number,
        });
        Parts::file(&body, &footer)
    }
}

/// Panics that were caught are silent and counted; others are told.
fn count_panics() -> &'static AtomicUsize {
    static CAUGHT: AtomicUsize = AtomicUsize::new(0);
    let told = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| match discretion_table::is_decoding() {
        true => drop(CAUGHT.fetch_add(1, Ordering::Relaxed)),
        false => told(info),
    }));
    &CAUGHT
}

fn pseudorandom() -> impl FnMut(usize) -> usize {
    let mut state = 1_u64;
    move |below| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    }
}

#[test]
fn every_damaged_file_is_read_or_refused_in_little_memory() {
    let (_caught, schema) = (count_panics(), files::schema());
    let mut random = pseudorandom();
    for (name, good) in files::all() {
        let parts = Parts::of(&good);
        Table::new("t.parquet", &good).read_as(&schema, Purpose::Train).unwrap();
        assert_eq!(
            Parts::file(parts.body, &thrift::rewrite(parts.footer, &mut |_, number| number).0),
            good
        );
        let (mut footers, mut headers, mut bytes) =
            (Ends::default(), Ends::default(), Ends::default());

        for (path, _) in thrift::numbers(parts.footer) {
            // More of one of them than of the others.
            for other in
                OTHERS.iter().filter(|_| random(if name == "dictionary" { 8 } else { 20 }) == 0)
            {
                let (footer, _) =
                    thrift::rewrite(parts.footer, &mut |at, number| match *at == path {
                        true => other(number),
                        false => number,
                    });
                footers.add(&schema, &Parts::file(parts.body, &footer));
            }
        }
        for chunk in parts.chunks() {
            let mut at = chunk.2.start;
            while at < chunk.2.end {
                let numbers = thrift::numbers(&good[at..]);
                let (_, length) = thrift::rewrite(&good[at..], &mut |_, number| number);
                for (path, _) in &numbers {
                    for other in OTHERS.iter().filter(|_| random(12) == 0) {
                        let (header, _) =
                            thrift::rewrite(&good[at..], &mut |at, number| match at == path {
                                true => other(number),
                                false => number,
                            });
                        headers.add(&schema, &parts.with(&chunk, at..at + length, &header));
                    }
                }
                let compressed = numbers.iter().find(|(path, _)| path == &[3]).unwrap().1;
                at += length + compressed as usize;
            }
        }
        for k in 0..80 {
            let mut damaged = good.clone();
            for _ in 0..1 + k % 4 {
                let at = random(damaged.len());
                damaged[at] = random(256) as u8;
            }
            bytes.add(&schema, &damaged);
            bytes.add(&schema, &good[..random(good.len())]);
        }
        let refused = [footers.refused, headers.refused, bytes.refused];
        assert!(refused.iter().all(|&count| count > 50), "{name}: {refused:?}");
    }
    check_memory();
}

/// Of all tests together; what was asked for and not used counts as well, but each thread asks for
/// some.
fn check_memory() {
    let (held, asked) = (common::kilobytes("VmHWM"), common::kilobytes("VmPeak"));
    assert!(held < 400_000, "{held} kB were used");
    assert!(asked < 4_000_000, "{asked} kB were asked for");
}
