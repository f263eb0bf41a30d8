//! Plans, prices, runs; and that everything goes on where it was after the program was ended.

use crate::client::{Page, write_table};
use crate::studies::filled;
use discretion_disk::existing::Existing;
use discretion_jobs::Silence;
use discretion_jobs::fit::StudyFit;
use discretion_ledger::Consent;
use discretion_table::Study;
use serde_json::{Value, json};
use std::fs;

/// A page with a study that can run.
pub fn ready() -> Page {
    let page = Page::open();
    write_table(page.path());
    let mut form = filled(&page);
    form["sections"]["spend"] = json!({ "epsilon": "1" });
    assert_eq!(
        page.get("save", &json!({ "study": "stays.toml", "form": form }))["ready"],
        json!(true)
    );
    page
}

/// A run of it.
pub fn job(folder: &str) -> Value {
    json!({ "study": "stays.toml", "folder": folder })
}

#[test]
fn the_page_and_the_command_line_make_the_same_bytes() {
    let page = ready();
    let mut asked = job("by-page");
    asked["seed"] = json!(7);
    page.get("run", &asked);
    let run = page.follow();
    assert_eq!(run["stage"], json!("done"), "{run}");
    assert_eq!(run["files"], json!(["by-page/seeded-model.json", "by-page/seeded-report.html"]));
    // As `discretion fit stays.toml --seed 7` does it: one function for both.
    let study = Study::read(page.path().join("stays.toml")).unwrap();
    let folder = page.path().join("by-hand");
    let fit = StudyFit {
        study: &study,
        folder: &folder,
        ledger: None,
        seed: Some(7),
        consent: Consent::default(),
        existing: Existing::Keep,
        reuse: false,
        memory: None,
        accepted: false,
        stop: None,
        watch: &Silence,
    };
    fit.run().unwrap();
    let [one, other] = ["by-page", "by-hand"]
        .map(|name| fs::read(page.path().join(name).join("seeded-model.json")).unwrap());
    assert_eq!(one, other);
    assert!(String::from_utf8(one).unwrap().contains("NOT PRIVATE"));
    assert!(!page.path().join("ledger.sqlite").exists(), "nobody paid");
}

#[test]
fn the_price_is_said_before_the_charge_and_a_spent_budget_is_refused() {
    let page = ready();
    let plan = page.get("plan", &json!({ "study": "stays.toml", "rows": 3000 }));
    assert!(plan["in_words"].as_str().unwrap().contains("at most 73.2 %"), "{plan}");
    assert_eq!(plan["plan"]["fits"]["runs"], json!(3));
    assert_eq!(plan["effects"].as_array().unwrap().len(), 5);
    assert_eq!(plan["columns"], json!(4));
    // Fewer columns, less noise.
    let fewer = page.get("plan", &json!({ "study": "stays.toml", "rows": 3000, "columns": 2 }));
    let error = |plan: &Value| plan["errors"][3][1].as_f64().unwrap();
    assert!(
        fewer["effects"].as_array().unwrap().len() == 3 && error(&fewer) < error(&plan),
        "{fewer}"
    );
    // The picture: less noise with more budget, for the same model.
    let errors: Vec<f64> =
        plan["errors"].as_array().unwrap().iter().map(|point| point[1].as_f64().unwrap()).collect();
    assert!(errors.len() > 3 && errors.windows(2).all(|pair| pair[0] > pair[1]), "{errors:?}");
    assert_eq!(
        page.get("rows", &json!({ "study": "stays.toml" })),
        json!({ "rows": 3000, "unit": "rows" })
    );
    let quote = page.get("quote", &job("stays"));
    assert!(quote["sentence"].as_str().unwrap().contains("'stays' pays ε = 1;"), "{quote}");
    assert_eq!(page.get("history", &json!({}))["accounts"], json!([]), "a price charges nothing");
    for number in 1..=3 {
        let mut asked = job(&format!("stays-{number}"));
        asked["again"] = json!(true);
        page.get("run", &asked);
        let run = page.follow();
        assert_eq!(run["stage"], json!("done"), "{run}");
    }
    let mut fourth = job("stays-4");
    fourth["again"] = json!(true);
    assert!(page.refused("quote", &fourth).contains("'stays'"));
    page.get("run", &fourth);
    let run = page.follow();
    assert_eq!((&run["stage"], &run["charge"]), (&json!("refused"), &Value::Null), "{run}");
    let history = page.get("history", &json!({}));
    assert_eq!(history["accounts"][0]["standing"]["charges"], json!(3));
    // The same job on the same rows is not paid for twice by accident, and results stay.
    let page = ready();
    page.get("run", &job("stays"));
    page.follow();
    page.get("run", &job("other"));
    assert_eq!(page.follow()["allow"], json!(["again"]));
    assert!(page.follow()["refused"].as_str().unwrap().contains("tick its box to pay for another"));
    page.get("run", &job("stays"));
    assert!(page.follow()["refused"].as_str().unwrap().contains("exists already"));
}

