//! `discretion fit`: from a study file to model.json and report.html.
//!
//! The order matters. Everything that can be refused is refused before the first row is read, the charge is
//! durable before anything is computed, and the file is written before anything is said about it.

mod number;

use crate::args::Fit;
use crate::files::{self, Existing, OutputFolder, Readers};
use crate::out;
use crate::progress::{Busy, Reading};
use crate::run::{self, Run};
use discretion::Refusal;
use discretion::erm::Facts;
use discretion::fit::{self, FitError, Request, TableFacts, TrainingPlan};
use discretion::interval;
use discretion::privacy::Unit;
use discretion::train::{auto_lambda, not_private};
use discretion_formats::{LambdaFrom, Model};
use discretion_jobs::evaluate::{HeldOutFit, HeldOutPersonsReader, HeldOutRows};
use discretion_jobs::fit::{FitJob, FitRows, not_private as fit_model, with_wald_intervals};
use discretion_jobs::number::NumberJob;
use discretion_jobs::request;
use discretion_ledger::Consent;
use discretion_report::{report, terminal, words};
use discretion_table::{
    Lambda, Limits, PersonKey, Purpose, RowStorage, Study, read_batches, read_batches_of_persons,
    read_classes, read_matrix, read_persons, read_within,
};
use std::path::PathBuf;

/// What is made.
#[derive(Clone, Copy)]
enum Kind {
    Private,
    Seeded,
    NotPrivate,
}

/// Fits the model of a study.
pub fn run(args: &Fit) -> Result<(), Refusal> {
    let kind = Kind::asked(args);
    let study = Study::read_to_spend(&args.study, args.spend.given()?)?;
    request::check_budget(&study)?;
    crate::threads::use_threads(args.threads)?;
    if let Some(job) = NumberJob::of(&study)? {
        return number::run(args, &study, &job);
    }
    check_classes(args, &study)?;
    let held_out = held_out(args, &study)?;
    if args.dry_run {
        let count = || count(args, &study);
        if let Some(job) = &held_out {
            return out::print(&run::dry_run(&study, &args.ledger, job, count, args.json)?);
        }
        return out::print(&run::dry_run(&study, &args.ledger, &FitJob::of(&study), count, args.json)?);
    }
    let folder = OutputFolder::prepare(&output_folder(args))?.alone()?;
    let path = folder.join(kind.file_name());
    let page = files::page_of(&path);
    let existing = Existing::new(args.force);
    if !args.repeat.reuse {
        existing.check(&path, kind.advice())?;
        existing.check(&page, "choose another folder with --out, or overwrite it with --force")?;
    }

    let (model, account) = match kind {
        Kind::Private | Kind::Seeded => {
            let what = format!("fit of {}", study.path.display());
            let run = Run {
                study: &study,
                ledger: &args.ledger,
                seed: args.seed,
                what,
                path: &path,
                // Who overwrites a model has said that it costs again.
                consent: Consent { again: args.repeat.again || args.force, ..args.rows.consent() },
                reuse: args.repeat.reuse.then(|| (existing, kind.advice())),
            };
            match &held_out {
                Some(job) => run.spend(job, |key| read_held_out(args, &study, job, key), |rows| rows)?,
                None => {
                    let request = FitJob::of(&study).request();
                    let read = |key| read_rows(args, &study, &request, key);
                    run.spend(&FitJob::of(&study), read, |rows| rows)?
                }
            }
        }
        Kind::NotPrivate => {
            let model = without_noise(args, &study)?;
            files::write(&path, Readers::Owner, &model.to_json())?;
            eprintln!("warning: {}: NOT PRIVATE: {}", path.display(), words::WITHOUT_NOISE);
            (model, None)
        }
    };
    let readers = if model.warning.is_none() { Readers::Anyone } else { Readers::Owner };
    files::write(&page, readers, &report::html(&model, &path, args.ledger.named())).map_err(|failure| {
        let again =
            format!("the model is in {0}, and `discretion report {0}` makes its page again", path.display());
        failure.and(again)
    })?;
    if let Some(warning) = model.intervals.as_ref().and_then(|intervals| intervals.warning.as_ref()) {
        eprintln!("warning: {warning}");
    }
    let mut about = vec![("model", path.display().to_string()), ("report", page.display().to_string())];
    about.extend(account.map(|account| ("account", account)));
    out::print(&if args.json { model.to_json() } else { terminal::model(&model, &about) })
}

impl Kind {
    fn asked(args: &Fit) -> Kind {
        match args.seed {
            _ if args.not_private => Kind::NotPrivate,
            Some(_) => Kind::Seeded,
            None => Kind::Private,
        }
    }

    /// Three names, so that no file takes another's place.
    fn file_name(self) -> &'static str {
        match self {
            Kind::Private => "model.json",
            Kind::Seeded => "seeded-model.json",
            Kind::NotPrivate => "not-private-model.json",
        }
    }

    fn advice(self) -> &'static str {
        match self {
            Kind::Private => {
                "fitting again would spend the budget again; choose another folder with --out, or say --force if \
                 that is what you want"
            }
            Kind::Seeded | Kind::NotPrivate => {
                "choose another folder with --out, or overwrite it with --force"
            }
        }
    }
}

fn output_folder(args: &Fit) -> PathBuf {
    args.out.clone().unwrap_or_else(|| args.study.with_extension(""))
}

/// Of the memory that may be used, the share for encoded rows: bringing them into another order takes as much again,
/// and reading and summing need their room.
const SHARE_FOR_ROWS: u64 = 4;

