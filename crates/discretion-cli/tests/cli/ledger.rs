//! Charges, refusals, crashes, and `discretion ledger`.

use crate::workspace::{STUDY, Workspace, table};
use discretion::privacy::Budget;
use discretion::privacy::account::Event;
use discretion_ledger::{Ledger, Purchase, STEPS};
use serde_json::Value;

const FIT: [&str; 5] = ["fit", "study.toml", "--out", "out", "--force"];

/// The account as `ledger show --json` has it; nothing if there is no ledger or no account yet.
fn account(workspace: &Workspace) -> Option<Value> {
    let run = workspace.run(&["ledger", "show", "t", "--json"]);
    (run.code == 0).then(|| serde_json::from_str(&run.stdout).unwrap())
}

#[test]
fn a_fit_is_charged_and_model_and_ledger_name_each_other() {
    let workspace = Workspace::new();
    let run = workspace.run(&FIT).succeeds();
    assert!(
        run.stdout.contains("'t' pays ε = 1; 1 of ε = 3 is spent, 2 is left"),
        "{}",
        run.stdout
    );
    let model = workspace.json("out/model.json");
    assert_eq!(model["ledger"]["account"], "t");
    let account = account(&workspace).unwrap();
    let charge = &account["history"][1];
    assert_eq!(charge["kind"], "charged");
    assert_eq!(charge["number"], model["ledger"]["charge"]);
    assert_eq!(charge["releases"][0]["file"], "out/model.json");
    assert_eq!(charge["event"]["of"][0]["event"], "shaped-objective-perturbation");
}

#[test]
fn a_spent_account_refuses_and_the_old_model_stays() {
    let workspace = Workspace::new();
    for _ in 0..3 {
        workspace.run(&FIT).succeeds();
    }
    let before = workspace.read("out/model.json");
    let run = workspace.run(&FIT);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("account 't' cannot pay for this"), "{}", run.stderr);
    assert_eq!(workspace.read("out/model.json"), before);
    assert_eq!(account(&workspace).unwrap()["charges"], 3);
    // A reason and a new cap let it go on, once the study says so too.
    assert_eq!(
        workspace.run(&["ledger", "raise", "t", "--epsilon", "4"]).code,
        2,
        "no reason was given"
    );
    assert_eq!(
        workspace.run(&["ledger", "raise", "t", "--epsilon", "2", "--reason", "less"]).code,
        1
    );
    workspace
        .run(&["ledger", "raise", "t", "--epsilon", "4", "--reason", "the board agreed"])
        .succeeds();
    let run = workspace.run(&FIT);
    assert_eq!(run.code, 1);
    assert!(
        run.stderr.contains("ε = 4") && run.stderr.contains("ε = 3"),
        "both caps: {}",
        run.stderr
    );
    workspace.write("study.toml", STUDY.replace("epsilon = 3.0", "epsilon = 4.0"));
    workspace.run(&FIT).succeeds();
    let shown = workspace.run(&["ledger", "show", "t", "--why"]).succeeds().stdout;
    for words in ["the board agreed", "100 % spent", "plain sum", "out/model.json"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
}

#[test]
fn another_cap_is_refused_before_a_row_is_read() {
    let workspace = Workspace::new();
    workspace.run(&FIT).succeeds();
    workspace.write("study.toml", STUDY.replace("epsilon = 3.0", "epsilon = 9.0"));
    workspace.write("t.csv", "not even the header is right\n");
    let run = workspace.run(&FIT);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("ε = 9") && run.stderr.contains("ε = 3"), "{}", run.stderr);
}

