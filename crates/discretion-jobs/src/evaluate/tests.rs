use super::kinds::Expected;
use super::*;
use crate::fit::{FitJob, FitRows, tests::job as fit_job};
use crate::number::NumberJob;
use discretion::erm::matrix::{Batch, margins};
use discretion::loss::LossKind;
use discretion::noise::Receipt;
use discretion::privacy::Unit;
use discretion::privacy::account::{Spend, amount};
use discretion_formats::{Artefact, ModelQuality};
use discretion_table::{EvaluateSettings, Limits, PersonKey, Study};
use std::path::Path;

const SHARE: f64 = 0.25;

fn settings(by: Option<&str>) -> EvaluateSettings {
    EvaluateSettings { share: SHARE, by: by.map(str::to_owned) }
}

/// A fit of one number, with λ chosen from a list and with intervals: everything that could look at
/// a row.
fn all_of_it() -> HeldOutFit {
    HeldOutFit::new(fit_job("[0.01, 0.1]", "[intervals]\nlevel = 0.9\n"), &settings(None)).unwrap()
}

fn batch(rows: usize) -> Batch {
    let numeric: Vec<f32> = (0..rows).map(|row| (row % 17) as f32 / 30.0 - 0.3).collect();
    let positive = (0..rows).map(|row| (row % 17) + (row % 5) > 10).collect();
    Batch { numeric, codes: Vec::new(), positive }
}

fn rows_of(job: &HeldOutFit, batch: &Batch) -> HeldOutRows<FitRows> {
    let mut reader = job.reader();
    reader.push(batch, &[]);
    reader.finish(job).unwrap()
}

/// Coefficients, chosen λ and evidence of intervals depend on no held-out row, in any bit; and the
/// counts do. The other way round a training row changes the coefficients. (It goes red if any of
/// the two parts is the whole table.)
#[test]
fn training_never_looks_at_a_row_that_is_held_out() {
    let job = all_of_it();
    let table = batch(8_000);
    let run = |table: &Batch| {
        let rows = rows_of(&job, table);
        let plan = job.plan(HeldOutFit::count(&rows)).unwrap();
        let released = job.run(&plan, &rows, Receipt::seeded(3).noise()).unwrap();
        job.artefact(&plan, released, None).unwrap()
    };
    let changed = |row: usize| {
        let mut other = table.clone();
        other.numeric[row] = 0.5;
        other.positive[row] = !other.positive[row];
        other
    };
    let model = run(&table);
    assert_eq!(model.rows(), 8_000);
    assert_eq!(model.quality.as_ref().unwrap().rows(), 2_000);
    // Every fourth row is held out, from the fourth on.
    for row in [3, 4_003, 7_999] {
        let other = run(&changed(row));
        assert_eq!(
            (other.theta(), other.evidence.clone()),
            (model.theta(), model.evidence.clone()),
            "row {row}"
        );
        assert_ne!(other.quality, model.quality, "row {row}");
    }
    // Of the others a few only validate λ, by position.
    let matters =
        [0, 1, 2, 7_996].iter().filter(|&&row| run(&changed(row)).theta() != model.theta()).count();
    assert!(matters >= 3, "{matters} of 4 rows that train");
}

/// Rows that are in files because memory has no room give the same model and the same counts as
/// rows in memory.
#[test]
fn rows_in_files_are_held_out_like_rows_in_memory() {
    let job = all_of_it();
    let table = batch(8_000);
    let run = |rows: &HeldOutRows<FitRows>| {
        let plan = job.plan(HeldOutFit::count(rows)).unwrap();
        let released = job.run(&plan, rows, Receipt::seeded(3).noise()).unwrap();
        job.artefact(&plan, released, None).unwrap()
    };
    let folder = tempfile::TempDir::new().unwrap();
    let limits = Limits {
        memory: 1_000,
        folder: folder.path(),
        validation: job.fit().row_split().validation,
    };
    let mut storage = HeldOutStorage::new(&job, limits);
    for start in (0..8_000).step_by(1_000) {
        let (numeric, positive) =
            (&table.numeric[start..start + 1_000], &table.positive[start..start + 1_000]);
        let piece =
            Batch { numeric: numeric.to_vec(), codes: Vec::new(), positive: positive.to_vec() };
        storage.push(&piece, &[]).unwrap();
    }
    assert_eq!(run(&storage.finish(&job).unwrap()), run(&rows_of(&job, &table)));
}

