//! Encoded rows on their way from one process to another, and what a worker makes of those that it
//! gets.

use discretion::erm::matrix::{BytesError, Cut, Layout, Matrix, Rows};
use discretion::erm::remote::Ask;
use discretion::noise::NotPrivate;
use discretion::privacy::Unit;
use discretion_table::Schema;
use std::sync::{Mutex, PoisonError};

/// What rows are like, wherever they are. Public.
#[derive(Clone, Debug, PartialEq)]
pub struct RowKind {
    /// That of rows with their outcome: a number is one of their columns.
    pub layout: Layout,
    /// That of rows whose curves have as many knots as in the end, by which tables are cut: rows
    /// whose knots are still to be found have more.
    pub fitted: Layout,
    /// How many classes have coefficients of their own, if several do.
    pub classes: Option<usize>,
}

impl RowKind {
    /// The layout of the rows as they are summed: with their classes, if there are several.
    pub fn labelled_layout(&self) -> Layout {
        match self.classes {
            None => self.layout.clone(),
            Some(count) => self.layout.clone().of_classes(count),
        }
    }

    /// That of the rows of a table with this schema.
    pub fn of(schema: &Schema) -> RowKind {
        RowKind {
            layout: schema.on_grid().labelled_layout(),
            fitted: schema.with_any_knots().labelled_layout(),
            classes: schema.target().labels.several(),
        }
    }

    /// Returns how a table of so many units is cut.
    pub(super) fn cut(&self, unit: Unit, units: usize) -> Cut {
        Cut::new(unit, units, &self.fitted)
    }
}

/// Some rows, each with its class where there are several. They are as they were read: nobody but
/// the custodian's workers sees them.
pub struct RowPiece {
    /// The rows.
    pub rows: Matrix,
    /// The class of each; nothing where two classes are a sign, or the outcome is a number.
    pub classes: Vec<u16>,
}

impl RowPiece {
    /// No rows.
    pub fn empty(kind: &RowKind) -> RowPiece {
        RowPiece { rows: Matrix::new(kind.layout.clone()), classes: Vec::new() }
    }

    /// The rows at these positions.
    pub fn gather(&self, rows: &[usize]) -> RowPiece {
        let classes = if self.classes.is_empty() { Vec::new() } else { at(&self.classes, rows) };
        RowPiece { rows: self.rows.gather(rows), classes }
    }

    /// As bytes of this kind of rows: how many classes follow and each of them, where there are
    /// several, and the rows.
    pub fn to_bytes(&self, kind: &RowKind) -> Vec<u8> {
        let mut bytes = Vec::new();
        if kind.classes.is_some() {
            bytes.extend((self.classes.len() as u64).to_le_bytes());
            bytes.extend(self.classes.iter().flat_map(|class| class.to_le_bytes()));
        }
        bytes.extend(self.rows.to_bytes().into_inner());
        bytes
    }

    /// Appends rows from bytes, if they are rows of the same kind.
    pub fn push_bytes(&mut self, kind: &RowKind, bytes: &[u8]) -> Result<(), BytesError> {
        let Some(count) = kind.classes else { return self.rows.push_bytes(bytes) };
        let (classes, rest) = classes_from_bytes(bytes).ok_or(BytesError::Length)?;
        self.rows.push_bytes(rest)?;
        let are_classes = classes.iter().all(|&class| usize::from(class) < count);
        self.classes.extend(classes);
        match are_classes && self.rows.rows() == self.classes.len() {
            true => Ok(()),
            false => Err(BytesError::Length),
        }
    }

    /// From bytes.
    pub fn from_bytes(kind: &RowKind, bytes: &[u8]) -> Result<RowPiece, BytesError> {
        let mut piece = RowPiece::empty(kind);
        piece.push_bytes(kind, bytes)?;
        Ok(piece)
    }

    /// Puts each row's class beside it, where there are several.
    pub fn labelled(self, kind: &RowKind) -> Result<Matrix, BytesError> {
        match kind.classes {
            None => Ok(self.rows),
            Some(count) => self.rows.with_classes(self.classes, count).ok_or(BytesError::Length),
        }
    }
}

impl From<Matrix> for RowPiece {
    fn from(rows: Matrix) -> RowPiece {
        let (rows, classes) = rows.into_unclassed();
        RowPiece { rows, classes }
    }
}

/// Classes from the front of bytes, and what follows them.
fn classes_from_bytes(bytes: &[u8]) -> Option<(Vec<u16>, &[u8])> {
    let (count, rest) = bytes.split_first_chunk()?;
    let size = usize::try_from(u64::from_le_bytes(*count)).ok()?.checked_mul(2)?;
    let (classes, rest) = rest.split_at_checked(size)?;
    Some((classes.as_chunks().0.iter().map(|class| u16::from_le_bytes(*class)).collect(), rest))
}

fn at<T: Copy>(all: &[T], places: &[usize]) -> Vec<T> {
    places.iter().map(|&place| all[place]).collect()
}

/// The knots that curves keep, and rows by them.
type Regridded = (Vec<(usize, Vec<usize>)>, Rows<'static>);

/// Rows or persons of a part of a table, which a worker makes of its slices once, and is asked about
/// again and again.
pub struct HeldPart {
    /// All of them.
    pub(super) rows: Rows<'static>,
    /// How the whole table is cut.
    pub(super) of: Cut,
    /// The rows by fewer knots, once they are asked for.
    regridded: Mutex<Option<Regridded>>,
}

impl HeldPart {
    pub(super) fn new(rows: Rows<'static>, of: Cut) -> HeldPart {
        HeldPart { rows, of, regridded: Mutex::new(None) }
    }

    /// Answers a question, as sensitive as the rows; nothing if it is one about something else.
    pub fn answer(&self, ask: &Ask) -> Option<NotPrivate<Vec<u8>>> {
        if ask.kept().is_empty() {
            return ask.answer(&self.rows, self.of);
        }
        let rows = {
            let mut regridded = self.regridded.lock().unwrap_or_else(PoisonError::into_inner);
            match &*regridded {
                Some((kept, rows)) if kept == ask.kept() => rows.clone(),
                _ => {
                    let (kept, layout) = (ask.kept(), self.rows.layout());
                    layout.has_knots(kept).then_some(())?;
                    let rows = self.rows.keeping_knots(kept);
                    *regridded = Some((kept.to_vec(), rows.clone()));
                    rows
                }
            }
        };
        ask.answer(&rows, self.of)
    }
}
