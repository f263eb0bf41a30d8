//! The short form runs, intervals on made-up rows cover as often as they say, and printed constants are longer.

use super::measure::measure;
use super::population::Values;
use super::setting::{Guarantee, Setting};
use super::{run, splits};
use crate::Options;
use discretion::erm::LossKind;
use discretion::train::Method;

fn quick() -> Options {
    Options { data: None, quick: true, seed: 1 }
}

#[test]
fn the_short_form_runs_and_repeats_itself() {
    let steps = std::sync::Mutex::new(Vec::new());
    let first = run(&quick(), &|done, of| steps.lock().unwrap().push((done, of))).unwrap();
    let steps = steps.into_inner().unwrap();
    assert_eq!(steps.first().map(|step| step.0), Some(0));
    assert!(steps.iter().zip(&steps[1..]).all(|(a, b)| a.0 < b.0), "{steps:?}");
    assert!(steps.last().is_some_and(|(done, of)| done == of), "{steps:?}");

    for name in ["DP   obj    LR", "zCDP output SVM", "as printed", "ours"] {
        assert!(first.text.contains(name), "{name} is not in\n{}", first.text);
    }
    assert_eq!(first.figures.len(), 4);
    assert!(first.figures.iter().all(|(name, svg)| name.ends_with(".svg") && svg.contains("zCDP ours")));
    let json: serde_json::Value = serde_json::from_str(&first.json).unwrap();
    let lines = json[0]["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 8);
    let coverages = lines.iter().flat_map(|line| line["cells"].as_array().unwrap()).map(|cell| &cell["ours"]);
    assert!(coverages.clone().count() == 16);
    assert!(
        coverages.clone().all(|ours| ours["coverage"].as_f64().is_some_and(|c| c > 0.8)),
        "{}",
        first.json
    );

    let again = run(&quick(), &|_, _| {}).unwrap();
    assert_eq!((again.text, again.json), (first.text, first.json));
}

#[test]
fn the_short_form_of_splits_runs() {
    let results = splits(&quick(), &|_, _| {}).unwrap();
    let json: serde_json::Value = serde_json::from_str(&results.json).unwrap();
    assert_eq!(json.as_array().unwrap().len(), 24);
    assert!(results.text.contains("0.5:0.25:0.25"));
}

/// 400 replicates of 3 coefficients. If each is covered with probability 0.95, fewer than 91 % of all are covered with
/// a chance below 1e-6 even if the three always miss together (P(Bin(400, 0.05) > 36) < 1e-3 then, so the bound for
/// dependent misses is taken at 0.885: P(Bin(400, 0.05) ≥ 46) = 2e-7).
#[test]
fn intervals_cover_and_printed_constants_are_longer() {
    let population = Values::made_up(4000, 2, 3).population(2, None, 3);
    for guarantee in [Guarantee::Pure, Guarantee::Zcdp] {
        for method in [Method::Objective, Method::Output] {
            let setting = Setting { guarantee, method, loss: LossKind::Logistic, epsilons: [2.0, 0.5, 0.5] };
            let measured = measure(&population, &setting, 400, 5).unwrap();
            let (ours, printed) = (measured.ours, measured.printed);
            let name = setting.name();
            eprintln!("{name}: ours {ours:?}, as printed {printed:?}");
            assert!(ours.coverage > 0.885 && ours.coverage < 0.999, "{name}: {}", ours.coverage);
            assert!(
                printed.all.mean > 1.02 * ours.all.mean,
                "{name}: {} {}",
                printed.all.mean,
                ours.all.mean
            );
        }
    }
}

#[test]
fn without_tables_it_says_what_is_missing() {
    let options = Options { data: None, quick: false, seed: 1 };
    assert!(run(&options, &|_, _| {}).unwrap_err().0.contains("--data"));
    let options = Options { data: Some("nowhere".into()), ..options };
    assert!(run(&options, &|_, _| {}).unwrap_err().0.contains("adult_all.csv.gz is not there"));
}
