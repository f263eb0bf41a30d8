//! Rows on their way to the persons whose they are.
//!
//! Rows come in the order of a table, and a person's rows may be anywhere in it. Who looked for
//! them row by row would wait for memory at each. So rows are dealt into buckets by the first bits
//! of their identifiers while they come. Buckets fit into a cache, and one after the other is put
//! in order behind those before, and given back.

use super::person_order::dealt;
use super::{Grouping, Layout, Matrix, Rows};

/// Rows of a bucket, about.
const ROWS: usize = 1 << 11;

/// No more first bits than these choose the bucket: more buckets would be too many to write to by
/// turns.
const MOST_BITS: u32 = 8;

/// Rows that are dealt at a time.
const PIECE: usize = 1 << 14;

/// So many first bits choose the bucket of each of so many rows.
fn bits_for(rows: usize) -> u32 {
    (rows / ROWS).checked_ilog2().unwrap_or(0).min(MOST_BITS)
}

/// Rows of persons, dealt into buckets.
pub struct DealtRows {
    layout: Layout,
    bits: u32,
    rows: usize,
    /// Rows, and the identifiers of the persons that they belong to. Both are in the order of the
    /// table.
    buckets: Vec<(Matrix, Vec<u128>)>,
}

impl DealtRows {
    /// None yet, and about so many to come.
    pub fn new(layout: Layout, rows: usize) -> DealtRows {
        let bits = bits_for(rows);
        // A little more than a bucket's share, which is as good as random; many rows ask for more
        // when they are there.
        let share = rows >> bits;
        let room = (share + share / 8).min(PIECE);
        let bucket = |_| {
            let mut rows = Matrix::new(layout.clone());
            rows.reserve(room);
            (rows, Vec::with_capacity(room))
        };
        DealtRows { bits, rows: 0, buckets: (0..1 << bits).map(bucket).collect(), layout }
    }

    /// These rows, which were dealt elsewhere, as one bucket.
    pub fn of_bucket(rows: Matrix, identifiers: Vec<u128>) -> DealtRows {
        assert_eq!(identifiers.len(), rows.rows(), "every row has an identifier");
        let layout = rows.layout().clone();
        DealtRows { layout, bits: 0, rows: rows.rows(), buckets: vec![(rows, identifiers)] }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Adds rows, in the order of the table, and the identifiers of the persons that they belong
    /// to.
    pub fn append(&mut self, rows: &Matrix, identifiers: &[u128]) {
        assert_eq!(identifiers.len(), rows.rows(), "every row has an identifier");
        self.rows += rows.rows();
        for start in (0..rows.rows()).step_by(PIECE) {
            let piece = start..rows.rows().min(start + PIECE);
            let (dealt, ends) =
                dealt(&identifiers[piece.clone()], 0..self.bits, |_, place| start + place);
            let mut done = 0;
            for ((own, persons), end) in self.buckets.iter_mut().zip(ends) {
                let places = &dealt[done..end];
                own.append_at(rows, places);
                persons.extend(places.iter().map(|&row| identifiers[row]));
                done = end;
            }
        }
    }

    /// Rows and identifiers, bucket by bucket: a person's rows in the order of the table.
    pub fn into_buckets(self) -> impl Iterator<Item = (Matrix, Vec<u128>)> {
        self.buckets.into_iter()
    }

    /// Groups the rows, as [`Rows::group`] does.
    pub fn group(self) -> Rows<'static> {
        self.group_telling(&mut |_| {})
    }

    /// Groups the rows and tells the identifier of each person, in order. Whom it tells is `dyn`, so
    /// that this is compiled here: crates that call it may not be optimised.
    pub fn group_telling(self, person: &mut dyn FnMut(u128)) -> Rows<'static> {
        let (mut rows, mut starts) = (Matrix::new(self.layout.clone()), vec![0]);
        rows.reserve(self.rows);
        for (own, identifiers) in self.into_buckets() {
            let before = rows.rows();
            let (kept, own_starts) = Grouping::order(&identifiers, |row| !own.is_left_out(row));
            rows.append_at(&own, &kept);
            starts.extend(own_starts[1..].iter().map(|start| before + start));
            own_starts[..own_starts.len() - 1]
                .iter()
                .for_each(|&start| person(identifiers[kept[start]]));
        }
        Rows::of_persons(rows, starts)
    }
}
