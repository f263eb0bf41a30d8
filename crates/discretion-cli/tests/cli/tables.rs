//! The files that people really have, through the whole program: fit, predict, density, sample,
//! answer.

use crate::workspace::Workspace;
use serde_json::Value;

/// A study of stays in hospital, with more in `[data]`.
fn study(data: &str) -> String {
    format!(
        "[data]\n{data}\naccount = \"stays\"\ntarget = \"outcome\"\npositive = \"1\"\nnegative = \"0\"\n\
         [budget]\nepsilon = 100\n[spend]\nepsilon = 20\n\
         [columns]\n\
         weight = {{ min = 0, max = 200, missing = 80, na = \"-9\" }}\n\
         days = {{ min = 0, max = 30, integer = true }}\n\
         admitted = {{ kind = \"date\", min = \"2019-01-01\", max = \"2020-12-31\", parts = [\"month\"], format = \"%d.%m.%Y\" }}\n\
         city = {{ values = [\"München\", \"Köln\"] }}\n\
         diag = {{ groups = {{ diabetes = [\"250*\"], circulatory = [\"390..459\"] }} }}\n\
         sex = {{ values = [1, 2], labels = {{ \"1\" = \"male\", \"2\" = \"female\" }} }}\n\
         [model]\nlambda = 0.01\n\
         [vote]\nqueries = 4\nunstable = 2\nchunks = 20\n"
    )
}

const HEADER: [&str; 7] = ["weight", "days", "admitted", "city", "diag", "sex", "outcome"];

/// Some of the rows, by number.
fn rows(numbers: std::ops::Range<usize>) -> Vec<[String; 7]> {
    let row = |i: usize| {
        let weight = match i % 17 {
            0 => "k.A.".to_owned(),
            1 => "-9".to_owned(),
            _ => format!("{}.5", 50 + i % 60),
        };
        let day = format!("{:02}.{:02}.{}", 1 + i % 28, 1 + i % 12, 2019 + i % 2);
        let city = ["München", "Köln", "Ulm"][i % 3].to_owned();
        let diag = ["250.01", "428.0", "V57", "401"][i % 4].to_owned();
        let outcome = u8::from((i % 4 == 1) ^ i.is_multiple_of(11)).to_string();
        [weight, (i % 31).to_string(), day, city, diag, (1 + i % 2).to_string(), outcome]
    };
    numbers.map(row).collect()
}

fn written(rows: &[[String; 7]], delimiter: &str, comma: bool) -> String {
    let line = |fields: &[String; 7]| {
        let weight = if comma {
            fields[0].replace('.', ",").replace("k,A,", "k.A.")
        } else {
            fields[0].clone()
        };
        [&[weight], &fields[1..]].concat().join(delimiter)
    };
    let lines: Vec<String> = rows.iter().map(line).collect();
    format!("{}\n{}\n", HEADER.join(delimiter), lines.join("\n"))
}

fn latin1(text: &str) -> Vec<u8> {
    text.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap()).collect()
}

const GERMAN: &str = "path = [\"2019.csv\", \"2020.csv\"]\nna = [\"k.A.\"]\n\
                      format = { delimiter = \";\", decimal = \",\", encoding = \"latin1\" }";

/// One table as a plain file, and as two files of another kind.
fn workspace() -> Workspace {
    let workspace = Workspace::empty();
    let all = rows(0..3000);
    workspace.write("all.csv", written(&all, ",", false));
    workspace.write("2019.csv", latin1(&written(&all[..1000], ";", true)));
    workspace.write("2020.csv", latin1(&written(&all[1000..], ";", true)));
    workspace.write("plain.toml", study("path = \"all.csv\"\nna = [\"k.A.\"]"));
    workspace.write("german.toml", study(GERMAN));
    workspace
}

fn numbers(model: &Value) -> (&Value, &Value) {
    (&model["coefficients"], &model["training"])
}

