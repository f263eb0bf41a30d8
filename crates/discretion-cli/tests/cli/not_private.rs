//! What no guarantee covers says so in every file that is made of it, and only its owner reads it.

use crate::workspace::{STUDY, Workspace};

/// A file says NOT PRIVATE to whoever opens it, and to nobody but its owner.
fn is_marked(workspace: &Workspace, name: &str) {
    let text = String::from_utf8_lossy(&std::fs::read(workspace.path(name)).unwrap()).into_owned();
    let first = text.lines().next().unwrap_or_default();
    let marked = match name.rsplit_once('.').map(|(_, ending)| ending) {
        // A page says it in red above everything else; a file of ONNX among its facts.
        Some("html") => text.contains("<strong>NOT PRIVATE</strong>"),
        Some("onnx") => text.contains("NOT PRIVATE"),
        _ => first.contains("NOT PRIVATE"),
    };
    assert!(marked, "{name} does not say what it is: {first}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(workspace.path(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "others may read {name}");
    }
}

fn workspace() -> Workspace {
    let workspace = Workspace::empty();
    workspace.write("study.toml", STUDY);
    let rows = |from: usize| -> String {
        let row = |i: usize| {
            let (age, gain, job) = (i * 7 % 101, i * i % 1300, ["clerk", "nurse"][i % 2]);
            let label = if age + i % 23 > 60 { "yes" } else { "no" };
            format!("{age},{gain},{job},x,{label}\n")
        };
        "age,gain,job,note,y\n".to_owned() + &(from..from + 3_000).map(row).collect::<String>()
    };
    workspace.write("t.csv", rows(0));
    workspace.write("other.csv", rows(5_000));
    workspace
}

#[test]
fn whatever_is_made_of_a_model_that_is_not_private() {
    for (flag, model) in [
        (&["--not-private"][..], "study/not-private-model.json"),
        (&["--seed", "1"], "study/seeded-model.json"),
    ] {
        let workspace = workspace();
        workspace.run(&[&["fit", "study.toml"], flag].concat()).succeeds();
        is_marked(&workspace, model);
        for (args, made) in [
            (&["report", model, "--out", "page.html"][..], &["page.html"][..]),
            (&["export", model, "--out", "table.csv"], &["table.csv"]),
            (&["export", model, "--out", "table.tex"], &["table.tex"]),
            (&["export", model, "--out", "model.onnx"], &["model.onnx"]),
            (&["predict", model, "t.csv", "--out", "rows.csv"], &["rows.csv"]),
            (&["predict", model, "t.csv", "--json", "--out", "rows.json"], &["rows.json"]),
            (
                &["dossier", model, "--out", "dossier"],
                &[
                    "dossier/disclosure-controls.json",
                    "dossier/dossier.html",
                    "dossier/for-everyone.html",
                ],
            ),
            (
                &[
                    "evaluate",
                    model,
                    "--data",
                    "other.csv",
                    "--study",
                    "study.toml",
                    "--out",
                    "e.json",
                ],
                &["e.json"],
            ),
        ] {
            workspace.run(args).succeeds().says("NOT PRIVATE");
            made.iter().for_each(|file| is_marked(&workspace, file));
        }
        // The figures were paid for, and promise nothing: they tell about the model.
        let evaluation = workspace.json("e.json");
        assert_eq!(evaluation["privacy"]["private"], false, "{evaluation}");
        assert!(evaluation["privacy"]["guarantee"].is_null() && evaluation["ledger"].is_object());
        let controls = workspace.json("dossier/disclosure-controls.json");
        assert_eq!(controls["releases"][0]["control"], "none: NOT PRIVATE", "{controls}");
        // The registry is for what is private.
        assert!(!workspace.path("dossier/registry.yaml").exists());
        let page = workspace.read("dossier/for-everyone.html");
        assert!(!page.contains("with differential privacy"), "{page}");
    }
}

/// Every row is marked, and the columns that programs read have their names.
#[test]
fn predictions_have_a_column_that_marks_them() {
    let workspace = workspace();
    workspace.run(&["fit", "study.toml", "--seed", "1"]).succeeds();
    let model = "study/seeded-model.json";
    let csv = workspace.run(&["predict", model, "t.csv"]).succeeds().stdout;
    assert!(csv.starts_with("row,score,probability,label,NOT PRIVATE\n1,"), "{csv}");
    assert!(csv.lines().skip(1).all(|line| line.ends_with(",true")), "{csv}");
    let json = workspace.run(&["predict", model, "t.csv", "--json"]).succeeds().stdout;
    assert!(json.lines().all(|line| line.starts_with("{\"NOT PRIVATE\":true,\"row\":")), "{json}");
    workspace.run(&["predict", model, "t.csv", "--keep", "NOT PRIVATE"]).fails(2, "--keep");
}

/// A record of an earlier model in the same folder would vouch for this one.
#[test]
fn no_record_stays_beside_a_dossier_of_what_is_not_private() {
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml"]).succeeds();
    workspace.run(&["fit", "study.toml", "--not-private"]).succeeds();
    workspace.run(&["dossier", "study/model.json", "--out", "d"]).succeeds();
    assert!(workspace.read("d/registry.yaml").contains("with differential privacy"));
    let made = ["dossier", "study/not-private-model.json", "--out", "d"];
    workspace.run(&made).fails(1, "d/");
    workspace.run(&[&made[..], &["--force"]].concat()).succeeds().says("no registry.yaml");
    assert!(!workspace.path("d/registry.yaml").exists());
}

#[test]
fn whatever_is_made_of_a_density_that_is_not_private() {
    let workspace = workspace();
    let columns = ["--column", "age", "--column", "job"];
    workspace.run(&[&["density", "study.toml", "--seed", "1"], &columns[..]].concat()).succeeds();
    for ending in ["json", "html", "svg"] {
        is_marked(&workspace, &format!("study/seeded-density.{ending}"));
    }
    let density = "study/seeded-density.json";
    workspace.run(&["sample", density, "--rows", "9", "--out", "rows.csv"]).succeeds();
    is_marked(&workspace, "rows.csv");
    let rows = workspace.read("rows.csv");
    assert!(rows.starts_with("age,job,NOT PRIVATE\n"), "{rows}");
    assert!(rows.lines().skip(1).all(|line| line.ends_with(",true")), "{rows}");
}

/// Whoever takes the first line out of a file does not make it private.
#[test]
fn a_file_that_lost_its_warning_is_refused() {
    let workspace = workspace();
    workspace.run(&["fit", "study.toml", "--seed", "1"]).succeeds();
    let text = workspace.read("study/seeded-model.json");
    let (first, rest) = text.split_once('\n').unwrap();
    assert!(first.starts_with("{ \"NOT PRIVATE\": "), "{first}");
    let real = "\"randomness\": \"operating-system\"";
    for edited in [
        format!("{{\n{rest}"),
        format!("{{\n{rest}").replacen("\"private\": false", "\"private\": true", 1),
        text.replacen("\"private\": false", "\"private\": true", 1),
        text.replacen("\"randomness\": \"test-seed\"", real, 1).replacen("false", "true", 1),
    ] {
        assert_ne!(edited, text);
        workspace.write("model.json", edited);
        for args in [
            &["report", "model.json"][..],
            &["predict", "model.json", "t.csv"],
            &["export", "model.json", "--format", "csv"],
            &["dossier", "model.json"],
        ] {
            workspace.run(args).fails(2, "model.json: this model is damaged");
        }
    }
}