/// The same of persons, whose rows are far from each other: λ is chosen, intervals are made, and
/// nothing differs in any bit.
#[test]
fn persons_in_files_are_held_out_like_persons_in_memory() {
    let fit = FitJob { unit: Unit::Person, ..fit_job("[0.01, 0.1]", "[intervals]\nlevel = 0.9\n") };
    let schema = fit.schema.clone();
    let job = HeldOutFit::new(fit, &settings(None)).unwrap();
    let (table, key) = (batch(8_000), PersonKey::of_seed(7));
    let places: Vec<u128> = (0..8_000).map(|row| key.place(row * row % 3_001)).collect();
    let folder = tempfile::TempDir::new().unwrap();
    let limits = Limits { memory: 1_000, folder: folder.path(), validation: None };
    let mut here = HeldOutPersonsReader::new(key);
    let mut elsewhere = HeldOutPersonsStorage::new(&schema, key, limits);
    for start in (0..8_000).step_by(1_000) {
        let (numeric, positive) =
            (&table.numeric[start..start + 1_000], &table.positive[start..start + 1_000]);
        let piece =
            || Batch { numeric: numeric.to_vec(), codes: Vec::new(), positive: positive.to_vec() };
        here.push(piece(), &[], &places[start..start + 1_000]);
        elsewhere.push(piece(), &[], &places[start..start + 1_000]).unwrap();
    }
    let [here, elsewhere] =
        [here.finish(&job).unwrap(), elsewhere.finish(&job).unwrap()].map(|rows| {
            let plan = job.plan(HeldOutFit::count(&rows)).unwrap();
            let released = job.run(&plan, &rows, Receipt::seeded(3).noise()).unwrap();
            job.artefact(&plan, released, None).unwrap()
        });
    assert_eq!(here, elsewhere);
    assert!(here.intervals.is_some() && here.quality.is_some());
}

/// Both parts may spend the whole budget, and together they cost it once.
#[test]
fn held_out_rows_cost_no_budget() {
    let budgets = [
        Budget::Pure { epsilon: 9.0 },
        Budget::Approximate { epsilon: 2.0, delta: 1e-6 },
        Budget::Zcdp { rho: 2.0 },
    ];
    for budget in budgets {
        for more in ["", "[intervals]\nlevel = 0.9\n"] {
            let fit = FitJob { spend: budget, ..fit_job("0.01", more) };
            let alone = fit.plan(6_000).unwrap();
            let alone = Spend::of(&fit.event(&alone)).unwrap().price(budget).unwrap().amount;
            let job = HeldOutFit::new(fit, &settings(None)).unwrap();
            let plan = job.plan(8_000).unwrap();
            assert_eq!(plan.held_out(), 2_000);
            let event = job.event(&plan);
            assert!(matches!(&event, Event::Parallel { of } if of.len() == 2), "{event:?}");
            let price = Spend::of(&event).unwrap().price(budget).unwrap().amount;
            assert!(
                price <= amount(budget) && price >= alone * (1.0 - 1e-9),
                "{budget}: {price} and {alone}"
            );
        }
    }
}

const STUDY: &str = r#"
[data]
path = "t.csv"
account = "a"
target = "y"
positive = "1"
negative = "0"
[budget]
epsilon = 9
[spend]
epsilon = 2
[columns]
x = { min = -1, max = 1 }
sex = { values = ["f", "m"] }
many = { values = ["MANY"] }
"#;

