use super::methods::Method;
use crate::{Options, parties};

/// The short form on made-up rows: ten numbers that are easy to learn from, 1,000 training rows.
#[test]
fn the_short_form_runs_and_every_method_is_in_the_table() {
    let results = parties::run(&Options { data: None, quick: true, seed: 1 }, &|_, _| {}).unwrap();
    for method in Method::JOINT.into_iter().chain(Method::ALONE) {
        assert!(results.text.contains(method.name()), "{method:?} is missing:\n{}", results.text);
    }
    let json: serde_json::Value = serde_json::from_str(&results.json).unwrap();
    let lines = json["tables"][0]["lines"].as_array().unwrap();
    // Six splits and four methods, one holder and two, under two budgets; a step that is taken
    // anyway is not forced as well.
    let of = |method: &str, is_taken: bool| {
        lines
            .iter()
            .filter(|line| line["method"] == method && line["step"].is_number() == is_taken)
            .count()
    };
    assert_eq!([of("printed", false), of("average", false), of("alone", false)], [12, 12, 2]);
    assert_eq!(of("auto", true) + of("always", true), 12, "{}", results.text);
    let auc = |method: &str| {
        let of: Vec<f64> = lines
            .iter()
            .filter(|line| line["method"] == method && line["split"]["dealt"] != "sorted")
            .map(|line| line["auc"].as_f64().unwrap())
            .collect();
        of.iter().sum::<f64>() / of.len() as f64
    };
    assert!(auc("average") > 0.7, "{}", results.text);
    assert!(auc("alone") > 0.7, "{}", results.text);
    for line in json["intervals"].as_array().unwrap() {
        assert!(
            line["length"].as_f64().unwrap() > 0.0 && line["covered"].as_f64().unwrap() > 0.5,
            "{line}"
        );
    }
    assert!(results.figures[0].1.starts_with("<svg"));
}
