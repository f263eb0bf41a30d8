//! Names of settings, pinned. A change that turns one of these tests red loses paid sessions and
//! charges repetitions: give `VERSION` another number, and keep these names among the earlier ones.

use discretion::joint::{Holders, Joint, Plan, Sharing, Step, Weighting};
use discretion::loss::{HalfWidth, LossKind};
use discretion::privacy::Budget;
use discretion_formats::{AnyModel, Model};
use discretion_jobs::arguments::Arguments;
use discretion_jobs::density::DensityJob;
use discretion_jobs::evaluate::{EvaluateJob, HeldOut};
use discretion_jobs::fit::{FitJob, TwoStepFit};
use discretion_jobs::identity::canonical;
use discretion_jobs::number::{NumberJob, NumberKnots};
use discretion_jobs::vote::key;
use discretion_jobs::{Job, job_name};
use discretion_table::{Column, Kind, Study};
use serde_json::json;
use std::path::Path;

const SPEND: &str = "[spend]\nepsilon = 1\ndelta = 1e-6\n";
const COLUMNS: &str = "[columns]\nage = { min = 18, max = 100, missing = 50 }\n\
                       stay = { min = 0.1, max = 90, scale = \"log\" }\n\
                       ward = { values = [\"a\", \"b\\\"\"] }\nid = { drop = true }\n";
const TWO: &str = "target = \"dead\"\npositive = \"yes\"\nnegative = \"no\"\n";
const NUMBER: &str = "outcome = { column = \"cost\", min = 0, max = 1e5 }\n";

fn study(data: &str, spend: &str, more: &str) -> Study {
    let text = format!(
        "[data]\npath = \"t.csv\"\naccount = \"a\"\n{data}[budget]\nepsilon = 9\ndelta = 1e-5\n{spend}{more}"
    );
    Study::parse(Path::new("study.toml"), &text).unwrap()
}

/// A fit of two classes.
fn fit(data: &str, spend: &str, more: &str) -> FitJob {
    FitJob::of(&study(&format!("{TWO}{data}"), spend, &format!("{COLUMNS}{more}")))
}

fn number(more: &str) -> NumberJob {
    NumberJob::of(&study(NUMBER, SPEND, &format!("{COLUMNS}{more}"))).unwrap().unwrap()
}

fn density(bins: Option<&[usize]>) -> DensityJob {
    let columns = vec![
        Column::new("age", Kind::number(0.0, 100.0)),
        Column::new("stay", Kind::number(0.0, 1.5)),
    ];
    let budget = Budget::Pure { epsilon: 1.0 };
    DensityJob::new(columns, bins, budget, Arguments::Flags, "here".to_owned()).unwrap()
}

/// An evaluation of a model of the grid on other rows.
fn evaluate(by: Option<&str>) -> EvaluateJob {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/grid/two-rows-pure-plain.json");
    let model: Model = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let (schema, hash) = (model.schema.clone(), "0a".repeat(32));
    let budget = Budget::Pure { epsilon: 1.0 };
    let model = AnyModel::Classes(Box::new(model));
    EvaluateJob::new((model, hash), &schema, by, budget, "here".to_owned()).unwrap()
}

fn names(job: &impl Job) -> [String; 2] {
    let names = job_name(job).unwrap();
    let names: Vec<String> = names.all().map(str::to_owned).collect();
    names.try_into().unwrap()
}

/// Every kind of job with what it can be asked for.
fn jobs() -> Vec<(&'static str, [String; 2])> {
    let everything = "[model]\nloss = \"hinge\"\nsmoothing = 1\nlambda = [0.001, 0.01]\nmethod = \"output\"\nnorm = \"row\"\n\
                      [tune]\nshare = 0.25\nvalidation = 0.125\nscore = \"brier\"\nrule = \"uniform\"\n\
                      [intervals]\nlevel = 0.9\nsplit = [0.5, 0.25, 0.25]\ncolumns = [\"age\"]\n";
    let plain = fit("", SPEND, "");
    let held_out = study(TWO, SPEND, &format!("{COLUMNS}[evaluate]\nshare = 0.2\nby = \"ward\"\n"));
    let settings = held_out.evaluate.as_ref().unwrap();
    let knots = COLUMNS.replace("missing = 50", "curve = 6, knots = \"private\"");
    let knots = FitJob::of(&study(TWO, SPEND, &knots));
    let number_knots = COLUMNS.replace("missing = 50", "curve = 6, knots = \"private\"");
    let number_knots = NumberJob::of(&study(NUMBER, SPEND, &number_knots)).unwrap().unwrap();
    let classes = "target = \"end\"\nclasses = [\"home\", \"ward\", \"dead\"]\n";
    let squares = number("[model]\nloss = \"squares\"\nlambda = 0.125\n[intervals]\nlevel = 0.9\n");
    vec![
        ("fit", names(&plain)),
        ("fit, pure", names(&fit("", "[spend]\nepsilon = 0.1\n", ""))),
        ("fit, rho", names(&fit("", "[spend]\nrho = 1e-7\n", "[model]\nlambda = 0.01\n"))),
        ("fit of persons", names(&fit("person = \"id\"\n", SPEND, ""))),
        ("fit, everything", names(&fit("", SPEND, everything))),
        ("fit, base rate", names(&fit("", SPEND, "[model]\nbase_rate = \"private\"\n"))),
        ("fit, private knots", names(&TwoStepFit::of(knots).unwrap())),
        ("fit of classes", names(&FitJob::of(&study(classes, SPEND, COLUMNS)))),
        ("fit, evaluated", names(&HeldOut::new(FitJob::of(&held_out), settings).unwrap())),
        ("evaluation", names(&evaluate(None))),
        ("evaluation by ward", names(&evaluate(Some("ward")))),
        ("number", names(&number(""))),
        ("number, squares", names(&squares)),
        ("number, Huber", names(&number("[model]\nloss = \"huber\"\nmethod = \"objective\"\n"))),
        ("number, private knots", names(&NumberKnots::of(number_knots).unwrap())),
        ("density", names(&density(None))),
        ("density, bins", names(&density(Some(&[8, 16])))),
    ]
}

