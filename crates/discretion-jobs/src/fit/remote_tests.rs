use super::*;
use crate::evaluate::Evaluable;
use crate::fit::{FitJob, FitRows, tests::job};
use discretion::erm::OracleError;
use discretion::erm::matrix::{Batch, Matrix};
use discretion::erm::remote::Ask;
use discretion::fit::{Plan, Request};
use discretion::noise::Seeded;
use discretion_table::Study;
use std::path::Path;

const ROWS: usize = 30_011;

/// The parts of a table, in this process, which answer through bytes.
pub(crate) struct Here(pub Vec<HeldPart>);

impl Workers for Here {
    fn ask(&self, ask: &Ask) -> Result<Vec<Vec<u8>>, OracleError> {
        let ask = Ask::from_bytes(&ask.to_bytes()).unwrap();
        Ok(self.0.iter().map(|part| part.answer(&ask).unwrap().into_inner()).collect())
    }
}

/// A study of three classes.
pub(crate) fn classes_job(lambda: &str, spend: &str) -> FitJob {
    let text = format!(
        "[data]\npath = \"t.csv\"\naccount = \"a\"\ntarget = \"y\"\nclasses = [\"a\", \"b\", \"c\"]\n[budget]\nepsilon = 9\n\
         delta = 1e-3\n[spend]\n{spend}\n[columns]\nx = {{ min = -1, max = 1 }}\nw = {{ values = [\"0\", \"1\", \"2\"] }}\n\
         [model]\nlambda = {lambda}\n"
    );
    FitJob::of(&Study::parse(Path::new("study.toml"), &text).unwrap())
}

/// Rows of a table that is the same however it is cut.
pub(crate) fn rows_from(job: &FitJob, first: usize, count: usize) -> RowPiece {
    let kind = RowKind::of(&job.schema);
    let rows = || first..first + count;
    let several = kind.classes.is_some();
    let class = |row: usize| (row * 7 % 101 / 40 + usize::from(row.is_multiple_of(13))) % 3;
    let mut matrix = Matrix::new(kind.layout);
    matrix.push(Batch {
        numeric: rows().map(|row| (row * 7 % 101) as f32 / 200.0 - 0.25).collect(),
        codes: if several { rows().map(|row| (row % 4) as u16).collect() } else { Vec::new() },
        positive: rows().map(|row| several || row * 7 % 101 > 47 + row % 13).collect(),
    });
    let classes = if several { rows().map(|row| class(row) as u16).collect() } else { Vec::new() };
    RowPiece { rows: matrix, classes }
}

/// In memory, as a request needs them.
fn here(job: &FitJob, rows: usize, request: &Request) -> FitRows {
    let piece = rows_from(job, 0, rows);
    FitRows::new(piece.labelled(&RowKind::of(&job.schema)).unwrap(), request).unwrap()
}

/// Pieces of unequal sizes, one of them empty, dealt and gathered.
pub(crate) fn gathered(
    deal: &Partition,
    rows: usize,
    piece: impl Fn(usize, usize) -> RowPiece,
) -> Vec<Cluster> {
    let (mut slices, mut first) = (Vec::new(), 0);
    for count in [1, 0, 255, 4097, rows - 4353] {
        slices.extend(deal.slices_of(first, &piece(first, count).to_bytes(&deal.kind)).unwrap());
        first += count;
    }
    slices.reverse();
    slices.sort_by_key(|slice| (slice.table, slice.part, slice.position));
    let table = |(table, &parts): (usize, &usize)| {
        let of = |part: usize| {
            let mine =
                slices.iter().filter(move |slice| (slice.table, slice.part) == (table, part));
            deal.part(table, mine.map(|slice| &slice.bytes[..])).unwrap()
        };
        let parts: Vec<HeldPart> = (0..parts).map(of).collect();
        let sample = |(number, part)| deal.sample(number, part).unwrap();
        let samples: Vec<Vec<u8>> = parts.iter().enumerate().map(sample).collect();
        deal.remote(table, Box::new(Here(parts)), &samples).unwrap()
    };
    deal.parts().iter().enumerate().map(table).collect()
}

fn is_the_same(job: &FitJob, rows: usize) {
    let request = job.request();
    let deal = Partition::new(RowKind::of(&job.schema), rows, job.row_split());
    let remote =
        FitRows::remote(gathered(&deal, rows, |first, count| rows_from(job, first, count)));
    let here = here(job, rows, &request);
    let plan: Plan = request.plan(job.facts(rows, &request)).unwrap();
    assert_eq!(here.plan(&request).unwrap(), plan, "a plan needs the number of rows alone");
    let [here, remote] = [here, remote].map(|rows| {
        let fitted = rows.run(&plan, &mut Seeded::new(3)).unwrap();
        (fitted.coefficients, fitted.evidence)
    });
    assert_eq!(here, remote, "{:?}", job.model.lambda);
}

#[test]
fn rows_that_others_hold_give_the_coefficients_of_rows_in_memory() {
    let intervals = "[intervals]\nlevel = 0.9\n";
    for (lambda, more) in
        [("0.001", ""), ("0.001", intervals), ("[0.001, 0.1]", ""), ("[0.001, 0.1]", intervals)]
    {
        is_the_same(&job(lambda, more), ROWS);
    }
}

/// With a sample and without, and by both kinds of noise.
#[test]
fn rows_of_several_classes_give_them_too() {
    let gaussian = "epsilon = 2\ndelta = 1e-4";
    for (lambda, spend, rows) in
        [("0.001", "epsilon = 5", ROWS), ("0.01", gaussian, 9001), ("[0.001, 0.1]", gaussian, ROWS)]
    {
        is_the_same(&classes_job(lambda, spend), rows);
    }
}

#[test]
fn bytes_that_are_no_classes_are_refused() {
    let job = classes_job("0.1", "epsilon = 5");
    let kind = RowKind::of(&job.schema);
    let piece = rows_from(&job, 0, 5);
    let bytes = piece.to_bytes(&kind);
    assert_eq!(RowPiece::from_bytes(&kind, &bytes).unwrap().classes, piece.classes);
    assert!(RowPiece::from_bytes(&kind, &bytes[..bytes.len() - 1]).is_err());
    assert!(RowPiece::from_bytes(&kind, &bytes[..9]).is_err());
    // A class that is not declared, fewer classes than rows, and rows without any.
    for (place, byte) in [(8, 3), (0, 4)] {
        let mut other = bytes.clone();
        other[place] = byte;
        assert!(RowPiece::from_bytes(&kind, &other).is_err());
    }
    let without = RowKind { classes: None, ..kind.clone() };
    assert!(RowPiece::from_bytes(&kind, &piece.to_bytes(&without)).is_err());
}
