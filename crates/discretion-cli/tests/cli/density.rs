//! `discretion density`.

use crate::workspace::{STUDY, Workspace, table};
use discretion_ledger::STEPS;
use serde_json::{Value, json};

const DENSITY: [&str; 7] = ["density", "study.toml", "--column", "age", "--out", "out", "--force"];

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// The account as `ledger show --json` has it; nothing if there is no ledger or no account yet.
fn account(workspace: &Workspace) -> Option<Value> {
    let run = workspace.run(&["ledger", "show", "t", "--json"]);
    (run.code == 0).then(|| serde_json::from_str(&run.stdout).unwrap())
}

#[test]
fn writes_file_page_and_picture_and_says_what_it_promises() {
    let workspace = Workspace::new();
    let run = workspace.run(&["density", "study.toml", "--column", "age", "--out", "results"]).succeeds();
    assert_eq!(workspace.written(), ["results/density.html", "results/density.json", "results/density.svg"]);
    assert_eq!(run.stderr, "", "no progress where nobody looks");
    let first = run.stdout.lines().next().unwrap();
    assert_eq!(
        first,
        "ε = 1: replacing any one row changes the probability of any outcome by at most a factor e^1 = 2.72"
    );
    for words in [
        "results/density.json",
        "'t' pays ε = 1",
        "400",
        "chosen privately from 4, 8",
        "discrete Laplace",
        "0 to ",
    ] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }

    let text = workspace.read("results/density.json");
    assert!(text.starts_with("{\n  \"format\": \"discretion-density/1\",\n"), "{text}");
    let file = workspace.json("results/density.json");
    assert_eq!(file["privacy"]["guarantee"], json!({"kind": "pure", "epsilon": 1.0}));
    assert_eq!(file["privacy"]["neighbours"], "replace-one");
    assert_eq!(file["privacy"]["statement"], first);
    assert_eq!(file["privacy"]["randomness"], "operating-system");
    assert!(file["program"].as_str().unwrap().starts_with("discretion "));
    assert_eq!(file["ledger"]["account"], "t");
    assert_eq!(file["run"]["rows"], 400);
    assert_eq!(file["run"]["choice"]["budget_share"], 0.5);

    // Its integral is 1.
    let edges = numbers(&file["columns"][0]["edges"]);
    let shares = numbers(&file["density"]["probabilities"]);
    assert_eq!((edges[0], *edges.last().unwrap(), edges.len()), (0.0, 100.0, shares.len() + 1));
    assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12 && shares.iter().all(|share| *share >= 0.0));
    let heights: Vec<f64> = workspace
        .read("results/density.svg")
        .split("data-height=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
        .collect();
    let area: f64 =
        heights.iter().zip(edges.windows(2)).map(|(height, ends)| height * (ends[1] - ends[0])).sum();
    assert!(heights.len() == shares.len() && (area - 1.0).abs() < 1e-9, "{area}");

    let page = workspace.read("results/density.html");
    assert!(page.contains("How age is distributed") && page.contains("ε-differential privacy"), "{page}");
    assert_eq!(page.matches("http").count(), 1, "only the policy that forbids to fetch anything");
}

#[test]
fn the_file_holds_public_facts_and_no_others() {
    let workspace = Workspace::new();
    workspace.run(&DENSITY).succeeds();
    let file = workspace.json("out/density.json");
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(keys(&file), "columns density format ledger privacy program run");
    assert_eq!(keys(&file["run"]), "bins candidates choice noise noise_deviation rows");
    assert_eq!(keys(&file["run"]["choice"]), "budget_share ceiling rule validation_share");
    assert_eq!(keys(&file["columns"][0]), "edges kind name");
    assert_eq!(keys(&file["density"]), "axes bins probabilities");
}

