//! What is read from a study file, and what is refused; votes and parties have files of their own.

mod curves;
mod one_of;
mod outcome;
mod party;
mod reference;
mod set;
mod vote;

pub(super) use reference::note;

use super::*;
use crate::schema::{Column, Kind, Labels, Scale};
use discretion::erm::matrix::Norm;
use discretion::loss::{HalfWidth, LossKind};
use discretion::train::Method;

const ADULT: &str = r#"
[data]
path     = "adult.csv"
account  = "adult"
target   = "income"
positive = ">50K"
negative = ["<=50K", "<=50K."]

[budget]
epsilon = 3.0
delta   = 1e-6

[spend]
epsilon = 1

[columns]
zone         = { values = [" a", 1, 0x10, 2.5, true] }
age          = { min = 17, max = 90 }
capital-gain = { min = 0, max = 99_999, scale = "log", missing = 0 }
fnlwgt       = { drop = true }

[model]
loss   = "hinge"
lambda = [1e-3, 1]
method = "output"
norm   = "row"

[intervals]
"#;

fn parse(text: &str) -> Result<Study, String> {
    Study::parse(Path::new("dir/study.toml"), text).map_err(|error| error.to_string())
}

/// The message for the example with one piece of its text replaced.
fn refusal(from: &str, to: &str) -> String {
    assert!(ADULT.contains(from), "{from}");
    parse(&ADULT.replacen(from, to, 1)).expect_err(to)
}

#[test]
fn reads_the_whole_example() {
    let study = parse(ADULT).unwrap();
    assert_eq!(study.data, Data { path: "dir/adult.csv".into(), account: "adult".into() });
    assert_eq!(study.budget, Terms::from(Budget::Approximate { epsilon: 3.0, delta: 1e-6 }));
    assert_eq!(study.spend, Budget::Pure { epsilon: 1.0 });
    let values = ["a", "1", "16", "2.5", "true"].map(String::from).to_vec();
    let column = |name: &str, kind| Column::new(name, kind);
    let number =
        |min, max, scale, missing| Kind::Number { min, max, scale, missing, integer: false };
    let expected = [
        column("zone", Kind::category(values)),
        column("age", number(17.0, 90.0, Scale::Linear, None)),
        column("capital-gain", number(0.0, 99_999.0, Scale::Log, Some(0.0))),
        column("fnlwgt", Kind::Dropped),
    ];
    assert_eq!(study.schema.columns(), expected, "in the order of the file");
    assert_eq!(study.schema.norm(), Norm::Row);
    assert!(
        matches!(&study.schema.target().labels, Labels::Two { positive, negative: Some(negative), label: None }
        if positive == &[">50K"] && negative.len() == 2)
    );
    // With intervals the corner of a hinge is rounded more.
    assert_eq!(study.model.loss, LossKind::hinge(HalfWidth::WIDE));
    assert_eq!(study.model.lambda, Lambda::Grid(vec![1e-3, 1.0]));
    assert_eq!(study.model.method, Method::Output);
    assert_eq!(study.intervals, Some(IntervalSettings::default()));
    assert_eq!(study.places.lambda.to_string(), "dir/study.toml:24:1");
}

#[test]
fn has_defaults() {
    let end = ADULT.find("[model]").unwrap();
    let study = parse(&ADULT[..end]).unwrap();
    assert_eq!(study.model, ModelSettings::default());
    assert_eq!((study.schema.norm(), study.intervals), (Norm::Scale, None));
}

#[test]
fn the_corner_of_a_hinge_is_rounded_as_the_study_says() {
    let hinge = |written: &str| {
        let text = ADULT.replace("loss   = \"hinge\"", &format!("loss = \"hinge\"\n{written}"));
        parse(&text).map(|study| study.model.loss.half_width().unwrap().value())
    };
    assert_eq!(hinge("smoothing = 0.5").unwrap(), 0.5);
    assert_eq!(hinge("").unwrap(), 1.0);
    let refused = |written: &str| hinge(written).unwrap_err().to_string();
    assert!(
        refused("smoothing = 0.3").contains("`smoothing` is 0.125, 0.25, 0.5, 1 or 2, not 0.3")
    );
    let without = ADULT.replace("[intervals]", "");
    assert_eq!(parse(&without).unwrap().model.loss, LossKind::Hinge);
    let logistic = ADULT.replace("loss   = \"hinge\"", "loss = \"logistic\"\nsmoothing = 1");
    assert!(
        parse(&logistic).unwrap_err().to_string().contains("remove it, or write loss = \"hinge\"")
    );
}

