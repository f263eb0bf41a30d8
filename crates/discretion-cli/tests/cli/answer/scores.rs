//! Scores, and labels by a threshold.

use super::{ANSWER, STUDY, charges, workspace};
use serde_json::Value;

fn cut_at(threshold: f64) -> String {
    STUDY.replace(
        "unstable = 4\n",
        &format!("answer = \"all\"\nscores = true\nthreshold = {threshold}\n"),
    )
}

/// Each score with its label.
fn labelled(answers: &str) -> Vec<(f64, &str)> {
    assert!(answers.starts_with("row,score,label,status\n"), "{answers}");
    let fields = answers.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    fields.map(|fields| (fields[1].parse().unwrap(), fields[2])).collect()
}

#[test]
fn a_threshold_names_a_class_and_may_be_changed_for_nothing() {
    let workspace = workspace(&cut_at(0.6));
    let run = workspace.run(&ANSWER).succeeds();
    let high = workspace.read("a.csv");
    let high = labelled(&high);
    assert!(high.iter().all(|(score, label)| (*score >= 0.6) == (*label == "yes")), "{high:?}");
    let above = high.iter().filter(|(_, label)| *label == "yes").count();
    let said = format!("scores from 0.6 on are called yes: {above}\n");
    assert!(run.stdout.contains(&said), "{}", run.stdout);
    // A score that was told is the threshold: it counts as above, and everything below does not.
    let at =
        high.iter().map(|(score, _)| *score).find(|score| *score > 0.2 && *score < 0.6).unwrap();
    workspace.write("study.toml", cut_at(at));
    let json = workspace.run(&[&ANSWER[..], &["--json"]].concat()).succeeds().stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    let low = workspace.read("a.csv");
    let low = labelled(&low);
    assert!(
        low.iter().zip(&high).all(|(low, high)| low.0 == high.0),
        "the scores that were told stay"
    );
    assert!(low.iter().all(|(score, label)| (*score >= at) == (*label == "yes")), "{at}: {low:?}");
    let above = low.iter().filter(|(_, label)| *label == "yes").count();
    assert_eq!((&json["above_threshold"], charges(&workspace, "t")), (&above.into(), 1), "{json}");
}

/// Where clear bins are told, a query without an answer has no label either.
#[test]
fn what_has_no_score_has_no_label() {
    let workspace =
        workspace(&STUDY.replace("[vote]", "[vote]\nscores = true\ngamma = 0.5\nthreshold = 0.5"));
    workspace.run(&ANSWER).succeeds();
    let answers = workspace.read("a.csv");
    assert!(answers.starts_with("row,score,label,status\n"), "{answers}");
    for line in answers.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!((fields.len(), fields[1].is_empty()), (4, fields[2].is_empty()), "{line}");
        assert_eq!(fields[3] == "answered", !fields[1].is_empty(), "{line}");
    }
}
