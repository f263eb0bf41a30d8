//! The pictures of a plan: what curves cost, and how exactly quality can be measured. Public
//! numbers alone.

use crate::runs::{change, job, ready};
use serde_json::{Value, json};
use std::fs;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn a_plan_says_what_curves_cost() {
    let page = ready();
    let plan = |rows: usize| page.get("plan", &json!({ "study": "stays.toml", "rows": rows }));
    let shown = |plan: &Value| -> Vec<(String, u64, f64)> {
        let all = plan["curves"].as_array().unwrap().iter();
        all.map(|of| {
            (
                of["which"].as_str().unwrap().to_owned(),
                of["coefficients"].as_u64().unwrap(),
                number(&of["error"]),
            )
        })
        .collect()
    };
    let [few, many] = [plan(3_000), plan(30_000)].map(|plan| shown(&plan));
    let named: Vec<(&str, u64)> =
        few.iter().map(|(which, count, _)| (which.as_str(), *count)).collect();
    // Age, cost and the day are numbers: a slope each, or six knots.
    assert_eq!(named, [("study", 7), ("one", 12), ("every", 22)]);
    assert!(few.windows(2).all(|pair| pair[0].2 < pair[1].2), "{few:?}");
    assert!(few.iter().zip(&many).all(|(few, many)| many.2 < few.2), "{many:?}");
    // The picture of the study is that of its plan.
    assert_eq!(few[0].2, number(&plan(3_000)["plan"]["mechanisms"][0]["expected_error"]));
    // A study with a curve is shown between those with fewer and with more.
    let opened = page.get("study", &json!({ "study": "stays.toml" }));
    let mut form = opened["form"].clone();
    let columns = form["columns"].as_array_mut().unwrap();
    columns.iter_mut().find(|column| column["name"] == "cost").unwrap()["fields"]["curve"] =
        json!("9");
    page.get("save", &json!({ "study": "stays.toml", "form": form, "base": opened["base"] }));
    let plan = plan(3_000);
    let shown: Vec<&str> =
        plan["curves"].as_array().unwrap().iter().map(|of| of["which"].as_str().unwrap()).collect();
    assert_eq!(shown, ["straight", "study", "every"]);
    assert_eq!(plan["curves"][1]["coefficients"], plan["plan"]["dimension"]);
}

#[test]
fn a_plan_says_how_exactly_quality_can_be_measured() {
    let page = ready();
    let plan = |rows: usize| page.get("plan", &json!({ "study": "stays.toml", "rows": rows }));
    let half = |plan: &Value| number(&plan["exactness"]["all"]["all"]);
    let usual = plan(30_000);
    assert_eq!((&usual["held_out"], &usual["exactness"]["rows"]), (&json!(false), &json!(4500)));
    assert_eq!(
        (
            &usual["exactness"]["figure"],
            &usual["exactness"]["value"],
            &usual["exactness"]["in_a_group"]
        ),
        (&json!("auc"), &json!(0.8), &Value::Null)
    );
    assert!(
        number(&usual["exactness"]["all"]["sampling"]) < half(&usual) && half(&usual) < 0.1,
        "{usual}"
    );
    // With more rows, with more budget and with a larger share it is told better.
    assert!(half(&plan(100_000)) < half(&usual));
    change(&page, "evaluate", json!({ "share": "0.3", "by": "ward" }));
    let by_ward = plan(30_000);
    assert_eq!((&by_ward["held_out"], &by_ward["exactness"]["rows"]), (&json!(true), &json!(9000)));
    assert!(number(&by_ward["exactness"]["in_a_group"]["all"]) > half(&by_ward), "{by_ward}");
    // It is what the plan says in words.
    let said = by_ward["plan"]["more"].to_string();
    let written = format!("±{:.3}", half(&by_ward));
    assert!(said.contains(written.trim_end_matches('0')), "{written}: {said}");
    change(&page, "spend", json!({ "epsilon": "0.1" }));
    assert!(half(&plan(30_000)) > half(&by_ward));
    // A column that has no groups is refused in words.
    change(&page, "evaluate", json!({ "share": "0.3", "by": "age" }));
    let why = page.refused("plan", &json!({ "study": "stays.toml", "rows": 30_000 }));
    assert!(why.contains("groups are the declared values") && why.contains("ward"), "{why}");
}

#[test]
fn groups_are_counted_apart_in_the_model_and_in_an_evaluation() {
    let page = ready();
    change(&page, "evaluate", json!({ "share": "0.3", "by": "ward" }));
    let mut asked = job("stays");
    asked["seed"] = json!(2);
    page.get("run", &asked);
    assert_eq!(page.follow()["stage"], json!("done"), "{}", page.follow());
    let model: Value =
        serde_json::from_slice(&fs::read(page.path().join("stays/seeded-model.json")).unwrap())
            .unwrap();
    assert_eq!(
        (&model["quality"]["by"], &model["quality"]["groups"][0]["value"]),
        (&json!("ward"), &json!("surgery"))
    );
    // The study's spend pays, the model may be any.
    fs::copy(page.path().join("stays.csv"), page.path().join("other.csv")).unwrap();
    let mut asked = job("evaluated");
    asked["seed"] = json!(3);
    asked["evaluate"] =
        json!({ "model": "stays/seeded-model.json", "table": "other.csv", "by": "ward" });
    page.get("run", &asked);
    let run = page.follow();
    let summary = run["summary"].as_str().unwrap_or_else(|| panic!("{run}"));
    assert!(summary.contains("oncology") && summary.contains("surgery"), "{summary}");
    asked["evaluate"]["by"] = json!("cost");
    assert!(page.refused("quote", &asked).contains("groups are the declared values"));
}

/// The field of `[model]`: planned, run, and refused in words beside what it does not know.
#[test]
fn a_base_rate_is_planned_and_run_from_the_page() {
    let page = ready();
    let asked = json!({ "study": "stays.toml", "rows": 3_000 });
    assert!(!page.get("plan", &asked).to_string().contains("how frequent the positive class is"));
    let saved = change(&page, "model", json!({ "base_rate": "private" }));
    assert_eq!(saved["ready"], json!(true), "{saved}");
    let text = fs::read_to_string(page.path().join("stays.toml")).unwrap();
    assert!(text.contains("base_rate = \"private\""), "{text}");
    assert!(page.get("plan", &asked).to_string().contains("how frequent the positive class is"));
    let mut run = job("around");
    run["seed"] = json!(3);
    page.get("run", &run);
    assert_eq!(page.follow()["stage"], json!("done"));
    let model = fs::read_to_string(page.path().join("around/seeded-model.json")).unwrap();
    let model: Value = serde_json::from_str(&model).unwrap();
    assert!(number(&model["training"]["base_rate"]["released"]) > 0.0);
    change(&page, "intervals", json!({ "level": "0.95" }));
    let why = page.refused("plan", &asked);
    assert!(why.contains("base_rate") && why.contains("[intervals]"), "{why}");
}