fn read(args: &Fit, study: &Study, validation: Option<f64>, key: PersonKey) -> Result<RowStorage, Refusal> {
    let (path, schema) = (&study.data.path, &study.schema);
    let reading = Reading::of(path);
    let progress = |progress| reading.update(progress);
    let (rows, counts) = match (args.memory, schema.unit()) {
        (None, Unit::Person) => {
            let (persons, counts) = read_persons(path, schema, key, &progress)?;
            (RowStorage::Persons(persons), counts)
        }
        (Some(_), Unit::Person) => {
            study.only_about_rows("fit --memory")?;
            unreachable!("the study is about persons")
        }
        (None, Unit::Row) if schema.target().labels.several().is_some() => {
            let (classed, counts) = read_classes(path, schema, &progress)?;
            (RowStorage::Classes(classed), counts)
        }
        (None, Unit::Row) => {
            let (matrix, counts) = read_matrix(path, schema, &progress)?;
            (RowStorage::Memory(matrix), counts)
        }
        (Some(memory), Unit::Row) => {
            let folder = output_folder(args);
            let limits = Limits { memory: memory / SHARE_FOR_ROWS, folder: &folder, validation };
            read_within(path, schema, limits, &progress)?
        }
    };
    run::stop_at_mistakes(&counts, path, args.check)?;
    Ok(rows)
}

/// What does not know several classes yet is refused before anything is read.
fn check_classes(args: &Fit, study: &Study) -> Result<(), Refusal> {
    if study.schema.unit() == Unit::Person {
        study.only_two_classes("`person`")?;
    }
    if args.memory.is_some() {
        study.only_two_classes("fit --memory")?;
    }
    if study.intervals.is_some() {
        study.only_two_classes("[intervals]")?;
    }
    Ok(())
}

/// The study's table, as its request needs it.
fn read_rows(args: &Fit, study: &Study, request: &Request, key: PersonKey) -> Result<FitRows, Refusal> {
    let storage = read(args, study, request.validation(), key)?;
    FitRows::of(storage, request).map_err(|error| explain(error, study))
}

/// The same job with rows held out, if the study asks for it.
fn held_out(args: &Fit, study: &Study) -> Result<Option<HeldOutFit>, Refusal> {
    let Some(settings) = &study.evaluate else { return Ok(None) };
    if args.memory.is_some() {
        return Err(Refusal::bad_input(
            "--memory: the study holds rows out with [evaluate], and such a fit keeps all rows in memory; leave one of the two out"
                .to_owned(),
        ));
    }
    if args.not_private {
        eprintln!("note: without noise all rows train, and [evaluate] is left out");
        return Ok(None);
    }
    HeldOutFit::new(FitJob::of(study), settings).map(Some)
}

/// The study's table, in two parts.
fn read_held_out(
    args: &Fit,
    study: &Study,
    job: &HeldOutFit,
    key: PersonKey,
) -> Result<HeldOutRows, Refusal> {
    let path = &study.data.path;
    let reading = Reading::of(path);
    let progress = |progress| reading.update(progress);
    if study.schema.unit() == Unit::Person {
        let mut rows = HeldOutPersonsReader::new(key);
        let counts = read_batches_of_persons(path, &study.schema, key, &progress, |batch, places| {
            rows.push(batch, places);
            Ok::<(), Refusal>(())
        })?;
        run::stop_at_mistakes(&counts, path, args.check)?;
        return rows.finish(job);
    }
    let mut rows = job.reader();
    let counts = read_batches(path, &study.schema, Purpose::Train, &progress, |batch| {
        rows.push(&batch);
        Ok::<(), Refusal>(())
    })?;
    run::stop_at_mistakes(&counts, path, args.check)?;
    rows.finish(job)
}

/// A refusal to fit what a study asks for.
fn explain(error: FitError, study: &Study) -> Refusal {
    request::explain(error, &study.places.lambda)
}

/// How many rows the table has, or how many persons. None is kept.
fn count(args: &Fit, study: &Study) -> Result<usize, Refusal> {
    if study.schema.unit() == Unit::Person {
        let RowStorage::Persons(persons) = read(args, study, None, PersonKey::of_seed(0))? else {
            unreachable!("the study is about persons")
        };
        return Ok(persons.count());
    }
    if study.schema.target().labels.several().is_some() {
        let RowStorage::Classes(classed) = read(args, study, None, PersonKey::of_seed(0))? else {
            unreachable!("the study has several classes")
        };
        return Ok(classed.rows());
    }
    let (path, schema) = (&study.data.path, &study.schema);
    let reading = Reading::of(path);
    let progress = |progress| reading.update(progress);
    let counts = read_batches(path, schema, Purpose::Train, &progress, |_| Ok::<(), Refusal>(()))?;
    run::stop_at_mistakes(&counts, path, args.check)?;
    Ok(usize::try_from(counts.rows).expect("rows that were read can be counted"))
}

/// Without noise, for the custodian alone.
fn without_noise(args: &Fit, study: &Study) -> Result<Model, Refusal> {
    let request = Request { lambda: fit::Lambda::Auto, ..FitJob::of(study).request() };
    let rows = read_rows(args, study, &request, PersonKey::of_seed(0))?;
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
        let Some(settings) = study.intervals else { return Ok(model) };
        let intervals = interval::not_private(rows, loss, lambda, &model.theta())
            .and_then(|evidence| with_wald_intervals(model, evidence, settings));
        intervals.map_err(|error| explain(error.into(), study))
    })
}

/// The λ that the same study would take with noise.
fn auto(request: &Request, facts: &Facts) -> f64 {
    match request.plan(TableFacts::Whole(facts.clone())).as_ref().map(fit::Plan::training) {
        Ok(TrainingPlan::Known(training)) => training.lambda(),
        _ => auto_lambda(facts, request.loss, request.budget),
    }
}
