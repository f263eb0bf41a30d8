//! Every query is answered.

use super::{ANSWER, STUDY, charges, given, queries, workspace};
use serde_json::Value;

fn all(more: &str) -> String {
    STUDY.replace("unstable = 4\n", &format!("answer = \"all\"\n{more}"))
}

/// Clear queries lead by 120 votes: the noise hides that less than once in 10^8.
#[test]
fn every_query_gets_a_label_and_the_session_goes_on() {
    let workspace = workspace(&all(""));
    let run = workspace.run(&ANSWER).succeeds();
    assert!(
        run.stdout.contains("120 models voted on 103 queries: 103 answered\n"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("a label with 70 % of the votes is the one told with probability"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("left in this session: 27 queries\n"), "{}", run.stdout);
    let answers = workspace.read("a.csv");
    for (query, answer) in queries(100, 3).lines().skip(1).zip(given(&answers)) {
        let age: f64 = query.split(',').next().unwrap().parse().unwrap();
        let told = ["yes", "no"].contains(&answer);
        let right = query.ends_with("nurse") || answer == if age > 50.0 { "yes" } else { "no" };
        assert!(told && right, "{query}: {answer}");
    }
    workspace.run(&ANSWER).succeeds().says("");
    assert_eq!((workspace.read("a.csv"), charges(&workspace, "t")), (answers, 1));
    let shown = workspace.run(&["ledger", "show", "t", "--json"]).succeeds();
    let designs = ["noisy-maximum", "exponential-votes"];
    assert!(designs.iter().any(|design| shown.stdout.contains(design)), "{}", shown.stdout);
    workspace.run(&["ledger", "verify"]).succeeds();
}

#[test]
fn clear_winners_are_told_apart_and_rho_pays() {
    let study = all("confidence = 0.99\n")
        .replace("epsilon = 12\ndelta = 1e-3", "rho = 3")
        .replace("epsilon = 8\ndelta = 1e-3", "rho = 2");
    let workspace = workspace(&study);
    let json: Value = serde_json::from_str(
        &workspace.run(&[&ANSWER[..], &["--json"]].concat()).succeeds().stdout,
    )
    .unwrap();
    assert_eq!(
        (&json["answered"], &json["unstable"], &json["budget"]["rho"]),
        (&103.into(), &0.into(), &2.0.into()),
        "{json}"
    );
    let answers = workspace.read("a.csv");
    let sure = answers.lines().filter(|line| line.ends_with(",sure")).count();
    let unsure = answers.lines().filter(|line| line.ends_with(",unsure")).count();
    assert_eq!((sure + unsure, &json["unsure"]), (103, &unsure.into()), "{answers}");
    // Clear queries lead by 120 votes, and the noise on a lead has a deviation of 11.
    assert!(sure >= 100, "{answers}");
}

/// Scores for a rare class: the warning, and the way out of it.
#[test]
fn a_rare_class_is_warned_of_and_scores_are_its_way_out() {
    let rare = workspace(&STUDY.replace("unstable = 4", "unstable = 4\nexpected_share = 0.05"));
    let run = rare.run(&ANSWER).succeeds();
    assert!(run.stderr.contains("warning: with an expected share of 0.05"), "{}", run.stderr);
    assert!(run.stderr.contains("a majority names the more probable class"), "{}", run.stderr);
    let scores = workspace(&all("scores = true\nweights = \"balanced\"\n"));
    let run = scores.run(&[&ANSWER[..], &["--student", "student"]].concat()).succeeds();
    assert!(
        run.stdout.contains("a score is within 0.1 of the models' mean with probability"),
        "{}",
        run.stdout
    );
    let answers = scores.read("a.csv");
    assert!(answers.starts_with("row,score,status\n"), "{answers}");
    for (query, answer) in queries(100, 0).lines().skip(1).zip(given(&answers)) {
        let score: f64 = answer.parse().unwrap();
        assert!((0.0..=1.0).contains(&score), "{query}: {score}");
    }
    assert!(scores.path("student/model.json").exists());
    scores.write("widths", "0.1\n".repeat(103));
    scores
        .run(&[
            "answer",
            "study.toml",
            "--queries",
            "q.csv",
            "--out",
            "b.csv",
            "--gammas",
            "widths",
        ])
        .fails(2, "--gammas: widths: widths are for `answer = \"sure\"`");
    assert_eq!(charges(&scores, "t"), 1);
}

#[test]
fn plans_say_how_many_models_answer_everything() {
    let workspace = workspace(&STUDY.replace("queries = 130\nunstable = 4", "queries = 20"));
    workspace.run(&["plan", "vote", "--study", "study.toml"]).succeeds().says("");
    let plan = [
        "plan",
        "vote",
        "--epsilon",
        "1",
        "--delta",
        "1e-6",
        "--queries",
        "1000",
        "--answer",
        "all",
        "--rows",
        "38000",
    ];
    let text = workspace.run(&plan).succeeds().stdout;
    assert!(text.contains("1,000, all of them answered"), "{text}");
    let json: Value =
        serde_json::from_str(&workspace.run(&[&plan[..], &["--json"]].concat()).succeeds().stdout)
            .unwrap();
    let first = &json["designs"][0];
    assert_eq!(
        (&first["design"]["design"], &json["serves"]),
        (&"exponential".into(), &true.into()),
        "{json}"
    );
    assert!(json["rows_per_chunk"].as_u64().unwrap() > 30, "{json}");
    let rho = ["plan", "vote", "--rho", "0.02", "--queries", "1000", "--answer", "all", "--json"];
    let json: Value = serde_json::from_str(&workspace.run(&rho).succeeds().stdout).unwrap();
    assert_eq!(json["designs"][0]["design"]["design"], "exponential", "{json}");
    workspace
        .run(&["plan", "vote", "--epsilon", "1", "--queries", "9", "--answer", "all"])
        .fails(2, "answers to every query need an epsilon and a delta, or a rho");
    workspace
        .run(&[
            "plan",
            "vote",
            "--epsilon",
            "1",
            "--delta",
            "1e-6",
            "--queries",
            "9",
            "--confidence",
            "0.9",
        ])
        .fails(2, "--confidence: a confidence goes with answer = \"all\"");
    workspace
        .run(&[
            "plan",
            "vote",
            "--rho",
            "0.02",
            "--queries",
            "9",
            "--answer",
            "all",
            "--unstable",
            "3",
        ])
        .fails(2, "--unstable is for answers of clear winners");
    // What the study plans for holds for its aim, whatever confidence is asked for.
    workspace.write("study.toml", all("agreement = 0.9\n"));
    let sure = ["plan", "vote", "--study", "study.toml", "--confidence", "0.9", "--json"];
    let json: Value = serde_json::from_str(&workspace.run(&sure).succeeds().stdout).unwrap();
    assert_eq!((&json["agreement"], &json["confidence"]), (&0.9.into(), &0.9.into()), "{json}");
    workspace.write("study.toml", all("scores = true\n"));
    workspace.run(&sure).fails(2, "a confidence is about labels, and these answers are scores");
    workspace
        .write("study.toml", STUDY.replace("target =", "where = { job = \"clerk\" }\ntarget ="));
    workspace.run(&["plan", "vote", "--study", "study.toml"]).fails(
        2,
        "study.toml: a vote counts every row the same, and this study leaves rows out or weighs them",
    );
}

/// A student of several classes learns from every answer, and predicts each of them.
#[test]
fn a_student_may_know_several_classes() {
    let study = all("classes = [\"a\", \"b\", \"c\"]\n");
    let workspace = workspace(&study);
    let (mut rows, mut asked) = ("age,job,y\n".to_owned(), "age,job\n".to_owned());
    let class = |age: usize| ["a", "b", "c"][age / 34];
    for row in 0..6000 {
        let age = row * 37 % 101;
        rows += &format!("{age},{},{}\n", ["clerk", "nurse"][row % 2], class(age));
    }
    (0..120).for_each(|query| asked += &format!("{},nurse\n", query * 53 % 101));
    workspace.write("t.csv", rows);
    workspace.write("q.csv", asked);
    workspace.run(&[&ANSWER[..], &["--student", "student"]].concat()).succeeds();
    let model: Value = serde_json::from_str(&workspace.read("student/model.json")).unwrap();
    let why = model["training"]["why"].as_str().unwrap();
    assert!(why.contains("of such a student and of a model fitted directly was"), "{why}");
    assert!(why.contains("% where the odds follow straight lines"), "{why}");
    assert!(
        workspace
            .read("student/report.html")
            .contains("of such a student and of a model fitted directly")
    );
    workspace.write("new.csv", "age,job\n2,clerk\n50,clerk\n99,nurse\n");
    let predicted = workspace.run(&["predict", "student/model.json", "new.csv"]).succeeds().stdout;
    let told: Vec<&str> = predicted.lines().skip(1).collect();
    assert_eq!(told.len(), 3, "{predicted}");
    for (line, class) in told.iter().zip(["a", "b", "c"]) {
        assert!(line.split(',').any(|field| field == class), "{predicted}");
    }
}

/// Every built-in learner on invented rows, with a student and a model fitted directly; no table is
/// read.
#[test]
fn a_rehearsal_tries_all_learners_on_invented_rows() {
    let workspace = workspace(&all(""));
    std::fs::remove_file(workspace.path("t.csv")).unwrap();
    let plan = ["plan", "vote", "--study", "study.toml", "--rows", "2400", "--rehearse"];
    let text = workspace.run(&plan).succeeds().stdout;
    assert!(text.contains("20 for each model. Your table was not read"), "{text}");
    let json: Value =
        serde_json::from_str(&workspace.run(&[&plan[..], &["--json"]].concat()).succeeds().stdout)
            .unwrap();
    let rehearsal = &json["rehearsal"];
    let learners: Vec<&Value> = rehearsal["learners"].as_array().unwrap().iter().collect();
    assert_eq!((learners.len(), rehearsal["direct"].as_array().unwrap().len()), (6, 2), "{json}");
    assert!(
        learners.iter().all(|line| line["answered"] == 1.0 && line["student"].is_f64()),
        "{json}"
    );
}
