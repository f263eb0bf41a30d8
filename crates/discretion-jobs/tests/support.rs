//! What goes with what, as `discretion_jobs::support` has it: every pair of features, and every
//! triple of the table, is run under a seed on a small table. It works, or a rule refuses it; and
//! every rule refuses something.
//!
//! `UPDATE_GOLDEN=1 cargo test -p discretion-jobs --test support` writes `docs/supports.md`, and in
//! `tests/support` what other tests need: `holders.json` for `discretion party simulate`, and
//! `rules.json` for `tests/spark/test_grid.py`.

use discretion::Refusal;
use discretion_disk::existing::Existing;
use discretion_jobs::Silence;
use discretion_jobs::density::StudyDensity;
use discretion_jobs::evaluate::StudyEvaluation;
use discretion_jobs::fit::{FitJob, StudyFit};
use discretion_jobs::number::NumberJob;
use discretion_jobs::support::Feature::{self, *};
use discretion_jobs::support::{Features, Rule, SUPPORT, Why, check, features_of};
use discretion_jobs::vote;
use discretion_ledger::Consent;
use discretion_table::Study;
use serde_json::{Value, json};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const SEED: u64 = 7;
const ROWS: usize = 400;

/// Fewer bytes than a row has: every row is in a file.
const NO_MEMORY: u64 = 4;

/// Models, of which a fit has one.
const MODELS: [Feature; 5] = [TwoClasses, Hinge, SeveralClasses, Squares, Huber];

/// What is computed: these do not go with each other, because each is another run.
const RUNS: [Feature; 8] =
    [TwoClasses, Hinge, SeveralClasses, Squares, Huber, Density, Vote, Evaluation];

/// Where rows may be, if they are not in memory.
const PLACES: [Feature; 3] = [File, Cluster, Holders];

/// Everything that a fit may be asked for.
const ASKED: [Feature; 25] = [
    Persons,
    LeftOut,
    Weights,
    SeveralOutcomes,
    Pure,
    Approximate,
    Zcdp,
    Output,
    Objective,
    LambdaList,
    ByScore,
    RandomStopping,
    ErrorScore,
    RowNorm,
    BaseRate,
    Curve,
    AutoCurve,
    PrivateKnots,
    Cross,
    Intervals,
    Split,
    IntervalColumns,
    Reference,
    Evaluate,
    EvaluateBy,
];

/// What a feature is called on the page, and how a study says it.
fn name(feature: Feature) -> &'static str {
    match feature {
        TwoClasses => "two classes",
        Hinge => "two classes, hinge loss",
        SeveralClasses => "several classes",
        Number => "a number",
        Squares => "a number, least squares",
        Huber => "a number, Huber's loss",
        Density => "`density`",
        Vote => "`answer`, `serve`",
        SureAnswers => "`answer = \"sure\"`",
        AllAnswers => "`answer = \"all\"`",
        Evaluation => "`evaluate`",
        File => "`--memory`",
        Cluster => "Spark, Dask",
        Python => "Python",
        Holders => "several holders",
        Persons => "`person`",
        NotEverybody => "`where`, `missing_outcome` or `weight`",
        LeftOut => "`where`, `missing_outcome`",
        Weights => "`weight`",
        SeveralOutcomes => "several outcomes",
        Pure => "ε alone",
        Approximate => "ε and δ",
        Zcdp => "ρ",
        Output => "`method = \"output\"`",
        Objective => "`method = \"objective\"`",
        LambdaList => "a list of `lambda`",
        ByScore => "`rule = \"generalised\"` or `\"uniform\"`",
        RandomStopping => "`rule = \"random-stopping\"`",
        ErrorScore => "`score = \"error\"`",
        RowNorm => "`norm = \"row\"`",
        BaseRate => "`base_rate = \"private\"`",
        Curve => "`curve` or `knots`",
        AutoCurve => "`curve = \"auto\"`",
        PrivateKnots => "`knots = \"private\"`",
        Cross => "`[cross]`",
        Intervals => "`[intervals]`",
        Split => "`split` in `[intervals]`",
        IntervalColumns => "`columns` in `[intervals]`",
        Reference => "`reference` in `[intervals]`",
        Evaluate => "`[evaluate]`",
        EvaluateBy => "`by` in `[evaluate]`",
        ProtectLabels => "`protect = \"labels\"`",
        NoStep => "`step = \"none\"` in `[party]`",
        NewtonStep => "`step = \"newton\"` in `[party]`",
    }
}

