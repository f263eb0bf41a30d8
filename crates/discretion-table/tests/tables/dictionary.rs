//! Drafts with a data dictionary.

use crate::common::Table;
use discretion_table::{DraftRequest, Kind, Study};
use std::path::Path;

const TABLE: &str =
    "age,sex,admitted,weight,note,id,y\n47,1,2019-05-01,80.5,x,1,0\n-9,2,2020-01-31,71,,2,1\n";

const DICTIONARY: &str = "\
Name,Type,Min,Max,Values,Missing,Label,Drop
age,integer,0,120,,-9,\"Age at admission, in years\",
sex,category,,,1 = male; 2 = female,,Sex in the register,
admitted,date,2015-01-01,2020-12-31,,,Day of admission,
weight,number,,,,,Body weight,
id,,,,,,,yes
height,number,50,250,,,,
y,category,,,0;1,,Readmitted,
";

fn drafted(dictionary: &str) -> Result<String, String> {
    let table = Table::new("t.csv", TABLE);
    let path = table.path.with_file_name("dict.csv");
    std::fs::write(&path, dictionary).unwrap();
    let request =
        DraftRequest { dictionary: Some(path), ..DraftRequest::new(table.path.as_path()) };
    request.draft().map_err(|error| error.to_string())
}

#[test]
fn what_the_dictionary_says_is_in_the_draft_with_its_source() {
    let draft = drafted(DICTIONARY).unwrap();
    for line in [
        "age = { min = 0, max = 120, integer = true, missing = \"?\", na = [\"-9\"] }  # from dict.csv: Age at admission, in years",
        "sex = { values = [\"1\", \"2\"], labels = { \"1\" = \"male\", \"2\" = \"female\" } }  # from dict.csv: Sex in the register",
        "admitted = { kind = \"date\", min = \"2015-01-01\", max = \"2020-12-31\" }  # from dict.csv: Day of admission",
        "weight = { min = \"?\", max = \"?\" }  # from dict.csv: Body weight",
        "id = { drop = true }  # from dict.csv",
        "# It also describes \"height\", which the table has not.",
    ] {
        assert!(draft.lines().any(|found| found == line), "{line}\n{draft}");
    }
    assert!(
        draft.contains("\nnote = { values = \"?\" }  # text (guessed)"),
        "what is not described is open: {draft}"
    );
    assert!(draft.contains("It counts as public"), "{draft}");
    // Once the open ends are filled in, it is a study.
    let study = draft
        .replace("account  = \"?\"", "account = \"t\"")
        .replace("target   = \"?\"", "target = \"y\"")
        .replace("positive = \"?\"", "positive = 1")
        .replace("negative = \"?\"", "negative = 0")
        .replace("weight = { min = \"?\", max = \"?\" }", "weight = { min = 0, max = 300 }")
        .replace("missing = \"?\"", "missing = 40")
        .replace("note = { values = \"?\" }", "note = { drop = true }");
    let study: String = study
        .lines()
        .filter(|line| !line.starts_with("y = "))
        .map(|line| format!("{line}\n"))
        .collect();
    let study = Study::parse(Path::new("s.toml"), &study).unwrap();
    let kinds: Vec<&Kind> = study.schema.columns().iter().map(|column| &column.kind).collect();
    assert!(matches!(kinds[0], Kind::Number { integer: true, .. }));
    assert!(matches!(kinds[1], Kind::Category { labels, .. } if labels["2"] == "female"));
    assert!(matches!(kinds[2], Kind::Date { .. }));
}

#[test]
fn a_dictionary_of_redcap_is_one() {
    let redcap = "\"Variable / Field Name\",\"Field Type\",\"Field Label\",\"Choices, Calculations, OR Slider Labels\",\
                  \"Text Validation Type OR Show Slider Number\",\"Text Validation Min\",\"Text Validation Max\",Identifier?\n\
                  age,text,Age,,integer,0,120,\n\
                  sex,radio,Sex,\"1, Male | 2, Female\",,,,\n\
                  id,text,Number,,,,,y\n";
    let draft = drafted(redcap).unwrap();
    assert!(
        draft.contains("\nage = { min = 0, max = 120, integer = true }  # from dict.csv: Age"),
        "{draft}"
    );
    assert!(draft.contains("labels = { \"1\" = \"Male\", \"2\" = \"Female\" }"), "{draft}");
    assert!(draft.contains("\nid = { drop = true }"), "{draft}");
}

#[test]
fn dictionaries_that_are_none() {
    for (dictionary, words) in [
        ("type,min\nnumber,0\n", "which column it is about; call it `name`"),
        ("name,type,min\nage,number,0\nage,number,1\n", "describes column `age` twice"),
        ("name,type,min\nage,number,young\n", "the bound \"young\""),
        ("name,type,min\nadmitted,date,1.1.2015\n", "the bound \"1.1.2015\""),
    ] {
        let refusal = drafted(dictionary).unwrap_err();
        assert!(refusal.contains("dict.csv") && refusal.contains(words), "{refusal}");
    }
}
