//! The sizes that a page's header claims, read before the library makes room for them.

use super::compact::{Compact, Kind, Unread};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// What a page holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageKind {
    Values,
    Dictionary,
    /// Passed over.
    Index,
}

/// What is read of a header.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PageHeader {
    pub kind: PageKind,
    /// Bytes of the page when it is decompressed.
    pub uncompressed: u32,
    /// Bytes of the page in the file.
    pub compressed: u32,
    /// Bytes at its beginning that are not compressed.
    pub levels: u32,
    /// Bytes of the header itself.
    pub length: u64,
}

/// Bytes of a header that are tried. Nearly all are shorter than the first, but a header may quote
/// a text twice.
const TRIES: [u64; 3] = [4 << 10, 256 << 10, 16 << 20];

impl PageHeader {
    /// The header in the `most` bytes from a place of the file.
    pub fn read(file: &File, at: u64, most: u64) -> Result<PageHeader, String> {
        for length in TRIES {
            let mut bytes = vec![0; most.min(length) as usize];
            file.read_exact_at(&mut bytes, at).map_err(|error: io::Error| error.to_string())?;
            match PageHeader::parse(&bytes) {
                Err(Unread::Short) if length < most => {}
                Err(Unread::Short) => break,
                Err(Unread::Wrong(reason)) => return Err(reason.to_owned()),
                Ok(header) => return Ok(header),
            }
        }
        Err("a page's header ends early".to_owned())
    }

    fn parse(bytes: &[u8]) -> Result<PageHeader, Unread> {
        let mut header = Compact { rest: bytes };
        let (mut id, mut kind, mut uncompressed, mut compressed) = (0, None, None, None);
        // The header of what the page holds: 5 is for values, 6 for an index, 7 for a dictionary, 8
        // for values again.
        let (mut own, mut levels) = (None, 0);
        while let Some(found) = header.field(&mut id)? {
            match (id, found) {
                (1, Kind::Whole) => kind = Some(header.count()?),
                (2, Kind::Whole) => uncompressed = Some(header.count()?),
                (3, Kind::Whole) => compressed = Some(header.count()?),
                (5..=8, Kind::Struct) if own.is_none() => {
                    own = Some(id);
                    match id {
                        8 => levels = levels_of(&mut header)?,
                        _ => header.skip(Kind::Struct)?,
                    }
                }
                (1..=3 | 5..=8, _) => {
                    return Err(Unread::Wrong("a page's header has a part of a wrong type"));
                }
                _ => header.skip(found)?,
            }
        }
        let kind = match (kind, own) {
            (Some(0), Some(5)) | (Some(3), Some(8)) => PageKind::Values,
            (Some(1), Some(6) | None) => PageKind::Index,
            (Some(2), Some(7)) => PageKind::Dictionary,
            _ => return Err(Unread::Wrong("a page's header is not that of its page")),
        };
        let (Some(uncompressed), Some(compressed)) = (uncompressed, compressed) else {
            return Err(Unread::Wrong("a page's header has no sizes"));
        };
        let length = (bytes.len() - header.rest.len()) as u64;
        Ok(PageHeader { kind, uncompressed, compressed, levels, length })
    }
}

/// The lengths of the two kinds of levels, from a header that has them.
fn levels_of(header: &mut Compact<'_>) -> Result<u32, Unread> {
    let (mut id, mut lengths) = (0, [0, 0]);
    while let Some(found) = header.field(&mut id)? {
        match (id, found) {
            (5, Kind::Whole) => lengths[0] = header.count()?,
            (6, Kind::Whole) => lengths[1] = header.count()?,
            _ => header.skip(found)?,
        }
    }
    // Each is below 2³¹.
    Ok(lengths[0] + lengths[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of values: 100 bytes, 50 in the file, 7 values.
    const VALUES: &[u8] =
        b"\x15\x00\x15\xc8\x01\x15\x64\x2c\x15\x0e\x15\x00\x15\x06\x15\x06\x00\x00";

    #[test]
    fn reads_sizes() {
        let header = PageHeader {
            kind: PageKind::Values,
            uncompressed: 100,
            compressed: 50,
            levels: 0,
            length: 18,
        };
        assert_eq!(PageHeader::parse(&[VALUES, b"values"].concat()), Ok(header));
        for end in 0..VALUES.len() {
            assert_eq!(PageHeader::parse(&VALUES[..end]), Err(Unread::Short), "{end}");
        }
    }

    #[test]
    fn refuses_negative_sizes_and_headers_of_other_pages() {
        let changed = |at: usize, byte: u8| {
            let mut bytes = VALUES.to_vec();
            bytes[at] = byte;
            PageHeader::parse(&bytes)
        };
        assert!(matches!(changed(6, 0x65), Err(Unread::Wrong(_))), "minus 51 bytes");
        assert!(matches!(changed(1, 4), Err(Unread::Wrong(_))), "a dictionary");
        assert!(matches!(changed(1, 20), Err(Unread::Wrong(_))), "an unknown page");
        assert!(
            matches!(changed(5, 0x18), Err(Unread::Wrong(_) | Unread::Short)),
            "a text as a size"
        );
    }
}
