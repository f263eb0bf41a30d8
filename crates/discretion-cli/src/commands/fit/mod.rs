//! `discretion fit`: from a study file to model.json and report.html.
//!
//! The order matters. Everything that can be refused is refused before the first row is read, the charge is
//! durable before anything is computed, and the file is written before anything is said about it.

mod charged;

use crate::args::Fit;
use crate::exit::Failure;
use crate::files::{self, Existing, OutputFolder, Readers};
use crate::model::{LambdaFrom, Model};
use crate::progress::{Busy, Reading};
use crate::{out, report, request};
use discretion::fit::{self, FitError, Request};
use discretion::noise::Seeded;
use discretion::train::{auto_lambda, not_private};
use discretion_publish::fit::{Job, Rows};
use discretion_publish::summary;
use discretion_table::{Held, Lambda, Limits, Study, read_matrix, read_within};
use std::path::PathBuf;

/// What is made.
#[derive(Clone, Copy)]
enum Kind {
    Private,
    Seeded(u64),
    NotPrivate,
}

/// Fits the model of a study.
pub fn run(args: &Fit) -> Result<(), Failure> {
    let kind = Kind::asked(args);
    let study = Study::read(&args.study)?;
    request::check_budget(&study)?;
    let request = request::of(&study);
    crate::threads::use_threads(args.threads)?;
    if args.dry_run {
        return out::print(&charged::dry_run(args, &study, &request)?);
    }
    let folder = OutputFolder::prepare(&output_folder(args))?.alone()?;
    let path = folder.join(kind.file_name());
    let page = files::page_of(&path);
    Existing::new(args.force).check(&path, kind.advice())?;
    Existing::new(args.force)
        .check(&page, "choose another folder with --out, or overwrite it with --force")?;

    let (model, account) = match kind {
        Kind::Private => charged::fit(args, &study, &request, &path)?,
        Kind::Seeded(seed) => (seeded(args, seed, &study, &request)?, String::new()),
        Kind::NotPrivate => (without_noise(args, &study)?, String::new()),
    };
    if let Some(reason) = &model.warning {
        files::write(&path, Readers::Owner, &model.to_json())?;
        eprintln!("warning: {}: NOT PRIVATE: {reason}", path.display());
    }
    let readers = if model.warning.is_none() { Readers::Anyone } else { Readers::Owner };
    files::write(&page, readers, &report::html(&model, &path, args.ledger.as_deref())).map_err(
        |failure| {
            let again = format!(
                "the model is in {0}, and `discretion report {0}` makes its page again",
                path.display()
            );
            failure.and(again)
        },
    )?;
    if let Some(warning) = model.intervals.as_ref().and_then(|intervals| intervals.warning.as_ref()) {
        eprintln!("warning: {warning}");
    }
    let mut about = vec![("model", path.display().to_string()), ("report", page.display().to_string())];
    if !account.is_empty() {
        about.push(("account", account));
    }
    out::print(&if args.json { model.to_json() } else { summary::of(&model, &about) })
}

impl Kind {
    fn asked(args: &Fit) -> Kind {
        match args.seed {
            _ if args.not_private => Kind::NotPrivate,
            Some(seed) => Kind::Seeded(seed),
            None => Kind::Private,
        }
    }

    /// Three names, so that no file takes another's place.
    fn file_name(self) -> &'static str {
        match self {
            Kind::Private => "model.json",
            Kind::Seeded(_) => "seeded-model.json",
            Kind::NotPrivate => "not-private-model.json",
        }
    }

    fn advice(self) -> &'static str {
        match self {
            Kind::Private => {
                "fitting again would spend the budget again; choose another folder with --out, or say --force if \
                 that is what you want"
            }
            Kind::Seeded(_) | Kind::NotPrivate => {
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

fn read(args: &Fit, study: &Study, validation: Option<f64>) -> Result<Held, Failure> {
    let (path, schema) = (&study.data.path, &study.schema);
    let reading = Reading::of(path);
    let progress = |progress| reading.update(progress);
    let Some(memory) = args.memory else { return Ok(Held::Memory(read_matrix(path, schema, &progress)?)) };
    let folder = output_folder(args);
    let limits = Limits { memory: memory / SHARE_FOR_ROWS, folder: &folder, validation };
    Ok(read_within(path, schema, limits, &progress)?)
}

/// The study's table, as its request needs it.
fn read_rows(args: &Fit, study: &Study, request: &Request) -> Result<Rows, Failure> {
    let held = read(args, study, request.validation())?;
    Rows::of(held, request).map_err(|error| explain(&error, study))
}

/// A refusal to fit what a study asks for.
fn explain(error: &FitError, study: &Study) -> Failure {
    request::explain(error, &study.places.lambda).into()
}

/// Under a seed: the ledger does not pay for it, because it must not be published.
fn seeded(args: &Fit, seed: u64, study: &Study, request: &Request) -> Result<Model, Failure> {
    let rows = read_rows(args, study, request)?;
    let _busy = Busy::new("training");
    let fit = || {
        let plan = rows.plan(request)?;
        let fitted = rows.run(&plan, &mut Seeded::new(seed))?;
        Ok(Model::released(&fitted, &Job::of(study), &plan, None)?)
    };
    fit().map_err(|error: FitError| explain(&error, study))
}

/// Without noise, for the custodian alone.
fn without_noise(args: &Fit, study: &Study) -> Result<Model, Failure> {
    let request = Request { lambda: fit::Lambda::Auto, ..request::of(study) };
    let rows = read_rows(args, study, &request)?;
    let loss = study.model.loss;
    rows.with_all(|rows| {
        let facts = rows.facts();
        let (lambda, from) = match &study.model.lambda {
            Lambda::Fixed(lambda) => (*lambda, LambdaFrom::Study),
            Lambda::Auto | Lambda::Grid(_) => (auto_lambda(facts, loss, study.spend), LambdaFrom::Auto),
        };
        if let Lambda::Grid(_) = study.model.lambda {
            eprintln!(
                "note: without noise nothing is chosen from the list; lambda is what \"auto\" would take"
            );
        }
        let _busy = Busy::new("training");
        let theta = not_private(rows, loss, lambda).map_err(|error| explain(&error.into(), study))?;
        Ok(Model::not_private(facts, loss, lambda, from, theta, &study.schema))
    })
}