fn study() -> Study {
    let many: Vec<String> = (0..21).map(|value| format!("v{value}")).collect();
    Study::parse(Path::new("study.toml"), &STUDY.replace("MANY", &many.join("\", \""))).unwrap()
}

#[test]
fn groups_are_declared_values_of_one_column() {
    let job = |by: &str| HeldOutFit::new(FitJob::of(&study()), &settings(Some(by)));
    assert!(job("sex").is_ok());
    for (by, words) in [
        ("x", "a column of categories"),
        ("age", "sex, many"),
        ("many", "21 values, and at most 20"),
    ] {
        let Err(refusal) = job(by) else { panic!("{by}") };
        assert!(refusal.to_string().contains(words), "{refusal}");
    }
    let groups = Groups::by(&study().schema, Some("sex")).unwrap();
    assert_eq!(groups.names(), ["f", "m", "(all others)"]);
    assert_eq!((groups.place(), groups.len()), (Some(0), 3));
}

/// What a model and a study do not have in common is named.
#[test]
fn a_model_of_other_columns_is_refused() {
    let job = HeldOutFit::new(FitJob::of(&study()), &settings(None)).unwrap();
    let codes = (0..8_000).map(|row| (row % 2) as u16).collect();
    let table = Batch { codes, ..batch(4_000) };
    let rows = rows_of(&job, &table);
    let plan = job.plan(4_000).unwrap();
    let released = job.run(&plan, &rows, Receipt::seeded(1).noise()).unwrap();
    let model = job.artefact(&plan, released, None).unwrap();
    let evaluate = |text: &str| {
        let other = Study::parse(Path::new("study.toml"), text).unwrap();
        let pair = (AnyModel::Classes(Box::new(model.clone())), "hash".to_owned());
        EvaluateJob::new(pair, &other.schema, None, other.spend, "here".to_owned())
    };
    let many: Vec<String> = (0..21).map(|value| format!("v{value}")).collect();
    let same = STUDY.replace("MANY", &many.join("\", \""));
    assert!(evaluate(&same).is_ok());
    for (from, to, words) in [
        ("max = 1 }", "max = 2 }", "column 'x' is not declared alike"),
        ("\"m\"]", "\"m\", \"d\"]", "column 'sex' is not declared alike"),
        ("sex = ", "gender = ", "column 'sex' is not declared alike"),
        ("positive = \"1\"", "positive = \"2\"", "another target"),
    ] {
        let Err(refusal) = evaluate(&same.replace(from, to)) else { panic!("{to}") };
        assert!(refusal.to_string().contains(words), "{refusal}");
    }
}

/// Real scores are within the range that is expected of them, for coefficients of any size.
#[test]
fn scores_are_where_they_are_expected() {
    let schema = study().schema;
    let dimension = schema.encoder().layout().dimension();
    for size in [0.0, 0.3, 40.0] {
        let theta: Vec<f64> = (0..dimension).map(|j| size * ((j * 7 % 5) as f64 - 2.0)).collect();
        let scorer = Scorer::of_classes(&schema, &theta, LossKind::Logistic);
        let Expected::Two((low, high)) = scorer.expected() else { panic!("two classes") };
        assert!(low < high && low.is_finite() && high.is_finite());
        let codes = (0..4_000).flat_map(|row| [(row % 2) as u16, (row % 21) as u16]).collect();
        let numeric = (0..4_000).map(|row| (row % 41) as f32 / 40.0 - 0.5).collect();
        let rows = Batch { numeric, codes, positive: vec![true; 4_000] };
        let scored = margins(&schema.encoder().layout(), rows, &theta);
        let inside = scored.iter().filter(|&&score| low <= score && score <= high).count();
        assert!(inside > 3_900, "{inside} of 4000 between {low} and {high}");
    }
}

const OTHER_OUTCOMES: [&str; 2] = [
    "target = \"y\"\nclasses = [\"a\", \"b\", \"c\"]",
    "outcome = { column = \"y\", min = 0, max = 10 }",
];