#[test]
fn a_dry_run_prices_and_leaves_no_trace() {
    let workspace = Workspace::new();
    let run = workspace.run(&["fit", "study.toml", "--dry-run"]).succeeds();
    assert!(
        run.stdout.contains("'t' pays ε = 1") && run.stdout.contains("Nothing was charged"),
        "{}",
        run.stdout
    );
    assert!(!workspace.ledger().exists() && workspace.written().is_empty());
    workspace.run(&FIT).succeeds();
    let run = workspace.run(&["fit", "study.toml", "--dry-run", "--json"]).succeeds();
    let quote: Value = serde_json::from_str(&run.stdout).unwrap();
    assert!((quote["left"].as_f64().unwrap() - 1.0).abs() < 1e-6, "{quote}");
    assert_eq!(account(&workspace).unwrap()["charges"], 1);
}

#[test]
fn a_dry_run_of_what_cannot_be_paid_is_refused() {
    let workspace = Workspace::new();
    for _ in 0..3 {
        workspace.run(&FIT).succeeds();
    }
    workspace.run(&["fit", "study.toml", "--dry-run"]).fails(
        1,
        "account 't' cannot pay for this: it would have spent 4 of its cap, ε = 3, and has spent 3; ",
    );
}

#[test]
fn what_is_no_head_is_not_called_tampering() {
    let workspace = Workspace::new();
    workspace.run(&FIT).succeeds();
    workspace
        .run(&["ledger", "verify", "--noted", "3f9a"])
        .fails(2, "--noted 3f9a: a head is 64 hexadecimal digits");
}

#[test]
fn what_is_not_private_is_not_charged() {
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml", "--seed", "1"]).succeeds();
    workspace.run(&["fit", "study.toml", "--not-private"]).succeeds();
    assert!(!workspace.ledger().exists());
}

#[test]
fn bad_rows_are_found_before_anything_is_charged() {
    let workspace = Workspace::new();
    workspace.write("t.csv", table() + "text,1,clerk,x,yes\n");
    assert_eq!(workspace.run(&FIT).code, 2);
    assert!(account(&workspace).is_none());
}

#[test]
fn a_changed_table_is_said() {
    let workspace = Workspace::new();
    assert_eq!(workspace.run(&FIT).succeeds().stderr, "");
    assert_eq!(workspace.run(&FIT).succeeds().stderr, "");
    workspace.write("t.csv", table().replacen("7,", "8,", 1));
    let run = workspace.run(&[&FIT[..], &["--rows-changed"]].concat()).succeeds();
    assert!(run.stderr.contains("the table is not the one"), "{}", run.stderr);
}

/// Killed at every step of a fit: the charge is there exactly once or the run never began, and
/// there is never a model without a charge.
#[test]
fn a_crash_can_waste_budget_and_never_forgets_it() {
    // It opens no session.
    let steps = STEPS.iter().copied().filter(|step| !step.starts_with("session:"));
    let steps = steps.chain(["fit: charged", "fit: computed", "fit: written"]);
    for step in steps {
        let workspace = Workspace::new();
        let status =
            workspace.command(&FIT).env("DISCRETION_ABORT_AT", step).output().unwrap().status;
        assert_eq!(status.code(), None, "{step}: the process was to be killed");
        let charged = !["charge:before-begin", "charge:before-commit"].contains(&step);
        let released = step == "release:after-commit";
        let written = step == "fit: written" || step.starts_with("release:");
        let after = account(&workspace);
        assert_eq!(after.is_some(), charged, "{step}");
        assert_eq!(workspace.path("out/model.json").exists(), written, "{step}");
        if let Some(after) = after {
            assert_eq!(after["charges"], 1, "{step}");
            assert_eq!(after["unreleased"], u64::from(!released), "{step}");
            let shown = workspace.run(&["ledger", "show", "t"]).succeeds().stdout;
            assert_eq!(shown.contains("charged, not released"), !released, "{step}: {shown}");
        }
        workspace.run(&FIT).succeeds();
        workspace.run(&["ledger", "verify"]).succeeds();
        assert_eq!(account(&workspace).unwrap()["charges"], 1 + u64::from(charged), "{step}");
    }
}

