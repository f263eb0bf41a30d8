//! What holding rows out adds to what a fit costs: nothing, in any account.

use super::kinds::Expected;
use super::*;
use crate::fit::{Chosen, FitJob, StudyFit, TwoStepFit};
use crate::number::{NumberJob, NumberKnots};
use crate::watch::Silence;
use discretion::privacy::account::{Cap, Event, Filter, FilterKind, Totals};
use discretion_disk::existing::Existing;
use discretion_ledger::Consent;
use discretion_table::{EvaluateSettings, Study};
use std::path::Path;

/// A quarter of them is held out.
const ROWS: usize = 400_000;

const TWO: &str = "positive = \"1\"\nnegative = \"0\"";
const SEVERAL: &str = "classes = [\"a\", \"b\", \"c\"]";
const SMALL: &str = "epsilon = 0.3\ndelta = 1e-6";
const PURE: &str = "epsilon = 0.3";
const RHO: &str = "rho = 0.02";
const KNOTS: &str = ", curve = 5, knots = \"private\"";

/// What a fit does to its account, without rows that are held out and with them: as many train.
fn events<J: Evaluable>(fit: J) -> [Event; 2]
where
    J::Rows: Sized,
{
    let settings = EvaluateSettings { share: 0.25, by: None };
    let alone = fit.event(&fit.plan(ROWS - ROWS / 4).unwrap());
    let job = HeldOut::new(fit, &settings).unwrap();
    [alone, job.event(&job.plan(ROWS).unwrap())]
}

/// Of many numbers Gaussian noise is smaller.
fn study(target: &str, budget: (&str, &str), x: &str, more: &str) -> Study {
    study_of(100, target, budget, x, more)
}

/// A study of so many numbers beside one more and a category.
fn study_of(
    numbers: usize,
    target: &str,
    (spend, cap): (&str, &str),
    x: &str,
    more: &str,
) -> Study {
    let numbers: String =
        (0..numbers).map(|number| format!("n{number} = {{ min = 0, max = 1 }}\n")).collect();
    let text = format!(
        "[data]\npath = \"t.csv\"\naccount = \"a\"\ntarget = \"y\"\n{target}\n[budget]\n{cap}\n[spend]\n{spend}\n\
         [columns]\nx = {{ min = -1, max = 1{x} }}\nsex = {{ values = [\"f\", \"m\"] }}\n{numbers}{more}\n"
    )
    .replace("target = \"y\"\noutcome", "outcome");
    Study::parse(Path::new("study.toml"), &text).unwrap()
}

/// A fit of every kind, by its name in docs/accounts.md.
fn fits() -> Vec<(&'static str, [Event; 2])> {
    let large = "epsilon = 9\ndelta = 1e-3";
    let rho_cap = "rho = 9";
    let with = |target: &str, spend: &str, x: &str, more: &str| {
        let cap = if spend == RHO { rho_cap } else { large };
        study(target, (spend, cap), x, more)
    };
    let fit =
        |target: &str, spend: &str, more: &str| events(FitJob::of(&with(target, spend, "", more)));
    let knots = |target: &str, spend: &str, more: &str| {
        let job = FitJob::of(&with(target, spend, KNOTS, more));
        events(TwoStepFit::of(job).expect("it has knots to find"))
    };
    let outcome = "outcome = { column = \"y\", min = 0, max = 10 }";
    let number = |spend: &str, more: &str| {
        events(NumberJob::of(&with(outcome, spend, "", more)).unwrap().unwrap())
    };
    let chosen = "[model]\nlambda = [0.01, 0.1, 1]\n[tune]\nrule = ";
    let generalised = &format!("{chosen}\"generalised\"");
    let stopping = &format!("{chosen}\"random-stopping\"");
    let squares = "[model]\nloss = \"squares\"";
    let output = "[model]\nmethod = \"output\"\nlambda = 0.1";
    let objective = "[model]\nmethod = \"objective\"\nlambda = 0.001";
    let strong = "[model]\nmethod = \"objective\"\nlambda = 1";
    let intervals = "[intervals]\nlevel = 0.9";
    let number_knots = {
        let study = with(outcome, SMALL, KNOTS, squares);
        NumberKnots::of(NumberJob::of(&study).unwrap().unwrap()).expect("it has knots to find")
    };
    vec![
        ("ε = 0.3", fit(TWO, PURE, "")),
        ("ε = 0.3, λ chosen by noisy score", fit(TWO, PURE, generalised)),
        ("ε = 0.3, λ chosen by random stopping", fit(TWO, PURE, stopping)),
        ("ε = 0.3, intervals", fit(TWO, PURE, intervals)),
        ("ε = 0.3, several classes, intervals", fit(SEVERAL, PURE, intervals)),
        ("ε = 0.3, private knots", knots(TWO, PURE, "")),
        ("ε = 0.3, a number", number(PURE, squares)),
        ("(0.3, 1e-6)", fit(TWO, SMALL, objective)),
        ("(0.3, 1e-6), much regularised", fit(TWO, SMALL, strong)),
        ("(0.3, 1e-6), output perturbation", fit(TWO, SMALL, output)),
        ("(0.3, 1e-6), λ chosen by noisy score", fit(TWO, SMALL, generalised)),
        ("(0.3, 1e-6), λ chosen by random stopping", fit(TWO, SMALL, stopping)),
        ("(0.3, 1e-6), intervals", fit(TWO, SMALL, intervals)),
        ("(0.3, 1e-6), private knots", knots(TWO, SMALL, "")),
        ("(0.3, 1e-6), several classes", fit(SEVERAL, SMALL, "")),
        ("(0.3, 1e-6), several classes, intervals", fit(SEVERAL, SMALL, intervals)),
        ("(0.3, 1e-6), a number", number(SMALL, squares)),
        ("(0.3, 1e-6), a number, Huber's loss", number(SMALL, "[model]\nloss = \"huber\"")),
        ("(0.3, 1e-6), a number, private knots", events(number_knots)),
        ("ρ = 0.02", fit(TWO, RHO, "")),
        ("ρ = 0.02, λ chosen by noisy score", fit(TWO, RHO, generalised)),
        ("ρ = 0.02, several classes, intervals", fit(SEVERAL, RHO, intervals)),
    ]
}

