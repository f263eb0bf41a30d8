//! `discretion plan`: what a budget buys, from public numbers alone.

#[cfg(feature = "learners")]
use super::rehearse::rehearse;
use super::release;
use crate::args::{Plan, PlanKind, PlanVote};
use crate::files::Existing;
use crate::{ledger, out};
use discretion::Refusal;
use discretion_jobs::Silence;
use discretion_jobs::arguments::Arguments;
use discretion_jobs::evaluate::HeldOutNumber;
use discretion_jobs::number::{NumberJob, NumberPlan};
use discretion_jobs::plan;
use discretion_jobs::plan::training::LambdaOverride;
use discretion_jobs::releases::StudyReleases;
use discretion_ledger::Consent;
use discretion_table::{Release, Study};
use std::path::Path;

/// Plans a training run, or a session of queries.
pub fn run(args: &Plan) -> Result<(), Refusal> {
    match &args.kind {
        Some(PlanKind::Vote(args)) => vote(args),
        None => training(args),
    }
}

fn training(args: &Plan) -> Result<(), Refusal> {
    let ledger = args.account.as_ref().map(|_| ledger::look(args.ledger.named())).transpose()?;
    let account = match (&ledger, &args.account) {
        (Some(ledger), Some(name)) => Some(ledger.existing_account(name)?),
        _ => None,
    };
    let budget = match (args.budget.given()?, &account) {
        (None, Some(account)) => Some(plan::left(account)?),
        // Where nobody says anything, the missing flags are named.
        (None, None) if args.study.named().is_none() => Some(args.budget.budget()?),
        (given, _) => given,
    };
    let set = &args.settings.set;
    if let Some(path) = args.study.named()
        && Study::has_releases(path, &Study::text_of(path)?)
    {
        return releases(args, &Study::read_releases(path, budget, set)?);
    }
    let study = args.study.named().map(|path| Study::read_with(path, budget, set)).transpose()?;
    if study.is_none() && !set.is_empty() {
        return Err(Refusal::bad_input("--set is for a study's settings; name its file"));
    }
    if let Some(job) = study.as_ref().map(NumberJob::of).transpose()?.flatten() {
        let job = with_flags(job, args)?;
        let Some(rows) = args.rows else {
            return Err(Refusal::bad_input(
                "the outcome is a number: say how many rows there are with --rows".to_owned(),
            ));
        };
        let plan = match study.as_ref().and_then(|study| study.evaluate.as_ref()) {
            Some(settings) => {
                NumberPlan::holding_out(&HeldOutNumber::new(job, settings)?, rows as usize)?
            }
            None => NumberPlan::of(&job, rows as usize)?,
        };
        return out::print(&if args.json { plan.json() } else { plan.text() });
    }
    let request = plan::training::TrainingPlanRequest {
        study: study.as_ref(),
        rows: args.rows.unwrap_or_default() as usize,
        coefficients: args.columns.map(|columns| columns as usize),
        lambda: args.lambda,
        budget,
        loss: args.loss,
        method: args.method,
        arguments: Arguments::Flags,
    };
    if args.rows.is_none() {
        let plans = request.plan_several()?;
        return out::print(&if args.json { plans.json() } else { plans.text() });
    }
    let report = request.plan()?;
    let report = match &account {
        Some(account) => report.charged_to(account)?,
        None => report,
    };
    out::print(&if args.json { report.json() } else { report.text() })
}

/// What each release of a study may spend.
fn releases(args: &Plan, releases: &[Release]) -> Result<(), Refusal> {
    let Some(rows) = args.rows else {
        return Err(Refusal::bad_input(
            "this study has several releases: say how many rows there are with --rows",
        ));
    };
    let all = StudyReleases {
        releases,
        folder: Path::new(""),
        ledger: args.ledger.named(),
        seed: None,
        consent: Consent::default(),
        existing: Existing::Keep,
        reuse: false,
        memory: None,
        accepted: false,
        stop: None,
        watch: &Silence,
    };
    let planned = all.planned(rows as usize)?;
    out::print(&match args.json {
        true => format!("{:#}\n", release::as_json(&planned)),
        false => release::listed(&planned),
    })
}

/// Flags go before what the study says of a number, too.
fn with_flags(job: NumberJob, args: &Plan) -> Result<NumberJob, Refusal> {
    if args.loss.is_some() {
        let why = "--loss: the outcome is a number; write loss = \"squares\" or \"huber\" into the study's [model]";
        return Err(Refusal::bad_input(why.to_owned()));
    }
    let lambda = match args.lambda {
        None => job.lambda,
        Some(LambdaOverride::Auto) => None,
        Some(LambdaOverride::Number(lambda)) => Some(lambda),
    };
    Ok(NumberJob { lambda, method: args.method.unwrap_or(job.method), ..job })
}

fn vote(args: &PlanVote) -> Result<(), Refusal> {
    let budget = match args.study.named() {
        Some(_) => args.budget.given()?,
        None => Some(args.budget.budget()?),
    };
    let study = args.study.named().map(|path| Study::read_to_spend(path, budget)).transpose()?;
    let request = plan::vote::VotePlanRequest {
        study: study.as_ref(),
        budget,
        queries: args.queries,
        answer: args.answer.as_deref(),
        confidence: args.confidence,
        unstable: args.unstable,
        miss: args.miss,
        agreement: args.agreement,
        scores: args.scores,
        rows: args.rows,
        chunks: args.chunks,
        arguments: Arguments::Flags,
    };
    let report = request.plan()?;
    #[cfg(feature = "learners")]
    if let (Some(study), Some(rows), true) = (&study, args.rows, args.rehearse) {
        let rehearsal = rehearse(study, &request.voting()?, rows)?;
        let text = || report.text() + "\n" + &rehearsal.text();
        return out::print(&if args.json { rehearsal.json(&report) } else { text() });
    }
    out::print(&if args.json { report.json() } else { report.text() })
}