#[test]
fn intervals_can_be_for_some_columns() {
    let columns = |list: &str| {
        parse(&ADULT.replace("[intervals]", &format!("[intervals]\ncolumns = {list}")))
    };
    let named = columns("[\"age\", \"zone\"]").unwrap().intervals.unwrap().columns;
    assert_eq!(named, Some(vec!["age".to_owned(), "zone".to_owned()]));
    let refused = |list: &str| columns(list).unwrap_err().to_string();
    assert!(refused("[\"agee\"]").contains("no column `agee` is declared; did you mean `age`?"));
    assert!(refused("[\"age\", \"age\"]").contains("named twice"));
    assert!(refused("[\"fnlwgt\"]").contains("fnlwgt"));
    assert!(refused("[]").contains("is an empty list"));
}

#[test]
fn classes_are_kept() {
    let labels = "positive = \">50K\"\nnegative = [\"<=50K\", \"<=50K.\"]";
    let study = parse(&ADULT.replace(labels, "classes = [\"a\", \"b\", 3]")).unwrap();
    assert_eq!(
        study.schema.target().labels,
        Labels::Many { classes: ["a", "b", "3"].map(String::from).to_vec() }
    );
}

#[test]
fn refuses_unknown_names_with_a_place_and_a_suggestion() {
    assert_eq!(
        refusal("[spend]\nepsilon", "[spend]\nepsilom"),
        "dir/study.toml:14:1: unknown key `epsilom` in [spend]; did you mean `epsilon`?"
    );
    assert_eq!(
        refusal("{ min = 17", "{ mim = 17"),
        "dir/study.toml:18:18: unknown key `mim` in column `age`; did you mean `min`?"
    );
    assert_eq!(
        refusal("[spend]", "[spent]"),
        "dir/study.toml:13:2: unknown table [spent]; did you mean `spend`?"
    );
    assert_eq!(
        refusal("\"hinge\"", "\"logistics\""),
        "dir/study.toml:23:1: `loss` in [model] cannot be \"logistics\"; it is one of \"logistic\", \"hinge\"; \
         did you mean `logistic`?"
    );
}