/// What a study with a feature has besides.
fn needs(feature: Feature) -> &'static [Feature] {
    match feature {
        Squares | Huber => &[Number],
        LeftOut | Weights => &[NotEverybody],
        SureAnswers | AllAnswers | ProtectLabels => &[Vote],
        ByScore | RandomStopping | ErrorScore => &[LambdaList],
        Split | IntervalColumns => &[Intervals],
        Reference => &[Intervals, SeveralClasses],
        EvaluateBy => &[Evaluate],
        NoStep | NewtonStep => &[Holders],
        _ => &[],
    }
}

/// These features with all that they need, and a model if it is a fit.
fn with_needs(wanted: &[Feature]) -> Vec<Feature> {
    let mut all = wanted.to_vec();
    let mut next = 0;
    while let Some(&feature) = all.get(next) {
        let new: Vec<Feature> =
            needs(feature).iter().copied().filter(|need| !all.contains(need)).collect();
        all.extend(new);
        next += 1;
    }
    if !RUNS.iter().any(|run| all.contains(run)) {
        all.extend(if all.contains(&SeveralOutcomes) {
            &[Squares, Number][..]
        } else {
            &[TwoClasses]
        });
    }
    all
}

/// Features that stand for others: a study has one of those.
fn kinds(feature: Feature) -> Vec<Feature> {
    match feature {
        Number => vec![Squares, Huber],
        NotEverybody => vec![LeftOut, Weights],
        Vote => vec![SureAnswers, AllAnswers],
        other => vec![other],
    }
}

/// Returns true if one study can say all of these.
fn can_be_said(features: &[Feature]) -> bool {
    let all = with_needs(features);
    let at_most_one = |of: &[Feature]| of.iter().filter(|one| all.contains(one)).count() <= 1;
    at_most_one(&RUNS)
        && at_most_one(&PLACES)
        && at_most_one(&[Pure, Approximate, Zcdp])
        && at_most_one(&[Output, Objective])
        && at_most_one(&[ByScore, RandomStopping])
        && at_most_one(&[SureAnswers, AllAnswers])
        && at_most_one(&[NoStep, NewtonStep])
        && (all.contains(&Number) || !all.contains(&SeveralOutcomes) || all.contains(&Evaluation))
}

