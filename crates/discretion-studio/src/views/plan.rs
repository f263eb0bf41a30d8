//! What a budget buys, from public numbers alone; and how many rows there are, which is one of them.

use crate::app::App;
use crate::studies::StudyAsked;
use discretion::Refusal;
use discretion::privacy::Budget;
use discretion_disk::existing::Existing;
use discretion_jobs::Silence;
use discretion_jobs::arguments::Arguments;
use discretion_jobs::fit::StudyFit;
use discretion_jobs::plan::training::{LambdaOverride, Report, TrainingPlanRequest};
use discretion_jobs::study_run::look;
use discretion_ledger::Consent;
use discretion_report::words;
use discretion_table::Study;
use serde::Deserialize;
use serde_json::{Value, json};

/// How many rows, or persons, a study's table has. What looks like a mistake is not stopped at: nothing is charged here.
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
    epsilon: f64,
    /// None for a pure ε.
    #[serde(default)]
    delta: Option<f64>,
}

/// Where the picture of a plan has points: multiples of the ε that was asked for.
const AROUND: [f64; 7] = [0.25, 0.4, 0.65, 1.0, 1.6, 2.5, 4.0];

/// A plan with its picture: what the noise does to effects at this budget, and to a prediction at others.
pub fn plan(app: &App, asked: &PlanAsked) -> Result<Value, Refusal> {
    let budget = |factor: f64| {
        Budget::new(Some(asked.epsilon * factor), asked.delta, None).map_err(Refusal::bad_input)
    };
    let path = app.folder.study(&asked.study)?;
    let planned = |factor: f64, lambda: Option<f64>| -> Result<(Study, Report), Refusal> {
        let budget = budget(factor)?;
        let study = Study::read_to_spend(&path, Some(budget))?;
        let request = TrainingPlanRequest {
            study: Some(&study),
            rows: asked.rows,
            coefficients: None,
            lambda: lambda.map(LambdaOverride::Number),
            budget: Some(budget),
            loss: None,
            method: None,
            arguments: Arguments::Flags,
        };
        let report = request.plan()?;
        Ok((study, report))
    };
    let (study, report) = planned(1.0, None)?;
    let ledger = look(app.ledger())?;
    let account = ledger.account(&study.data.account, study.budget)?;
    let price = account.price(report.event())?;
    let report = report.charged_to(&account)?;
    // The same model with other budgets: with a λ of its own each would be another model.
    let lambda = Some(report.lambda());
    let errors: Vec<Value> = AROUND
        .iter()
        .filter_map(|factor| {
            Some((asked.epsilon * factor, planned(*factor, lambda).ok()?.1.expected_error()))
        })
        .map(|(epsilon, error)| json!([epsilon, error]))
        .collect();
    let unit = study.schema.unit();
    Ok(json!({
        "plan": report,
        "effects": report.effects(&study.schema),
        "errors": errors,
        "in_words": words::for_people(unit, budget(1.0)?),
        "guarantee": words::guarantee_about(unit, budget(1.0)?),
        "covered": study.budget.cap.covers(budget(1.0)?),
        "price": price,
        "left": (price.cap.amount() - account.standing()?.spent.amount).max(0.0),
        "unit": unit.plural(),
        "intervals": study.intervals.as_ref().map(|settings| settings.level),
        "evaluates": study.evaluate.is_some(),
    }))
}
