//! Rows that others hold, laid out so that they sum to the bits of a table in memory.
//!
//! Workers encode what they have into pieces. The pieces' order gives every row its position, and
//! [`Partition`] says from public numbers alone where each row has to be: in which part of which table,
//! and where in it. Whoever gathers a part's slices in the order of their positions has the rows of
//! [`Cut::units_of`](discretion::erm::matrix::Cut::units_of).

use super::remote_piece::{HeldPart, RowKind, RowPiece};
use super::row_split::{RowPlaces, RowSplit};
use discretion::erm::matrix::{BytesError, Cut, Rows};
use discretion::erm::remote::{Cluster, Workers};
use discretion::privacy::Unit;
use std::sync::{Arc, Mutex, PoisonError};

/// Where rows go. Public.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    kind: RowKind,
    rows: usize,
    split: RowSplit,
}

/// Rows on their way to their part.
pub struct Slice {
    /// The table, of those of [`RowSplit::tables`].
    pub table: usize,
    /// The part of its cut.
    pub part: usize,
    /// The position of the first row in the table.
    pub position: usize,
    /// The rows, which are as they were read: nobody but the custodian's workers sees them.
    pub bytes: Vec<u8>,
}

impl Partition {
    /// Where `rows` rows of this kind go, which are split like this.
    pub fn new(kind: RowKind, rows: usize, split: RowSplit) -> Partition {
        Partition { kind, rows, split }
    }

    /// How many parts each table has.
    pub fn parts(&self) -> Vec<usize> {
        self.cuts().into_iter().map(Cut::parts).collect()
    }

    /// How each table is cut. The sums of each have to be those of a table in memory, and no two of
    /// them are cut alike, so rows that are in two tables are held twice.
    fn cuts(&self) -> Vec<Cut> {
        let tables = self.split.tables(self.rows).into_iter();
        tables.map(|rows| self.kind.cut(Unit::Row, rows.len())).collect()
    }

    /// The rows of a piece, of which the first is at `first` among all, on their way.
    pub fn slices(&self, first: usize, piece: &RowPiece) -> Vec<Slice> {
        let places = places(self.split, self.rows);
        let places: Vec<usize> = (0..piece.rows.rows()).map(|row| places.of(first + row)).collect();
        let mut slices = Vec::new();
        let tables = self.split.tables(self.rows).into_iter().zip(self.cuts()).enumerate();
        for (table, (units, cut)) in tables {
            // The rows of each part, and their positions in the table.
            let mut parts = vec![(Vec::new(), Vec::new()); cut.parts()];
            for (row, place) in places.iter().enumerate().filter(|(_, at)| units.contains(at)) {
                let position = place - units.start;
                let (rows, positions) = &mut parts[cut.part_of(position)];
                rows.push(row);
                positions.push(position);
            }
            let mine = parts.into_iter().enumerate().filter(|(_, (rows, _))| !rows.is_empty());
            slices.extend(mine.map(|(part, (rows, positions))| {
                let mut bytes = runs_to_bytes(&positions);
                bytes.extend(piece.gather(&rows).to_bytes(&self.kind));
                Slice { table, part, position: positions[0], bytes }
            }));
        }
        slices
    }

    /// The rows of a piece, on their way from bytes.
    pub fn slices_of(&self, first: usize, bytes: &[u8]) -> Result<Vec<Slice>, BytesError> {
        Ok(self.slices(first, &RowPiece::from_bytes(&self.kind, bytes)?))
    }