/// The study that says these features.
fn study(features: &[Feature]) -> String {
    let has = |feature| features.contains(&feature);
    let either = |feature, text: &str, other: &str| {
        if has(feature) { text.to_owned() } else { other.to_owned() }
    };
    let when = |feature, text: &str| either(feature, text, "");
    let outcome = if has(Number) || has(SeveralOutcomes) {
        let one = "{ column = \"days\", min = 0, max = 60 }";
        let more = format!("[{one}, {{ column = \"cost\", min = 0, max = 90 }}]");
        format!("outcome = {}\n", either(SeveralOutcomes, &more, one))
    } else if has(SeveralClasses) {
        "target = \"stage\"\nclasses = [\"none\", \"mild\", \"severe\"]\n".to_owned()
    } else {
        "target = \"dead\"\npositive = \"yes\"\nnegative = \"no\"\n".to_owned()
    };
    let data = [
        outcome,
        when(Persons, "person = \"who\"\n"),
        when(LeftOut, "where = { age = { min = 10 } }\n"),
        when(Weights, "weight = { column = \"w\", max = 2 }\n"),
    ]
    .concat();
    let unused: String = ["who", "w", "dead", "stage", "days", "cost"]
        .iter()
        .filter(|column| !data.contains(&format!("\"{column}\"")))
        .map(|column| format!("{column} = {{ drop = true }}\n"))
        .collect();
    let spend = if has(Zcdp) {
        "rho = 200\n"
    } else if has(Approximate) || has(Vote) && !has(Pure) {
        "epsilon = 80\ndelta = 1e-6\n"
    } else {
        "epsilon = 80\n"
    };
    let loss = match features {
        _ if has(Hinge) => "hinge",
        _ if has(Huber) => "huber",
        _ if has(Number) || has(SeveralOutcomes) => "squares",
        _ => "logistic",
    };
    let mut text = format!(
        "[data]\npath = \"t.csv\"\naccount = \"a\"\n{data}[budget]\nepsilon = 900\ndelta = 0.1\n[spend]\n{spend}[columns]\n\
         age = {{ min = 0, max = 100{} }}\ndose = {{ min = 0, max = 13{} }}\nbmi = {{ min = 15, max = 40{} }}\n\
         height = {{ min = 100, max = 200 }}\nward = {{ values = [\"a\", \"b\"] }}\n{unused}{}[model]\nloss = \"{loss}\"\n",
        when(AutoCurve, ", curve = \"auto\""),
        when(Curve, ", curve = 4"),
        when(PrivateKnots, ", curve = 4, knots = \"private\""),
        when(Cross, "[cross]\npairs = [[\"ward\", \"height\"]]\n"),
    );
    for (feature, line) in [
        (Output, "method = \"output\"\n"),
        (Objective, "method = \"objective\"\n"),
        (RowNorm, "norm = \"row\"\n"),
        (BaseRate, "base_rate = \"private\"\n"),
    ] {
        text += &when(feature, line);
    }
    text += &format!("lambda = {}\n", either(LambdaList, "[0.01, 0.1]", "0.01"));
    if has(LambdaList) && (has(ByScore) || has(RandomStopping) || has(ErrorScore)) {
        text += "[tune]\n";
        text += &when(ByScore, "rule = \"generalised\"\n");
        text += &when(RandomStopping, "rule = \"random-stopping\"\n");
        text += &when(ErrorScore, "score = \"error\"\n");
    }
    if has(Intervals) {
        text += "[intervals]\nlevel = 0.9\n";
        text += &when(Split, "split = [0.7, 0.15, 0.15]\n");
        text += &when(IntervalColumns, "columns = [\"age\"]\n");
        text += &when(Reference, "reference = \"mild\"\n");
    }
    if has(Evaluate) {
        text += "[evaluate]\nshare = 0.4\n";
        text += &when(EvaluateBy, "by = \"ward\"\n");
    }
    if has(Vote) {
        text += "[vote]\nqueries = 10\n";
        text += &when(AllAnswers, "answer = \"all\"\n");
        text += &when(ProtectLabels, "protect = \"labels\"\n");
    }
    text
}

/// What is predicted follows from age, dose and ward, with something that does not. Persons have up
/// to three rows each, which are no neighbours.
fn table() -> String {
    let mut text = "age,dose,bmi,height,ward,who,w,dead,stage,days,cost\n".to_owned();
    for row in 0..ROWS {
        let (age, dose, other) = (row * 37 % 101, row * 53 % 97 % 13, row * 7919 % 83);
        let risk = age + 4 * dose + other / 2;
        let dead = ["no", "yes"][usize::from(risk > 95)];
        let stage = ["none", "mild", "severe"][(risk / 65).min(2)];
        let days = (risk / 3 + other % 7).min(60);
        let (bmi, height, cost) = (15 + row * 29 % 25, 100 + row * 61 % 100, risk / 2);
        let (ward, who, w) = (["a", "b", "c"][row % 3], row * 7 % 211, 1 + row % 2);
        writeln!(
            text,
            "{age},{dose}.5,{bmi},{height},{ward},P{who},{w},{dead},{stage},{days},{cost}"
        )
        .unwrap();
    }
    text
}