#[test]
fn refuses_what_cannot_be_with_its_line() {
    for (from, to, line, expected) in [
        ("epsilon = 3.0", "epsilon = 0", 10, "epsilon must be a finite number above 0"),
        ("epsilon = 3.0", "epsilon = nan", 10, "epsilon must be"),
        ("epsilon = 3.0", "epsilon = inf", 10, "epsilon must be"),
        ("delta   = 1e-6", "delta = 1", 11, "delta must be at least 0 and below 1"),
        ("delta   = 1e-6", "rho = 1", 9, "either epsilon, epsilon with delta, or rho"),
        (
            "epsilon = 3.0",
            "epsilon = \"3\"",
            10,
            "`epsilon` in [budget] must be a number, not a text",
        ),
        ("min = 17", "min = 90", 18, "min = 90, which is not below max = 90"),
        ("min = 17", "min = -inf", 18, "finite `min` and `max`"),
        ("min = 17, max = 90", "min = -1e308, max = 1e308", 18, "too narrow or too wide"),
        ("min = 17, max = 90", "min = 0, max = 5e-324", 18, "too narrow or too wide"),
        ("min = 17, ", "", 18, "the key `min` is missing in column `age`"),
        ("missing = 0", "missing = -1", 19, "missing = -1, which is outside its range 0 to 99999"),
        ("{ drop = true }", "{ drop = false }", 20, "`drop = false`"),
        ("{ drop = true }", "{ drop = true, min = 0 }", 20, "this mixes them"),
        ("{ drop = true }", "{ values = [], min = 0 }", 20, "this mixes them"),
        ("{ drop = true }", "{ }", 20, "says nothing about its values"),
        ("{ drop = true }", "3", 20, "`fnlwgt` in [columns] must be"),
        ("{ drop = true }", "{ values = [] }", 20, "declares no categories"),
        ("{ drop = true }", "{ values = [\"x\", \" x\"] }", 20, "declares the value \"x\" twice"),
        ("{ drop = true }", "{ values = [1, \"1\"] }", 20, "declares the value \"1\" twice"),
        (
            "{ drop = true }",
            "{ values = [[1]] }",
            20,
            "must be a list of texts, numbers or truth values, not a list",
        ),
        ("fnlwgt ", "income ", 20, "column `income` is the target"),
        (
            "lambda = [1e-3, 1]",
            "lambda = -1",
            24,
            "`lambda` must be a finite number above 0, not -1",
        ),
        ("lambda = [1e-3, 1]", "lambda = [1, inf]", 24, "`lambda` must be a finite number above 0"),
        ("lambda = [1e-3, 1]", "lambda = [1, 1.0]", 24, "lists 1 twice"),
        ("lambda = [1e-3, 1]", "lambda = []", 24, "an empty list"),
        (
            "lambda = [1e-3, 1]",
            "lambda = \"small\"",
            24,
            "must be a number, a list of numbers, or \"auto\"",
        ),
        (
            "[intervals]",
            "[intervals]\nlevel = 1.0",
            29,
            "`level` must lie strictly between 0 and 1, not 1",
        ),
        ("positive = \">50K\"\n", "", 2, "either `positive`"),
        ("positive = \">50K\"\n", "classes = [\"a\"]\n", 7, "remove `negative`"),
        ("negative = ", "classes = ", 7, "keep one of them"),
        ("\"<=50K.\"", "\">50K\"", 6, "the target value \">50K\" is listed twice"),
        ("\">50K\"", "[]", 6, "at least one `positive` value"),
        ("account  = \"adult\"\n", "", 2, "the key `account` is missing in [data]"),
        ("\"adult.csv\"", "\" \"", 3, "`path` in [data] must not be empty"),
        ("{ drop = true }", "{ drop = true", 22, "not valid TOML"),
        ("fnlwgt ", "age ", 20, "not valid TOML: duplicate key"),
    ] {
        let message = refusal(from, to);
        assert!(message.starts_with(&format!("dir/study.toml:{line}:")), "{message}");
        assert!(message.contains(expected), "{message}");
    }
    assert_eq!(
        refusal("[spend]\nepsilon = 1\n", ""),
        "dir/study.toml: nothing says what this run may spend; add [spend] with `epsilon = 1.0`"
    );
}

#[test]
fn refuses_a_study_without_features_and_with_too_many_categories() {
    let columns = &ADULT[ADULT.find("zone").unwrap()..ADULT.find("[model]").unwrap()];
    assert!(
        refusal(columns, "zone = { drop = true }\n").contains("no column is left to learn from")
    );
    let values: Vec<String> = (0..65_535).map(|i| i.to_string()).collect();
    let many = format!("zone = {{ values = [{}] }}\n", values.join(", "));
    assert!(
        refusal(columns, &many).contains("declares 65535 categories; at most 65534 are possible")
    );
}

#[test]
fn unfinished_drafts_name_everything_that_is_left() {
    let text = ADULT
        .replace("min = 17, max = 90", "min = \"?\", max = \"?\"")
        .replace("values = [\" a\", 1, 0x10, 2.5, true]", "values = \"?\"")
        .replace("target   = \"income\"", "target = \"?\"");
    assert_eq!(
        parse(&text).unwrap_err(),
        "dir/study.toml:17:1: this draft is not finished: column `age` still needs bounds; column `zone` still \
         needs a list of values; `target` in [data] is still open; put the facts from the data dictionary in \
         place of every \"?\""
    );
    parse(&ADULT.replace("positive = \">50K\"", "positive = [\"?\"]"))
        .expect("a real question mark, as a list");
}

#[test]
fn the_schema_reads_back_from_json_and_is_checked_there() {
    let schema = parse(ADULT).unwrap().schema;
    let json = serde_json::to_string(&schema).unwrap();
    assert_eq!(serde_json::from_str::<Schema>(&json).unwrap(), schema);
    for (from, to) in
        [("17.0", "170.0"), ("\"norm\"", "\"norms\""), ("\"min\"", "\"extra\":1,\"min\"")]
    {
        assert!(json.contains(from), "{from}");
        serde_json::from_str::<Schema>(&json.replace(from, to)).expect_err(to);
    }
}
