//! Several outcomes that are numbers, from one release: one charge, one model file, every command.

use crate::number::coefficient;
use crate::workspace::Workspace;
use serde_json::Value;

const STUDY: &str = r#"[data]
path = "t.csv"
account = "t"
outcome = [
  { column = "days", min = 0, max = 60 },
  { column = "cost", min = 0, max = 1000 },
]

[budget]
epsilon = 50

[spend]
epsilon = 20

[columns]
age  = { min = 0, max = 100 }
ward = { values = ["A", "B"] }
"#;

/// days is 0.3·age + 10 in ward B, cost 800 − 5·age.
pub fn workspace(study: &str) -> Workspace {
    let workspace = Workspace::empty();
    workspace.write("study.toml", study);
    let mut text = "age,cost,ward,days\n".to_owned();
    for i in 0..3000 {
        let (age, ward) = (i * 37 % 100, if i % 3 == 0 { "B" } else { "A" });
        let more = f64::from(i * 13 % 11) - 5.0;
        let days = 0.3 * f64::from(age) + if ward == "B" { 10.0 } else { 0.0 } + more;
        let cost = 800.0 - 5.0 * f64::from(age) + 10.0 * more;
        text += &format!("{age},{cost:.1},{ward},{:.2}\n", days.max(0.0));
    }
    workspace.write("t.csv", text);
    workspace
}

fn per_unit(part: &Value, name: &str) -> f64 {
    coefficient(part, name)["per_unit"].as_f64().unwrap()
}

#[test]
fn one_release_serves_every_outcome() {
    let workspace = workspace(STUDY);
    let plan = workspace.run(&["plan", "--study", "study.toml", "--rows", "3000"]).succeeds();
    for words in ["4 for each of 2 outcomes", "in the mean of each outcome", "any afterwards"] {
        assert!(plan.stdout.contains(words), "{words}: {}", plan.stdout);
    }
    let run = workspace.run(&["fit", "study.toml", "--verbose", "--out", "out"]).succeeds();
    for words in
        ["4 for each of 2 outcomes", "predicts      days", "predicts      cost", "'t' pays ε = 20"]
    {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
    let model = workspace.json("out/model.json");
    assert!((per_unit(&model, "age") - 0.3).abs() < 0.05, "{model}");
    assert!((per_unit(&model["others"][0], "age") + 5.0).abs() < 0.7, "{model}");
    assert_eq!(model["moments"]["outcomes"], 2);
    // One charge for both.
    let shown = workspace.run(&["ledger", "show", "t"]).succeeds().stdout;
    assert_eq!(shown.matches("fit of study.toml").count(), 1, "{shown}");

    workspace.write("new.csv", "age,ward\n50,A\n");
    let predicted = workspace.run(&["predict", "out/model.json", "new.csv"]).succeeds();
    let lines: Vec<&str> = predicted.stdout.lines().collect();
    assert_eq!(
        lines[0],
        "row,prediction_days,lower_days,upper_days,prediction_cost,lower_cost,upper_cost"
    );
    let numbers: Vec<f64> = lines[1].split(',').map(|field| field.parse().unwrap()).collect();
    assert!((numbers[1] - 15.0).abs() < 3.0 && (numbers[4] - 550.0).abs() < 60.0, "{lines:?}");
    assert!(numbers[5] < numbers[4] && numbers[4] < numbers[6], "{lines:?}");
    let json = workspace.run(&["predict", "out/model.json", "new.csv", "--json"]).succeeds();
    let row: Value = serde_json::from_str(json.stdout.lines().next().unwrap()).unwrap();
    assert_eq!(row["prediction_cost"].as_f64(), Some(numbers[4]));

    workspace.run(&["report", "out/model.json", "--level", "0.8", "--out", "page.html"]).succeeds();
    let page = workspace.read("page.html");
    for words in [
        "What days, cost go with",
        "The coefficients of days",
        "The coefficients of cost",
        "at 80 %",
    ] {
        assert!(page.contains(words), "{words}");
    }
    let exact = workspace
        .run(&["fit", "study.toml", "--not-private", "--out", "exact", "--json"])
        .succeeds();
    let exact: Value = serde_json::from_str(&exact.stdout).unwrap();
    assert!((per_unit(&exact["others"][0], "age") + 5.0).abs() < 0.01, "{exact}");
}

/// Each as if it were alone: the same coefficients, to rounding, as a study of that outcome.
#[test]
fn without_noise_each_outcome_is_as_if_it_were_alone() {
    let fit = |study: &str| {
        let run =
            workspace(study).run(&["fit", "study.toml", "--not-private", "--out", "o", "--json"]);
        serde_json::from_str::<Value>(&run.succeeds().stdout).unwrap()
    };
    let both = fit(&(STUDY.to_owned() + "[model]\nlambda = 0.001\n"));
    let alone = STUDY.replace("  { column = \"days\", min = 0, max = 60 },\n", "");
    let alone = fit(&(alone + "days = { drop = true }\n[model]\nlambda = 0.001\n"));
    for name in ["age", "ward=B"] {
        let [here, there] = [&both["others"][0], &alone].map(|part| per_unit(part, name));
        assert!((here - there).abs() < 1e-4 * there.abs().max(1.0), "{name}: {here} {there}");
    }
}

#[test]
fn what_takes_one_outcome_says_so_before_anything_is_charged() {
    let with_loss = STUDY.to_owned() + "[model]\nloss = \"huber\"\n";
    let held_out = STUDY.to_owned() + "[evaluate]\nshare = 0.2\n";
    for (study, sentence) in [
        (
            with_loss,
            "Huber's loss takes one outcome, and there are 2; keep one of them in `outcome`",
        ),
        (held_out, "an evaluation takes one outcome, and there are 2"),
    ] {
        let run = workspace(&study).run(&["fit", "study.toml", "--dry-run"]);
        assert!(run.code == 2 && run.stderr.contains(sentence), "{}", run.stderr);
    }
}
