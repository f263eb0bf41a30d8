//! Tables come in, studies are drafted, checked and saved; two tabs do not overwrite each other.

use crate::client::{Page, write_table};
use serde_json::{Value, json};
use std::fs;

/// The form of the table, filled in.
pub fn filled(page: &Page) -> Value {
    let mut form = page.get("draft", &json!({ "table": "stays.csv" }))["form"].clone();
    let columns = form["columns"].as_array_mut().unwrap();
    let mut set = |name: &str, kind: &str, fields: Value| {
        let column = columns.iter_mut().find(|column| column["name"] == name).unwrap();
        (column["kind"], column["fields"]) = (json!(kind), fields);
    };
    set("patient", "drop", json!({}));
    set("age", "number", json!({ "min": "0", "max": "100" }));
    set("ward", "category", json!({ "values": "surgery\ncardiology\noncology" }));
    set("cost", "number", json!({ "min": "1", "max": "1000", "scale": "log" }));
    set("seen", "date", json!({ "min": "2020-01-01", "max": "2020-12-31" }));
    set("ill", "outcome", json!({}));
    form["sections"]["data"]["positive"] = json!("yes");
    form["sections"]["data"]["negative"] = json!("no");
    form["sections"]["data"]["account"] = json!("stays");
    form
}

#[test]
fn a_table_comes_in_whole_and_takes_no_other_files_place() {
    let page = Page::open();
    let headers = [("host", page.host.as_str()), ("x-discretion-token", &page.token)];
    let put =
        |name: &str, body: &[u8]| page.send("PUT", &format!("/api/upload/{name}"), &headers, body);
    assert_eq!(put("my%20stays.csv", b"a,b\n1,2\n").0, 200);
    assert_eq!(fs::read(page.path().join("my stays.csv")).unwrap(), b"a,b\n1,2\n");
    let (status, _, body) = put("my%20stays.csv", b"other\n");
    assert_eq!(status, 409, "{body}");
    assert_eq!(fs::read(page.path().join("my stays.csv")).unwrap(), b"a,b\n1,2\n");
    for name in ["..%2fx.csv", "a%2fb.csv", "x.toml", ".x.csv", "model.json", "%zz.csv"] {
        assert_eq!(put(name, b"a\n").0, 422, "{name}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(
            fs::metadata(page.path().join("my stays.csv")).unwrap().permissions().mode() & 0o077,
            0
        );
    }
    assert_eq!(page.get("state", &json!({}))["tables"], json!(["my stays.csv"]));
}