    /// Joins the slices of a part of a table, which come in order.
    pub fn part<'b>(
        &self,
        table: usize,
        slices: impl IntoIterator<Item = &'b [u8]>,
    ) -> Result<HeldPart, BytesError> {
        let of = *self.cuts().get(table).ok_or(BytesError::OtherLayout)?;
        let (mut piece, mut positions) = (RowPiece::empty(&self.kind), Vec::new());
        for slice in slices {
            let (own, rest) = positions_from_bytes(slice, of.units()).ok_or(BytesError::Length)?;
            piece.push_bytes(&self.kind, rest)?;
            positions.extend(own);
        }
        if positions.len() != piece.rows.rows() {
            return Err(BytesError::Length);
        }
        if !positions.is_sorted() {
            let mut order: Vec<usize> = (0..positions.len()).collect();
            order.sort_unstable_by_key(|&row| positions[row]);
            piece = piece.gather(&order);
        }
        Ok(HeldPart::new(piece.labelled(&self.kind)?.into(), of))
    }

    /// Returns the rows of a part that the sample of its table has, as bytes.
    pub fn sample(&self, part: usize, held: &HeldPart) -> Result<Vec<u8>, BytesError> {
        let (here, mut picked) = (held.of.units_of(part), Vec::new());
        for range in held.of.sample().into_iter().flatten() {
            // A sample is of whole blocks, and so are parts.
            if here.contains(&range.start) {
                picked.extend(range.start - here.start..range.end - here.start);
            }
        }
        let rows = held.rows.in_memory().filter(|rows| rows.rows() == here.len());
        let rows = rows.ok_or(BytesError::Length)?;
        Ok(RowPiece::from(rows.gather(&picked)).to_bytes(&self.kind))
    }

    /// The oracle over a table, from whoever has its parts and what they have of its sample.
    pub fn remote(
        &self,
        table: usize,
        workers: Box<dyn Workers>,
        samples: &[Vec<u8>],
    ) -> Result<Cluster, BytesError> {
        let cut = self.cuts()[table];
        let expected = cut.sample_len();
        let mut sample = RowPiece::empty(&self.kind);
        samples.iter().try_for_each(|own| sample.push_bytes(&self.kind, own))?;
        if sample.rows.rows() != expected.unwrap_or(0) {
            return Err(BytesError::Length);
        }
        let sample = expected.map(|_| sample.labelled(&self.kind)).transpose()?.map(Rows::from);
        Ok(Cluster::new(workers, cut, self.kind.labelled_layout(), sample))
    }
}

/// Finds where rows go, once for all pieces: of rows in parts it is a list of all of them.
fn places(split: RowSplit, rows: usize) -> Arc<RowPlaces> {
    type Found = Option<(RowSplit, usize, Arc<RowPlaces>)>;
    static LAST: Mutex<Found> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    match &*last {
        Some((of, count, places)) if (*of, *count) == (split, rows) => places.clone(),
        _ => {
            let places = Arc::new(split.places(rows));
            *last = Some((split, rows, places.clone()));
            places
        }
    }
}

/// Writes positions as runs of neighbours: how many there are, and the first and the length of
/// each.
fn runs_to_bytes(positions: &[usize]) -> Vec<u8> {
    let runs = || positions.chunk_by(|one, next| one + 1 == *next);
    let each = runs().flat_map(|run| [run[0], run.len()]);
    [runs().count()].into_iter().chain(each).flat_map(|x| (x as u64).to_le_bytes()).collect()
}

/// Reads positions below `end` from the front of bytes, and returns what follows them.
fn positions_from_bytes(bytes: &[u8], end: usize) -> Option<(Vec<usize>, &[u8])> {
    let read = |word: &[u8; 8]| usize::try_from(u64::from_le_bytes(*word)).ok();
    let (count, rest) = bytes.split_first_chunk()?;
    let (runs, rest) = rest.split_at_checked(read(count)?.checked_mul(16)?)?;
    let mut positions = Vec::new();
    for run in runs.as_chunks::<8>().0.as_chunks::<2>().0 {
        let [first, length] = [read(&run[0])?, read(&run[1])?];
        let last = first.checked_add(length).filter(|last| *last <= end)?;
        (positions.len() + length <= end).then(|| positions.extend(first..last))?;
    }
    Some((positions, rest))
}

#[cfg(test)]
#[path = "remote_tests.rs"]
pub(crate) mod tests;