/// What each job is called, and was called before version 2 of names.
const JOBS: &[(&str, [&str; 2])] = &[
    ("fit", ["0a313e4192534533", "cee94a5cde76628a"]),
    ("fit, pure", ["b653ce35457681ae", "54748986c1e22708"]),
    ("fit, rho", ["bb4a10c9b2ee671b", "40458d626eae82bb"]),
    ("fit of persons", ["96cfbfa6f21d924d", "a20fd98ceef6c8f3"]),
    ("fit, everything", ["0445a01c0c2c77e1", "c6a3013dcf530f88"]),
    ("fit, base rate", ["2111cdcd9500afea", "73d9608344957c68"]),
    ("fit, private knots", ["1b79b4d5abde4471", "480440f5f6ff4031"]),
    ("fit of classes", ["0f5c68c6f73bdac0", "d6dc7c4101004c98"]),
    ("fit, evaluated", ["737aa03d9327e403", "378a9d063adf274c"]),
    ("evaluation", ["27a19df9cfecc06c", "b9470bb4233f20f0"]),
    ("evaluation by ward", ["a8316319c84bba2a", "291d5ae19b083a75"]),
    ("number", ["9dfeb12772ec58aa", "f11f17d3266aaa26"]),
    ("number, squares", ["1da18c6217b1a3b5", "5389ca3a66b16a3c"]),
    ("number, Huber", ["682b1a7e8e4f6233", "1be625419835b855"]),
    ("number, private knots", ["4874ca52e486b217", "b3b6fbf467579016"]),
    ("density", ["63ba88e29e8a3176", "5aefe1aaa203b0da"]),
    ("density, bins", ["f92d2bd9d8f37af5", "79894b782bbb75aa"]),
];

#[test]
fn names_of_jobs_stay() {
    let found = jobs();
    let found: Vec<_> = found
        .iter()
        .map(|(what, [now, earlier])| (*what, [now.as_str(), earlier.as_str()]))
        .collect();
    assert_eq!(found, JOBS);
}

fn session(data: &str, vote: &str) -> [String; 2] {
    let study = study(data, SPEND, &format!("{COLUMNS}[vote]\nqueries = 100\n{vote}"));
    let names = key(&study, study.vote.as_ref().unwrap(), 50);
    names.all().map(|name| name[..16].to_owned()).collect::<Vec<_>>().try_into().unwrap()
}

fn sessions() -> Vec<(&'static str, [String; 2])> {
    let program = "learner = { command = [\"python3\", \"my \\\"own\\\".py\"], processes = \"shared\", timeout = 2.5 }\n";
    let all = "answer = \"all\"\nconfidence = 0.75\n";
    vec![
        ("answers", session(TWO, "")),
        ("answers, λ", session(TWO, "lambda = 0.25\nunstable = 7\nprotect = \"labels\"\n")),
        ("answers, trees", session(TWO, "learner = \"trees\"\nweights = \"balanced\"\n")),
        ("answers, all", session(TWO, all)),
        ("answers, scores", session(TWO, "scores = true\ngamma = 0.05\n")),
        ("answers, all scores", session(TWO, "answer = \"all\"\nscores = true\ngamma = 0.05\n")),
        ("answers of a program", session(TWO, program)),
        (
            "answers, boosting",
            session(
                "target = \"end\"\nclasses = [\"home\", \"ward\", \"dead\"]\n",
                "learner = \"boosting\"\n",
            ),
        ),
    ]
}

