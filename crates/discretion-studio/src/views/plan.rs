//! What a budget buys, from public numbers alone; and how many rows there are, which is one of
//! them.

use crate::app::App;
use crate::studies::StudyAsked;
use crate::views::curves::with_curves;
use discretion::Refusal;
use discretion::privacy::Budget;
use discretion::privacy::account::Event;
use discretion_disk::existing::Existing;
use discretion_jobs::arguments::Arguments;
use discretion_jobs::evaluate::{Exactness, HeldOutNumber};
use discretion_jobs::fit::{StudyFit, settled_number};
use discretion_jobs::number::{NumberJob, NumberPlan};
use discretion_jobs::plan::delta::too_large;
use discretion_jobs::plan::training::{LambdaOverride, Report, TrainingPlanRequest};
use discretion_jobs::study_run::look;
use discretion_jobs::{Job, Silence};
use discretion_ledger::{Account, Consent};
use discretion_report::words;
use discretion_table::{ColumnKind, EvaluateSettings, Form, Study};
use serde::Deserialize;
use serde_json::{Value, json};

/// How many rows, or persons, a study's table has. What looks like a mistake is not stopped at:
/// nothing is charged here.
pub fn rows(app: &App, asked: &StudyAsked) -> Result<Value, Refusal> {
    let path = app.folder.study(&asked.study)?;
    let study = Study::read(&path)?;
    let fit = StudyFit {
        study: &study,
        folder: app.folder.path(),
        ledger: app.ledger(),
        seed: None,
        consent: Consent::default(),
        existing: Existing::Keep,
        reuse: false,
        memory: None,
        accepted: true,
        stop: None,
        watch: &Silence,
    };
    Ok(json!({ "rows": fit.count()?, "unit": study.schema.unit().plural() }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanAsked {
    study: String,
    rows: usize,
    /// As if only the first so many columns were used; the study stays as it is.
    #[serde(default)]
    columns: Option<usize>,
}

/// Where the picture of a plan has points: multiples of what the run may spend.
const AROUND: [f64; 7] = [0.25, 0.4, 0.65, 1.0, 1.6, 2.5, 4.0];

/// A plan with its picture: what the noise does to effects at this budget, and to a prediction at
/// others.
pub fn plan(app: &App, asked: &PlanAsked) -> Result<Value, Refusal> {
    let path = app.folder.study(&asked.study)?;
    let text = Study::text_of(&path)?;
    let form = Form::read(&path, &text)?;
    let columns = form.columns.iter().filter(|column| is_used(column.kind)).count();
    let (form, study) = match asked.columns {
        Some(few) if few < columns => {
            let form = first_columns(form, few);
            let study = Study::parse(&path, &form.text())?;
            (form, study)
        }
        _ => (form, Study::parse(&path, &text)?),
    };
    let ledger = look(app.ledger())?;
    let account = ledger.account(&study.data.account, study.budget)?;
    let mut answer = match NumberJob::of(&study)? {
        Some(job) => of_number(&study, &job, asked.rows)?,
        None => of_classes(&study, asked.rows, &account)?,
    };
    let price = account.price(&answer.event)?;
    let curves: Vec<Value> = with_curves(&path, &form)
        .into_iter()
        .filter_map(|curves| {
            let (coefficients, error) = (answer.error)(&curves.study)?;
            Some(json!({ "which": curves.which, "curves": curves.count, "coefficients": coefficients, "error": error }))
        })
        .collect();
    // What it would be if rows were held out, where none are.
    let usual = EvaluateSettings::default();
    let held_out = study.evaluate.as_ref().unwrap_or(&usual);
    let exactness = Exactness::expected(&study, held_out, asked.rows).ok();
    let (unit, budget) = (study.schema.unit(), study.spend);
    for (key, value) in [
        ("columns", json!(columns)),
        ("in_words", json!(words::for_people(unit, budget))),
        ("guarantee", json!(words::guarantee_about(unit, budget))),
        ("covered", json!(study.budget.cap.covers(budget))),
        ("size", json!(size(budget))),
        ("left", json!((price.cap.amount() - account.standing()?.spent.amount).max(0.0))),
        ("price", json!(price)),
        ("intervals", json!(study.intervals.as_ref().map(|settings| settings.level))),
        ("curves", json!(curves)),
        ("exactness", json!(exactness)),
        ("held_out", json!(study.evaluate.is_some())),
        ("unit", json!(unit.plural())),
    ] {
        answer.shown[key] = value;
    }
    Ok(answer.shown)
}

/// The coefficients of a study much like the one that is planned, and what the noise does to its
/// predictions.
type ErrorOf = Box<dyn Fn(&Study) -> Option<(usize, f64)>>;

struct Planned {
    event: Event,
    shown: Value,
    error: ErrorOf,
}

/// A training, with effects and the error of a prediction.
fn of_classes(study: &Study, rows: usize, account: &Account<'_>) -> Result<Planned, Refusal> {
    let report = training(study, rows, study.spend, None)?.charged_to(account)?;
    // The same model with other budgets: with a λ of its own each would be another model.
    let lambda = Some(report.lambda());
    let errors = around(study.spend, |budget| {
        Some(training(study, rows, budget, lambda).ok()?.expected_error())
    });
    let several = study.schema.target().labels.several().is_some();
    let shown = json!({
        "kind": if several { "classes" } else { "two" },
        "plan": report,
        "effects": report.effects(&study.schema),
        "errors": errors,
    });
    let error = Box::new(move |study: &Study| {
        let report = training(study, rows, study.spend, lambda).ok()?;
        Some((report.dimension(), report.expected_error()))
    });
    Ok(Planned { event: report.event().clone(), shown, error })
}

/// The plan of a training, with its own λ or with this one.
fn training(
    study: &Study,
    rows: usize,
    budget: Budget,
    lambda: Option<f64>,
) -> Result<Report, Refusal> {
    let study = Study { spend: budget, ..study.clone() };
    let request = TrainingPlanRequest {
        study: Some(&study),
        rows,
        coefficients: None,
        lambda: lambda.map(LambdaOverride::Number),
        budget: Some(budget),
        loss: None,
        method: None,
        arguments: Arguments::Fields,
    };
    request.plan()
}

/// Moments with the error of the outcome's mean, or one training with the error of a prediction.
fn of_number(study: &Study, job: &NumberJob, rows: usize) -> Result<Planned, Refusal> {
    let unsettled = job;
    let job = &settled_number(job, rows);
    let held_out = study
        .evaluate
        .as_ref()
        .map(|settings| HeldOutNumber::new(job.clone(), settings))
        .transpose()?;
    let mut plan = json!(match &held_out {
        Some(job) => NumberPlan::holding_out(job, rows)?,
        None => NumberPlan::of(unsettled, rows)?,
    });
    plan["delta"] = json!(too_large(job.spend, job.unit(), rows));
    // One loss in one picture: their errors are not alike.
    let with_loss = job.with_loss_for(rows);
    let errors = around(job.spend, |spend| {
        let plan = NumberPlan::of(&NumberJob { spend, ..with_loss.clone() }, rows).ok()?;
        plan.mean_deviation.or(plan.expected_error)
    });
    let event = match &held_out {
        Some(job) => job.event(&job.plan(rows)?),
        None => job.event(&job.plan(rows)?),
    };
    // Of least squares all that is planned is the outcome's mean, to which curves do nothing.
    let error = Box::new(move |study: &Study| {
        let plan = NumberPlan::of(&NumberJob::of(study).ok()??, rows).ok()?;
        Some((plan.coefficients, plan.expected_error?))
    });
    let shown = json!({ "kind": "number", "plan": plan, "effects": [], "errors": errors });
    Ok(Planned { event, shown, error })
}

/// Points of a picture: sizes of budgets, and what each brings.
fn around(budget: Budget, error: impl Fn(Budget) -> Option<f64>) -> Vec<[f64; 2]> {
    let point = |factor: &f64| {
        let scaled = match budget {
            Budget::Pure { epsilon } => Budget::new(Some(epsilon * factor), None, None),
            Budget::Approximate { epsilon, delta } => {
                Budget::new(Some(epsilon * factor), Some(delta), None)
            }
            Budget::Zcdp { rho } => Budget::new(None, None, Some(rho * factor)),
        };
        let scaled = scaled.ok()?;
        Some([size(scaled), error(scaled)?])
    };
    AROUND.iter().filter_map(point).collect()
}

/// ε, or ρ.
fn size(budget: Budget) -> f64 {
    match budget {
        Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. } => epsilon,
        Budget::Zcdp { rho } => rho,
    }
}

pub(super) fn is_used(kind: ColumnKind) -> bool {
    matches!(kind, ColumnKind::Number | ColumnKind::Category | ColumnKind::Date)
}

/// A study of the first columns alone.
fn first_columns(mut form: Form, few: usize) -> Form {
    form.columns
        .iter_mut()
        .filter(|column| is_used(column.kind))
        .skip(few.max(1))
        .for_each(|column| column.kind = ColumnKind::Drop);
    // They may name a column that is out.
    form.sections.remove("cross");
    if let Some(evaluate) = form.sections.get_mut("evaluate") {
        evaluate.remove("by");
    }
    form
}