#[test]
fn the_same_rows_in_other_files_make_the_same_model() {
    let workspace = workspace();
    let fit = |study: &str, out: &str, more: &[&str]| {
        workspace.run(&[&["fit", study, "--seed", "5", "--out", out], more].concat()).succeeds();
        workspace.json(&format!("{out}/seeded-model.json"))
    };
    let plain = fit("plain.toml", "plain", &[]);
    let german = fit("german.toml", "german", &[]);
    assert_eq!(numbers(&plain), numbers(&german));
    assert_eq!(numbers(&plain), numbers(&fit("german.toml", "streamed", &["--memory", "64MB"])));
    let names: Vec<&str> = plain["coefficients"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["name"].as_str().unwrap())
        .collect();
    for name in
        ["admitted", "admitted month=February", "diag=circulatory", "sex=female", "city=München"]
    {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    let report = workspace.read("plain/seeded-report.html");
    for words in ["date, 2019-01-01 to 2020-12-31", "whole number, 0 to 30", "1 (male), 2 (female)"]
    {
        assert!(report.contains(words), "{words}");
    }

    // Another program has no words for dates and groups of codes.
    let run = workspace.run(&[
        "export",
        "plain/seeded-model.json",
        "--format",
        "onnx",
        "--out",
        "model.onnx",
    ]);
    assert_eq!(run.code, 2);
    run.says("column `weight` has numbers that mean that a value is missing: ONNX has no words for that;");

    // New rows are read as the study's were, from the model file alone.
    workspace.write("new.csv", latin1(&written(&rows(5000..5040), ";", true)));
    let german =
        workspace.run(&["predict", "german/seeded-model.json", "new.csv"]).succeeds().stdout;
    workspace.write("new.csv", written(&rows(5000..5040), ",", false));
    let plain = workspace.run(&["predict", "plain/seeded-model.json", "new.csv"]).succeeds().stdout;
    assert_eq!((german.lines().count(), &german), (41, &plain));
}

#[test]
fn the_ledger_knows_all_files_of_a_table() {
    let workspace = workspace();
    workspace.run(&["fit", "german.toml", "--out", "one"]).succeeds();
    let second = workspace.path("2020.csv");
    let mut text = std::fs::read(&second).unwrap();
    let place = text.iter().rposition(|byte| *byte == b'1').unwrap();
    text[place] = b'0';
    std::fs::write(&second, text).unwrap();
    workspace
        .run(&["density", "german.toml", "--column", "days", "--out", "two"])
        .fails(1, "")
        .says("--rows-changed");
}

#[test]
fn what_a_query_finds_is_a_table() {
    let workspace = workspace();
    let mut database = rusqlite::Connection::open(workspace.path("ward.sqlite")).unwrap();
    let all = database.transaction().unwrap();
    all.execute_batch("create table stays (weight, days, admitted, city, diag, sex, outcome)")
        .unwrap();
    for row in rows(0..3000) {
        all.execute(
            "insert into stays values (?, ?, ?, ?, ?, ?, ?)",
            rusqlite::params_from_iter(row),
        )
        .unwrap();
    }
    all.commit().unwrap();
    workspace.write("query.toml", study(&query_of("select * from stays order by rowid")));
    for study in ["plain", "query"] {
        workspace.run(&["fit", &format!("{study}.toml"), "--seed", "5", "--out", study]).succeeds();
    }
    let [plain, query] =
        ["plain", "query"].map(|out| workspace.json(&format!("{out}/seeded-model.json")));
    assert_eq!(numbers(&plain), numbers(&query));
    let check = workspace.run(&["check", "query.toml", "--json"]).succeeds().stdout;
    let check: Value = serde_json::from_str(&check).unwrap();
    assert_eq!(check["rows"], 3000);

    // The ledger knows the database and the query.
    workspace.run(&["fit", "query.toml", "--out", "charged"]).succeeds();
    workspace.write(
        "query.toml",
        study(&query_of("select * from stays where rowid > 1 order by rowid")),
    );
    workspace.run(&["fit", "query.toml", "--out", "again"]).fails(1, "").says("--rows-changed");
}

fn query_of(query: &str) -> String {
    format!("path = \"ward.sqlite\"\nquery = \"{query}\"\nna = [\"k.A.\"]")
}

#[test]
fn whole_numbers_and_dates_are_drawn_as_such() {
    let workspace = workspace();
    let columns = ["--column", "days", "--column", "admitted", "--column", "sex", "--bins", "16"];
    workspace
        .run(&[&["density", "german.toml", "--seed", "1", "--out", "out"], &columns[..]].concat())
        .succeeds();
    let file = workspace.json("out/seeded-density.json");
    assert_eq!(file["columns"][0]["edges"][0], -0.5);
    assert_eq!(file["columns"][0]["edges"][16], 30.5);
    assert_eq!(file["columns"][2]["names"], serde_json::json!(["male", "female", "other"]));
    let sample = workspace
        .run(&["sample", "out/seeded-density.json", "--rows", "500", "--seed", "2"])
        .succeeds()
        .stdout;
    for line in sample.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        assert!(fields[0].parse::<u32>().is_ok_and(|days| days <= 30), "{line}");
        let date: Vec<&str> = fields[1].split('.').collect();
        assert!(date.len() == 3 && ["2019", "2020"].contains(&date[2]), "{line}");
        assert!(["1", "2", "other"].contains(&fields[2]), "codes, as the table has them: {line}");
    }
    let page = workspace.read("out/seeded-density.html");
    assert!(page.contains("2019-01-01 to 2019-02-"), "bins of days are said as dates");
}

