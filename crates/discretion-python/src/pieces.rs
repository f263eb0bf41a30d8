//! What the workers of a cluster do with the rows that they have. Nothing of a row is in any error
//! from here: errors of workers end up in logs that are not the custodian's alone.

use crate::arrow_stream::with_columns;
use crate::columns::chosen;
use crate::density::described;
use crate::digest::{ColumnsDigest, RowsDigest};
use crate::errors::{Raise, input};
use crate::number_rows::{NumberBuilder, nothing};
use crate::table::read_schema;
use arrow_array::RecordBatchReader;
use discretion::Refusal;
use discretion::density::Wanted;
use discretion::erm::matrix::Batch;
use discretion_jobs::density::DensityRows;
use discretion_jobs::fit::RowSplit;
use discretion_jobs::fit::remote::{Partition, Slice};
use discretion_jobs::fit::remote_persons::{PersonPiece, PersonsDeal, persons_to_bytes};
use discretion_jobs::fit::remote_piece::{HeldPart, RowKind, RowPiece};
use discretion_table::{
    Counts, Problem, Purpose, Schema, encode_columns, encode_labelled, encode_marked,
};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A failure that quotes no row; nothing if there is no row at all: a piece may be empty.
struct Unquoted(Option<Refusal>);

impl From<discretion_table::Error> for Unquoted {
    fn from(error: discretion_table::Error) -> Unquoted {
        Unquoted(match *error.problem {
            Problem::NoRows => None,
            problem => Some(Refusal::bad_input(problem.without_values())),
        })
    }
}

/// What was counted, or why nothing was. `nothing` is what there is to count of no rows.
fn counted(counts: Result<Counts, Unquoted>, nothing: Counts) -> Result<Counts, Refusal> {
    counts.or_else(|Unquoted(failure)| failure.map_or(Ok(nothing), Err))
}

/// What is said about bytes that are not ours.
pub fn damaged(py: Python<'_>) -> PyErr {
    input(
        py,
        "a worker was sent rows or a question of another version; install one version everywhere"
            .to_owned(),
    )
}

type Piece<'py> = (usize, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

/// Encodes some rows with their target: their number, their head, and the rows. The head is their
/// digest and what was counted. If the schema names a column of persons, rows come with whose they
/// are, and the head begins with those persons and their own digest. Of several classes rows come
/// with the class of each, whose digest is the first in the rest of the head.
///
/// Outcomes that are numbers are given beside the rows, as they are in memory, one behind the
/// other.
#[pyfunction]
#[pyo3(signature = (frame, schema, outcomes=None))]
pub fn encode_piece<'py>(
    py: Python<'py>,
    frame: &Bound<'py, PyAny>,
    schema: &str,
    outcomes: Option<PyReadonlyArray1<'py, f64>>,
) -> PyResult<Piece<'py>> {
    let schema = read_schema(py, schema)?;
    let (kind, schema) = (RowKind::of(&schema), schema.on_grid());
    let outcomes = outcomes.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
    let (piece, head) = with_columns(frame, |columns| match outcomes {
        None => piece_of_classes(columns, (&schema, &kind)),
        Some(outcomes) => piece_of_numbers(columns, &schema, outcomes),
    })?;
    let (head, bytes) = py.detach(|| match schema.person() {
        None => (head, piece.rows.to_bytes(&kind)),
        Some(_) => {
            let (mut distinct, whose) =
                (piece.persons.clone(), RowsDigest::of_marks(&piece.persons));
            distinct.sort_unstable();
            distinct.dedup();
            ([persons_to_bytes(&distinct), whose.to_bytes(), head].concat(), piece.to_bytes(&kind))
        }
    });
    Ok((piece.rows.rows.rows(), PyBytes::new(py, &head), PyBytes::new(py, &bytes)))
}

/// Rows with whose they are, and the rest of their head.
type Headed = (PersonPiece, Vec<u8>);

fn piece_of_classes(
    columns: impl RecordBatchReader,
    (schema, kind): (&Schema, &RowKind),
) -> Result<Headed, Refusal> {
    let mut piece = PersonPiece { rows: RowPiece::empty(kind), persons: Vec::new() };
    let mut digest = RowsDigest::default();
    let counts =
        encode_labelled(columns, schema, |batch: Batch, classes: &[u16], persons: &[u128]| {
            digest.update(&batch);
            piece.rows.rows.push(batch);
            piece.rows.classes.extend_from_slice(classes);
            piece.persons.extend_from_slice(persons);
            Ok::<(), Unquoted>(())
        });
    let mut counts = counted(counts, nothing(schema))?;
    let of_classes =
        schema.target().labels.several().map(|_| RowsDigest::of_marks(&piece.rows.classes));
    let mut head = of_classes.map_or(Vec::new(), RowsDigest::to_bytes);
    head.extend([digest.to_bytes(), counts.to_bytes()].concat());
    Ok((piece, head))
}

fn piece_of_numbers(
    columns: impl RecordBatchReader,
    schema: &Schema,
    outcomes: &[f64],
) -> Result<Headed, Refusal> {
    let (mut built, mut persons) = (NumberBuilder::new(schema, outcomes)?, Vec::new());
    let counts = encode_marked(columns, schema, Purpose::Features, |batch: Batch, marks| {
        persons.extend(marks.persons);
        built.take(batch).map_err(|refusal| Unquoted(Some(refusal)))
    });
    // Those of the outcomes are behind the others.
    let mut counts = counted(counts, Counts::nothing(schema))?;
    let (rows, digest) = built.finish(&mut counts)?;
    let rows = RowPiece { rows, classes: Vec::new() };
    Ok((PersonPiece { rows, persons }, [digest.to_bytes(), counts.to_bytes()].concat()))
}

