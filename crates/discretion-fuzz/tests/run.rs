//! The corpus of every target, and inputs made from it, on stable. `DISCRETION_FUZZ_INPUTS` is how
//! many in all (`make fuzz`: more than a million). They are the same in every run of as many.

use discretion_fuzz::mutate::Mutator;
use discretion_fuzz::{TARGETS, Target, Verdict, corpus};
use std::path::{Path, PathBuf};

const USUAL_INPUTS: usize = 20_000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn replay_and_mutate(name: &str) {
    let target = Target::named(name);
    let corpus: Vec<Vec<u8>> = corpus(name).into_iter().map(|(_, bytes)| bytes).collect();
    let verdicts: Vec<Verdict> = corpus.iter().map(|input| target.try_on(input)).collect();
    for verdict in [Verdict::Accepted, Verdict::Refused] {
        assert!(verdicts.contains(&verdict), "{name}: no input of the corpus is {verdict:?}");
    }
    let all = std::env::var("DISCRETION_FUZZ_INPUTS")
        .map_or(USUAL_INPUTS, |all| all.parse().expect("a number"));
    let count = all * target.share / 1000;
    let accepted =
        corpus.iter().zip(&verdicts).filter(|(_, verdict)| **verdict == Verdict::Accepted);
    let good: Vec<Vec<u8>> = accepted.map(|(input, _)| input.clone()).collect();
    let mut mutator = Mutator::new(target.share as u64);
    let accepted = (0..count)
        .filter(|_| target.try_on(&mutator.input(&good, &corpus)) == Verdict::Accepted)
        .count();
    eprintln!(
        "{name}: {} kept inputs, {count} made from them, of which {accepted} were read",
        corpus.len()
    );
}

#[test]
fn arrow() {
    replay_and_mutate("arrow");
}

#[test]
fn bodies() {
    replay_and_mutate("bodies");
}

#[test]
fn csv() {
    replay_and_mutate("csv");
}

#[test]
fn density() {
    replay_and_mutate("density");
}

#[test]
fn evaluation() {
    replay_and_mutate("evaluation");
}

#[test]
fn events() {
    replay_and_mutate("events");
}

#[test]
fn ledger() {
    replay_and_mutate("ledger");
}

#[test]
fn mailbox() {
    replay_and_mutate("mailbox");
}

#[test]
fn messages() {
    replay_and_mutate("messages");
}

#[test]
fn model() {
    replay_and_mutate("model");
}

#[test]
fn parquet() {
    replay_and_mutate("parquet");
}

#[test]
fn study() {
    replay_and_mutate("study");
}

#[test]
fn every_target_has_a_test_here_a_program_and_a_small_corpus() {
    let tests = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/run.rs"))
        .unwrap();
    let manifest = std::fs::read_to_string(root().join("fuzz/Cargo.toml")).unwrap();
    for Target { name, .. } in TARGETS {
        assert!(tests.contains(&format!("#[test]\nfn {name}() {{")), "{name} has no test");
        assert!(
            manifest.contains(&format!("name = \"{name}\"\n")),
            "{name} is not in fuzz/Cargo.toml"
        );
        let program = root().join("fuzz/fuzz_targets").join(format!("{name}.rs"));
        let program = std::fs::read_to_string(program).unwrap_or_default();
        assert!(
            program.contains(&format!("discretion_fuzz::{name}(bytes)")),
            "{name} has no program"
        );
        for (input, bytes) in corpus(name) {
            assert!(bytes.len() <= 40_000, "fuzz/corpus/{name}/{input} has {} bytes", bytes.len());
        }
    }
    assert_eq!(
        TARGETS.iter().map(|target| target.share).sum::<usize>(),
        1000,
        "shares are of a thousand"
    );
}
