//! A number on a cluster: what leaves is what leaves for the same rows in memory, number for
//! number.

use super::*;
use crate::fit::RowSplit;
use crate::fit::remote::Partition;
use crate::fit::remote::tests::gathered;
use crate::fit::remote_piece::{RowKind, RowPiece};
use crate::spend::{Payer, spend};
use crate::watch::Silence;
use discretion::erm::matrix::{Batch, Matrix};
use std::path::Path;

/// Enough for a first guess on a sample.
const ROWS: usize = 30_011;

fn job(rest: &str, outcome: &str) -> NumberJob {
    let text = format!(
        "[data]\npath = \"t.csv\"\naccount = \"a\"\noutcome = {outcome}\n[budget]\nepsilon = 9\ndelta = 1e-3\n\
         [columns]\nx = {{ min = 0, max = 1 }}\nw = {{ values = [\"0\", \"1\", \"2\"] }}\n{rest}"
    );
    NumberJob::of(&Study::parse(Path::new("study.toml"), &text).unwrap()).unwrap().unwrap()
}

fn rows_from(job: &NumberJob, first: usize, count: usize) -> RowPiece {
    let outcomes = job.schema.outcomes().count();
    let number = |row: usize, at: usize| ((row * 7 + at * 31) % 101) as f32 / 250.0 - 0.2;
    let rows = || first..first + count;
    let batch = Batch {
        numeric: rows().flat_map(|row| (0..=outcomes).map(move |at| number(row, at))).collect(),
        codes: rows().map(|row| (row % 4) as u16).collect(),
        positive: vec![false; count],
    };
    RowPiece { rows: Matrix::of(job.schema.labelled_layout(), batch), classes: Vec::new() }
}

#[test]
fn a_number_on_a_cluster_is_the_number_of_rows_in_memory() {
    let one = "{ column = \"y\", min = 0, max = 10 }";
    let two = "[{ column = \"y\", min = 0, max = 10 }, { column = \"z\", min = 1, max = 9, scale = \"log\" }]";
    let folder = tempfile::tempdir().unwrap();
    for (at, (rest, outcome)) in [
        ("[spend]\nepsilon = 1\n", one),
        ("[spend]\nepsilon = 1\ndelta = 1e-5\n", two),
        ("[spend]\nepsilon = 1\ndelta = 1e-5\n[model]\nloss = \"huber\"\n", one),
        (
            "[spend]\nepsilon = 1\n[model]\nloss = \"huber\"\nlambda = 0.01\nmethod = \"output\"\n",
            one,
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let job = job(rest, outcome);
        let deal = Partition::new(RowKind::of(&job.schema), ROWS, RowSplit::default());
        let mut tables = gathered(&deal, ROWS, |first, count| rows_from(&job, first, count));
        let remote = AnyRows::from(tables.remove(0));
        let here = AnyRows::Here(rows_from(&job, 0, ROWS).rows.into());
        assert_eq!(remote.count(), here.count());
        let [ours, theirs] = [("remote", remote), ("here", here)].map(|(name, rows)| {
            let place = folder.path().join(format!("{at}-{name}.json"));
            let model = spend(&job, &rows, Payer::Seed(1), &place, &Silence).unwrap().artefact;
            serde_json::to_value(&model).unwrap()
        });
        assert_eq!(ours, theirs, "{rest}");
    }
}