fn other_study(outcome: &str) -> Study {
    let text = STUDY.replace("target = \"y\"\npositive = \"1\"\nnegative = \"0\"", outcome);
    Study::parse(Path::new("study.toml"), &text).unwrap()
}

/// Rows of three classes, or with a number as outcome: both follow from x.
fn other_rows(schema: &Schema, rows: usize) -> (Batch, Vec<u16>) {
    let x = |row: usize| (row * 37 % 101) as f32 / 101.0 - 0.5;
    let codes = (0..rows).flat_map(|row| [(row % 2) as u16, 0]).collect();
    let classes: Vec<u16> =
        (0..rows).map(|row| ((x(row) + 0.5 + (row % 7) as f32 / 20.0) * 2.2) as u16 % 3).collect();
    let is_number = schema.outcome_scale().is_some();
    let size = schema.labelled_layout().columns().iter().next().unwrap().size as f32;
    let numeric = match is_number {
        false => (0..rows).map(|row| size * x(row)).collect(),
        true => (0..rows)
            .flat_map(|row| [size * x(row), size * (x(row) + (row % 7) as f32 / 50.0)])
            .collect(),
    };
    let batch = Batch { numeric, codes, positive: vec![false; rows] };
    (batch, if is_number { Vec::new() } else { classes })
}

/// The same of other outcomes as of two classes: a held-out row changes no coefficient and some
/// figure, and a row that trains changes coefficients. (Red if held-out rows train too, or if rows
/// that train are evaluated.)
fn parts_are_apart<J: Evaluable>(
    fit: J,
    theta: impl Fn(&J::Artefact) -> Vec<f64>,
    quality: impl Fn(&J::Artefact) -> ModelQuality,
) where
    J::Rows: Sized,
{
    let job = HeldOut::new(fit, &settings(Some("sex"))).unwrap();
    let (table, classes) = other_rows(job.fit().schema(), 8_000);
    let width = table.numeric.len() / 8_000;
    let run = |changed: Option<usize>| {
        let (mut table, mut classes) = (table.clone(), classes.clone());
        if let Some(row) = changed {
            table.numeric[row * width..][..width].iter_mut().for_each(|x| *x = -*x - 0.01);
            table.codes[2 * row] = 1 - table.codes[2 * row];
            classes.get_mut(row).into_iter().for_each(|class| *class = (*class + 1) % 3);
        }
        let mut reader = job.reader();
        reader.push(&table, &classes);
        let rows = reader.finish(&job).unwrap();
        let plan = job.plan(HeldOut::<J>::count(&rows)).unwrap();
        let released = job.run(&plan, &rows, Receipt::seeded(3).noise()).unwrap();
        let model = job.artefact(&plan, released, None).unwrap();
        let text = model.to_json();
        assert_eq!(
            J::Artefact::from_json(&text).unwrap().to_json(),
            text,
            "what is written is read"
        );
        (theta(&model), quality(&model))
    };
    let usual = run(None);
    assert_eq!((usual.1.rows(), usual.1.by()), (2_000, Some("sex")));
    for row in [3, 4_003] {
        let other = run(Some(row));
        assert_eq!(other.0, usual.0, "row {row} is held out");
        assert_ne!(other.1, usual.1, "row {row} is counted");
    }
    assert_ne!(run(Some(0)).0, usual.0, "row 0 trains");
}

#[test]
fn several_classes_and_numbers_are_evaluated_on_rows_that_never_train() {
    let [classes, number] = OTHER_OUTCOMES.map(other_study);
    let of_classes = |model: &discretion_formats::Model| model.quality.clone().unwrap();
    parts_are_apart(FitJob::of(&classes), discretion_formats::Model::theta, of_classes);
    let of_number = |model: &discretion_formats::NumberModel| {
        ModelQuality::Number(model.quality.clone().unwrap())
    };
    let job = NumberJob::of(&number).unwrap().unwrap();
    parts_are_apart(job, discretion_formats::NumberModel::theta, of_number);
}