/// What a fit of this name spends.
fn spend_of(name: &str) -> Budget {
    match name.split_once(' ').unwrap().0 {
        "ε" => Budget::Pure { epsilon: 0.3 },
        "ρ" => Budget::Zcdp { rho: 0.02 },
        _ => Budget::Approximate { epsilon: 0.3, delta: 1e-6 },
    }
}

const APPROXIMATE: Cap = Cap::Approximate { epsilon: 3.0, delta: 1e-5 };

/// Accounts by their names in docs/accounts.md.
const ACCOUNTS: [(&str, Cap, Option<FilterKind>); 6] = [
    ("ε = 3", Cap::Pure { epsilon: 3.0 }, None),
    ("ρ = 0.5", Cap::Zcdp { rho: 0.5, delta: 0.0 }, None),
    ("ρ = 0.5, δ = 1e-6", Cap::Zcdp { rho: 0.5, delta: 1e-6 }, None),
    ("`renyi`", APPROXIMATE, Some(FilterKind::Renyi)),
    ("`gaussian`", APPROXIMATE, Some(FilterKind::Gaussian)),
    ("`plain-sum`", APPROXIMATE, Some(FilterKind::PlainSum)),
];

/// A filter, what a run costs there, and how many fit.
fn runs(cap: Cap, kind: Option<FilterKind>, event: &Event) -> (Filter, Option<Totals>, u64) {
    let filter = Filter::opened_by(cap, kind, event);
    let cost = filter.cost(event).ok();
    (filter, cost, cost.map_or(0, |cost| filter.more(&Totals::default(), &cost)))
}

/// Every filter charges a fit with rows held out what it charges the fit, to the last bit. The
/// table that shows it is in docs/accounts.md; it is printed by this test.
#[test]
#[allow(clippy::print_stdout)]
fn evaluation_costs_nothing_in_any_account() {
    let mut table = String::from("| run |");
    table.extend(ACCOUNTS.map(|(name, ..)| format!(" {name} |")));
    table.push_str(&format!("\n|---|{}\n", "---|".repeat(ACCOUNTS.len())));
    let mut wrong = Vec::new();
    for (name, [alone, evaluated]) in fits() {
        table.push_str(&format!("| {name} |"));
        for (account, cap, kind) in ACCOUNTS {
            let [one, other] = [&alone, &evaluated].map(|event| runs(cap, kind, event));
            match (one.1.filter(|_| cap.covers(spend_of(name))), one.2, other.2) {
                (None, ..) => table.push_str(" – |"),
                (_, without, with) => table.push_str(&format!(" {without} → {with} |")),
            }
            if one != other {
                wrong.push(format!("{name} in {account}: {one:?} and {other:?}"));
            }
        }
        table.push('\n');
    }
    println!("{table}");
    assert!(wrong.is_empty(), "{}\n{table}", wrong.join("\n"));
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/accounts.md");
    let text = std::fs::read_to_string(page).unwrap();
    assert!(text.contains(&table), "docs/accounts.md has another table than\n{table}");
}

/// Eight models on eight parts of the rows, knots before them, and rows that are held out may each
/// take the whole of a cap: the largest of what they cost is what they cost.
#[test]
fn runs_on_parts_of_a_table_may_take_the_whole_cap() {
    let rho = ("rho = 0.1", Cap::Zcdp { rho: 0.1, delta: 0.0 });
    let one = ("epsilon = 1\ndelta = 1e-6", Cap::Approximate { epsilon: 1.0, delta: 1e-6 });
    let intervals = "[intervals]\nlevel = 0.9";
    for (spend, cap) in [rho, one] {
        let with = |target: &str, x: &str, more: &str| study(target, (spend, spend), x, more);
        let knots = with(SEVERAL, KNOTS, intervals);
        let found = [
            ("two classes", events(FitJob::of(&with(TWO, "", "")))),
            ("several classes, intervals", events(FitJob::of(&with(SEVERAL, "", intervals)))),
            ("with private knots", events(TwoStepFit::of(FitJob::of(&knots)).unwrap())),
        ];
        for (name, events) in found {
            let fits = events.map(|event| runs(cap, None, &event).2);
            assert_eq!(fits, [1, 1], "{name} at {cap}");
        }
    }
}

