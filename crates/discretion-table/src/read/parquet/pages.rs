//! The pages of columns, each looked at before the library decompresses it and again before it is
//! decoded.

use super::allowance::Allowance;
use super::compact::Unread;
use super::delta;
use super::page_header::{PageHeader, PageKind};
use crate::problem::Problem;
use flate2::read::MultiGzDecoder;
use parquet::arrow::arrow_reader::RowGroups;
use parquet::basic::{Compression, Encoding, Type};
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::serialized_reader::SerializedPageReader;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// All chunks of a file, whose footer was checked.
#[derive(Clone)]
pub(super) struct Chunks {
    pub file: Arc<File>,
    pub metadata: Arc<ParquetMetaData>,
    pub allowance: Arc<Allowance>,
    /// How many rows are decoded at a time.
    pub rows: u64,
}

impl RowGroups for Chunks {
    fn num_rows(&self) -> usize {
        usize::try_from(self.metadata.file_metadata().num_rows()).unwrap_or(0)
    }

    fn column_chunks(&self, leaf: usize) -> Result<Box<dyn PageIterator>> {
        Ok(Box::new(ColumnChunks { chunks: self.clone(), leaf, group: 0 }))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(self.metadata.row_groups().iter())
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

/// The chunks of a column, a row group each.
struct ColumnChunks {
    chunks: Chunks,
    leaf: usize,
    group: usize,
}

impl Iterator for ColumnChunks {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        let group = self.chunks.metadata.row_groups().get(self.group)?;
        self.group += 1;
        Some(
            CheckedPages::new(&self.chunks, group.column(self.leaf))
                .map(|pages| Box::new(pages) as _),
        )
    }
}

impl PageIterator for ColumnChunks {}

/// The pages of a chunk.
struct CheckedPages {
    pages: SerializedPageReader<File>,
    chunks: Chunks,
    /// Where the next page begins, and where the chunk ends.
    at: u64,
    end: u64,
    /// Values that are still to come.
    values: u64,
    gzip: bool,
    stored: Type,
    /// Bytes of a value, or the least that it takes.
    width: u64,
    /// Whether values can be missing.
    optional: bool,
    has_dictionary: bool,
    /// Bytes held of the allowance.
    dictionary: u64,
    page: u64,
}

impl Drop for CheckedPages {
    fn drop(&mut self) {
        self.chunks.allowance.release(&mut self.dictionary);
        self.chunks.allowance.release(&mut self.page);
    }
}

impl CheckedPages {
    fn new(chunks: &Chunks, chunk: &ColumnChunkMetaData) -> Result<CheckedPages> {
        let (start, length) = chunk.byte_range();
        let column = chunk.column_descr();
        let width = match column.physical_type() {
            Type::BOOLEAN => 0,
            Type::INT32 | Type::FLOAT | Type::BYTE_ARRAY => 4,
            Type::INT64 | Type::DOUBLE => 8,
            Type::INT96 => 12,
            Type::FIXED_LEN_BYTE_ARRAY => u64::try_from(column.type_length())?,
        };
        Ok(CheckedPages {
            // The numbers of rows and places of pages are for those who skip some.
            pages: SerializedPageReader::new(Arc::clone(&chunks.file), chunk, 0, None)?,
            chunks: chunks.clone(),
            at: start,
            end: start + length,
            values: u64::try_from(chunk.num_values())?,
            gzip: matches!(chunk.compression(), Compression::GZIP(_)),
            stored: column.physical_type(),
            width,
            optional: column.max_def_level() > 0,
            has_dictionary: false,
            dictionary: 0,
            page: 0,
        })
    }

    fn refuse(&self, reason: &str) -> ParquetError {
        self.chunks.allowance.refuse(Problem::Parquet(reason.to_owned()))
    }

    fn unread(&self, unread: Unread) -> ParquetError {
        match unread {
            Unread::Short => self.refuse("a page ends early"),
            Unread::Wrong(reason) => self.refuse(reason),
        }
    }

    /// Before the next page is decompressed.
    fn announce(&mut self) -> Result<()> {
        while self.at < self.end {
            let header = PageHeader::read(&self.chunks.file, self.at, self.end - self.at)
                .map_err(|reason| self.refuse(&reason))?;
            let start = self.at + header.length;
            self.at = start + u64::from(header.compressed);
            if self.at > self.end {
                return Err(self.refuse("a page is longer than its column"));
            }
            let bytes = u64::from(header.uncompressed.max(header.compressed));
            let allowance = &self.chunks.allowance;
            match header.kind {
                PageKind::Index => continue,
                PageKind::Dictionary => allowance.exchange(&mut self.dictionary, bytes)?,
                PageKind::Values => allowance.exchange(&mut self.page, bytes)?,
            }
            return self.check_gzip(&header, start);
        }
        Ok(())
    }

