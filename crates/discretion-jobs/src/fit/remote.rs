//! Rows that others hold, laid out so that they sum to the bits of a table in memory.
//!
//! Workers encode what they have into pieces. The pieces' order gives every row its position, and
//! [`Partition`] says from public numbers alone where each row has to be: in which part of which table,
//! and where in it. Whoever gathers a part's slices in the order of their positions has the rows of
//! [`Cut::units_of`](discretion::erm::matrix::Cut::units_of).

use super::remote_piece::{HeldPart, RowKind, RowPiece};
use discretion::choose::split::{is_validation, validation_rows};
use discretion::erm::matrix::{BytesError, Cut, Rows};
use discretion::erm::remote::{Cluster, Workers};
use discretion::privacy::Unit;

/// Where rows go. Public.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    kind: RowKind,
    rows: usize,
    /// The share that validates, where λ is chosen.
    validation: Option<f64>,
}

/// Rows on their way to their part.
pub struct Slice {
    /// The table: all rows, those that train, those that validate.
    pub table: usize,
    /// The part of its cut.
    pub part: usize,
    /// The position of the first row in the table.
    pub position: usize,
    /// The rows, which are as they were read: nobody but the custodian's workers sees them.
    pub bytes: Vec<u8>,
}

impl Partition {
    /// Where `rows` rows of this kind go, for a request with this
    /// [share](discretion::fit::Request::validation) of validation rows.
    pub fn new(kind: RowKind, rows: usize, validation: Option<f64>) -> Partition {
        Partition { kind, rows, validation }
    }

    /// How many parts each table has.
    pub fn parts(&self) -> Vec<usize> {
        self.tables().into_iter().map(|rows| self.cut(rows).parts()).collect()
    }

    fn cut(&self, rows: usize) -> Cut {
        Cut::new(Unit::Row, rows, &self.kind.layout)
    }

    /// How many rows each table has: all of them and, where λ is chosen, those that train and those
    /// that validate. The sums of all three have to be those of a table in memory, and no two of
    /// them are cut alike, so rows are held twice then.
    pub fn tables(&self) -> Vec<usize> {
        tables_of(self.rows, self.validation)
    }

    /// The rows of a piece, of which the first is at `first` among all, on their way.
    pub fn slices(&self, first: usize, piece: &RowPiece) -> Vec<Slice> {
        let tables = self.tables();
        let cuts: Vec<Cut> = tables.iter().map(|&rows| self.cut(rows)).collect();
        // Rows of the piece that are neighbours in a part, by table.
        let mut runs: Vec<Vec<Run>> = tables.iter().map(|_| Vec::new()).collect();
        for row in 0..piece.rows.rows() {
            for (table, position) in self.places(first + row, &tables) {
                match runs[table].last_mut() {
                    Some(run) if run.takes(position) => run.rows.push(row),
                    _ => runs[table].push(Run::new(cuts[table], position, row)),
                }
            }
        }
        let slice = |table: usize, run: Run| {
            let bytes = piece.gather(&run.rows).to_bytes(&self.kind);
            Slice { table, part: run.part, position: run.position, bytes }
        };
        let of_table =
            |(table, runs): (usize, Vec<Run>)| runs.into_iter().map(move |run| slice(table, run));
        runs.into_iter().enumerate().flat_map(of_table).collect()
    }

    /// The tables that a row belongs to, and where in each: a table with both parts has those that
    /// train first, as [`training_first`](discretion::choose::split::training_first) has them.
    fn places(&self, row: usize, tables: &[usize]) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (among_all, in_part) = match self.validation {
            None => (row, None),
            Some(share) => {
                let before = validation_rows(row, share);
                match is_validation(row, share) {
                    true => (tables[1] + before, Some((2, before))),
                    false => (row - before, Some((1, row - before))),
                }
            }
        };
        std::iter::once((0, among_all)).chain(in_part)
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
        let rows = *self.tables().get(table).ok_or(BytesError::OtherLayout)?;
        let own = self.joined(slices)?.labelled(&self.kind)?;
        Ok(HeldPart { rows: own.into(), of: self.cut(rows) })
    }

    fn joined<'b>(
        &self,
        slices: impl IntoIterator<Item = &'b [u8]>,
    ) -> Result<RowPiece, BytesError> {
        let mut piece = RowPiece::empty(&self.kind);
        slices.into_iter().try_for_each(|slice| piece.push_bytes(&self.kind, slice))?;
        Ok(piece)
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
        let rows = self.tables()[table];
        let expected = self.cut(rows).sample_len();
        let sample = self.joined(samples.iter().map(Vec::as_slice))?;
        if sample.rows.rows() != expected.unwrap_or(0) {
            return Err(BytesError::Length);
        }
        let sample = expected.map(|_| sample.labelled(&self.kind)).transpose()?.map(Rows::from);
        Ok(Cluster::new(workers, (Unit::Row, rows), self.kind.labelled_layout(), sample))
    }
}

/// How many of so many rows or persons each table has.
pub(super) fn tables_of(units: usize, validation: Option<f64>) -> Vec<usize> {
    match validation {
        None => vec![units],
        Some(share) => {
            let validating = validation_rows(units, share);
            vec![units, units - validating, validating]
        }
    }
}

/// Rows of a piece that follow each other in a part.
struct Run {
    part: usize,
    position: usize,
    /// Where the part ends.
    end: usize,
    /// Their places in the piece.
    rows: Vec<usize>,
}

impl Run {
    fn new(cut: Cut, position: usize, row: usize) -> Run {
        let part = cut.part_of(position);
        Run { part, position, end: cut.units_of(part).end, rows: vec![row] }
    }

    fn takes(&self, position: usize) -> bool {
        position == self.position + self.rows.len() && position < self.end
    }
}

#[cfg(test)]
#[path = "remote_tests.rs"]
pub(crate) mod tests;
