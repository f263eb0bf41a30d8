//! Persons whose rows need not fit into memory.
//!
//! A person's rows may be anywhere in the table. Rows that are too many for memory are dealt into
//! buckets by the first bits of the keyed hash that orders persons, so all of a person's rows are
//! in one bucket, and buckets are alike in size. Then bucket after bucket is grouped in memory and
//! written behind the one before: that is the order of persons. In memory are one bucket at a time,
//! and of every person 8 bytes that say where the rows begin. Both files have no name, as in
//! `spill.rs`.

use super::labelled::RowReader;
use super::persons::PersonKey;
use super::spill::{Limits, SpilledRows};
use super::{Progress, rows_at_most};
use crate::counts::Counts;
use crate::error::{Error, Location};
use crate::problem::Problem;
use crate::schema::Schema;
use crate::table_source::Table;
use discretion::erm::matrix::{DealtRows, Layout, Matrix, Rows};
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// So many first bits of a place choose the bucket.
const BITS: u32 = 8;

/// Bytes of a bucket that are written together, about.
const BLOCK: usize = 1 << 15;

/// Bytes of a place.
const PLACE: usize = 16;

/// The whole table grouped by the persons that a column names, in memory if its encoded rows fit,
/// else in a file; and what was counted. The sums are the same.
///
/// `progress` is called from the calling thread.
pub fn read_persons_within(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    key: PersonKey,
    limits: Limits<'_>,
    progress: &dyn Fn(Progress),
) -> Result<(Rows<'static>, Counts), Error> {
    let (files, reader) = (table.files()?, RowReader::labelled(schema).of_persons_by(key));
    let mut rows = PersonsWithin::new(reader.layout(), limits, rows_at_most(&files, schema));
    let counts =
        reader.read_pieces(table, &files, progress, |piece, places| rows.append(piece, places))?;
    Ok((rows.finish(&mut |_| {})?, counts))
}

/// Rows of persons on their way: into memory, and once they are too many into a file.
pub struct PersonsWithin<'a> {
    folder: &'a Path,
    /// So many may be in memory.
    most: usize,
    layout: Layout,
    /// By where the person of each comes in the order of persons.
    rows: DealtRows,
    buckets: Option<Buckets>,
}

impl<'a> PersonsWithin<'a> {
    /// None yet, and about so many to come. Which persons validate is no matter of where their rows
    /// are.
    pub fn new(layout: Layout, limits: Limits<'a>, rows: usize) -> PersonsWithin<'a> {
        let most =
            usize::try_from(limits.memory).unwrap_or(usize::MAX) / (layout.row_bytes() + PLACE);
        let rows = DealtRows::new(layout.clone(), rows.min(most));
        PersonsWithin { folder: limits.folder, most, layout, rows, buckets: None }
    }

    fn refuse(&self, error: &io::Error) -> Error {
        Location::file(self.folder).error(Problem::NoRoom(error.to_string()))
    }

    /// Adds rows, in the order of the table, and the places of the persons that they belong to.
    pub fn append(&mut self, piece: &Matrix, places: &[u128]) -> Result<(), Error> {
        assert_eq!(piece.rows(), places.len(), "every row is somebody's");
        self.deal(piece, places).map_err(|error| self.refuse(&error))
    }

    fn deal(&mut self, piece: &Matrix, places: &[u128]) -> io::Result<()> {
        if let Some(buckets) = &mut self.buckets {
            return buckets.deal(piece, places);
        }
        self.rows.append(piece, places);
        if self.rows.rows() > self.most {
            let buckets = self.buckets.insert(Buckets::new(self.layout.clone(), self.folder)?);
            let rows = std::mem::replace(&mut self.rows, DealtRows::new(self.layout.clone(), 0));
            rows.into_buckets().try_for_each(|(rows, places)| buckets.deal(&rows, &places))?;
        }
        Ok(())
    }

    /// Groups all of them. Tells each person's place, in order.
    pub fn finish(mut self, person: &mut dyn FnMut(u128)) -> Result<Rows<'static>, Error> {
        match self.buckets.take() {
            Some(buckets) => {
                let gathered =
                    buckets.gather(self.folder, person).map_err(|error| self.refuse(&error))?;
                Ok(Rows::of_persons(gathered.0, gathered.1))
            }
            None => Ok(self.rows.group_telling(person)),
        }
    }
}

