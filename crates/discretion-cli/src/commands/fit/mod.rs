//! `discretion fit`: from a study file to model.json and report.html.

use crate::args::Fit;
use crate::files::Existing;
use crate::out;
use crate::progress::Busy;
use crate::run;
use crate::watch::Terminal;
use discretion::Refusal;
use discretion::erm::Facts;
use discretion::fit::{self, FitError, Request, TableFacts, TrainingPlan};
use discretion::interval;
use discretion::outcome::{Heads, LossKind};
use discretion::train::{TrainError, auto_lambda, not_private};
use discretion_formats::{AnyModel, LambdaFrom, Model, NumberModel};
use discretion_jobs::fit::{
    Chosen, FitFiles, FitJob, StudyFit, knots_without_noise, not_private as fit_model, plain,
    with_exact_intervals,
};
use discretion_jobs::number::{self, NumberJob};
use discretion_jobs::{Job, request};
use discretion_report::{report, terminal};
use discretion_table::{Lambda, PersonKey, Study};

/// Fits the model of a study.
pub fn run(args: &Fit) -> Result<(), Refusal> {
    let study = Study::read_with(&args.study, args.charge.spend.given()?, &args.settings.set)?;
    request::check_budget(&study)?;
    crate::threads::use_threads(args.threads)?;
    let folder = args.out.clone().unwrap_or_else(|| args.study.with_extension(""));
    let file = folder.join(if args.seed.is_some() { "seeded-model.json" } else { "model.json" });
    let is_brief = !(args.json || args.verbose);
    let watch = match is_brief && !args.dry_run {
        true => Terminal::new(&file).without_forecasts(),
        false => Terminal::new(&file),
    };
    let fit = StudyFit {
        study: &study,
        folder: &folder,
        ledger: args.charge.ledger.named(),
        seed: args.seed,
        consent: args.charge.consent(),
        existing: Existing::new(args.force),
        reuse: args.charge.repeat.reuse,
        memory: args.memory,
        accepted: args.check.accepted,
        stop: None,
        watch: &watch,
    };
    let chosen = fit.chosen()?;
    if args.dry_run {
        return out::print(&run::dry_run(
            &study,
            &args.charge.ledger,
            || fit.planned(),
            args.json,
        )?);
    }
    if args.not_private && study.evaluate.is_some() {
        eprintln!("note: without noise all rows train, and [evaluate] is left out");
    }
    let FitFiles { model, path, page, account } = match (args.not_private, &chosen) {
        (false, _) => fit.run()?,
        (
            true,
            Chosen::Number(_)
            | Chosen::NumberKnots(_)
            | Chosen::HeldOutNumber(_)
            | Chosen::HeldOutNumberKnots(_),
        ) => fit.make_not_private(
            || number_without_noise(&fit, args.with_lambda),
            report::number_html,
        )?,
        (
            true,
            Chosen::Fit(_) | Chosen::TwoSteps(_) | Chosen::HeldOut(_) | Chosen::HeldOutTwoSteps(_),
        ) => fit.make_not_private(|| model_without_noise(&fit, args.with_lambda), report::html)?,
    };
    let (path, page) = (path.display(), page.display());
    if is_brief {
        let account = account.map(|line| ("account", line.said));
        let files = ("files", format!("{path} {page}"));
        let about: Vec<_> = account.into_iter().chain([files]).collect();
        return out::print(&terminal::brief(&model, &about));
    }
    let mut about = vec![("model", path.to_string()), ("report", page.to_string())];
    about.extend(account.map(|line| ("account", line.to_string())));
    out::print(&match &model {
        any if args.json => any.to_json(),
        AnyModel::Classes(model) => terminal::model(model, &about),
        AnyModel::Number(model) => terminal::number(model, &about),
    })
}

fn number_without_noise(
    study_fit: &StudyFit<'_>,
    with_lambda: bool,
) -> Result<NumberModel, Refusal> {
    if let Some(study) = study_fit.settled()? {
        return number_without_noise(&study_fit.of_study(&study), with_lambda);
    }
    let job = NumberJob::of(study_fit.study)?.expect("the outcome is a number");
    let key = PersonKey::of_seed(0);
    if !job.schema.private_knots().is_empty() {
        let rows = study_fit.read_number_on_grid(key)?;
        let schema = knots_without_noise(&job.schema, rows.all())?;
        let study = Study { schema, ..study_fit.study.clone() };
        return number_without_noise(&study_fit.of_study(&study), with_lambda);
    }
    let rows = study_fit.read_number(key)?;
    let _busy = Busy::new(NumberJob::DOING);
    if !with_lambda {
        if let Some(model) = number::plain(&job, &rows)? {
            return Ok(model);
        }
        keeps_lambda("Huber's loss");
    }
    number::not_private(&job, &rows).map_err(|error| job.explain(error))
}

fn model_without_noise(study_fit: &StudyFit<'_>, with_lambda: bool) -> Result<Model, Refusal> {
    if let Some(study) = study_fit.settled()? {
        return model_without_noise(&study_fit.of_study(&study), with_lambda);
    }
    let schema = &study_fit.study.schema;
    if !schema.private_knots().is_empty() {
        let rows = study_fit.read_on_grid(PersonKey::of_seed(0))?;
        let schema = knots_without_noise(schema, rows.all())?;
        let study = Study { schema, ..study_fit.study.clone() };
        return model_without_noise(&study_fit.of_study(&study), with_lambda);
    }
    let study = study_fit.study;
    let request = Request { lambda: fit::Lambda::Auto, ..FitJob::of(study).request() };
    let rows = study_fit.read_rows(&request, PersonKey::of_seed(0))?;
    let loss = study.model.loss;
    let rows = rows.all();
    let facts = rows.facts();
    match (loss, facts.heads()) {
        _ if with_lambda => {}
        (LossKind::Logistic, Heads::One) => {
            let _busy = Busy::new("training");
            let settings = study.intervals.clone().unwrap_or_default();
            return plain(rows, &study.schema, &settings);
        }
        (LossKind::Logistic, Heads::Each(_)) => keeps_lambda("a model of several classes"),
        _ => keeps_lambda("the hinge loss"),
    }
    let (lambda, from) = match &study.model.lambda {
        Lambda::Fixed(lambda) => (*lambda, LambdaFrom::Study),
        Lambda::Auto | Lambda::Grid(_) => {
            let lambda = auto(&request, &facts).map_err(|error| explain(error.into(), study))?;
            (lambda, LambdaFrom::Auto)
        }
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
    if model.classes().is_some() {
        eprintln!(
            "note: several classes have no intervals without noise; leave --not-private out to get them"
        );
        return Ok(model);
    }
    let intervals = interval::not_private(rows, loss, lambda, &model.theta())
        .and_then(|evidence| with_exact_intervals(model, evidence, settings));
    intervals.map_err(|error| explain(error.into(), study))
}

/// Says that there is no ordinary fit to compare with.
fn keeps_lambda(what: &str) {
    eprintln!(
        "note: {what} has no fit without a penalty here; lambda is kept, and only the noise is left out"
    );
}

/// A refusal to fit what a study asks for.
fn explain(error: FitError, study: &Study) -> Refusal {
    request::explain(error, &study.places.lambda)
}

/// The λ that the same study would take with noise.
fn auto(request: &Request, facts: &Facts) -> Result<f64, TrainError> {
    match request.plan(TableFacts::Whole(facts.clone())).as_ref().map(fit::Plan::training) {
        Ok(TrainingPlan::Known(training)) => Ok(training.lambda()),
        _ => auto_lambda(facts, request.loss, request.budget),
    }
}