/// A folder with the table.
struct Workspace(tempfile::TempDir);

impl Workspace {
    fn new() -> Workspace {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("t.csv"), table()).unwrap();
        Workspace(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn study(&self, features: &[Feature]) -> Study {
        let text = study(features);
        Study::parse(&self.path("study.toml"), &text)
            .unwrap_or_else(|error| panic!("{features:?}: {error}\n{text}"))
    }

    fn fit(&self, study: &Study, features: &[Feature]) -> Result<PathBuf, Refusal> {
        let fit = StudyFit {
            study,
            folder: &self.path("out"),
            ledger: None,
            seed: Some(SEED),
            consent: Consent::default(),
            existing: Existing::Replace,
            reuse: false,
            memory: features.contains(&File).then_some(NO_MEMORY),
            accepted: true,
            stop: None,
            watch: &Silence,
        };
        fit.run().map(|files| files.path)
    }

    fn density(&self, study: &Study) -> Result<(), Refusal> {
        let density = StudyDensity {
            study,
            columns: &["age".to_owned(), "ward".to_owned()],
            bins: None,
            folder: &self.path("density"),
            ledger: None,
            seed: Some(SEED),
            consent: Consent::default(),
            existing: Existing::Replace,
            reuse: false,
            accepted: true,
            stop: None,
            watch: &Silence,
        };
        density.run().map(|_| ())
    }

    /// Evaluates a model that was fitted to these rows, which is good enough here.
    fn evaluation(&self, study: &Study, features: &[Feature]) -> Result<(), Refusal> {
        let everybody: Vec<Feature> = features
            .iter()
            .copied()
            .filter(|feature| ![LeftOut, Weights, NotEverybody].contains(feature))
            .collect();
        let model = self.fit(&self.study(&everybody), &[])?;
        let evaluation = StudyEvaluation {
            study,
            model: &model,
            by: None,
            path: &self.path("evaluation.json"),
            ledger: None,
            seed: Some(SEED),
            consent: Consent::default(),
            existing: Existing::Replace,
            reuse: false,
            accepted: true,
            watch: &Silence,
        };
        evaluation.run().map(|_| ())
    }

    /// Runs what these features ask for, as far as it can be run from here: learners of a vote are
    /// elsewhere.
    fn run(&self, features: &[Feature]) -> Result<(), Refusal> {
        let study = self.study(features);
        match features {
            _ if features.contains(&Density) => self.density(&study),
            _ if features.contains(&Vote) => vote::of(&study).map(|_| ()),
            _ if features.contains(&Evaluation) => self.evaluation(&study, features),
            _ => self.fit(&study, features).map(|_| ()),
        }
    }
}

/// The features that a study file does not say.
fn beside_study(features: &[Feature]) -> Vec<Feature> {
    let beside = [Density, Vote, SureAnswers, AllAnswers, Evaluation, File, Cluster, Python];
    let beside = beside.into_iter().chain([NoStep, NewtonStep, Holders]);
    beside.filter(|feature| features.contains(feature)).collect()
}

/// Compares what a run says with the table. A feature that is asked for must be found in the study.
fn compare(workspace: &Workspace, asked: &[Feature]) -> Result<(), String> {
    let features = with_needs(asked);
    let found = features_of(&workspace.study(&features), &beside_study(&features));
    if let Some(missing) = features.iter().find(|feature| !found.has(**feature)) {
        return Err(format!("{asked:?}: {missing:?} is not found in its study"));
    }
    let sentence = |refusal: Refusal| refusal.to_string();
    let (expected, run) = (check(&found), workspace.run(&features));
    let (expected, run) = (expected.map_err(sentence), run.map_err(sentence));
    match expected == run {
        true => Ok(()),
        false => Err(format!("{asked:?}: the table says {expected:?}, and a run {run:?}")),
    }
}

fn problems(all: Vec<Vec<Feature>>) -> Vec<String> {
    let half = all.len().div_ceil(2);
    std::thread::scope(|scope| {
        let halves: Vec<_> = all
            .chunks(half)
            .map(|some| {
                scope.spawn(move || {
                    let workspace = Workspace::new();
                    some.iter()
                        .filter_map(|features| compare(&workspace, features).err())
                        .collect::<Vec<String>>()
                })
            })
            .collect();
        halves.into_iter().flat_map(|half| half.join().unwrap()).collect()
    })
}

/// Every pair of things that a fit may be.
fn pairs_of_fits() -> Vec<Vec<Feature>> {
    let all: Vec<Feature> = MODELS.into_iter().chain([File]).chain(ASKED).collect();
    let pairs = all.iter().enumerate().flat_map(|(at, &one)| {
        all[at + 1..].iter().map(move |&other| vec![one, other]).collect::<Vec<_>>()
    });
    pairs.filter(|pair| can_be_said(pair)).collect()
}

/// Every pair of another run and what it may be asked for.
fn pairs_of_others() -> Vec<Vec<Feature>> {
    let all: Vec<Feature> = MODELS.into_iter().chain(ASKED).chain([ProtectLabels]).collect();
    let mut pairs = Vec::new();
    for run in [Density, SureAnswers, AllAnswers, Evaluation] {
        let concerns = |other: &Feature| concerns(run, *other);
        for other in all.iter().copied().filter(concerns) {
            pairs.push(vec![run, other]);
        }
    }
    pairs
}

/// Returns true if a run looks at a setting at all.
fn concerns(run: Feature, other: Feature) -> bool {
    let rows = [Persons, LeftOut, Weights, Pure, Approximate, Zcdp];
    let of_votes = [Curve, AutoCurve, PrivateKnots, Cross, BaseRate, ProtectLabels];
    match run {
        Density => rows.contains(&other),
        Vote | SureAnswers | AllAnswers => rows.contains(&other) || of_votes.contains(&other),
        Evaluation => rows.contains(&other) || other == SeveralOutcomes,
        _ => other != ProtectLabels,
    }
}

/// The studies that a rule is about.
fn studies_of(rule: &Rule) -> Vec<Vec<Feature>> {
    rule.with.iter().fold(vec![Vec::new()], |studies, feature| {
        let with = |study: &Vec<Feature>| {
            kinds(*feature).into_iter().map(|kind| [&study[..], &[kind]].concat()).collect()
        };
        studies.iter().flat_map::<Vec<Vec<Feature>>, _>(with).collect()
    })
}

fn is_elsewhere(features: &[Feature]) -> bool {
    [Cluster, Python, Holders].iter().any(|place| features.contains(place))
}

#[test]
fn every_pair_of_a_fit_works_or_stands_in_the_table() {
    let problems = problems(pairs_of_fits());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_pair_of_another_run_works_or_stands_in_the_table() {
    let problems = problems(pairs_of_others());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// A rule that another one hides, or that is about no study, would stay when it is not needed.
#[test]
fn every_rule_refuses_what_it_is_about() {
    let workspace = Workspace::new();
    for rule in SUPPORT {
        assert!((2..=3).contains(&rule.with.len()), "{rule:?}");
        for features in studies_of(rule) {
            assert!(can_be_said(&features), "{features:?} cannot be said in one study");
            if !is_elsewhere(&features) {
                compare(&workspace, &features).unwrap();
            }
            let all = with_needs(&features);
            let said = check(&features_of(&workspace.study(&all), &beside_study(&all)));
            let said = said.expect_err("a rule refuses").to_string();
            let parts: Vec<&str> = rule.why.sentence().split("{}").collect();
            assert!(parts.iter().all(|part| said.contains(part)), "{features:?}: {said}");
        }
    }
}

#[test]
fn proofs_are_where_the_table_says() {
    for rule in SUPPORT {
        if let Why::Mathematics { proof, .. } = rule.why {
            assert!(root().join(proof).is_file(), "{proof}");
        }
    }
}

/// What Python hands over has the features of the study that says the same.
#[test]
fn jobs_have_the_features_of_their_studies() {
    let workspace = Workspace::new();
    let said = |features: &Features| {
        let all = MODELS.into_iter().chain(ASKED).chain([Number, NotEverybody]);
        all.filter(|feature| features.has(*feature)).collect::<Vec<_>>()
    };
    for features in pairs_of_fits() {
        let study = workspace.study(&with_needs(&features));
        let of_study = features_of(&study, &[]);
        let of_job = match study.schema.outcome_scale() {
            None => Features::of_fit(&FitJob::of(&study)).held_out(study.evaluate.as_ref()),
            // A job of numbers has neither a list, nor settings of intervals, nor a base rate.
            Some(_) if study.base_rate || study.intervals.is_some() => continue,
            Some(_) => match NumberJob::of(&study) {
                Ok(job) => Features::of_number(&job.unwrap()).held_out(study.evaluate.as_ref()),
                Err(_) => continue,
            },
        };
        assert_eq!(said(&of_study), said(&of_job), "{features:?}");
    }
}

/// What several holders can be asked for: `crates/discretion-cli/tests/cli/party` runs it.
#[test]
fn holders_are_asked_for_each_feature() {
    let mut asked: Vec<Vec<Feature>> =
        MODELS.into_iter().chain(ASKED).map(|feature| vec![feature, Holders]).collect();
    asked.extend(SUPPORT.iter().flat_map(studies_of).filter(|features| {
        features.len() == 3
            && features.contains(&Holders)
            && !features.contains(&NoStep)
            && !features.contains(&NewtonStep)
    }));
    let cases: Vec<Value> = asked
        .iter()
        .map(|features| {
            let all = with_needs(features);
            let study = study(&all);
            let parsed = Study::parse(Path::new("study.toml"), &study).unwrap();
            let refused = check(&features_of(&parsed, &beside_study(&all))).err();
            json!({
                "features": format!("{features:?}"),
                "study": study,
                "refused": refused.map(|refusal| refusal.to_string()),
            })
        })
        .collect();
    golden("tests/support/holders.json", &pretty(&json!({ "table": table(), "cases": cases })));
}

#[test]
fn the_rules_are_written_down() {
    let rules: Vec<Value> = SUPPORT
        .iter()
        .map(|rule| {
            let with: Vec<String> =
                rule.with.iter().map(|feature| format!("{feature:?}")).collect();
            json!({ "with": with, "sentence": rule.why.sentence() })
        })
        .collect();
    golden("tests/support/rules.json", &pretty(&json!(rules)));
}

#[test]
fn the_page_is_made_from_the_table() {
    golden("../../docs/supports.md", &page());
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap() + "\n"
}

/// Compares with this file of the crate, or writes it.
fn golden(path: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let differs = text.lines().zip(expected.lines()).find(|(ours, theirs)| ours != theirs);
    assert!(text == expected, "UPDATE_GOLDEN=1 writes {}: {differs:?}", path.display());
}

const INTRODUCTION: &str = "# What goes with what

Most settings of a study go with each other. The table below has those that decide, and where they do not go together
the number of the reason. Such a study is refused before anything is read or charged, with the sentence that stands
there. An empty cell works, and a dash is a setting that such a run does not look at. A test makes this page from the
[table](../crates/discretion-jobs/src/support.rs) that all programs ask, and runs every pair
(`crates/discretion-jobs/tests/support.rs`; `UPDATE_GOLDEN=1` writes the page).

";

const MATHEMATICS: &str = "
## What mathematics excludes

";

const NOT_YET: &str = "
## Not built yet

";

fn page() -> String {
    let columns: Vec<Feature> = RUNS.into_iter().chain(PLACES).collect();
    let mut text = INTRODUCTION.to_owned();
    let heads: Vec<&str> = columns.iter().map(|feature| name(*feature)).collect();
    writeln!(text, "| | {} |", heads.join(" | ")).unwrap();
    writeln!(text, "|---|{}", "---|".repeat(columns.len())).unwrap();
    for row in PLACES.into_iter().chain(ASKED).chain([ProtectLabels]) {
        let cells: Vec<String> = columns.iter().map(|column| cell(row, *column)).collect();
        writeln!(text, "| {} | {} |", name(row), cells.join(" | ")).unwrap();
    }
    for (head, is_mathematics) in [(MATHEMATICS, true), (NOT_YET, false)] {
        text += head;
        text += "| | together | what is said |\n|---|---|---|\n";
        for (at, rules) in reasons().iter().enumerate() {
            let proof = match rules[0].why {
                Why::Mathematics { proof, .. } => format!(" ([proof](../{proof}))"),
                Why::NotYet(_) => String::new(),
            };
            if proof.is_empty() != is_mathematics {
                let together: Vec<String> = rules.iter().map(|rule| together(rule)).collect();
                let (together, said) = (together.join("; "), in_general(rules[0]));
                writeln!(text, "| {} | {together} | {said}{proof} |", at + 1).unwrap();
            }
        }
    }
    text
}

/// The rules of each reason: mathematics first.
fn reasons() -> Vec<Vec<&'static Rule>> {
    let is_mathematics = |rule: &&Rule| matches!(rule.why, Why::Mathematics { .. });
    let (mathematics, not_yet): (Vec<&Rule>, Vec<&Rule>) = SUPPORT.iter().partition(is_mathematics);
    let mut reasons: Vec<Vec<&Rule>> = Vec::new();
    for rule in [mathematics, not_yet].into_iter().flatten() {
        let sentence = rule.why.sentence();
        match reasons.iter_mut().find(|rules| rules[0].why.sentence() == sentence) {
            Some(rules) => rules.push(rule),
            None => reasons.push(vec![rule]),
        }
    }
    reasons
}

fn together(rule: &Rule) -> String {
    rule.with.iter().map(|feature| name(*feature)).collect::<Vec<_>>().join(" + ")
}

/// A sentence without what one study says.
fn in_general(rule: &Rule) -> String {
    let said = match rule.with.last().unwrap() {
        AutoCurve | PrivateKnots => "the column",
        _ => "…",
    };
    let sentence = rule.why.sentence();
    sentence.strip_prefix("{}: ").unwrap_or(sentence).replace("{}", said)
}

/// The numbers of the reasons why two features do not go together; a dash if no run has both.
fn cell(row: Feature, column: Feature) -> String {
    let is_of_both = match (PLACES.contains(&row), PLACES.contains(&column)) {
        (true, true) => false,
        // Densities and votes of rows on a cluster are Python's; other runs read them from a file.
        (true, false) => MODELS.contains(&column) || row == Cluster && column != Evaluation,
        (false, true) => row != ProtectLabels,
        (false, false) => concerns(column, row) && can_be_said(&[row, column]),
    };
    if !is_of_both {
        return "–".to_owned();
    }
    let [one, other] = [row, column].map(relatives);
    let applies = |rule: &Rule| match rule.with {
        &[a, b] => {
            (one.contains(&a) && other.contains(&b)) || (one.contains(&b) && other.contains(&a))
        }
        _ => false,
    };
    let numbers = reasons().into_iter().enumerate();
    let numbers = numbers.filter(|(_, rules)| rules.iter().any(|rule| applies(rule)));
    numbers.map(|(at, _)| (at + 1).to_string()).collect::<Vec<_>>().join(", ")
}

/// A feature with those that it needs, and those of which it is the sum.
fn relatives(feature: Feature) -> Vec<Feature> {
    [&[feature][..], needs(feature), &kinds(feature)].concat()
}