/// Records of a place and a row each, in one file: every bucket has blocks of it.
pub(super) struct Buckets {
    layout: Layout,
    file: File,
    blocks: u64,
    buckets: Vec<Bucket>,
}

#[derive(Default)]
struct Bucket {
    /// Which blocks of the file.
    blocks: Vec<u64>,
    /// What fills no block yet.
    rest: Vec<u8>,
}

impl Buckets {
    pub fn new(layout: Layout, folder: &Path) -> io::Result<Buckets> {
        let buckets = (0..1 << BITS).map(|_| Bucket::default()).collect();
        Ok(Buckets { layout, file: tempfile::tempfile_in(folder)?, blocks: 0, buckets })
    }

    /// Bytes of a block: whole records.
    fn block(&self) -> usize {
        let record = PLACE + self.layout.row_bytes();
        (BLOCK / record).max(1) * record
    }

    /// Deals rows, in the order of the table.
    pub fn deal(&mut self, rows: &Matrix, places: &[u128]) -> io::Result<()> {
        /// Rows that are turned into bytes at a time.
        const PIECE: usize = 4096;
        let block = self.block();
        for start in (0..rows.rows()).step_by(PIECE) {
            let bytes = rows.row_bytes(start..rows.rows().min(start + PIECE)).into_inner();
            for (record, place) in bytes.chunks_exact(self.layout.row_bytes()).zip(&places[start..])
            {
                let bucket = &mut self.buckets[(place >> (u128::BITS - BITS)) as usize];
                bucket.rest.extend(place.to_le_bytes());
                bucket.rest.extend_from_slice(record);
                if bucket.rest.len() == block {
                    self.file.write_all(&bucket.rest)?;
                    bucket.rest.clear();
                    bucket.blocks.push(self.blocks);
                    self.blocks += 1;
                }
            }
        }
        Ok(())
    }

    /// Groups one bucket after the other: all rows, and where those of each place begin.
    pub fn gather(
        mut self,
        folder: &Path,
        person: &mut dyn FnMut(u128),
    ) -> io::Result<(SpilledRows, Vec<usize>)> {
        let mut all = SpilledRows::new(self.layout.clone(), folder)?;
        let mut starts = vec![0];
        for bucket in std::mem::take(&mut self.buckets) {
            let (rows, places) = self.read(&bucket)?;
            if places.is_empty() {
                continue;
            }
            let grouped = DealtRows::of_bucket(rows, places).group_telling(person);
            let (bytes, own) = grouped.records().map_err(io::Error::other)?.into_inner();
            let before = starts[starts.len() - 1];
            starts.extend(own[1..].iter().map(|start| before + start));
            all.append_records(&bytes)?;
        }
        Ok((all, starts))
    }

    /// The rows of a bucket, in the order of the table.
    fn read(&self, bucket: &Bucket) -> io::Result<(Matrix, Vec<u128>)> {
        let (mut rows, mut places) = (Matrix::new(self.layout.clone()), Vec::new());
        let mut push = |block: &[u8]| {
            let mut records = Vec::with_capacity(block.len());
            for record in block.chunks_exact(PLACE + self.layout.row_bytes()) {
                let (place, row) =
                    record.split_first_chunk().expect("a record begins with a place");
                places.push(u128::from_le_bytes(*place));
                records.extend_from_slice(row);
            }
            rows.push_rows(&records);
        };
        let size = self.block();
        let mut block = vec![0; size];
        for &at in &bucket.blocks {
            self.file.read_exact_at(&mut block, at * size as u64)?;
            push(&block);
        }
        push(&bucket.rest);
        Ok((rows, places))
    }
}