#[test]
fn columns_of_every_kind_in_the_order_they_were_named() {
    let workspace = Workspace::new();
    let run = workspace
        .run(&[
            "density",
            "study.toml",
            "--column",
            "y",
            "--column",
            "gain",
            "--column",
            "job",
            "--bins",
            "4",
        ])
        .succeeds();
    assert!(run.stdout.contains("4, as asked for") && run.stdout.contains("nurse"), "{}", run.stdout);
    assert_eq!(
        workspace.written(),
        ["study/density.html", "study/density.json"],
        "no picture of three columns"
    );
    let file = workspace.json("study/density.json");
    assert_eq!(file["density"]["bins"], json!([3, 4, 3]));
    assert_eq!(file["run"]["choice"], Value::Null);
    assert_eq!(file["columns"][0]["names"], json!(["yes", "no", "other"]));
    assert_eq!(file["columns"][2]["names"], json!(["clerk", "nurse", "other"]));
    // Bins of equal width on the logarithmic scale: the fourth root of 1001, less one.
    let edges = numbers(&file["columns"][1]["edges"]);
    for (i, edge) in edges.iter().enumerate() {
        assert!((edge - (1001f64.powf(i as f64 / 4.0) - 1.0)).abs() < 1e-9, "{edges:?}");
    }
    assert_eq!(file["density"]["axes"][1]["name"], "ln(1 + gain)");
    let page = workspace.read("study/density.html");
    for words in ["y alone", "gain alone", "job alone"] {
        assert!(page.contains(words), "{words}");
    }
    let two = workspace.run(&["density", "study.toml", "--column", "job", "--column", "age", "--out", "two"]);
    two.succeeds();
    assert!(
        workspace.read("two/density.svg").contains("data-value")
            && workspace.read("two/density.html").contains("Together")
    );
}

/// Under a seed and with next to no noise the shares are those of the table, clipping, missing values and all.
#[test]
fn shares_are_those_of_the_table() {
    let workspace = Workspace::new();
    workspace.write(
        "study.toml",
        STUDY.replace("epsilon = 3.0", "epsilon = 1000").replace("epsilon = 1.0", "epsilon = 1000"),
    );
    let density = |columns: &[&str], bins: &str| {
        let columns: Vec<&str> = columns.iter().flat_map(|&name| ["--column", name]).collect();
        let bins = if bins.is_empty() { vec![] } else { vec!["--bins", bins] };
        let fixed = ["density", "study.toml", "--seed", "1", "--out", "out", "--force"];
        workspace.run(&[&fixed, &columns[..], &bins[..]].concat()).succeeds();
        numbers(&workspace.json("out/seeded-density.json")["density"]["probabilities"])
    };
    let close = |found: Vec<f64>, expected: Vec<f64>| {
        assert_eq!(found.len(), expected.len());
        let distance = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(distance < 1e-9, "{found:?} {expected:?}");
    };
    // Ages are 7i mod 110 in 400 rows; those from 90 on are in the last bin, whatever is above 100 too.
    let mut ages = vec![0.0; 10];
    (0..400).for_each(|i| ages[(i * 7 % 110 / 10).min(9)] += 1.0 / 400.0);
    close(density(&["age"], "10"), ages);
    // Four jobs by turns, two of them not declared.
    close(density(&["job"], ""), vec![0.25, 0.25, 0.5]);
    // An empty gain is in the middle of the logarithms, hence in the upper of two bins.
    let upper = (0..400).filter(|i| i % 50 == 0 || f64::from(i * i % 1300) >= 1001f64.sqrt() - 1.0).count();
    let upper = upper as f64 / 400.0;
    close(density(&["gain"], "2"), vec![1.0 - upper, upper]);
    let yes = table().matches(",yes\n").count() as f64 / 400.0;
    close(density(&["y"], ""), vec![yes, 1.0 - yes, 0.0]);
}

#[test]
fn json_is_the_file_itself() {
    let workspace = Workspace::new();
    let run = workspace.run(&[&DENSITY[..], &["--json"]].concat()).succeeds();
    assert_eq!(run.stdout, workspace.read("out/density.json"));
}

#[test]
fn a_seed_draws_the_same_noise_and_says_that_it_is_not_private() {
    let workspace = Workspace::new();
    let density = |out: &str, more: &[&str]| {
        let run = workspace
            .run(&[&["density", "study.toml", "--column", "age", "--json", "--out", out], more].concat());
        run.succeeds().stdout
    };
    assert_eq!(density("a", &["--seed", "1"]), density("b", &["--seed", "1"]));
    assert_ne!(density("c", &["--seed", "1"]), density("d", &["--seed", "2"]));
    assert!(!workspace.ledger().exists(), "nobody pays for what must not be published");
    assert_ne!(density("e", &[]), density("f", &[]));

    let run = workspace.run(&[&DENSITY[..], &["--seed", "1"]].concat()).succeeds();
    assert!(run.stdout.lines().next().unwrap().starts_with("NOT PRIVATE"), "{}", run.stdout);
    assert!(run.stderr.contains("NOT PRIVATE"), "{}", run.stderr);
    let text = workspace.read("out/seeded-density.json");
    assert!(text.lines().next().unwrap().starts_with("{ \"NOT PRIVATE\": "), "{text}");
    let file = workspace.json("out/seeded-density.json");
    assert_eq!((&file["privacy"]["private"], &file["privacy"]["guarantee"]), (&json!(false), &Value::Null));
    assert!(workspace.read("out/seeded-density.html").contains("NOT PRIVATE"));
    assert!(!workspace.path("out/density.json").exists());
}