/// The same of sessions: the first 16 digits of 64.
const SESSIONS: &[(&str, [&str; 2])] = &[
    ("answers", ["dd6d0efd776d313a", "2ccfc05dff1a3192"]),
    ("answers, λ", ["5b91a01764b01549", "abcb5d67bff997f4"]),
    ("answers, trees", ["1fd932268c8cbd10", "4de8a1a3321f6227"]),
    ("answers, all", ["f11204d48c78c3fa", "c7d59e5840d2ad8e"]),
    ("answers, scores", ["7ef50cef6f395d91", "a22bebcc70744365"]),
    ("answers, all scores", ["98b95f228ce249b3", "96927a78f6ee4203"]),
    ("answers of a program", ["349976831e642d2a", "f4b2b4ddf38a3cbd"]),
    ("answers, boosting", ["6eaac0f248e48be1", "5afdd9f6447044a1"]),
];

#[test]
fn names_of_sessions_stay() {
    let found = sessions();
    let found: Vec<_> = found
        .iter()
        .map(|(what, [now, earlier])| (*what, [now.as_str(), earlier.as_str()]))
        .collect();
    assert_eq!(found, SESSIONS);
}

#[test]
fn settings_have_one_text() {
    let value = json!({ "b": [1, 1.0, 0.1, 1e-7, 1e300, -0.0, null, true], "a": { "ä\"\n": "ü" } });
    let text = r#"{"a":{"ä\"\n":"ü"},"b":[1,1e0,1e-1,1e-7,1e300,-0e0,null,true]}"#;
    assert_eq!(canonical(&value), text);
    assert_eq!(canonical(&json!([[], {}])), "[[],{}]");
}

/// Otherwise `--reuse` would hand over what somebody did not ask for.
#[test]
fn different_settings_have_different_names() {
    let mut all: Vec<[String; 2]> =
        jobs().into_iter().chain(sessions()).map(|(_, names)| names).collect();
    let effect = |largest: &str| {
        names(&fit("", SPEND, &format!("[intervals]\nlevel = 0.9\nlargest_effect = {largest}\n")))
    };
    let effects =
        [effect("2.5"), effect("3"), names(&fit("", SPEND, "[intervals]\nlevel = 0.9\n"))];
    assert_eq!(effect("4"), effects[2], "it is the usual one");
    all.extend(effects);
    let count = all.len();
    for place in [0, 1] {
        all.sort_by(|a, b| a[place].cmp(&b[place]));
        all.dedup_by(|a, b| a[place] == b[place]);
        assert_eq!(all.len(), count);
    }
}

fn joint(budget: Budget, step: Option<Step>) -> Joint {
    Joint {
        loss: LossKind::Logistic,
        lambda: 0.125,
        weighting: Weighting::BySize,
        sharing: Sharing::new(3, 1).unwrap(),
        budget,
        step,
    }
}

/// Plans of joint studies, with all that a plan can have.
fn plans() -> [Plan; 4] {
    let holders = Holders::new(&[4096, 8192], 3, 3).unwrap();
    let persons = holders.clone().of_persons();
    let pure = Budget::Pure { epsilon: 1.0 };
    let step =
        Step { lambda: None, gradient: 0.25, hessian: 0.25, covariance: 0.125, damping: 0.0 };
    let stepped = joint(Budget::Zcdp { rho: 0.5 }, Some(step)).plan(&holders).unwrap();
    let hinge = Joint {
        loss: LossKind::hinge(HalfWidth::WIDE),
        weighting: Weighting::Printed,
        ..joint(Budget::Approximate { epsilon: 2.0, delta: 1e-6 }, None)
    };
    [
        joint(pure, None).plan(&holders).unwrap(),
        stepped.evaluated_on(&[2048, 4096], 2).unwrap(),
        hinge.plan(&persons).unwrap(),
        joint(pure, None).plan(&persons.of_classes(3)).unwrap(),
    ]
}

/// The texts of plans that builds before version 2 of names hashed, as `{:?}` printed them then.
const PLANS: &str = include_str!("identity/plans.txt");

#[test]
fn texts_of_plans_stay() {
    let found: String = plans().iter().map(|plan| plan.earlier_text() + "\n").collect();
    assert_eq!(found, PLANS);
}

/// A plan is told from another by its public numbers, so all of them are there.
#[test]
fn every_number_of_a_plan_is_public() {
    let numbers = |text: &str| -> Vec<f64> {
        let words = text.split(|c: char| !(c.is_ascii_digit() || ".e-".contains(c)));
        words.filter_map(|word| word.parse().ok()).collect()
    };
    for plan in plans() {
        let public = numbers(&canonical(&plan.public_numbers()));
        for number in numbers(&plan.earlier_text()) {
            assert!(public.contains(&number), "{number} is not in {}", plan.public_numbers());
        }
    }
}