#[test]
fn everything_is_there_again_after_the_program_was_ended() {
    let page = ready();
    page.get("run", &job("stays"));
    assert_eq!(page.follow()["stage"], json!("done"));
    let model = fs::read(page.path().join("stays/model.json")).unwrap();
    let old = page.token.clone();
    let page = Page::of(page.end());
    assert_ne!(page.token, old, "every run has its own token");
    let state = page.get("state", &json!({}));
    assert_eq!(state["run"], Value::Null);
    assert_eq!(
        (&state["studies"][0]["ready"], &state["models"]),
        (&json!(true), &json!(["stays/model.json"]))
    );
    let opened = page.get("study", &json!({ "study": "stays.toml" }));
    assert_eq!(opened["form"]["sections"]["spend"]["epsilon"], json!("1"));
    assert_eq!(page.get("history", &json!({}))["accounts"][0]["standing"]["charges"], json!(1));
    assert_eq!(fs::read(page.path().join("stays/model.json")).unwrap(), model);
    // Its dossier, and scores by it.
    let dossier =
        page.get("dossier", &json!({ "model": "stays/model.json", "study": "stays.toml" }));
    assert!(
        dossier["files"].as_array().unwrap().len() > 3
            && !dossier["missing"].as_array().unwrap().is_empty()
    );
    let asked = json!({ "model": "stays/model.json", "table": "stays.csv", "keep": ["patient"], "out": "scores.csv" });
    assert_eq!(page.get("predict", &asked)["rows"], json!(3000));
    assert!(
        fs::read_to_string(page.path().join("scores.csv"))
            .unwrap()
            .starts_with("row,patient,score,probability,label\n1,P0,")
    );
    assert!(page.refused("predict", &asked).contains("exists already"));
}

#[test]
fn the_custodians_look_and_a_density_are_those_of_the_command_line() {
    let page = ready();
    let look = page.get("look", &json!({ "study": "stays.toml" }));
    assert!(look["report"]["NOT PRIVATE"].as_str().unwrap().starts_with("NOT PRIVATE"));
    assert_eq!(look["report"]["rows"], json!(3000));
    let mut asked = job("stays-density");
    asked["density"] = json!(["age", "ward"]);
    page.get("run", &asked);
    let run = page.follow();
    assert_eq!(run["stage"], json!("done"), "{run}");
    assert!(page.path().join("stays-density/density.html").exists());
    assert!(
        page.refused(
            "quote",
            &json!({ "study": "stays.toml", "folder": "x", "density": ["nobody"] })
        )
        .contains("nobody")
    );
}

/// Changes what a study says.
pub fn change(page: &Page, section: &str, value: Value) -> Value {
    let opened = page.get("study", &json!({ "study": "stays.toml" }));
    let mut form = opened["form"].clone();
    form["sections"][section] = value;
    page.get("save", &json!({ "study": "stays.toml", "form": form, "base": opened["base"] }))
}

#[test]
fn a_price_is_for_the_study_that_it_was_asked_for() {
    let page = ready();
    let base = page.get("quote", &job("stays"))["base"].clone();
    let mut asked = job("stays");
    asked["base"] = base;
    change(&page, "spend", json!({ "epsilon": "2" }));
    let why = page.refused("run", &asked);
    assert!(why.contains("changed since its price was asked for"), "{why}");
    assert_eq!(page.get("state", &json!({}))["run"], Value::Null);
    assert!(!page.path().join("ledger.sqlite").exists(), "nobody paid");
}