#[test]
fn nothing_is_looked_up_unless_somebody_asks() {
    let page = Page::open();
    write_table(page.path());
    let draft = page.get("draft", &json!({ "table": "stays.csv" })).to_string();
    assert!(
        !draft.contains("surgery")
            && !draft.contains("\"yes\"")
            && !draft.contains("\"looked_up\":true"),
        "{draft}"
    );
    let looked_up =
        page.get("draft", &json!({ "table": "stays.csv", "look_up": true }))["form"].clone();
    let ward = looked_up["columns"]
        .as_array()
        .unwrap()
        .iter()
        .find(|column| column["name"] == "ward")
        .unwrap();
    assert_eq!(
        (&ward["looked_up"], &ward["fields"]["values"]),
        (&json!(true), &json!("cardiology\noncology\nsurgery"))
    );
    // It is marked in the file that is saved, for the model and its report, and for its owner
    // alone.
    let mut form = filled(&page);
    form["columns"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .find(|column| column["name"] == "ward")
        .unwrap()["looked_up"] = json!(true);
    let saved = page.get("save", &json!({ "study": "stays.toml", "form": form }));
    let text = saved["text"].as_str().unwrap();
    assert!(
        text.contains("from_rows = [\"ward\"]")
            && text.contains("# read from the rows: NOT PRIVATE"),
        "{text}"
    );
}

#[test]
fn wrong_input_gets_its_sentence_at_its_field() {
    let page = Page::open();
    write_table(page.path());
    let form = filled(&page);
    let check = |section: &str, key: &str, typed: &str| {
        let mut form = form.clone();
        match section.strip_prefix("columns/") {
            Some(name) => {
                let columns = form["columns"].as_array_mut().unwrap();
                columns.iter_mut().find(|column| column["name"] == name).unwrap()["fields"][key] =
                    json!(typed);
            }
            None => form["sections"][section][key] = json!(typed),
        }
        let _ = fs::remove_file(page.path().join("stays.toml"));
        page.get("save", &json!({ "study": "stays.toml", "form": form }))
    };
    assert_eq!(check("spend", "epsilon", "1")["ready"], json!(true));
    for (section, key, typed, says) in [
        ("columns/age", "min", "abc", "must be a number"),
        ("columns/age", "max", "-5", "below"),
        ("columns/cost", "scale", "logarithmic", "\"log\""),
        ("columns/ward", "values", "a\na", "twice"),
        ("columns/seen", "max", "tomorrow", "date"),
        ("columns/age", "curve", "1.5", "whole number"),
        ("columns/age", "missing", "x", "number"),
        ("spend", "epsilon", "0", "epsilon"),
        ("spend", "epsilon", "9", "more than"),
        ("spend", "delta", "1", "delta"),
        ("budget", "epsilon", "none", "number"),
        ("model", "lambda", "-1", "lambda"),
        ("data", "positive", "no", "twice"),
    ] {
        let checked = check(section, key, typed);
        let problem = &checked["problems"][0];
        let sentence =
            problem["sentence"].as_str().unwrap_or_else(|| panic!("{section} {key}: {checked}"));
        assert!(sentence.contains(says), "{section} {key}: {sentence}");
        let place = match problem["column"].as_str() {
            Some(column) => format!("columns/{column}"),
            None => problem["section"].as_str().unwrap().to_owned(),
        };
        assert_eq!(place, section, "{checked}");
        assert_eq!(checked["ready"], json!(false));
    }
    let open = check("columns/age", "min", "");
    assert_eq!((&open["open"][0]["key"], &open["problems"]), (&json!("min"), &json!([])));
}

#[test]
fn of_two_tabs_the_second_is_told_that_the_file_was_changed() {
    let page = Page::open();
    write_table(page.path());
    let form = filled(&page);
    let first = page.get("save", &json!({ "study": "stays.toml", "form": form }));
    // Both have what is saved; one changes it.
    let [mut one, mut other] = [form.clone(), form];
    one["sections"]["spend"]["epsilon"] = json!("0.5");
    other["sections"]["spend"]["epsilon"] = json!("0.7");
    page.get("save", &json!({ "study": "stays.toml", "form": one, "base": first["base"] }));
    let why = page
        .refused("save", &json!({ "study": "stays.toml", "form": other, "base": first["base"] }));
    assert!(why.contains("another tab"), "{why}");
    assert!(fs::read_to_string(page.path().join("stays.toml")).unwrap().contains("epsilon = 0.5"));
    // Nor does a new study take the place of one that is there.
    assert!(
        page.refused("save", &json!({ "study": "stays.toml", "form": other }))
            .contains("another tab")
    );
    for name in ["../x.toml", "x.csv", "a/b.toml", ".toml"] {
        assert!(
            page.refused("save", &json!({ "study": name, "form": other })).contains("study"),
            "{name}"
        );
    }
}

#[test]
fn a_study_that_the_page_cannot_hold_is_not_opened_and_so_not_changed() {
    let page = Page::open();
    let study = |values: &str| {
        format!(
            "[data]\npath = \"t.csv\"\naccount = \"a\"\ntarget = \"y\"\npositive = \"1\"\nnegative = \"0\"\n\
             [budget]\nepsilon = 3\n[spend]\nepsilon = 1\n[columns]\nx = {{ values = {values} }} # by hand\n[vote]\nqueries = 10\n"
        )
    };
    fs::write(page.path().join("fine.toml"), study("[\"a\", 7]")).unwrap();
    fs::write(page.path().join("more.toml"), study("[\"a\", \"\"]")).unwrap();
    let opened = page.get("study", &json!({ "study": "fine.toml" }));
    assert_eq!((&opened["ready"], &opened["comments_go"]), (&json!(true), &json!(true)));
    // What it has no field for goes along.
    assert!(opened["text"].as_str().unwrap().contains("[vote]\nqueries = 10\n"));
    assert!(page.refused("study", &json!({ "study": "more.toml" })).contains("no field for"));
}

#[test]
fn a_loss_goes_along_with_the_outcomes_that_have_it() {
    let page = Page::open();
    let study = |outcome: &str, loss: &str| {
        format!(
            "[data]\npath = \"t.csv\"\naccount = \"a\"\n{outcome}\n[budget]\nepsilon = 3\n[spend]\nepsilon = 1\n\
             [columns]\nx = {{ min = 0, max = 1 }}\n[model]\nloss = \"{loss}\"\n"
        )
    };
    let number = "outcome = { column = \"y\", min = 0, max = 60 }";
    let two = "target = \"y\"\npositive = \"1\"\nnegative = \"0\"";
    for (outcome, loss) in [(number, "huber"), (number, "squares"), (two, "hinge")] {
        fs::write(page.path().join("s.toml"), study(outcome, loss)).unwrap();
        let opened = page.get("study", &json!({ "study": "s.toml" }));
        assert!(
            opened["text"].as_str().unwrap().contains(&format!("loss = \"{loss}\"")),
            "{opened}"
        );
        // Another kind of outcome leaves behind what it does not know.
        let mut form = opened["form"].clone();
        form["sections"]["data"] = match outcome == number {
            true => json!({ "path": "t.csv", "account": "a", "positive": "1", "negative": "0" }),
            false => {
                json!({ "path": "t.csv", "account": "a", "outcome_min": "0", "outcome_max": "60" })
            }
        };
        let saved =
            page.get("save", &json!({ "study": "s.toml", "form": form, "base": opened["base"] }));
        assert_eq!(saved["ready"], json!(true), "{saved}");
    }
}