/// Where rows go, as Python passes it on: the schema, the number of all rows, a [`RowSplit`] in
/// writing, and a [`PersonsDeal`] in writing where rows belong to persons.
pub type DealArguments = (String, usize, String, Option<String>);

/// Where rows go.
pub enum Dealt {
    /// By their positions.
    Rows(Partition),
    /// By whose they are.
    Persons(RowKind, PersonsDeal),
}

/// Where rows go.
pub fn deal(py: Python<'_>, (schema, rows, split, persons): &DealArguments) -> PyResult<Dealt> {
    let kind = RowKind::of(&read_schema(py, schema)?);
    Ok(match persons {
        None => {
            let split: RowSplit = serde_json::from_str(split).map_err(|_| damaged(py))?;
            Dealt::Rows(Partition::new(kind, *rows, split))
        }
        Some(deal) => {
            Dealt::Persons(kind, PersonsDeal::from_json(deal).ok_or_else(|| damaged(py))?)
        }
    })
}

impl Dealt {
    fn slices(&self, first: usize, piece: &[u8]) -> Option<Vec<Slice>> {
        match self {
            Dealt::Rows(deal) => deal.slices_of(first, piece).ok(),
            Dealt::Persons(kind, deal) => {
                Some(deal.slices(kind, first, &PersonPiece::from_bytes(kind, piece).ok()?))
            }
        }
    }

    /// What a worker makes of the slices of a part.
    pub fn part(&self, table: usize, slices: &[&[u8]]) -> Option<HeldPart> {
        let slices = slices.iter().copied();
        match self {
            Dealt::Rows(deal) => deal.part(table, slices).ok(),
            Dealt::Persons(kind, deal) => deal.part(kind, table, slices).ok(),
        }
    }

    /// What the sample of a table has of a part.
    pub fn sample(&self, part: usize, held: &HeldPart) -> Option<Vec<u8>> {
        match self {
            Dealt::Rows(deal) => deal.sample(part, held).ok(),
            Dealt::Persons(kind, deal) => deal.sample(kind, part, held).ok(),
        }
    }
}

/// The rows of a piece, of which the first is at `first` among all, on their way: table, part,
/// position, rows.
#[pyfunction]
#[allow(clippy::type_complexity)] // A list of tuples is what Python unpacks.
pub fn deal_piece<'py>(
    py: Python<'py>,
    dealt: DealArguments,
    first: usize,
    piece: PyReadonlyArray1<'py, u8>,
) -> PyResult<Vec<(usize, usize, usize, Bound<'py, PyBytes>)>> {
    let (deal, piece) = (deal(py, &dealt)?, piece.as_slice()?);
    let slices = py.detach(|| deal.slices(first, piece)).ok_or_else(|| damaged(py))?;
    Ok(slices
        .into_iter()
        .map(|s| (s.table, s.part, s.position, PyBytes::new(py, &s.bytes)))
        .collect())
}

/// The number of some rows, their head, and their columns that are described: numbers, then codes,
/// row by row. The head is their digest and what was counted.
#[pyfunction]
pub fn describe_piece<'py>(
    py: Python<'py>,
    frame: &Bound<'py, PyAny>,
    schema: &str,
    names: Option<Vec<String>>,
) -> PyResult<Piece<'py>> {
    let columns = chosen(py, schema, names)?;
    let (mut counts, digest, batch) = with_columns(frame, |found| {
        let (mut all, mut digest) = (Batch::default(), ColumnsDigest::new(&columns));
        let counts = encode_columns(found, &columns, Purpose::Describe, |mut batch: Batch| {
            digest.update(&batch);
            all.numeric.append(&mut batch.numeric);
            all.codes.append(&mut batch.codes);
            Ok::<(), Unquoted>(())
        });
        Ok((counted(counts, Counts::nothing_of(&columns))?, digest.of_rows(), all))
    })?;
    let numbers = batch.numeric.iter().flat_map(|x| x.to_le_bytes());
    let bytes: Vec<u8> =
        numbers.chain(batch.codes.iter().flat_map(|code| code.to_le_bytes())).collect();
    let rows = usize::try_from(counts.rows).expect("rows that were read can be counted");
    let head = [digest.to_bytes(), counts.to_bytes()].concat();
    Ok((rows, PyBytes::new(py, &head), PyBytes::new(py, &bytes)))
}

/// What a density wants to be counted, counted over pieces, each with the position of its first
/// row.
#[pyfunction]
pub fn tally_pieces<'py>(
    py: Python<'py>,
    wanted: &str,
    schema: &str,
    names: Option<Vec<String>>,
    pieces: Vec<(usize, PyReadonlyArray1<'py, u8>)>,
) -> PyResult<Bound<'py, PyBytes>> {
    let columns = chosen(py, schema, names)?;
    let wanted: Wanted = serde_json::from_str(wanted).map_err(|_| damaged(py))?;
    let mut tally = wanted.nothing();
    for (first, piece) in &pieces {
        let batch = described(&columns, piece.as_slice()?).ok_or_else(|| damaged(py))?;
        let mut rows = DensityRows::new(&columns).map_err(|error| error.raise(py))?;
        rows.push(&batch);
        tally.count(rows.points(), *first);
    }
    Ok(PyBytes::new(py, &tally.to_bytes()))
}
