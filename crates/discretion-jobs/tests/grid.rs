//! What a fit releases under a seed, for every pair of what is protected, what is predicted, which
//! budget pays and what is wanted beside coefficients: the whole file, or the sentence that refuses
//! the pair. `UPDATE_GOLDEN=1 cargo test -p discretion-jobs --test grid` writes `tests/grid` anew.
//!
//! Rows in memory and rows in a file release the same bytes, so one file stands for both. The list
//! is in `tests/grid/list.json` too: `tests/spark/test_grid.py` compares what Spark releases with
//! the same files.

use discretion_disk::existing::Existing;
use discretion_formats::PROGRAM;
use discretion_jobs::fit::StudyFit;
use discretion_jobs::{News, Watch};
use discretion_ledger::Consent;
use discretion_table::Study;
use serde_json::{Value, json};
use std::cell::Cell;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const SEED: u64 = 7;
const ROWS: usize = 400;

/// Fewer bytes than a row has: every row is in a file.
const NONE: u64 = 4;

/// What one person, or one row, can change.
const UNITS: [(&str, &str); 3] = [
    ("rows", ""),
    ("persons", "person = \"who\"\n"),
    ("weights", "weight = { column = \"w\", max = 2 }\n"),
];

/// What is predicted: `[data]`, and `loss` in `[model]`.
const OUTCOMES: [(&str, &str, &str); 4] = [
    ("two", "target = \"dead\"\npositive = \"yes\"\nnegative = \"no\"\n", "logistic"),
    ("several", "target = \"stage\"\nclasses = [\"none\", \"mild\", \"severe\"]\n", "logistic"),
    ("number", "outcome = { column = \"days\", min = 0, max = 60 }\n", "squares"),
    ("huber", "outcome = { column = \"days\", min = 0, max = 60 }\n", "huber"),
];

/// With ρ all noise is Gaussian; of ε and δ so few coefficients and rows would get pure noise.
const BUDGETS: [(&str, &str); 2] = [("pure", "epsilon = 80\n"), ("gaussian", "rho = 5\n")];

/// What is wanted beside coefficients: what is said of `dose` in `[columns]`, and what is said of λ
/// and behind it.
const WANTED: [(&str, &str, &str); 7] = [
    ("plain", "", "0.01\n"),
    ("intervals", "", "0.01\n[intervals]\nlevel = 0.9\n"),
    ("curves", ", curve = 4", "0.01\n"),
    ("private-knots", ", curve = 4, knots = \"private\"", "0.01\n"),
    ("evaluation", "", "0.01\n[evaluate]\nshare = 0.4\n"),
    ("tuned", "", "[0.01, 0.1]\n"),
    ("base-rate", "", "0.01\nbase_rate = \"private\"\n"),
];

/// One of the pairs.
struct Combination {
    /// What was taken of each list.
    names: [&'static str; 4],
    study: String,
}

impl Combination {
    fn name(&self) -> String {
        self.names.join("-")
    }
}

fn combinations() -> Vec<Combination> {
    let mut all = Vec::new();
    for (outcome, data, loss) in OUTCOMES {
        for (unit, says_unit) in UNITS {
            for (budget, spend) in BUDGETS {
                for (wanted, dose, more) in WANTED {
                    let is_used = |name: &str| {
                        [data, says_unit].iter().any(|text| text.contains(&format!("\"{name}\"")))
                    };
                    let unused = ["who", "w", "dead", "stage", "days"]
                        .map(|name| {
                            if is_used(name) {
                                String::new()
                            } else {
                                format!("{name} = {{ drop = true }}\n")
                            }
                        })
                        .concat();
                    let study = format!(
                        "[data]\npath = \"t.csv\"\naccount = \"a\"\n{data}{says_unit}[budget]\nepsilon = 900\ndelta = 0.1\n\
                         [spend]\n{spend}[columns]\nage = {{ min = 0, max = 100 }}\ndose = {{ min = 0, max = 12{dose} }}\n\
                         ward = {{ values = [\"a\", \"b\"] }}\n{unused}[model]\nloss = \"{loss}\"\nlambda = {more}"
                    );
                    all.push(Combination { names: [outcome, unit, budget, wanted], study });
                }
            }
        }
    }
    all
}

/// What is predicted follows from age, dose and ward, with something that does not. Persons have up
/// to three rows each, which are no neighbours.
fn table() -> String {
    let mut text = "age,dose,ward,who,w,dead,stage,days\n".to_owned();
    for row in 0..ROWS {
        let (age, dose, other) = (row * 37 % 101, row * 53 % 97 % 13, row * 7919 % 83);
        let risk = age + 4 * dose + other / 2;
        let dead = ["no", "yes"][usize::from(risk > 95)];
        let stage = ["none", "mild", "severe"][(risk / 65).min(2)];
        let days = (risk / 3 + other % 7).min(60);
        let (ward, who, w) = (["a", "b", "c"][row % 3], row * 7 % 211, 1 + row % 2);
        writeln!(text, "{age},{dose}.5,{ward},P{who},{w},{dead},{stage},{days}").unwrap();
    }
    text
}

/// Counts the files without a name that the process holds below a folder when work begins: rows
/// beyond the memory are in such files.
struct SpilledFiles<'f> {
    folder: &'f Path,
    found: Cell<usize>,
}