#[test]
fn answers_are_for_queries_in_the_same_kind_of_file() {
    let workspace = workspace();
    workspace.write("queries.csv", latin1(&written(&rows(6000..6004), ";", true)));
    let budgets = "[budget]\nepsilon = 100\ndelta = 1e-3\n[spend]\nepsilon = 20\ndelta = 1e-3";
    let study = workspace
        .read("german.toml")
        .replace("[budget]\nepsilon = 100\n[spend]\nepsilon = 20", budgets);
    workspace.write("german.toml", study);
    workspace
        .run(&[
            "answer",
            "german.toml",
            "--queries",
            "queries.csv",
            "--seed",
            "3",
            "--out",
            "a.csv",
        ])
        .succeeds();
    assert_eq!(workspace.read("a.csv").lines().count(), 5);
}

#[test]
fn drafts_name_files_and_formats_as_they_were_given() {
    let workspace = workspace();
    std::fs::create_dir(workspace.path("studies")).unwrap();
    let options =
        ["--delimiter", ";", "--decimal", ",", "--encoding", "latin1", "--na", "k.A.", "--na=-9"];
    let args =
        [&["schema", "2019.csv", "2020.csv", "--out", "studies/draft.toml"], &options[..]].concat();
    workspace.run(&args).succeeds();
    let draft = workspace.read("studies/draft.toml");
    assert!(
        draft.contains("format   = { delimiter = \";\", decimal = \",\", encoding = \"latin1\" }"),
        "{draft}"
    );
    assert!(draft.contains("na       = [\"k.A.\", \"-9\"]"), "{draft}");
    assert!(draft.contains("\nweight = { min = \"?\", max = \"?\" }"), "{draft}");
    assert!(!draft.contains("München"), "{draft}");
    workspace
        .run(&["schema", "2019.csv"])
        .fails(2, "2019.csv:1: the header is one field with semicolons");
    // A draft beside its table in another folder finds the table.
    std::fs::create_dir(workspace.path("there")).unwrap();
    workspace.write("there/only.csv", "age,y\n1,2\n");
    workspace.run(&["schema", "there/only.csv", "--out", "there/s.toml"]).succeeds();
    assert!(
        workspace.read("there/s.toml").contains("path     = \"only.csv\"  # relative to this file")
    );
    // A data dictionary fills in what it says.
    workspace.write("dict.csv", "name,type,min,max\ndays,integer,0,30\n");
    let args = [&["schema", "2019.csv", "--dictionary", "dict.csv"], &options[..]].concat();
    let draft = workspace.run(&args).succeeds().stdout;
    assert!(
        draft.contains("\ndays = { min = 0, max = 30, integer = true }  # from dict.csv"),
        "{draft}"
    );
}

/// Opening a pipe waits until somebody writes to it.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_is_no_table_and_no_model() {
    let workspace = Workspace::with_study("t.csv", "pipe.csv");
    for name in ["pipe.csv", "pipe.json", "pipe.toml"] {
        let made = std::process::Command::new("mkfifo").arg(workspace.path(name)).status();
        assert!(made.unwrap().success());
    }
    for args in [
        &["check", "study.toml"][..],
        &["fit", "study.toml", "--out", "out"],
        &["check", "pipe.toml"],
        &["report", "pipe.json"],
    ] {
        let run = workspace.run(args);
        assert_eq!(run.code, 2, "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains("a pipe, a device or a socket"), "{args:?}: {}", run.stderr);
    }
}

/// SQLite reads this name as an empty database in memory.
#[test]
fn a_database_is_the_file_of_its_name() {
    let name = "file:w?mode=memory&x=.db";
    let query = format!("{name}\"\nquery = \"select age, gain, job, note, y from stays");
    let workspace = Workspace::with_study("t.csv", &query);
    let database = rusqlite::Connection::open(workspace.path(name)).unwrap();
    let rows = "create table stays as with recursive n(i) as (select 0 union all select i + 1 from n where i < 99)
                select i as age, i as gain, 'clerk' as job, '' as note, iif(i % 2, 'yes', 'no') as y from n";
    database.execute_batch(rows).unwrap();
    let run = workspace.run(&["check", "study.toml"]);
    assert!([0, 1].contains(&run.code) && !run.stderr.contains("no such table"), "{}", run.stderr);
}

/// A query that finds its first row never: it works for minutes until its bound, unless somebody
/// ends it.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_query_that_is_at_work() {
    use std::os::unix::process::ExitStatusExt;
    const INTERRUPT: i32 = 2;
    let query = "with recursive n(i) as (select 1 union all select i + 1 from n) \
                 select count(*) as age, 1 as gain, 'clerk' as job, '' as note, 'yes' as y from n";
    let workspace = Workspace::with_study("t.csv", &format!("t.sqlite\"\nquery = \"{query}"));
    let database = rusqlite::Connection::open(workspace.path("t.sqlite")).unwrap();
    database.execute_batch("create table t (a)").unwrap();
    let mut child = workspace.command(&["fit", "study.toml", "--out", "out"]).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert_eq!(child.try_wait().unwrap(), None, "it is at work");
    let killed = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().signal(), Some(INTERRUPT));
    assert!(!workspace.path("out/model.json").exists());
}
