//! `discretion party`, real processes: three holders with their own rows, keys and ledgers, and a
//! coordinator.

mod supports;
mod trial;

use crate::workspace::{STUDY, Workspace};
use std::io::BufRead;
use std::thread;
pub use trial::Trial;
use trial::{NAMES, Process};

#[test]
fn three_processes_make_one_model_for_one_charge_each() {
    let trial = Trial::new();
    let runs = trial.run(None);
    // Whether it had to wait for anybody depends on the machine.
    let coordinator = runs.coordinator.succeeds().says("everybody is here");
    assert!(
        coordinator.stdout.contains("north with 180 rows, south with 120 rows"),
        "{}",
        coordinator.stdout
    );
    for member in runs.members {
        member.succeeds().says("everybody is here").says("charge 2: ε = 1");
    }
    let model = trial.workspace.json("out/model.json");
    assert_eq!(model["privacy"]["private"], true);
    assert_eq!(model["joint"]["holders"][1]["name"], "south");
    for name in NAMES {
        let theirs = trial.workspace.json(&format!("{name}-out/model.json"));
        assert_eq!(theirs["coefficients"], model["coefficients"]);
        assert_eq!(theirs["ledger"]["charge"], 2);
    }
    assert_eq!(trial.charges(), [1, 1, 1]);
    trial.workspace.run(&["predict", "out/model.json", "north.csv", "--out", "p.csv"]).succeeds();
    assert!(trial.workspace.read("out/report.html").contains("south"));
    // Another account would forget what this one knows.
    let study = trial.workspace.read("study.toml");
    trial.workspace.write("study.toml", study.replacen("account = \"t\"", "account = \"u\"", 1));
    trial
        .join("north", "http://127.0.0.1:9", &[])
        .fails(1, "charge 2 of account 't' pays for this study already");
    trial.workspace.write("study.toml", study);
    // The same commands again: the sums are there, and nothing is charged.
    assert_eq!(trial.succeeds()["coefficients"], model["coefficients"]);
    assert_eq!(trial.charges(), [1, 1, 1]);
}

/// South, which adds noise, is killed at every step of its journal; west, which does not, before
/// and after its report is noted. The others stop and say what it cost; then the same commands
/// finish the study, for the same charges.
#[test]
fn whoever_is_killed_the_next_attempt_is_free() {
    thread::scope(|scope| {
        for (name, step) in [
            ("south", "party: charged"),
            ("south", "party: contributing to round 0"),
            ("south", "party: preparing round 0"),
            ("south", "party: prepared round 0"),
            ("south", "party: letting go of round 0"),
            ("west", "party: contributing to round 0"),
            ("north", "session:after-commit"),
        ] {
            scope.spawn(move || {
                let trial = Trial::new();
                let runs = trial.run(Some((name, step)));
                let coordinator = runs.coordinator;
                assert_eq!(coordinator.code, 1, "{step}: {}", coordinator.stderr);
                let coordinator =
                    coordinator.says(&format!("{name} has not been heard of for 3 seconds"));
                let coordinator = coordinator.says("no sum was opened here");
                let coordinator = coordinator.says("The ledgers were charged: north: ");
                assert!(!trial.workspace.path("out/model.json").exists(), "{}", coordinator.stderr);
                for (other, member) in NAMES.iter().zip(runs.members) {
                    if *other == name {
                        assert_eq!(member.code, -1, "{step}: it was killed");
                    } else {
                        assert_eq!(member.code, 3, "{step} {other}: {}", member.stderr);
                        member.says("stays and pays for going on");
                    }
                }
                trial.succeeds();
                assert_eq!(trial.charges(), [1, 1, 1], "{name} {step}");
            });
        }
    });
}

#[test]
fn a_coordinator_that_is_killed_costs_nothing() {
    let trial = Trial::new();
    let (mut coordinator, url) = trial.coordinator(&[]);
    let members: Vec<Process> = NAMES
        .iter()
        .map(|name| {
            let command = trial.join_command(name, &url, &[]);
            Process::start(command, |stderr| {
                // North is read until the study has begun; the others need no watching.
                let mut text = String::new();
                if *name == "west" {
                    while !text.contains("everybody is here")
                        && stderr.read_line(&mut text).unwrap() > 0
                    {}
                }
                text
            })
        })
        .collect();
    coordinator.child.kill().unwrap();
    coordinator.wait();
    for member in members {
        let member = member.wait();
        // Some may have been charged by then.
        let charged = member.stderr.contains("stays and pays for going on");
        assert_eq!(member.code, if charged { 3 } else { 1 }, "{}", member.stderr);
        member.says("has not answered for 3 seconds");
    }
    trial.succeeds();
    assert_eq!(trial.charges(), [1, 1, 1]);
}