#[test]
fn budgets_in_rho_and_a_number_as_the_outcome_go_all_the_way() {
    let page = ready();
    change(&page, "budget", json!({ "rho": "0.5" }));
    assert_eq!(change(&page, "spend", json!({ "rho": "0.1" }))["ready"], json!(true));
    let plan = page.get("plan", &json!({ "study": "stays.toml", "rows": 3000 }));
    assert_eq!(
        (&plan["size"], &plan["kind"], &plan["plan"]["fits"]["runs"]),
        (&json!(0.1), &json!("two"), &json!(5))
    );
    // A number: its bounds are fields, and what is not for numbers is told.
    let opened = page.get("study", &json!({ "study": "stays.toml" }));
    let mut form = opened["form"].clone();
    let columns = form["columns"].as_array_mut().unwrap();
    columns.iter_mut().find(|column| column["name"] == "ill").unwrap()["kind"] = json!("drop");
    columns.iter_mut().find(|column| column["name"] == "cost").unwrap()["kind"] = json!("outcome");
    let data = form["sections"]["data"].as_object_mut().unwrap();
    for key in ["positive", "negative"] {
        data.remove(key);
    }
    data.extend([
        ("outcome_min".to_owned(), json!("1")),
        ("outcome_max".to_owned(), json!("1000")),
    ]);
    let saved =
        page.get("save", &json!({ "study": "stays.toml", "form": form, "base": opened["base"] }));
    assert_eq!(saved["ready"], json!(true), "{saved}");
    assert!(
        saved["text"]
            .as_str()
            .unwrap()
            .contains("outcome = { column = \"cost\", min = 1, max = 1000 }"),
        "{saved}"
    );
    let plan = page.get("plan", &json!({ "study": "stays.toml", "rows": 3000 }));
    assert!(
        plan["kind"] == json!("number") && plan["plan"]["expected_error"].as_f64().unwrap() > 0.0,
        "{plan}"
    );
    assert!(
        page.get("quote", &job("stays"))["sentence"].as_str().unwrap().contains("pays ρ = 0.1")
    );
    page.get("run", &job("stays"));
    let run = page.follow();
    assert_eq!(run["files"], json!(["stays/model.json", "stays/report.html"]), "{run}");
    let held_out = change(&page, "evaluate", json!({ "share": "0.2" }));
    assert_eq!(held_out["ready"], json!(true), "{held_out}");
    // Beside a pure fit evaluation has Laplace noise, which takes many rows.
    let plan = page.get("plan", &json!({ "study": "stays.toml", "rows": 100_000 }));
    assert!(!plan["plan"]["evaluation"].as_array().unwrap().is_empty(), "{plan}");
}

#[test]
fn a_model_is_evaluated_on_other_rows() {
    let page = ready();
    page.get("run", &job("stays"));
    page.follow();
    let table = fs::read_to_string(page.path().join("stays.csv")).unwrap();
    let (head, rows) = table.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().skip(7).collect();
    fs::write(page.path().join("other.csv"), format!("{head}\n{}\n", rows.join("\n"))).unwrap();
    let mut asked = job("stays-evaluation");
    asked["evaluate"] =
        json!({ "model": "stays/model.json", "table": "other.csv", "account": "others" });
    assert!(
        page.get("quote", &asked)["sentence"].as_str().unwrap().contains("'others' pays ε = 1")
    );
    page.get("run", &asked);
    let run = page.follow();
    assert_eq!(run["files"], json!(["stays-evaluation/evaluation.json"]), "{run}");
    assert!(run["summary"].as_str().unwrap().contains("AUC"), "{run}");
    // Two jobs at once are none, and a vote has to be brought along.
    asked["density"] = json!(["age"]);
    assert!(page.refused("quote", &asked).contains("one job"));
    let mut answers = job("answers");
    answers["answer"] = json!({ "queries": "other.csv" });
    assert!(page.refused("quote", &answers).contains("without a vote"));
}
