//! What the workers of a cluster do with the rows that they have. Nothing of a row is in any error from here: errors of workers
//! end up in logs that are not the custodian's alone.

use crate::arrow_stream::with_columns;
use crate::columns::chosen;
use crate::density::described;
use crate::digest::{ColumnsDigest, RowsDigest};
use crate::errors::{Raise, input};
use crate::table::read_schema;
use discretion::Refusal;
use discretion::density::Wanted;
use discretion::erm::matrix::{Batch, Layout, Matrix};
use discretion_jobs::density::DensityRows;
use discretion_jobs::fit::remote::{Deal, Slice};
use discretion_jobs::fit::remote_persons::{PersonPiece, PersonsDeal, persons_to_bytes};
use discretion_table::{Counts, Problem, Purpose, encode_columns, encode_marked};
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
        "a worker was sent rows or a question of another version; install one version everywhere".to_owned(),
    )
}

type Piece<'py> = (usize, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

/// Encodes some rows with their target: their number, their head, and the rows. The head is their digest and what was counted. If the
/// schema names a column of persons, rows come with whose they are, and the head begins with those persons and their own digest.
#[pyfunction]
pub fn encode_piece<'py>(py: Python<'py>, frame: &Bound<'py, PyAny>, schema: &str) -> PyResult<Piece<'py>> {
    let schema = read_schema(py, schema)?;
    schema.only_everybody("a cluster").map_err(|problem| input(py, problem.to_string()))?;
    let (piece, head) = with_columns(frame, |columns| {
        let mut piece = PersonPiece { rows: Matrix::new(schema.encoder().layout()), persons: Vec::new() };
        let mut digest = RowsDigest::default();
        let counts = encode_marked(columns, &schema, Purpose::Train, |batch: Batch, marks| {
            digest.update(&batch);
            piece.rows.push(batch);
            piece.persons.extend(marks.persons);
            Ok::<(), Unquoted>(())
        });
        let mut counts = counted(counts, Counts::nothing(&schema))?;
        Ok((piece, [digest.to_bytes(), counts.to_bytes()].concat()))
    })?;
    let (head, bytes) = py.detach(|| match schema.person() {
        None => (head, piece.rows.to_bytes().into_inner()),
        Some(_) => {
            let (mut distinct, whose) = (piece.persons.clone(), RowsDigest::of_persons(&piece.persons));
            distinct.sort_unstable();
            distinct.dedup();
            ([persons_to_bytes(&distinct), whose.to_bytes(), head].concat(), piece.to_bytes())
        }
    });
    Ok((piece.rows.rows(), PyBytes::new(py, &head), PyBytes::new(py, &bytes)))
}

/// Where rows go, as Python passes it on: the schema, the number of all rows, the share of them that validates, and a [`PersonsDeal`] in
/// writing where rows belong to persons.
pub type DealArguments = (String, usize, Option<f64>, Option<String>);

/// Where rows go.
pub enum Dealt {
    /// By their positions.
    Rows(Deal),
    /// By whose they are.
    Persons(Layout, PersonsDeal),
}

/// Where rows go.
pub fn deal(py: Python<'_>, (schema, rows, validation, persons): &DealArguments) -> PyResult<Dealt> {
    let layout = read_schema(py, schema)?.encoder().layout();
    Ok(match persons {
        None => Dealt::Rows(Deal::new(layout, *rows, *validation)),
        Some(deal) => Dealt::Persons(layout, PersonsDeal::from_json(deal).ok_or_else(|| damaged(py))?),
    })
}

impl Dealt {
    fn slices(&self, first: usize, piece: &[u8]) -> Option<Vec<Slice>> {
        Some(match self {
            Dealt::Rows(deal) => deal.slices(first, &deal.part([piece]).ok()?),
            Dealt::Persons(layout, deal) => {
                deal.slices(first, &PersonPiece::from_bytes(layout.clone(), piece).ok()?)
            }
        })
    }
}

/// The rows of a piece, of which the first is at `first` among all, on their way: table, part, position, rows.
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
    Ok(slices.into_iter().map(|s| (s.table, s.part, s.position, PyBytes::new(py, &s.bytes))).collect())
}

/// The number of some rows, their head, and their columns that are described: numbers, then codes, row by row. The head is their
/// digest and what was counted.
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
    let bytes: Vec<u8> = numbers.chain(batch.codes.iter().flat_map(|code| code.to_le_bytes())).collect();
    let rows = usize::try_from(counts.rows).expect("rows that were read can be counted");
    let head = [digest.to_bytes(), counts.to_bytes()].concat();
    Ok((rows, PyBytes::new(py, &head), PyBytes::new(py, &bytes)))
}

/// What a density wants to be counted, counted over pieces, each with the position of its first row.
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
