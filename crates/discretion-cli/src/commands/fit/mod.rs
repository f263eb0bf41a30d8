//! `discretion fit`: from a study file to model.json and report.html.

mod number;

use crate::args::Fit;
use crate::files::{self, Existing, OutputFolder, Readers};
use crate::out;
use crate::progress::Busy;
use crate::run;
use crate::watch::Terminal;
use discretion::Refusal;
use discretion::erm::Facts;
use discretion::fit::{self, FitError, Request, TableFacts, TrainingPlan};
use discretion::interval;
use discretion::train::{auto_lambda, not_private};
use discretion_formats::{LambdaFrom, Model};
use discretion_jobs::fit::{
    FitFiles, FitJob, KnotsFit, StudyFit, knots_without_noise, not_private as fit_model, with_wald_intervals,
};
use discretion_jobs::number::NumberJob;
use discretion_jobs::request;
use discretion_ledger::Consent;
use discretion_report::{report, terminal, words};
use discretion_table::{Lambda, PersonKey, Study};

/// Fits the model of a study.
pub fn run(args: &Fit) -> Result<(), Refusal> {
    let study = Study::read_to_spend(&args.study, args.spend.given()?)?;
    request::check_budget(&study)?;
    crate::threads::use_threads(args.threads)?;
    if let Some(job) = NumberJob::of(&study)? {
        return number::run(args, &study, &job);
    }
    let folder = args.out.clone().unwrap_or_else(|| args.study.with_extension(""));
    let file = folder.join(if args.seed.is_some() { "seeded-model.json" } else { "model.json" });
    let watch = Terminal::new(&file);
    let fit = StudyFit {
        study: &study,
        folder: &folder,
        ledger: args.ledger.named(),
        seed: args.seed,
        consent: Consent { again: args.repeat.again, ..args.rows.consent() },
        existing: Existing::new(args.force),
        reuse: args.repeat.reuse,
        memory: args.memory,
        accepted: args.check.accepted,
        stop: None,
        watch: &watch,
    };
    fit.check()?;
    let settled = fit.settled()?;
    let fit = settled.as_ref().map_or_else(|| fit.of_study(&study), |settled| fit.of_study(settled));
    if args.dry_run {
        let count = || fit.count();
        return out::print(&match (fit.held_out()?, KnotsFit::of(fit.job())) {
            (Some(job), _) => run::dry_run(&study, &args.ledger, &job, count, args.json)?,
            (None, Some(job)) => run::dry_run(&study, &args.ledger, &job, count, args.json)?,
            (None, None) => run::dry_run(&study, &args.ledger, &fit.job(), count, args.json)?,
        });
    }
    let FitFiles { model, path, page, account } = match args.not_private {
        true => without_noise(args, &fit)?,
        false => fit.run()?,
    };
    let mut about = vec![("model", path.display().to_string()), ("report", page.display().to_string())];
    about.extend(account.map(|account| ("account", account)));
    out::print(&if args.json { model.to_json() } else { terminal::model(&model, &about) })
}

/// Without noise, for the custodian alone.
fn without_noise(args: &Fit, study_fit: &StudyFit<'_>) -> Result<FitFiles, Refusal> {
    let study = study_fit.study;
    if study.evaluate.is_some() {
        study_fit.held_out()?;
        eprintln!("note: without noise all rows train, and [evaluate] is left out");
    }
    let folder = OutputFolder::prepare(study_fit.folder)?.alone()?;
    // A name of its own, so that no file takes another's place.
    let path = folder.join("not-private-model.json");
    let page = files::page_of(&path);
    for file in [&path, &page] {
        study_fit.existing.check(file, "choose another folder with --out, or overwrite it with --force")?;
    }
    let model = model_without_noise(study_fit)?;
    files::write(&path, Readers::Owner, &model.to_json())?;
    eprintln!("warning: {}: NOT PRIVATE: {}", path.display(), words::WITHOUT_NOISE);
    files::write(&page, Readers::Owner, &report::html(&model, &path, args.ledger.named()))?;
    if let Some(warning) = model.intervals.as_ref().and_then(|intervals| intervals.warning.as_ref()) {
        eprintln!("warning: {warning}");
    }
    Ok(FitFiles { model, path, page, account: None })
}

fn model_without_noise(study_fit: &StudyFit<'_>) -> Result<Model, Refusal> {
    let schema = &study_fit.study.schema;
    if !schema.private_knots().is_empty() {
        let schema = knots_without_noise(schema, &study_fit.read_on_grid()?);
        let study = Study { schema, ..study_fit.study.clone() };
        return model_without_noise(&study_fit.of_study(&study));
    }
    let study = study_fit.study;
    let request = Request { lambda: fit::Lambda::Auto, ..FitJob::of(study).request() };
    let rows = study_fit.read_rows(&request, PersonKey::of_seed(0))?;
    let loss = study.model.loss;
    rows.with_all(|rows| {
        let facts = rows.facts();
        let (lambda, from) = match &study.model.lambda {
            Lambda::Fixed(lambda) => (*lambda, LambdaFrom::Study),
            Lambda::Auto | Lambda::Grid(_) => (auto(&request, &facts), LambdaFrom::Auto),
        };
        if let Lambda::Grid(_) = study.model.lambda {
            eprintln!(
                "note: without noise nothing is chosen from the list; lambda is what \"auto\" would take"
            );
        }
        let _busy = Busy::new("training");
        let theta = not_private(rows, loss, lambda).map_err(|error| explain(error.into(), study))?;
        let model = fit_model(facts, loss, lambda, from, theta, &study.schema);
        let Some(settings) = &study.intervals else { return Ok(model) };
        let intervals = interval::not_private(rows, loss, lambda, &model.theta())
            .and_then(|evidence| with_wald_intervals(model, evidence, settings));
        intervals.map_err(|error| explain(error.into(), study))
    })
}

/// A refusal to fit what a study asks for.
fn explain(error: FitError, study: &Study) -> Refusal {
    request::explain(error, &study.places.lambda)
}

/// The λ that the same study would take with noise.
fn auto(request: &Request, facts: &Facts) -> f64 {
    match request.plan(TableFacts::Whole(facts.clone())).as_ref().map(fit::Plan::training) {
        Ok(TrainingPlan::Known(training)) => training.lambda(),
        _ => auto_lambda(facts, request.loss, request.budget),
    }
}
