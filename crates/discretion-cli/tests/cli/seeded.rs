//! What every command releases under a seed, byte for byte as it was: files of numbers in
//! `golden/seeded`. `UPDATE_GOLDEN=1 cargo test -p discretion-cli --test cli seeded` writes them
//! anew.
//!
//! Only numbers are kept, each with its place in the file that it was released in; words, dates and
//! versions may change. They are the same for any number of threads and any instruction set, but a
//! system library with another logarithm may change last digits.

use crate::golden::numbers;
use crate::workspace::{STUDY, Workspace};
use discretion::audit::Side;
use discretion::audit::shipped::Shipped;
use discretion::erm::matrix::{Batch, Layout, Matrix, Norm};
use discretion::joint::{Joint, Sharing, Step, Weighting};
use discretion::loss::LossKind;
use discretion::noise::{Receipt, Seeded};
use discretion::privacy::Budget;
use serde_json::json;
use std::fmt::Write;

/// Compares with the file of this name.
fn golden(name: &str, released: &str) {
    crate::golden::compare(&format!("tests/cli/golden/seeded/{name}"), released);
}

/// The study with these pieces replaced and with more behind it.
fn study(pieces: &[(&str, &str)], more: &str) -> Workspace {
    let workspace = Workspace::new();
    let mut text = STUDY.replace("[budget]\nepsilon = 3.0", "[budget]\nepsilon = 900\ndelta = 0.1");
    for (from, to) in pieces {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    workspace.write("study.toml", text + more);
    workspace
}

const PURE: (&str, &str) = ("epsilon = 1.0", "epsilon = 1.0");
/// With a smaller δ so few coefficients would get pure noise.
const APPROXIMATE: (&str, &str) = ("epsilon = 1.0", "epsilon = 1.0\ndelta = 1e-2");
const RHO: (&str, &str) = ("epsilon = 1.0", "rho = 0.1");
const OBJECTIVE: (&str, &str) = ("\"auto\"", "\"objective\"");
const OUTPUT: (&str, &str) = ("\"auto\"", "\"output\"");
const LIST: (&str, &str) = ("lambda = 0.01", "lambda = [0.03, 0.1, 1]");
/// Enough for intervals from 400 rows.
const MUCH: (&str, &str) = ("epsilon = 1.0", "epsilon = 100");
const MUCH_RHO: (&str, &str) = ("epsilon = 1.0", "rho = 400");

fn fit(name: &str, pieces: &[(&str, &str)], more: &str) {
    let workspace = study(pieces, more);
    workspace.run(&["fit", "study.toml", "--seed", "7", "--out", "out"]).succeeds();
    golden(&format!("fit-{name}.txt"), &numbers(&workspace.json("out/seeded-model.json")));
}

#[test]
fn fits_by_every_mechanism_and_budget() {
    fit("objective-pure", &[PURE, OBJECTIVE], "");
    fit("objective-gaussian", &[APPROXIMATE, OBJECTIVE], "");
    fit("objective-rho", &[RHO, OBJECTIVE], "");
    fit("output-pure", &[PURE, OUTPUT], "");
    fit("output-gaussian", &[APPROXIMATE, OUTPUT], "");
    fit("output-rho", &[RHO, OUTPUT], "");
    fit(
        "hinge",
        &[PURE, ("\"logistic\"", "\"hinge\""), ("lambda = 0.01", "lambda = \"auto\"")],
        "",
    );
    fit("row-norm", &[PURE, ("method = \"auto\"", "method = \"auto\"\nnorm = \"row\"")], "");
}

#[test]
fn fits_with_a_lambda_chosen_by_every_rule() {
    for rule in ["generalised", "uniform", "random-stopping"] {
        for (name, budget) in [("pure", PURE), ("gaussian", APPROXIMATE), ("rho", RHO)] {
            let tune = format!("\n[tune]\nrule = \"{rule}\"\n");
            fit(&format!("tuned-{rule}-{name}"), &[budget, LIST], &tune);
        }
    }
}

#[test]
fn fits_with_intervals() {
    fit("intervals-pure", &[MUCH], "\n[intervals]\nlevel = 0.9\n");
    fit("intervals-rho", &[MUCH_RHO], "\n[intervals]\n");
    fit("intervals-tuned", &[MUCH, LIST], "\n[intervals]\n");
}

#[test]
fn densities_and_rows_drawn_from_them() {
    for (name, pieces, columns) in [
        ("chosen-bins-pure", &[PURE][..], &["--column", "age"][..]),
        ("chosen-bins-rho", &[RHO], &["--column", "age"]),
        (
            "three-columns",
            &[PURE],
            &["--column", "y", "--column", "gain", "--column", "job", "--bins", "4"],
        ),
    ] {
        let workspace = study(pieces, "");
        let fixed = ["density", "study.toml", "--seed", "7", "--out", "out"];
        workspace.run(&[&fixed[..], columns].concat()).succeeds();
        golden(
            &format!("density-{name}.txt"),
            &numbers(&workspace.json("out/seeded-density.json")),
        );
        let sample = ["sample", "out/seeded-density.json", "--rows", "20", "--seed", "7"];
        golden(&format!("sample-{name}.csv"), &workspace.run(&sample).succeeds().stdout);
    }
}

#[test]
fn answers_by_a_vote() {
    let few_chunks = "queries = 12\nunstable = 12\nchunks = 120";
    for (name, settings) in [
        ("labels", String::new()),
        ("scores", "\nscores = true\ngamma = 0.25".to_owned()),
        ("trees", "\nlearner = \"trees\"".to_owned()),
    ] {
        let workspace = Workspace::empty();
        let asked =
            crate::answer::STUDY.replace("queries = 130\nunstable = 4\nchunks = 120", few_chunks);
        workspace.write("study.toml", format!("{asked}{settings}\n"));
        workspace.write("t.csv", crate::answer::table(1200));
        let queries: String =
            (0..12).map(|i| format!("{},{}\n", i * 9, ["clerk", "nurse"][i % 2])).collect();
        workspace.write("q.csv", format!("age,job\n{queries}"));
        let student: &[&str] = if name == "labels" { &["--student", "s"] } else { &[] };
        let answer =
            ["answer", "study.toml", "--queries", "q.csv", "--seed", "7", "--out", "a.csv"];
        workspace.run(&[&answer[..], student].concat()).succeeds();
        golden(&format!("answers-{name}.csv"), &workspace.read("a.csv"));
        if !student.is_empty() {
            golden("answers-student.txt", &numbers(&workspace.json("s/seeded-model.json")));
        }
    }
}

#[test]
fn audits() {
    golden("audit.txt", &numbers(&crate::audit::OF_EVERYTHING));
}

/// What each mechanism releases for both of two neighbouring tables. It has those that no command
/// seeds.
#[test]
fn every_mechanism_that_is_shipped() {
    let mut text = String::new();
    for shipped in Shipped::ALL {
        for budget in shipped.budgets() {
            let case = shipped.case(budget, shipped.default_rows()).unwrap();
            let mut receipt = Receipt::seeded(7);
            let source = receipt.noise();
            for side in [Side::Left, Side::Right, Side::Left] {
                let released = case.mechanism.run(side, source).unwrap();
                writeln!(text, "{} {budget:?} {side:?} = {released:?}", shipped.name()).unwrap();
            }
        }
    }
    golden("mechanisms.txt", &text);
}

/// `party simulate` has no seed, so this is what it calls.
#[test]
fn a_model_of_several_holders() {
    let sizes = [300, 500, 400];
    let entry = 0.577;
    let mut matrix = Matrix::new(Layout::new(Norm::Scale, entry, vec![entry; 2], vec![]).unwrap());
    let (mut batch, source) = (Batch::default(), &mut Seeded::new(4));
    for _ in 0..sizes.iter().sum() {
        let x = [source.unit() - 0.5, source.unit() - 0.5];
        batch.numeric.extend(x.map(|x| x as f32));
        batch.positive.push(source.unit() < 0.5 + 0.8 * x[0]);
    }
    matrix.push(batch);
    let step = Step { lambda: None, gradient: 0.3, hessian: 0.2, covariance: 0.2, damping: 0.0 };
    let mut text = String::new();
    for budget in [Budget::Pure { epsilon: 40.0 }, Budget::Zcdp { rho: 20.0 }] {
        for step in [None, Some(step)] {
            let joint = Joint {
                loss: LossKind::Logistic,
                lambda: 0.05,
                weighting: Weighting::BySize,
                sharing: Sharing::new(3, 1).unwrap(),
                budget,
                step,
            };
            let done =
                discretion_party::simulate(&joint, &matrix, &sizes, &mut Seeded::new(7)).unwrap();
            let stepped = done.stepped.as_ref().map(|stepped| stepped.coefficients.to_vec());
            write!(text, "{budget:?}\n{}", numbers(&json!([done.average.to_vec(), stepped])))
                .unwrap();
        }
    }
    golden("several-holders.txt", &text);
}
