//! Curves and crossed columns in a study file, down to the margins of rows that are read by it.

use super::*;
use crate::{Lost, Purpose, read_batches, read_matrix};
use discretion::erm::matrix::margins;

const COLUMNS: &str = r#"
    [columns]
    age  = { min = 20, max = 60, curve = 5 }
    gain = { min = 0, max = 99, scale = "log", knots = [9], missing = "own" }
    dose = { min = 0, max = 10 }
    sex  = { values = ["f", "m"] }
    ward = { values = ["a", "b", "c"], missing = "own" }
    [cross]
    pairs = [["sex", "ward"], ["dose", "sex"]]
"#;

fn study(columns: &str) -> Result<Study, Error> {
    let text = format!(
        "[data]\npath = \"t.csv\"\naccount = \"a\"\ntarget = \"y\"\npositive = 1\nnegative = 0\n\
         [budget]\nepsilon = 1\n[spend]\nepsilon = 1\n{columns}"
    );
    Study::parse(Path::new("study.toml"), &text)
}

#[test]
fn coefficients_are_named_by_their_knots_and_pairs() {
    let encoder = study(COLUMNS).unwrap().schema.encoder();
    let names = encoder.names();
    assert_eq!(names[..4], ["(intercept)", "dose", "sex=f", "sex=m"]);
    assert_eq!(names[7..9], ["ward=missing", "sex × ward=f × a"]);
    assert_eq!(names[16..21], ["age at 20", "age at 30", "age at 40", "age at 50", "age at 60"]);
    assert_eq!(names[21..25], ["gain at 0", "gain at 9", "gain at 99", "gain missing"]);
    assert_eq!(names[25..], ["dose × sex=f", "dose × sex=m"]);
    assert_eq!(names.len(), encoder.layout().dimension());
    assert_eq!(encoder.layout().columns().count(), encoder.column_names().len());
    let knots: Vec<f64> = encoder.knots().into_iter().flatten().map(|(_, at)| at).collect();
    assert_eq!(knots, [20.0, 30.0, 40.0, 50.0, 60.0, 0.0, 9.0, 99.0]);
}

/// A row's margin is what the coefficients in column units say, by hand.
#[test]
fn margins_are_what_curves_and_crosses_say() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("t.csv");
    let rows = "age,gain,dose,sex,ward,y\n25,,10,m,b,1\n80,9,5,f,,0\n40,99,0,m,x,0\n";
    std::fs::write(&table, rows).unwrap();
    let schema = study(COLUMNS).unwrap().schema;
    let encoder = schema.encoder();
    let theta: Vec<f64> = (0..encoder.names().len()).map(|j| 1.0 + (j as f64).sin()).collect();
    let units = encoder.in_column_units(&theta).unwrap();
    let unit = |name: &str| {
        let place = encoder.names().iter().position(|known| known == name).expect(name);
        units[place].value
    };
    let slope = |sex: &str| unit(&format!("dose × sex={sex}"));
    let expected = [
        0.5 * unit("age at 20")
            + 0.5 * unit("age at 30")
            + unit("gain missing")
            + 10.0 * (unit("dose") + slope("m"))
            + unit("sex=m")
            + unit("ward=b")
            + unit("sex × ward=m × b"),
        unit("age at 60")
            + unit("gain at 9")
            + 5.0 * (unit("dose") + slope("f"))
            + unit("sex=f")
            + unit("ward=missing")
            + unit("sex × ward=f × missing"),
        // A ward that is not declared is nothing, and so is its pair.
        unit("age at 40") + unit("gain at 99") + unit("sex=m"),
    ];
    let mut found = Vec::new();
    let each = |batch| {
        found.extend(margins(&encoder.layout(), batch, &theta));
        Ok::<(), Error>(())
    };
    let counts = read_batches(&table, &schema, Purpose::Train, &|_| {}, each).unwrap();
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected - unit("(intercept)")).abs() < 1e-5, "{found}");
    }
    assert_eq!(found.len(), 3);
    // What has a level of its own is not lost; what is clipped, or undeclared, is.
    let missing = |column: &crate::ColumnCounts| match column.lost {
        Lost::Number { missing, .. }
        | Lost::Date { missing, .. }
        | Lost::Category { missing, .. }
        | Lost::OneOf { none: missing, .. } => missing,
    };
    assert_eq!(counts.columns.iter().map(missing).sum::<u64>(), 0);
    assert_eq!(read_matrix(&table, &schema, &|_| {}).unwrap().0.rows(), 3);
    let again: Schema = serde_json::from_str(&serde_json::to_string(&schema).unwrap()).unwrap();
    assert_eq!(again, schema);
}

/// Effects of a curve are differences from its middle, 40 years or √100 − 1 = 9.
#[test]
fn effects_of_a_curve_are_beside_its_middle() {
    let encoder = study(COLUMNS).unwrap().schema.encoder();
    let (names, effects) = (encoder.names(), encoder.effects());
    let of = |name: &str| effects[names.iter().position(|known| known == name).unwrap()].clone();
    assert_eq!(of("age at 40"), None);
    let effect = of("age at 20").unwrap();
    assert_eq!(effect.against.as_deref(), Some("40"));
    let sum: f64 = effect.weights.iter().map(|(_, weight)| weight).sum();
    assert!(sum.abs() < 1e-12 && effect.weights.len() == 2);
    assert_eq!(
        (of("gain missing").unwrap().against.as_deref(), of("gain at 9")),
        (Some("9"), None)
    );
}