impl Watch for SpilledFiles<'_> {
    fn tell(&self, news: News<'_>) {
        if let News::Working(_) = news {
            let is_spilled = |link: &Path| {
                link.starts_with(self.folder) && link.to_string_lossy().ends_with("(deleted)")
            };
            let open = fs::read_dir("/proc/self/fd").unwrap();
            let links = open.filter_map(|file| fs::read_link(file.ok()?.path()).ok());
            self.found.set(links.filter(|link| is_spilled(link)).count());
        }
    }
}

/// The file that a fit under a seed writes, or the sentence that refuses it.
fn released(combination: &Combination, memory: Option<u64>) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.csv"), table()).unwrap();
    let study = Study::parse(&folder.path().join("study.toml"), &combination.study);
    let out = folder.path().join("out");
    let refusal = |sentence: String| {
        let here = format!("{}/", folder.path().display());
        format!("refused: {}\n", sentence.replace(&here, ""))
    };
    let study = match study {
        Ok(study) => study,
        Err(error) => return refusal(error.to_string()),
    };
    let watch = SpilledFiles { folder: folder.path(), found: Cell::new(0) };
    let fit = StudyFit {
        study: &study,
        folder: &out,
        ledger: None,
        seed: Some(SEED),
        consent: Consent::default(),
        existing: Existing::Replace,
        reuse: false,
        memory,
        accepted: true,
        stop: None,
        watch: &watch,
    };
    match fit.run() {
        Ok(files) => {
            let is_spilled = watch.found.get() > 0;
            let name = combination.name();
            assert!(!cfg!(target_os = "linux") || is_spilled == memory.is_some(), "{name}");
            without_build(&fs::read_to_string(files.path).unwrap())
        }
        Err(error) => refusal(error.to_string()),
    }
}

/// A model file without what depends on the build: its version, its target and its features.
fn without_build(model: &str) -> String {
    let (before, rest) = model.split_once("\"build\": \"").expect("a model says who made it");
    let (_, after) = rest.split_once('"').expect("a text ends");
    format!("{before}\"build\": \"\"{after}").replace(PROGRAM, "discretion")
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/grid")
}

fn is_update() -> bool {
    std::env::var_os("UPDATE_GOLDEN").is_some()
}

/// Compares with this file, or writes it.
fn compare(name: &str, text: &str) -> Result<(), String> {
    let path = folder().join(name);
    if is_update() {
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let differs = text.lines().zip(expected.lines()).find(|(ours, theirs)| ours != theirs);
    match text == expected {
        true => Ok(()),
        false => Err(format!("{} differs, first at {differs:?}", path.display())),
    }
}

/// Everything about one outcome.
fn check(outcome: &str) {
    let all: Vec<Combination> =
        combinations().into_iter().filter(|one| one.names[0] == outcome).collect();
    let problems: Vec<String> = std::thread::scope(|scope| {
        let halves: Vec<_> = all
            .chunks(all.len().div_ceil(2))
            .map(|half| {
                scope.spawn(move || {
                    let check = |one: &Combination| {
                        let held = released(one, None);
                        match released(one, Some(NONE)) == held {
                            true => compare(&format!("{}.json", one.name()), &held),
                            false => Err(format!("{}: a file releases something else", one.name())),
                        }
                    };
                    half.iter().filter_map(|one| check(one).err()).collect::<Vec<_>>()
                })
            })
            .collect();
        halves.into_iter().flat_map(|half| half.join().unwrap()).collect()
    });
    assert!(problems.is_empty(), "UPDATE_GOLDEN=1 if it should:\n{}", problems.join("\n"));
}

#[test]
fn two_classes() {
    check("two");
}

#[test]
fn several_classes() {
    check("several");
}

#[test]
fn numbers_by_least_squares() {
    check("number");
}

#[test]
fn numbers_by_hubers_loss() {
    check("huber");
}

/// Nothing in the folder is of a pair that is not in the grid, and the list says which there are.
#[test]
fn the_list_has_every_pair() {
    let list: Vec<Value> = combinations()
        .iter()
        .map(|one| {
            let [outcome, unit, budget, wanted] = one.names;
            json!({ "outcome": outcome, "unit": unit, "budget": budget, "wanted": wanted, "study": one.study })
        })
        .collect();
    let list = json!({ "seed": SEED, "table": table(), "combinations": list });
    let text = serde_json::to_string_pretty(&list).unwrap() + "\n";
    compare("list.json", &text).unwrap();
    let mut expected: Vec<String> =
        combinations().iter().map(|one| format!("{}.json", one.name())).collect();
    expected.push("list.json".to_owned());
    expected.sort_unstable();
    let mut found: Vec<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort_unstable();
    assert!(is_update() || found == expected, "{found:?}");
}