#[cfg(unix)]
#[test]
fn what_is_not_private_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let workspace = Workspace::new();
    workspace.run(&[&DENSITY[..], &["--seed", "1"]].concat()).succeeds();
    for name in ["json", "html", "svg"] {
        let path = workspace.path(&format!("out/seeded-density.{name}"));
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o077, 0);
    }
}

#[test]
fn all_budgets_work() {
    for (spend, law) in [
        ("epsilon = 1.0", "discrete-laplace"),
        ("epsilon = 1.0\ndelta = 1e-6", "discrete-laplace"),
        ("rho = 0.1", "discrete-gaussian"),
    ] {
        let workspace = Workspace::new();
        let study = STUDY
            .replace("[budget]\nepsilon = 3.0", "[budget]\nepsilon = 30\ndelta = 1e-5")
            .replace("[spend]\nepsilon = 1.0", &format!("[spend]\n{spend}"));
        workspace.write("study.toml", study);
        workspace.run(&DENSITY).succeeds();
        assert_eq!(workspace.json("out/density.json")["run"]["noise"], law);
    }
}

#[test]
fn a_target_of_several_classes_can_be_described() {
    let workspace = Workspace::with_study(
        "positive = \"yes\"\nnegative = \"no\"",
        "classes = [\"yes\", \"no\", \"perhaps\"]",
    );
    workspace.run(&["density", "study.toml", "--column", "y", "--out", "out"]).succeeds();
    let names = &workspace.json("out/density.json")["columns"][0]["names"];
    assert_eq!(*names, json!(["yes", "no", "perhaps", "other"]));
}

#[test]
fn an_existing_density_is_kept_unless_forced() {
    let workspace = Workspace::new();
    let density = |more: &[&str]| workspace.run(&[&["density", "study.toml"], more].concat());
    density(&["--column", "age"]).succeeds();
    let before = workspace.read("study/density.json");
    density(&["--column", "job"])
        .fails(1, "study/density.json: ")
        .says("spend the budget again")
        .says("--force");
    assert_eq!(workspace.read("study/density.json"), before);
    density(&["--column", "job", "--column", "age", "--column", "y", "--force"]).succeeds();
    assert_ne!(workspace.read("study/density.json"), before);
    assert!(!workspace.path("study/density.svg").exists(), "the old picture showed another density");
}

#[test]
fn a_density_is_charged_like_a_fit_and_file_and_ledger_name_each_other() {
    let workspace = Workspace::new();
    let dry = workspace.run(&[&DENSITY[..], &["--dry-run"]].concat()).succeeds();
    assert!(
        dry.stdout.contains("'t' pays ε = 1") && dry.stdout.contains("Nothing was charged"),
        "{}",
        dry.stdout
    );
    assert!(!workspace.ledger().exists() && workspace.written().is_empty());
    workspace.run(&DENSITY).succeeds();
    let charge = account(&workspace).unwrap()["history"][1].clone();
    assert_eq!(charge["number"], workspace.json("out/density.json")["ledger"]["charge"]);
    assert_eq!(charge["releases"][0]["file"], "out/density.json");

    // The same account pays for models.
    workspace.run(&["fit", "study.toml", "--out", "model"]).succeeds();
    workspace.run(&DENSITY).succeeds();
    let before = workspace.read("out/density.json");
    let run = workspace.run(&DENSITY);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("account 't' cannot pay for this"), "{}", run.stderr);
    assert_eq!(workspace.read("out/density.json"), before);
    assert_eq!(account(&workspace).unwrap()["charges"], 3);
}

/// Killed at every step: the charge is there exactly once or the run never began, and there is never a density without
/// a charge.
#[test]
fn a_crash_can_waste_budget_and_never_forgets_it() {
    // It opens no session.
    let steps = STEPS.iter().copied().filter(|step| !step.starts_with("session:"));
    let steps = steps.chain(["density: charged", "density: computed", "density: written"]);
    for step in steps {
        let workspace = Workspace::new();
        let status = workspace.command(&DENSITY).env("DISCRETION_ABORT_AT", step).output().unwrap().status;
        assert_eq!(status.code(), None, "{step}: the process was to be killed");
        let charged = !["charge:before-begin", "charge:before-commit"].contains(&step);
        let written = step == "density: written" || step.starts_with("release:");
        let after = account(&workspace);
        assert_eq!(after.as_ref().map(|after| after["charges"].clone()), charged.then(|| json!(1)), "{step}");
        assert_eq!(workspace.path("out/density.json").exists(), written, "{step}");
        workspace.run(&DENSITY).succeeds();
        workspace.run(&["ledger", "verify"]).succeeds();
        assert_eq!(account(&workspace).unwrap()["charges"], 1 + u64::from(charged), "{step}");
    }
}