/// A bug after the charge: nobody is told that nothing happened.
#[test]
fn a_panic_after_a_charge_says_that_the_charge_stays() {
    for (step, says) in [
        ("charge:before-begin", "; nothing was released; please report this line"),
        ("fit: charged", "; charge 2 stays in the ledger; unless out/model.json is there, nothing"),
        (
            "fit: computed",
            "; charge 2 stays in the ledger; unless out/model.json is there, nothing",
        ),
    ] {
        let workspace = Workspace::new();
        let run = workspace.command(&FIT).env("DISCRETION_PANIC_AT", step).output().unwrap();
        let said = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(101), "{step}: {said}");
        assert!(said.contains(says) && said.lines().count() == 1, "{step}: {said}");
    }
}

#[test]
fn a_session_is_shown_with_how_many_answers_left() {
    let workspace = Workspace::new();
    let ledger = Ledger::open(&workspace.ledger()).unwrap();
    let opened = ledger.account("t", Budget::Pure { epsilon: 3.0 }).unwrap();
    let event = Event::Pure { epsilon: 1.0, what: "votes".into() };
    let mut session = opened
        .charge(&Purchase::new(&event, "votes").with_session("key", "a secret"))
        .unwrap()
        .session
        .unwrap();
    let show = || workspace.run(&["ledger", "show", "t"]).succeeds().stdout;
    assert!(show().contains("charged, not released"), "{}", show());
    session
        .commit("a secret", &[("a1", "yes"), ("b2", "no")].map(|(q, a)| (q.into(), a.into())))
        .unwrap();
    ledger.release(session.charge(), "student.json", None).unwrap();
    assert!(
        show().contains("2 answers, student.json") && !show().contains("not released"),
        "{}",
        show()
    );
    assert_eq!(account(&workspace).unwrap()["history"][1]["answers"], 2);
    assert!(!workspace.run(&["ledger", "export"]).succeeds().stdout.contains("a secret"));
}

#[test]
fn a_ledger_that_cannot_be_used_stops_the_run_with_a_reason() {
    let workspace = Workspace::new();
    std::fs::write(workspace.ledger(), "this is not a ledger").unwrap();
    let run = workspace.run(&FIT);
    assert_eq!(run.code, 2, "another file has to be named: {}", run.stderr);
    assert!(run.stderr.contains("is not a discretion ledger"), "{}", run.stderr);
    assert!(workspace.written().is_empty());
    // A disk that is full when the charge is to be made.
    let workspace = Workspace::new();
    let output = workspace.command(&FIT).env("DISCRETION_LEDGER_PAGES", "2").output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("full") && output.status.code() == Some(1), "{stderr}");
    assert!(workspace.written().is_empty());
    // A second name.
    let workspace = Workspace::new();
    workspace.run(&FIT).succeeds();
    std::fs::hard_link(workspace.ledger(), workspace.path("link.sqlite")).unwrap();
    let run = workspace.run(&FIT);
    assert!(run.code == 1 && run.stderr.contains("has 2 names (hard links)"), "{}", run.stderr);
    assert_eq!(account(&workspace).unwrap()["charges"], 1);
}

