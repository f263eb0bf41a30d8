//! Every fit that rows on a cluster can have releases the file that it releases for rows in memory.

use super::remote::{Partition, tests::gathered};
use super::remote_persons::{PersonPiece, tests::dealt};
use super::remote_piece::{RowKind, RowPiece};
use super::{FitJob, RowSplit, TwoStepFit};
use crate::evaluate::{Evaluable, HeldOut, HeldOutRows};
use crate::job::Job;
use crate::number::{NumberJob, NumberKnots};
use crate::spend::{Payer, spend};
use crate::watch::Silence;
use discretion::erm::matrix::{Batch, Matrix, Rows, Stored};
use discretion::erm::remote::Cluster;
use discretion_formats::Artefact;
use discretion_table::{EvaluateSettings, PersonKey, Schema, Study};
use std::path::Path;

/// Enough for a first guess on a sample, of rows that train too.
const ROWS: usize = 33_011;
const KEY: [u8; 32] = [7; 32];

const TWO: &str = "target = \"y\"\npositive = \"1\"\nnegative = \"0\"";
const SEVERAL: &str = "target = \"y\"\nclasses = [\"a\", \"b\", \"c\"]";
const NUMBER: &str = "outcome = { column = \"y\", min = 0, max = 10 }";
const KNOTS: &str = ", curve = 5, knots = \"private\", share = 0.2";

fn study(outcome: &str, person: &str, x: &str, more: &str) -> Study {
    let text = format!(
        "[data]\npath = \"t.csv\"\naccount = \"a\"\n{outcome}\n{person}\n[budget]\nepsilon = 9\ndelta = 1e-3\n[spend]\nepsilon = 5\n\
         delta = 1e-4\n[columns]\nx = {{ min = -1, max = 1{x} }}\nw = {{ values = [\"0\", \"1\", \"2\"] }}\n{more}\n"
    );
    Study::parse(Path::new("study.toml"), &text).unwrap()
}

/// Rows of a table that is the same however it is cut.
fn piece(schema: &Schema, first: usize, count: usize) -> RowPiece {
    let RowKind { layout, classes, .. } = RowKind::of(schema);
    let x = |row: usize| (row * 7 % 101) as f32 / 101.0;
    let number = |row: usize, at: usize, stored: &Stored| match stored {
        Stored::Number(bound) => {
            bound * (1.6 * x(row) - 0.8 + (at * (row % 13)) as f32 / 100.0).clamp(-1.0, 1.0)
        }
        // Most rows are in the first third of the range.
        Stored::Curve(curve) => {
            (x(row) * (1.0 + (row % 5) as f32 / 2.0)) * curve.knots as f32 / 3.0
        }
    };
    let rows = || first..first + count;
    let batch = Batch {
        numeric: rows()
            .flat_map(|row| {
                layout.stored().iter().enumerate().map(move |(at, s)| number(row, at, s))
            })
            .collect(),
        codes: rows().map(|row| (row % 4) as u16).collect(),
        positive: rows().map(|row| classes.is_some() || row * 7 % 101 > 47 + row % 13).collect(),
    };
    let class = |row: usize| (row * 7 % 101 / 40 + usize::from(row.is_multiple_of(13))) as u16 % 3;
    let classes = classes.map_or(Vec::new(), |_| rows().map(class).collect());
    RowPiece { rows: Matrix::of(layout, batch), classes }
}

fn person(row: usize) -> u128 {
    (row * 7919 % 24_001) as u128
}

/// The tables of a split, with workers who have them.
fn tables(schema: &Schema, split: RowSplit) -> Vec<Cluster> {
    let kind = RowKind::of(schema);
    let rows = |first: usize, count: usize| piece(schema, first, count);
    match schema.unit().is_row() {
        true => gathered(&Partition::new(kind, ROWS, split), ROWS, rows),
        false => dealt(&kind, (KEY, split), ROWS, |first, count| PersonPiece {
            rows: rows(first, count),
            persons: (first..first + count).map(person).collect(),
        }),
    }
}