#[test]
fn arguments_that_do_not_fit_the_study() {
    let many: Vec<String> = (0..200).map(|i| format!("\"{i}\"")).collect();
    let many = format!(
        "job  = {{ values = [{}] }}\nward = {{ values = [{}] }}\nunit",
        many.join(","),
        many.join(",")
    );
    for (args, start, words) in [
        (&["--column", "agee"][..], "--column: no column `agee` is declared", "did you mean `age`?"),
        (&["--column", "zebra"], "--column: no column `zebra` is declared", "study.toml"),
        (&["--column", "note"], "--column: column `note` is dropped", "declare its { min, max }"),
        (&["--column", "age", "--column", "age"], "--column: column `age` is named twice", "once"),
        (&["--column", "job", "--bins", "4"], "--bins: these columns have categories", "leave it out"),
        (&["--column", "age", "--bins", "100000"], "--bins: [100000] bins make more than", "fewer bins"),
        (
            &["--column", "age", "--column", "gain", "--bins", "4,300"],
            "--bins: [300, 300] bins make more",
            "fewer",
        ),
    ] {
        let workspace = Workspace::new();
        // The table is never looked at.
        std::fs::remove_file(workspace.path("t.csv")).unwrap();
        workspace.run(&[&["density", "study.toml"], args].concat()).fails(2, start).says(words);
        assert!(workspace.written().is_empty() && !workspace.ledger().exists());
    }
    let workspace = Workspace::with_study("job  = { values = [\"clerk\", \"nurse\"] }\nnote", &many);
    let args = ["density", "study.toml", "--column", "job", "--column", "ward", "--column", "age"];
    workspace.run(&args).fails(2, "--column: [201, 201, 4] bins make more than").says("fewer columns");
    for bins in ["", "0", "-4", "2.5", "8,,16", "8,16,8", "many"] {
        let run = Workspace::new().run(&["density", "study.toml", "--column", "age", "--bins", bins]);
        assert_eq!(run.code, 2, "{bins}: {}", run.stderr);
        assert!(run.stderr.contains("--bins"), "{}", run.stderr);
    }
    assert_eq!(Workspace::new().run(&["density", "study.toml"]).code, 2, "no column is named");
}

#[test]
fn too_few_rows_are_refused_with_what_would_do_and_not_charged() {
    let density = |epsilon: &str, more: &[&str]| {
        let workspace =
            Workspace::with_study("[spend]\nepsilon = 1.0", &format!("[spend]\nepsilon = {epsilon}"));
        let run = workspace.run(&[&["density", "study.toml", "--column", "age"], more].concat());
        assert!(account(&workspace).is_none() || run.code == 0, "refused before the charge");
        run
    };
    let refusal = density("0.001", &[]);
    let refusal = refusal.fails(1, "study.toml:11:2: 400 rows are too few for ε = 0.001 and 4 cells").stderr;
    assert!(refusal.contains("or fewer bins; nothing was charged"), "{refusal}");
    // What it says is enough.
    let enough = refusal.split(" or ε = ").nth(1).unwrap().split(',').next().unwrap();
    density(enough, &[]).succeeds();
    density("0.1", &["--bins", "1000"]).fails(1, "study.toml:11:2: 400 rows are too few").says("1,000 cells");
}

#[test]
fn bad_tables_are_found_before_anything_is_charged() {
    for (contents, place, words) in [
        ("age,gain,job,note,y\nold,1,clerk,,yes\n".to_owned(), "t.csv:2: ", "`age` must be a number"),
        ("gain,job,note,y\n".to_owned(), "t.csv:1: ", "lacks the declared column `age`"),
        ("age,gain,job,note,y\n".to_owned(), "t.csv: ", "no rows"),
        (String::new(), "t.csv: ", "empty"),
    ] {
        let workspace = Workspace::new();
        workspace.write("t.csv", contents);
        workspace.run(&DENSITY).fails(2, place).says(words);
        assert!(account(&workspace).is_none() && workspace.written().is_empty());
        assert!(!workspace.path("out").exists());
    }
    let workspace = Workspace::with_study("[spend]\nepsilon = 1.0", "[spend]\nepsilon = 5");
    workspace.run(&DENSITY).fails(1, "study.toml:11:2: [spend] is ε = 5, more than the ε = 3");
}
