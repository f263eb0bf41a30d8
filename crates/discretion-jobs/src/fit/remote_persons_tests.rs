use super::*;
use crate::evaluate::Evaluable;
use crate::fit::remote::tests::{Here, classes_job, rows_from};
use crate::fit::{FitJob, FitRows, tests::job};
use discretion::noise::Seeded;

const ROWS: usize = 45_011;
const KEY: [u8; 32] = [7; 32];

fn piece(job: &FitJob, first: usize, count: usize) -> PersonPiece {
    let persons = (first..first + count).map(|row| (row * 7919 % 24_001) as u128).collect();
    PersonPiece { rows: rows_from(job, first, count), persons }
}

/// Pieces of unequal sizes, one of them empty: most persons have rows in two of them.
pub(crate) fn dealt(
    kind: &RowKind,
    (key, split): ([u8; 32], RowSplit),
    rows: usize,
    piece: impl Fn(usize, usize) -> PersonPiece,
) -> Vec<Cluster> {
    let all = piece(0, rows).persons;
    let deal = PersonsDeal::new(kind, all.into_iter(), key, split);
    let deal = PersonsDeal::from_json(&deal.to_json()).unwrap();
    let (mut slices, mut first) = (Vec::new(), 0);
    for count in [1, 0, 255, 4097, 20_000, rows - 24_353] {
        let bytes = piece(first, count).to_bytes(kind);
        slices.extend(deal.slices(kind, first, &PersonPiece::from_bytes(kind, &bytes).unwrap()));
        first += count;
    }
    slices.reverse();
    slices.sort_by_key(|slice| (slice.table, slice.part, slice.position));
    let table = |(table, &parts): (usize, &usize)| {
        let of = |part: usize| {
            let mine =
                slices.iter().filter(move |slice| (slice.table, slice.part) == (table, part));
            deal.part(kind, table, mine.map(|slice| &slice.bytes[..])).unwrap()
        };
        let parts: Vec<HeldPart> = (0..parts).map(of).collect();
        let sample = |(number, part)| deal.sample(kind, number, part).unwrap();
        let samples: Vec<Vec<u8>> = parts.iter().enumerate().map(sample).collect();
        deal.remote(kind, table, Box::new(Here(parts)), &samples).unwrap()
    };
    deal.parts().iter().enumerate().map(table).collect()
}

#[test]
fn persons_whom_others_hold_give_the_coefficients_of_persons_in_memory() {
    let intervals = "[intervals]\nlevel = 0.9\n";
    let jobs =
        [job("0.001", ""), job("[0.001, 0.1]", intervals), classes_job("0.01", "epsilon = 5")];
    for job in jobs.into_iter().map(|job| FitJob { unit: Unit::Person, ..job }) {
        let request = job.request();
        let all = piece(&job, 0, ROWS);
        let key = PersonKey::new(KEY);
        let places: Vec<u128> = all.persons.iter().map(|&person| key.place(person)).collect();
        let rows = all.rows.labelled(&RowKind::of(&job.schema)).unwrap();
        let here = Rows::group(rows, &places);
        let plan = request.plan(job.facts(here.units(), &request)).unwrap();
        let here = FitRows::new(here, &request).unwrap();
        let remote = {
            let kind = RowKind::of(&job.schema);
            let split = (KEY, job.row_split());
            FitRows::remote(dealt(&kind, split, ROWS, |first, count| piece(&job, first, count)))
        };
        let [here, remote] = [here, remote].map(|rows| {
            let fitted = rows.run(&plan, &mut Seeded::new(3)).unwrap();
            (fitted.coefficients, fitted.evidence)
        });
        assert_eq!(here, remote, "{:?}", job.model.lambda);
    }
}

#[test]
fn bytes_of_another_kind_are_refused() {
    let job = job("0.1", "");
    let kind = RowKind::of(&job.schema);
    let bytes = piece(&job, 0, 5).to_bytes(&kind);
    assert!(PersonPiece::from_bytes(&kind, &bytes[..bytes.len() - 1]).is_err());
    assert!(PersonPiece::from_bytes(&kind, &bytes[..7]).is_err());
    let mut fewer = persons_to_bytes(&[1, 2]);
    fewer.extend(piece(&job, 0, 5).rows.to_bytes(&kind));
    assert!(PersonPiece::from_bytes(&kind, &fewer).is_err());
    assert!(PersonsDeal::from_json("{}").is_none());
}