/// Of few columns pure noise is smaller under ρ too, and all that is Gaussian is a small mask.
/// Counts get the ε of that noise, and are nearly as exact as with the ε alone.
#[test]
fn counts_beside_pure_noise_have_its_epsilon() {
    let settings = EvaluateSettings { share: 0.25, by: None };
    let half_width = |columns: usize, spend: &str, rows: usize| {
        let fit = FitJob::of(&study_of(columns, TWO, (spend, "rho = 9"), "", ""));
        let plan = HeldOut::new(fit, &settings).unwrap().plan(rows).unwrap();
        (plan.quality.budget(), plan.quality.half_width())
    };
    let (budget, half) = half_width(1, "rho = 0.07", 20_000);
    assert!(matches!(budget, Budget::Pure { epsilon } if epsilon > 0.22), "{budget}");
    let of_sampling = match Expected::Two((-1.0, 1.0)).plan(5_000, budget, 1).unwrap() {
        EvaluationPlan::Two(plan) => plan.expected_half_width()[0].unwrap(),
        _ => unreachable!("there are two classes"),
    };
    assert!(half < 1.9 * of_sampling && half < 0.026, "{half} {of_sampling}");
    for columns in [4, 13] {
        half_width(columns, RHO, 20_000);
    }
    let few = events(FitJob::of(&study_of(1, TWO, (RHO, "rho = 9"), "", "")));
    for (name, cap, kind) in ACCOUNTS {
        let [alone, evaluated] = few.each_ref().map(|event| runs(cap, kind, event));
        assert_eq!(alone, evaluated, "{name}");
    }
}

/// The plan of the rows that the run of a study holds out.
fn planned(study: &Study) -> EvaluationPlan {
    let fit = StudyFit {
        study,
        folder: Path::new("out"),
        ledger: None,
        seed: None,
        consent: Consent::default(),
        existing: Existing::Keep,
        reuse: false,
        memory: None,
        accepted: false,
        stop: None,
        watch: &Silence,
    };
    match fit.chosen().unwrap() {
        Chosen::HeldOut(job) => job.plan(ROWS).unwrap().quality,
        Chosen::HeldOutTwoSteps(job) => job.plan(ROWS).unwrap().quality,
        Chosen::HeldOutNumber(job) => job.plan(ROWS).unwrap().quality,
        Chosen::HeldOutNumberKnots(job) => job.plan(ROWS).unwrap().quality,
        _ => unreachable!("rows are held out"),
    }
}

/// A plan foretells what the run will evaluate with: the budget beside the fit's noise. The whole
/// one would be more exact, and is not what is left.
#[test]
fn exactness_is_that_of_the_run() {
    let settings = EvaluateSettings { share: 0.25, by: None };
    let large = "epsilon = 9\ndelta = 1e-3";
    let outcome = "outcome = { column = \"y\", min = 0, max = 10 }";
    let squares = "[model]\nloss = \"squares\"";
    let huber = "[model]\nloss = \"huber\"";
    let intervals = "[intervals]\nlevel = 0.9";
    for (name, target, spend, x, more) in [
        ("pure", TWO, PURE, "", ""),
        ("mixed", TWO, SMALL, "", ""),
        ("mixed, intervals", TWO, SMALL, "", intervals),
        ("mixed, knots", TWO, SMALL, KNOTS, ""),
        ("mixed, several classes", SEVERAL, SMALL, "", ""),
        ("mixed, a number", outcome, SMALL, "", squares),
        ("mixed, a number and knots", outcome, SMALL, KNOTS, squares),
        ("mixed, Huber's loss", outcome, SMALL, "", huber),
        ("rho", TWO, RHO, "", ""),
    ] {
        let cap = if spend == RHO { "rho = 9" } else { large };
        let study = study(target, (spend, cap), x, more);
        let told = Exactness::expected(&study, &settings, ROWS).unwrap();
        let run = planned(&Study { evaluate: Some(settings.clone()), ..study.clone() });
        assert_eq!(told, Exactness::of(&run), "{name}");
        assert_eq!(told.rows, ROWS / 4, "{name}");
        let expected = Expected::of_any_model(&study.schema, more == huber);
        let whole = Exactness::of(&expected.plan(ROWS / 4, study.spend, 1).unwrap());
        assert!(told.all.all > whole.all.all, "{name}: {told:?} and {whole:?}");
    }
}