#[test]
fn monotone_curves_go_one_way_and_nothing_else_moves() {
    let columns =
        "[columns]\nx = { min = 0, max = 3, curve = 4, monotone = \"down\", missing = \"own\" }";
    let encoder = study(columns).unwrap().schema.encoder();
    assert_eq!(encoder.monotone(&[9.0, 3.0, 1.0, 2.0, 0.0, 7.0]), [9.0, 3.0, 1.5, 1.5, 0.0, 7.0]);
}

#[test]
fn what_cannot_be_is_refused_in_a_sentence() {
    for (columns, sentence) in [
        ("x = { min = 0, max = 1, curve = 1 }", "1 knots"),
        ("x = { min = 0, max = 1, curve = 2.5 }", "whole number of knots"),
        ("x = { min = 0, max = 1, curve = 3, knots = [0.5] }", "remove `curve`"),
        ("x = { min = 0, max = 1, knots = [2] }", "list them in order"),
        ("x = { min = 0, max = 1, monotone = \"up\" }", "no curve"),
        ("x = { values = [1, 2], curve = 3 }", "x"),
        ("x = { values = [1, 2], missing = 3 }", "mixes them"),
        (
            "d = { kind = \"date\", min = \"2020-01-01\", max = \"2021-01-01\", knots = [3] }",
            "date",
        ),
        ("x = { min = 0, max = 1 }\n[cross]\npairs = [[\"x\", \"z\"]]", "`z`"),
        ("x = { min = 0, max = 1 }\n[cross]\npairs = [[\"x\", \"x\"]]", "must be a category"),
        (
            "x = { min = 0, max = 1, curve = 3 }\ns = { values = [1, 2] }\n[cross]\npairs = [[\"s\", \"x\"]]",
            "no curve",
        ),
        (
            "s = { values = [1, 2] }\nt = { values = [1] }\n[cross]\npairs = [[\"s\", \"t\"], [\"t\", \"s\"]]",
            "twice",
        ),
        ("s = { values = [1, 2] }\n[cross]\npairs = [\"s\"]", "pairs of columns"),
    ] {
        let error = study(&format!("[columns]\n{columns}")).unwrap_err().to_string();
        assert!(error.contains(sentence), "{columns}: {error}");
    }
    let date =
        "[columns]\nd = { kind = \"date\", min = \"2020-01-01\", max = \"2020-01-03\", curve = 3 }";
    assert_eq!(study(date).unwrap().schema.encoder().names()[2], "d at 2020-01-02");
}

#[test]
fn knots_that_are_found_later_are_declared_and_settled() {
    use crate::{Chosen, Knots};
    use discretion::privacy::Budget;
    let schema = |said: &str| {
        study(&format!("[columns]\nage = {{ min = 0, max = 64, {said} }}\n")).map(|s| s.schema)
    };
    let knots = |schema: &Schema| schema.columns()[0].curve.clone().map(|curve| curve.knots);
    let auto = schema("curve = \"auto\"").unwrap();
    assert_eq!(auto.unsettled(), Some(("age", "curve = \"auto\"")));
    let settled = |rows| auto.with_auto_curves(rows, Budget::Pure { epsilon: 1.0 }).0;
    assert_eq!((knots(&settled(100)), knots(&settled(100_000))), (None, Some(Knots::Even(12))));
    let with_level = schema("curve = \"auto\", missing = \"own\"").unwrap();
    assert_eq!(
        knots(&with_level.with_auto_curves(9, Budget::Pure { epsilon: 1.0 }).0),
        Some(Knots::Even(2))
    );

    let private = schema("knots = \"private\"").unwrap();
    assert_eq!(knots(&private), Some(Knots::Chosen(Chosen::Private { knots: 12, share: 0.01 })));
    let again: Schema = serde_json::from_str(&serde_json::to_string(&private).unwrap()).unwrap();
    assert_eq!(again, private);
    let private = schema("knots = \"private\", curve = 4, share = 0.2").unwrap();
    let released = private.with_released_knots(&[vec![0, 3, 9, 64]]);
    assert_eq!((knots(&released), released.unsettled()), (Some(Knots::At(vec![3.0, 9.0])), None));
    assert_eq!(released.columns()[0].curve.as_ref().unwrap().released_for, Some(0.2));
    assert_eq!(released.encoder().names()[2], "age at 3");

    for (said, reason) in [
        ("knots = \"private\", share = 0.7", "between 0 and 0.5"),
        ("knots = \"private\", curve = 66", "2 to 65"),
        ("curve = 5, share = 0.1", "what private knots cost"),
        ("curve = \"many\"", "or \"auto\""),
    ] {
        let refused = schema(said).unwrap_err();
        assert!(refused.to_string().contains(reason), "{said}: {refused}");
    }
}
