//! What an account's filter says to people: how many runs fit, which filter it is, what raising
//! means.

use crate::answer;
use crate::workspace::{STUDY, Workspace};
use serde_json::Value;

const FIT: [&str; 5] = ["fit", "study.toml", "--out", "out", "--force"];

/// A study whose account has a δ, and whose runs take a third of its ε.
fn with_delta(filter: &str) -> Workspace {
    let workspace = Workspace::new();
    let budget = format!("epsilon = 3.0\ndelta = 1e-5\nfilter = \"{filter}\"");
    workspace.write("study.toml", STUDY.replace("epsilon = 3.0", &budget));
    workspace
}

#[test]
fn plan_fit_and_show_agree_on_how_many_runs_fit() {
    let workspace = with_delta("auto");
    let plan =
        workspace.run(&["plan", "--study", "study.toml", "--rows", "400", "--json"]).succeeds();
    let plan: Value = serde_json::from_str(&plan.stdout).unwrap();
    let runs = plan["fits"]["runs"].as_u64().unwrap();
    assert!(runs >= 3, "{plan}");
    for run in 1..=runs {
        workspace.run(&FIT).succeeds();
        let shown = workspace.run(&["ledger", "show", "t", "--json"]).succeeds().stdout;
        let shown: Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(shown["more_like_last"]["runs"], runs - run, "{shown}");
    }
    workspace.run(&FIT).fails(1, "account 't' cannot pay for this");
    let shown = workspace.run(&["ledger", "show", "t"]).succeeds().stdout;
    assert!(shown.contains("no more runs like entry"), "{shown}");
}

#[test]
fn a_price_that_is_not_the_run_s_own_number_is_explained_where_it_is_printed() {
    let workspace = with_delta("renyi");
    let study = workspace.read("study.toml").replace("epsilon = 1.0", "rho = 0.05");
    workspace.write("study.toml", study);
    let dry = workspace.run(&["fit", "study.toml", "--dry-run"]).succeeds();
    let verbose = workspace.run(&[&FIT[..], &["--verbose"]].concat()).succeeds();
    for said in [dry.stdout, verbose.stdout] {
        let line = said
            .lines()
            .find(|line| line.contains("'t' pays ε = 0."))
            .unwrap_or_else(|| panic!("{said}"));
        assert!(
            line.contains("is left (the run itself has ρ = 0.05: the account counts it as an ε"),
            "{line}"
        );
    }
    let page = workspace.read("out/report.html").replace('\u{a0}', " ");
    assert!(
        page.contains(" of its account (the run itself has ρ = 0.05: the account counts"),
        "{page}"
    );
    assert!(page.contains("of 3 at δ = 10⁻⁵</dd>"), "{page}");
    // Where the numbers are the same there is nothing to explain.
    let workspace = Workspace::new();
    let said = workspace.run(&FIT).succeeds().stdout;
    assert!(said.contains("'t' pays ε = 1; 1 of ε = 3 is spent, 2 is left\n"), "{said}");
}

#[test]
fn show_tells_how_many_runs_of_a_size_fit() {
    let workspace = with_delta("renyi");
    workspace.run(&FIT).succeeds();
    let show = |size: &[&str]| {
        let run = workspace.run(&[&["ledger", "show", "t"], size].concat()).succeeds();
        run.stdout.lines().rfind(|line| line.starts_with("fits")).unwrap().to_owned()
    };
    assert_eq!(show(&["--epsilon", "1"]), "fits     2 more runs of ε = 1");
    assert_eq!(show(&["--epsilon", "3"]), "fits     no more runs of ε = 3");
    let gaussian = show(&["--epsilon", "0.3", "--delta", "1e-6"]);
    assert!(gaussian.contains(" more runs of ε = 0.3, δ = 1e-6"), "{gaussian}");
    let why = workspace.run(&["ledger", "show", "t", "--why"]).succeeds().stdout;
    for words in [
        "adds up  by Rényi filter, or the plain sum",
        "plain sum of ε",
        "at order",
        "chance of failing",
        "no guarantee",
    ] {
        assert!(why.contains(words), "{words}: {why}");
    }
    let plan = [
        "plan",
        "--rows",
        "400",
        "--columns",
        "4",
        "--epsilon",
        "1",
        "--lambda",
        "0.1",
        "--account",
        "t",
    ];
    let plan = workspace.run(&plan).succeeds().stdout;
    assert!(plan.contains("2 such runs fit into what is left of account 't'"), "{plan}");
}

#[test]
fn a_study_that_asks_for_another_filter_is_refused() {
    let workspace = with_delta("renyi");
    workspace.run(&FIT).succeeds();
    let study = workspace.read("study.toml");
    workspace.write("study.toml", study.replace("\"renyi\"", "\"gaussian\""));
    workspace
        .run(&FIT)
        .fails(1, "account 't' was opened with another filter (Rényi filter, or the plain sum)");
    workspace.write("study.toml", study.replace("\"renyi\"", "\"best\""));
    let run = workspace.run(&FIT);
    assert!(
        run.code == 2 && run.stderr.contains("filter") && run.stderr.contains("plain-sum"),
        "{}",
        run.stderr
    );
    workspace.write("study.toml", study.replace("\"renyi\"", "\"auto\""));
    workspace.run(&FIT).succeeds();
}

#[test]
fn raising_says_what_then_holds() {
    let workspace = with_delta("renyi");
    workspace.run(&FIT).succeeds();
    let raise = [
        "ledger",
        "raise",
        "t",
        "--epsilon",
        "4",
        "--delta",
        "1e-5",
        "--reason",
        "the board agreed",
    ];
    let said = workspace.run(&raise).succeeds().stdout;
    assert!(said.contains("highest cap that you might have raised to"), "{said}");
}

/// A cap in ρ pays for a voting session if it has a δ for what the session's proof does not cover.
#[test]
fn a_cap_in_rho_pays_for_votes_if_it_has_a_delta() {
    let study = |budget: &str| answer::STUDY.replace("epsilon = 12\ndelta = 1e-3", budget);
    let workspace = Workspace::empty();
    workspace.write("t.csv", answer::table(6000));
    workspace.write("q.csv", "age,job\n1,clerk\n99,clerk\n");
    let ask = ["answer", "study.toml", "--queries", "q.csv", "--out", "answers.csv"];
    workspace.write("study.toml", study("rho = 20"));
    let refused = workspace.run(&ask).says("write delta into [budget]");
    assert_eq!(refused.code, 1);
    workspace.write("study.toml", study("rho = 20\ndelta = 2e-3"));
    workspace.run(&ask).succeeds();
    let shown = workspace.run(&["ledger", "show", "t", "--why"]).succeeds().stdout;
    assert!(shown.contains("cap      ρ = 20, δ = 2e-3") && shown.contains("sum of ρ"), "{shown}");
}