#[test]
fn what_does_not_fit_is_refused_before_anything_is_charged() {
    let trial = Trial::new();
    let (mut coordinator, url) = trial.coordinator(&[]);
    let study = trial.workspace.read("study.toml");
    let with = |from: &str, to: &str| {
        assert!(study.contains(from), "{from}");
        trial.workspace.write("study.toml", study.replacen(from, to, 1));
        let run = trial.join("west", &url, &[]);
        trial.workspace.write("study.toml", &study);
        run
    };
    // Another study, by its first difference.
    with("max = 100 }", "max = 99 }")
        .fails(1, "the coordinator does not accept this process")
        .says("[columns]");
    with("epsilon = 1.0", "epsilon = 0.9")
        .fails(1, "the coordinator does not accept")
        .says("[spend] differs");
    with("lambda = 0.01", "lambda = 0.02")
        .fails(1, "the coordinator does not accept")
        .says("[model] differs");
    with("rows = 120", "rows = 121")
        .fails(1, "the coordinator does not accept")
        .says("[party] differs");
    with("[party]", "[party]\nrun = 2")
        .fails(1, "the coordinator does not accept")
        .says("[party] differs");
    with("lambda = 0.01", "lambda = [0.01, 0.1]")
        .fails(2, "study.toml: several holders cannot choose");
    with("[party.holders]", "[intervals]\n[party.holders]")
        .fails(1, "the coordinator does")
        .says("[intervals] differs");
    // Wrong keys.
    trial.workspace.run(&["party", "key", "stranger.key"]).succeeds();
    let join = |more: &[&str]| trial.join("west", &url, more);
    let with_key = |key: &str| trial.join("west", &url, &["--key", key]);
    with_key("stranger.key").fails(2, "nobody in [party.holders] has this key");
    with_key("no.key").fails(2, "no.key: there is no such key file");
    // Tables that are not what the study says.
    let table = trial.workspace.read("west.csv");
    trial.workspace.write("west.csv", "age,gain,job,note,y\n");
    join(&[]).fails(2, "west.csv: the table has no rows");
    trial.workspace.write("west.csv", "age,gain,job,note,y\n1,2,clerk,x,yes\n");
    join(&[])
        .fails(2, "holder 2 has a table of another shape")
        .says("1 rows of 5 coefficients, not 50 rows");
    trial.workspace.write("west.csv", "age,job,note,y\n1,clerk,x,yes\n");
    join(&[]).fails(2, "west.csv").says("gain");
    trial.workspace.write("west.csv", table);
    // An account that cannot pay.
    let poor = study.replacen("epsilon = 3.0", "epsilon = 0.5", 1);
    trial.workspace.write("study.toml", poor);
    join(&[]).fails(1, "study.toml").says("spend less");
    trial.workspace.write("study.toml", &study);
    join(&["--dry-run"]).succeeds();
    assert_eq!(trial.charges(), [0, 0, 0]);
    coordinator.child.kill().unwrap();
    coordinator.wait();
    // The coordinator's own key.
    let mut wrong = trial.workspace.command(&[
        "party",
        "coordinate",
        "--study",
        "study.toml",
        "--key",
        "north.key",
    ]);
    let wrong = wrong.args(["--listen", "127.0.0.1:0"]).output().unwrap();
    assert!(
        String::from_utf8_lossy(&wrong.stderr)
            .contains("the study's coordinator has another key than this one")
    );
}

#[test]
fn members_speak_https_to_a_coordinator_with_a_certificate() {
    let trial = Trial::new();
    let pem = |name: &str| {
        format!("{}/../discretion-serve/tests/service/{name}.pem", env!("CARGO_MANIFEST_DIR"))
    };
    let (certificate, key) = (pem("test-certificate"), pem("test-key"));
    let (coordinator, url) = trial.coordinator(&["--tls-cert", &certificate, "--tls-key", &key]);
    let url = url.replace("127.0.0.1", "localhost");
    assert!(url.starts_with("https://"), "{url}");
    trial.join("north", &url, &[]).fails(1, &url).says("--ca FILE");
    let member = |name: &&str| {
        Process::start(trial.join_command(name, &url, &["--ca", &certificate]), |_| String::new())
    };
    let members: Vec<Process> = NAMES.iter().map(member).collect();
    members.into_iter().for_each(|member| drop(member.wait().succeeds()));
    coordinator.wait().succeeds();
}

#[test]
fn keys_are_made_once() {
    let workspace = Workspace::empty();
    let made = workspace.run(&["party", "key"]).succeeds().says("keep it");
    assert!(made.stdout.starts_with("dpk_"), "{}", made.stdout);
    let again = workspace.run(&["party", "key"]).succeeds().says("was there already");
    assert_eq!(again.stdout, made.stdout);
    workspace.write("bad.key", "nothing");
    workspace.run(&["party", "key", "bad.key"]).fails(2, "bad.key: this is no key file");
}

#[test]
fn one_table_is_dealt_and_all_parts_are_played() {
    let workspace = Workspace::new();
    let run = workspace
        .run(&["party", "simulate", "study.toml", "--sizes", "1:2:4", "--aggregators", "2"])
        .succeeds();
    assert!(run.stdout.contains("holder 3"), "{}", run.stdout);
    let model = workspace.json("study/model.json");
    let rows: Vec<u64> =
        (0..3).map(|i| model["joint"]["holders"][i]["rows"].as_u64().unwrap()).collect();
    assert_eq!(rows, [58, 114, 228]);
    let list = STUDY.replacen("lambda = 0.01", "lambda = [0.01, 0.1]", 1);
    workspace.write("list.toml", list);
    workspace
        .run(&["party", "simulate", "list.toml", "--parties", "2"])
        .succeeds()
        .says("takes \"auto\" instead");
    workspace
        .run(&["party", "simulate", "study.toml", "--parties", "5"])
        .fails(1, "")
        .says("--force");
    for (args, says) in [
        (&["--parties", "1"][..], "2..=254"),
        (&["--sizes", "1:0"], "such as 1:2:4"),
        (&["--parties", "3", "--aggregators", "1"], "2 to all can add noise"),
        (&["--parties", "3", "--colluders", "3"], "one at least must keep its noise"),
    ] {
        let all = [&["party", "simulate", "study.toml", "--force"], args].concat();
        let run = workspace.run(&all);
        assert_eq!(run.code, 2, "{}", run.stderr);
        run.says(says);
    }
}