    /// The library inflates gzip for as long as there is something, and looks at the length that
    /// was announced afterwards.
    fn check_gzip(&self, header: &PageHeader, start: u64) -> Result<()> {
        /// No bytes inflate to more.
        const MOST_INFLATION: u64 = 1032;
        let most = MOST_INFLATION * u64::from(header.compressed);
        if !self.gzip || self.chunks.allowance.has_room(most) {
            return Ok(());
        }
        let mut page = vec![0; header.compressed as usize];
        self.chunks.file.read_exact_at(&mut page, start)?;
        let (levels, announced) =
            (header.levels.min(header.compressed), u64::from(header.uncompressed));
        let mut inflated = MultiGzDecoder::new(&page[levels as usize..]).take(announced + 1);
        match io::copy(&mut inflated, &mut io::sink()) {
            Ok(bytes) if bytes > announced => {
                Err(self.refuse("a page is longer than its header says"))
            }
            // If it cannot be inflated, the library says so.
            _ => Ok(()),
        }
    }

    fn check_dictionary(&mut self, page: &Page) -> Result<()> {
        let (bytes, count) = (page.buffer(), u64::from(page.num_values()));
        if self.width == 0 || count * self.width > bytes.len() as u64 {
            return Err(self.refuse("a dictionary has fewer values than it says"));
        }
        let longest = match self.stored {
            Type::BYTE_ARRAY => longest(bytes, count).map_err(|unread| self.unread(unread))?,
            Type::FIXED_LEN_BYTE_ARRAY => self.width,
            _ => 0,
        };
        self.has_dictionary = true;
        // A short page can name the longest text in every row.
        let texts = longest.saturating_mul(self.chunks.rows);
        self.chunks
            .allowance
            .exchange(&mut self.dictionary, texts.saturating_add(bytes.len() as u64))
    }

    fn check_values(&mut self, page: &Page) -> Result<()> {
        let (count, bytes) = (u64::from(page.num_values()), page.buffer().len() as u64);
        let left = self.values.checked_sub(count);
        self.values = left.ok_or_else(|| self.refuse("a column has too many values"))?;
        #[allow(deprecated)] // files have it all the same
        let from_dictionary =
            matches!(page.encoding(), Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY);
        if from_dictionary && !self.has_dictionary {
            return Err(self.refuse("a column refers to a dictionary that it does not have"));
        }
        if from_dictionary || !matches!(self.stored, Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY)
        {
            return Ok(());
        }
        let mut texts = bytes;
        if matches!(page.encoding(), Encoding::DELTA_LENGTH_BYTE_ARRAY | Encoding::DELTA_BYTE_ARRAY)
        {
            // All lengths are unpacked at once, up to two for each value.
            self.chunks.allowance.exchange(&mut self.page, bytes + 8 * count)?;
            texts += self.check_delta(page).map_err(|unread| self.unread(unread))?;
        }
        self.chunks.allowance.add_texts(texts)
    }

    /// How many bytes texts have in common with those before them.
    fn check_delta(&self, page: &Page) -> std::result::Result<u64, Unread> {
        let (count, mut bytes) = (page.num_values() as usize, self.values_of(page)?);
        let mut shared = 0;
        if page.encoding() == Encoding::DELTA_BYTE_ARRAY {
            (shared, bytes) = delta::sum(bytes, count)?;
        }
        delta::check_count(bytes, count)?;
        Ok(shared)
    }

    /// What follows the levels, which say where values are missing.
    fn values_of<'p>(&self, page: &'p Page) -> std::result::Result<&'p [u8], Unread> {
        let bytes = page.buffer();
        let levels = match page {
            Page::DataPageV2 { def_levels_byte_len, rep_levels_byte_len, .. } => {
                u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len)
            }
            Page::DataPage { def_level_encoding: Encoding::RLE, .. } if self.optional => {
                4 + u64::from(u32::from_le_bytes(*bytes.first_chunk().ok_or(Unread::Short)?))
            }
            _ if self.optional => {
                return Err(Unread::Wrong("its texts are encoded in a way that is not read"));
            }
            _ => 0,
        };
        usize::try_from(levels).ok().and_then(|levels| bytes.get(levels..)).ok_or(Unread::Short)
    }
}

/// The length of the longest of so many texts, each of which follows its length.
fn longest(mut bytes: &[u8], count: u64) -> std::result::Result<u64, Unread> {
    let mut longest = 0;
    for _ in 0..count {
        let (length, rest) = bytes.split_first_chunk().ok_or(Unread::Short)?;
        let length = u32::from_le_bytes(*length);
        bytes = rest.get(length as usize..).ok_or(Unread::Short)?;
        longest = longest.max(length);
    }
    Ok(u64::from(longest))
}

impl Iterator for CheckedPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.announce()?;
        let page = self.pages.get_next_page()?;
        match &page {
            Some(page) if page.is_dictionary_page() => self.check_dictionary(page)?,
            Some(page) => self.check_values(page)?,
            None if self.values > 0 => return Err(self.refuse("a column has too few values")),
            None => {}
        }
        Ok(page)
    }

    // For those who skip rows or have several values in one; nobody here does.
    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        Err(self.refuse("a column has several values in a row"))
    }

    fn skip_next_page(&mut self) -> Result<()> {
        Err(self.refuse("a column has several values in a row"))
    }
}
