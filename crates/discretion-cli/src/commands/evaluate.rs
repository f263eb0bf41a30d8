//! `discretion evaluate`: from a model and rows that never trained it to evaluation.json.

use crate::args::Evaluate;
use crate::files::{self, Existing};
use crate::out;
use crate::progress::Reading;
use crate::run::{self, Run};
use discretion::Refusal;
use discretion::erm::matrix::Batch;
use discretion::privacy::Unit;
use discretion_formats::{AnyModel, Artefact};
use discretion_jobs::evaluate::{EvaluateJob, ScoredRows};
use discretion_jobs::request;
use discretion_ledger::Consent;
use discretion_report::terminal;
use discretion_table::{OneEach, PersonKey, Study, TableSource, read_batches_of_persons, read_labelled};
use std::path::PathBuf;

/// Evaluates a model.
pub fn run(args: &Evaluate) -> Result<(), Refusal> {
    let mut study = Study::read_to_spend(&args.study, args.spend.given()?)?;
    request::check_budget(&study)?;
    let job = job(args, &study)?;
    let other_rows = TableSource::new(args.data.clone());
    if other_rows == study.data.path {
        eprintln!(
            "warning: the study trains on these rows, and a model looks better than it is on rows that trained it; hold some out \
             with [evaluate] in the study, or name other rows"
        );
    }
    study.data.path = other_rows;
    if let Some(account) = &args.account {
        study.data.account.clone_from(account);
    }
    if args.dry_run {
        let count = || Ok(read(args, &study, &job, PersonKey::of_seed(0))?.len());
        return out::print(&run::dry_run(&study, &args.ledger, &job, count, args.json)?);
    }
    let path = output_file(args);
    let existing = Existing::new(args.force);
    for input in args.data.iter().chain([&args.model, &args.study]) {
        files::keep_input(&path, input)?;
    }
    if !args.repeat.reuse {
        existing.check(&path, advice(args))?;
    }
    if !job.model().is_private() {
        eprintln!("warning: {}: this model is NOT PRIVATE to the rows that trained it", args.model.display());
    }
    let run = Run {
        study: &study,
        ledger: &args.ledger,
        seed: args.seed,
        what: format!("evaluation of {}", args.model.display()),
        path: &path,
        // Who overwrites an evaluation has said that it costs again.
        consent: Consent { again: args.repeat.again || args.force, ..args.rows.consent() },
        reuse: args.repeat.reuse.then(|| (existing, advice(args))),
    };
    let (file, account) = run.spend(&job, |key| read(args, &study, &job, key), |rows| rows)?;
    let mut about = vec![("evaluation", path.display().to_string())];
    about.extend(account.map(|account| ("account", account)));
    out::print(&if args.json { file.to_json() } else { terminal::evaluation(&file, &about) })
}

/// Checks the arguments against the model and the study.
fn job(args: &Evaluate, study: &Study) -> Result<EvaluateJob, Refusal> {
    let model = AnyModel::read_with_hash(&args.model)?;
    EvaluateJob::new(model, &study.schema, args.by.as_deref(), study.spend, request::spend_at(study))
}

/// Reads and scores the rows.
fn read(args: &Evaluate, study: &Study, job: &EvaluateJob, key: PersonKey) -> Result<ScoredRows, Refusal> {
    let path = &study.data.path;
    let mut rows = job.rows();
    let reading = Reading::of(path);
    let progress = |progress| reading.update(progress);
    let counts = match study.schema.unit() {
        Unit::Row => read_labelled(path, &study.schema, &progress, |batch, classes| {
            rows.push(batch, classes);
            Ok::<(), Refusal>(())
        })?,
        Unit::Person => {
            study.only_two_classes("`person`")?;
            let mut counted = OneEach::new(key);
            let each = |batch: Batch, places: &[u128]| {
                counted.push(&batch, places);
                Ok::<(), Refusal>(())
            };
            let counts = read_batches_of_persons(path, &study.schema, key, &progress, each)?;
            rows.push(counted.into_rows(), &[]);
            counts
        }
    };
    run::stop_at_mistakes(&counts, path, args.check)?;
    Ok(rows)
}

fn output_file(args: &Evaluate) -> PathBuf {
    let name = if args.seed.is_some() { "seeded-evaluation.json" } else { "evaluation.json" };
    args.out.clone().unwrap_or_else(|| args.model.with_file_name(name))
}

fn advice(args: &Evaluate) -> &'static str {
    match args.seed {
        None => {
            "another evaluation would spend the budget again; choose another file with --out, or say --force if that is what \
             you want"
        }
        Some(_) => "choose another file with --out, or overwrite it with --force",
    }
}