/// What was charged is charged: scripts must not run it again as if nothing had happened.
#[cfg(target_os = "linux")]
#[test]
fn what_fails_after_the_charge_has_a_code_of_its_own() {
    for args in [
        &FIT[..],
        &["density", "study.toml", "--column", "age", "--out", "out"],
        &["party", "simulate", "study.toml", "--parties", "2", "--out", "out"],
    ] {
        let workspace = Workspace::new();
        let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = workspace.command(args).stdout(full()).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains("standard output could not be written"), "{stderr}");
        assert_eq!(
            (output.status.code(), account(&workspace).unwrap()["charges"].as_u64()),
            (Some(3), Some(1))
        );
        // The same failure where nothing was charged.
        let output = workspace.command(&["ledger", "list"]).stdout(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn list_verify_export_and_a_missing_ledger() {
    let workspace = Workspace::new();
    let run = workspace.run(&["ledger", "list"]);
    assert!(run.code != 0 && run.stderr.contains("there is no ledger at"), "{}", run.stderr);
    workspace.run(&FIT).succeeds();
    assert!(workspace.run(&["ledger", "list"]).succeeds().stdout.contains("ε = 3"));
    let list: Value =
        serde_json::from_str(&workspace.run(&["ledger", "list", "--json"]).succeeds().stdout)
            .unwrap();
    assert_eq!(list[0]["account"], "t");
    let head = workspace.run(&["ledger", "verify"]).succeeds().stdout;
    let head = head.lines().find_map(|line| line.strip_prefix("head  ")).unwrap().to_owned();
    workspace.run(&FIT).succeeds();
    workspace.run(&["ledger", "verify", "--noted", &head]).succeeds();
    assert_eq!(workspace.run(&["ledger", "verify", "--noted", &"0".repeat(64)]).code, 1);
    let export = workspace.run(&["ledger", "export"]).succeeds().stdout;
    let lines: Vec<Value> =
        export.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 5, "opened, and twice charged and released");
    assert_eq!(workspace.run(&["ledger", "show", "nobody"]).code, 2);
    let plan = workspace
        .run(&["plan", "--account", "t", "--rows", "400", "--columns", "5", "--json"])
        .succeeds();
    let plan: Value = serde_json::from_str(&plan.stdout).unwrap();
    assert!((plan["budget"]["epsilon"].as_f64().unwrap() - 1.0).abs() < 0.01, "{plan}");
}

/// Check and charge are one transaction: sixteen fits at once on an account that pays for three.
#[test]
fn many_fits_at_once_cannot_pass_the_cap_together() {
    let workspace = Workspace::new();
    let children: Vec<_> = (0..16)
        .map(|i| {
            let out = format!("out{i}");
            workspace
                .command(&["fit", "study.toml", "--out", &out, "--json", "--again"])
                .output_later()
        })
        .collect();
    let codes: Vec<_> = children.into_iter().map(|child| child.join().unwrap()).collect();
    assert_eq!(codes.iter().filter(|code| **code == Some(0)).count(), 3, "{codes:?}");
    assert_eq!(codes.iter().filter(|code| **code == Some(1)).count(), 13, "{codes:?}");
    assert_eq!(
        workspace.written().len(),
        6,
        "a model and its page for each charge, and no other file"
    );
    workspace.run(&["ledger", "verify"]).succeeds();
    assert_eq!(account(&workspace).unwrap()["charges"], 3);
}

trait OutputLater {
    /// The exit code, once a thread has it.
    fn output_later(self) -> std::thread::JoinHandle<Option<i32>>;
}

impl OutputLater for std::process::Command {
    fn output_later(mut self) -> std::thread::JoinHandle<Option<i32>> {
        std::thread::spawn(move || self.output().unwrap().status.code())
    }
}

/// Under a cap that allows three runs.
#[test]
fn no_name_of_a_ledger_switches_the_cap_off() {
    let workspace = Workspace::new();
    for name in [":memory:", "file::memory:", "file:x?mode=memory", "file:y?vfs=memdb", ""] {
        let run = workspace.run(&[&FIT[..], &["--ledger", name]].concat());
        assert_eq!(run.code, 2, "{name}: {}", run.stderr);
        let reason = if name.is_empty() { "a value is required" } else { "an ordinary file" };
        assert!(run.stderr.contains(reason), "{name}: {}", run.stderr);
        if !name.is_empty() {
            let output = workspace.command(&FIT).env("DISCRETION_LEDGER", name).output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{name}");
        }
    }
    assert!(!workspace.path("out/model.json").exists());
    for name in ["./:memory:", "./file:x?mode=memory", "a?vfs=unix-none"] {
        let runs = (0..5).filter(|_| {
            let run = workspace.run(&[&FIT[..], &["--ledger", name]].concat());
            assert!([0, 1].contains(&run.code), "{name}: {}", run.stderr);
            run.code == 0
        });
        assert_eq!(runs.count(), 3, "{name}");
        assert!(workspace.path(name).is_file(), "{name}");
    }
}