fn released<J: Job>(job: &J, rows: &J::Rows) -> String {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("model.json");
    spend(job, rows, Payer::Seed(1), &place, &Silence).unwrap().artefact.to_json()
}

/// With rows that are held out, and without.
fn is_the_same<J: Evaluable>(study: &Study, fit: impl Fn() -> J, by: Option<&str>)
where
    J::Rows: Sized,
{
    let (job, schema) = (fit(), &study.schema);
    let matrix = piece(schema, 0, ROWS).labelled(&RowKind::of(schema)).unwrap();
    let key = PersonKey::new(KEY);
    let places: Vec<u128> = (0..ROWS).map(|row| key.place(person(row))).collect();
    let settings = EvaluateSettings { share: 0.3, by: by.map(str::to_owned) };
    let evaluated = HeldOut::new(fit(), &settings).unwrap();
    let (here, parts) = match schema.unit().is_row() {
        true => (
            Rows::from(matrix.gather(&(0..ROWS).collect::<Vec<_>>())),
            HeldOutRows::of(&evaluated, &matrix).unwrap(),
        ),
        false => (
            Rows::group(matrix.gather(&(0..ROWS).collect::<Vec<_>>()), &places),
            HeldOutRows::of_persons(&evaluated, &matrix, (key, &places)).unwrap(),
        ),
    };
    let here = released(&job, &job.stored(here.into()).unwrap());
    assert_eq!(released(&job, &job.remote(tables(schema, job.row_split()))), here);
    let here = released(&evaluated, &parts);
    assert!(here.contains("\"quality\""));
    let remote = HeldOutRows::remote(&evaluated, tables(schema, evaluated.row_split()));
    assert_eq!(released(&evaluated, &remote), here);
}

#[test]
fn two_classes_on_a_cluster_are_those_in_memory() {
    for person in ["", "person = \"who\""] {
        for more in ["", "[model]\nlambda = [0.001, 0.1]\n[intervals]\nlevel = 0.9"] {
            let study = study(TWO, person, "", more);
            is_the_same(&study, || FitJob::of(&study), Some("w"));
        }
    }
}

#[test]
fn several_classes_on_a_cluster_are_those_in_memory() {
    for person in ["", "person = \"who\""] {
        for more in ["[model]\nlambda = [0.01, 0.1]", "[intervals]\nlevel = 0.9"] {
            let study = study(SEVERAL, person, "", more);
            is_the_same(&study, || FitJob::of(&study), Some("w"));
        }
    }
}

#[test]
fn numbers_on_a_cluster_are_those_in_memory() {
    for person in ["", "person = \"who\""] {
        for loss in ["squares", "huber"] {
            for x in ["", KNOTS] {
                let study = study(NUMBER, person, x, &format!("[model]\nloss = \"{loss}\""));
                let job = || NumberJob::of(&study).unwrap().unwrap();
                match x {
                    "" => is_the_same(&study, job, None),
                    _ => is_the_same(&study, || NumberKnots::of(job()).unwrap(), None),
                }
            }
        }
    }
}

#[test]
fn what_is_released_before_a_training_on_a_cluster_is_that_in_memory() {
    for person in ["", "person = \"who\""] {
        for (outcome, x, more) in [
            (TWO, KNOTS, "[intervals]\nlevel = 0.9"),
            (TWO, KNOTS, "[model]\nlambda = [0.01, 0.1]"),
            (TWO, "", "[model]\nbase_rate = \"private\""),
            (TWO, KNOTS, "[model]\nbase_rate = \"private\""),
            (SEVERAL, KNOTS, "[intervals]\nlevel = 0.9"),
        ] {
            let study = study(outcome, person, x, more);
            is_the_same(&study, || TwoStepFit::of(FitJob::of(&study)).unwrap(), None);
        }
    }
}
