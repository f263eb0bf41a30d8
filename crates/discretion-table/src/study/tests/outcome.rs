//! What an outcome can be, and what is said of one that cannot.

use super::*;

const LABELS: &str = "positive = \">50K\"\nnegative = [\"<=50K\", \"<=50K.\"]";
const TARGET: &str = "target   = \"income\"\n";

fn labels(instead: &str) -> Result<Labels, String> {
    parse(&ADULT.replace(LABELS, instead)).map(|study| study.schema.target().labels.clone())
}

#[test]
fn a_threshold_makes_two_classes_of_a_number() {
    assert_eq!(
        labels("positive = { above = 30 }").unwrap(),
        Labels::Above { above: 30.0, label: None }
    );
    let long = labels("positive = { above = 30 }\nlabel = \"a long stay\"").unwrap();
    assert_eq!(long.two_names().unwrap(), ["at most 30", "a long stay"]);
    let refused = |instead| labels(instead).unwrap_err();
    assert!(
        refused("positive = { above = 30 }\nnegative = 3")
            .contains("all others are negative; remove `negative`")
    );
    assert!(
        refused("positive = { above = 30 }\nclasses = [1, 2]")
            .contains("both `positive` and `classes`")
    );
    assert!(refused("positive = { abov = 30 }").contains("did you mean `above`?"));
    assert!(refused("positive = { above = inf }").contains("not a finite number"));
}

#[test]
fn a_number_has_a_range_and_no_classes() {
    let number = "outcome = { column = \"days\", min = 0, max = 60, scale = \"log\" }";
    let with_loss = ADULT.replace(TARGET, "").replace(LABELS, number);
    assert!(parse(&with_loss).unwrap_err().contains("squares"));
    let text = with_loss.replace("loss   = \"hinge\"\n", "");
    let study = parse(&text).unwrap();
    let target = study.schema.target();
    assert_eq!(target.column, "days");
    assert_eq!(target.labels, Labels::Number { min: 0.0, max: 60.0, scale: Scale::Log });
    let json = serde_json::to_string(&study.schema).unwrap();
    assert_eq!(serde_json::from_str::<Schema>(&json).unwrap(), study.schema);
    assert!(refusal(LABELS, number).contains("both `outcome` and `target`"));
    assert!(parse(&text.replace("max = 60", "max = -1")).unwrap_err().contains("not below max"));
    assert!(parse(&text.replace("min = 0, max = 60", "max = 60")).unwrap_err().contains("`min`"));
}

#[test]
fn several_outcomes_are_a_list_of_numbers() {
    let list = |outcomes: &str| {
        let text = ADULT.replace(TARGET, "").replace("loss   = \"hinge\"\n", "");
        parse(&text.replace(LABELS, &format!("outcome = [{outcomes}]")))
    };
    let days = "{ column = \"days\", min = 0, max = 60 }";
    let study =
        list(&format!("{days}, {{ column = \"cost\", min = 0, max = 9, scale = \"log\" }}"))
            .unwrap();
    let names: Vec<&str> = study.schema.outcomes().map(|outcome| outcome.column.as_str()).collect();
    assert_eq!(names, ["days", "cost"]);
    // Rows have both behind their numbers, and neither is a feature.
    let columns = study.schema.outcome_columns();
    assert_eq!((columns.len(), columns.start), (2, study.schema.layout_with_outcome().1));
    assert_eq!(study.schema.of_outcome(1).encoder().names(), study.schema.encoder().names());
    assert!(study.schema.of_outcome(1).outcome_scale().unwrap().is_log());
    for schema in [study.schema.clone(), study.schema.of_outcome(0), study.schema.of_outcome(1)] {
        let json = serde_json::to_string(&schema).unwrap();
        assert_eq!(serde_json::from_str::<Schema>(&json).unwrap(), schema);
    }
    assert_eq!(list(days).unwrap().schema.outcomes().count(), 1);
    assert!(list("").unwrap_err().contains("names no column"));
    assert!(list(&format!("{days}, {days}")).unwrap_err().contains("named twice"));
    assert!(list(&format!("{days}, 3")).unwrap_err().contains("or a list of them"));
    assert!(
        list(&format!("{days}, {{ column = \"age\", min = 0, max = 9 }}"))
            .unwrap_err()
            .contains("`age`")
    );
}
