//! The fit of a number: the same order as for classes, with moments in place of a training.

use crate::args::Fit;
use crate::files::{self, Existing, OutputFolder, Readers};
use crate::out;
use crate::progress::{Busy, Reading};
use crate::run::{self, Run};
use discretion::Refusal;
use discretion::erm::matrix::Matrix;
use discretion_formats::Artefact;
use discretion_jobs::evaluate::{HeldOutNumber, HeldOutRows};
use discretion_jobs::number::{NumberJob, not_private};
use discretion_ledger::Consent;
use discretion_report::{report, terminal, words};
use discretion_table::{Study, read_labelled, read_outcome};

/// Fits the number of a study.
pub fn run(args: &Fit, study: &Study, job: &NumberJob) -> Result<(), Refusal> {
    if args.memory.is_some() {
        return Err(Refusal::bad_input(
            "--memory: the outcome is a number, and such a fit keeps all rows in memory; leave --memory out"
                .to_owned(),
        ));
    }
    if args.dry_run {
        let count = || Ok(read(args, study)?.rows());
        return out::print(&match held_out(job, study)? {
            Some(job) => run::dry_run(study, &args.ledger, &job, count, args.json)?,
            None => run::dry_run(study, &args.ledger, job, count, args.json)?,
        });
    }
    let folder = args.out.clone().unwrap_or_else(|| args.study.with_extension(""));
    let folder = OutputFolder::prepare(&folder)?.alone()?;
    let path = folder.join(file_name(args));
    let page = files::page_of(&path);
    let existing = Existing::new(args.force);
    if !args.repeat.reuse {
        existing.check(&path, advice(args))?;
        existing.check(&page, "choose another folder with --out, or overwrite it with --force")?;
    }
    let (model, account) = match args.not_private {
        false => {
            let run = Run {
                study,
                ledger: &args.ledger,
                seed: args.seed,
                what: format!("fit of {}", study.path.display()),
                path: &path,
                // Who overwrites a model has said that it costs again.
                consent: Consent { again: args.repeat.again || args.force, ..args.rows.consent() },
                reuse: args.repeat.reuse.then(|| (existing, advice(args))),
            };
            match held_out(job, study)? {
                Some(job) => run.spend(&job, |_| read_held_out(args, study, &job), |rows| rows)?,
                None => run.spend(job, |_| read(args, study), |rows| rows)?,
            }
        }
        true => {
            if study.evaluate.is_some() {
                eprintln!("note: without noise all rows are summed, and [evaluate] is left out");
            }
            let rows = read(args, study)?;
            let _busy = Busy::new("summing");
            let model = not_private(job, &rows).map_err(|error| job.explain(error))?;
            files::write(&path, Readers::Owner, &model.to_json())?;
            eprintln!("warning: {}: NOT PRIVATE: {}", path.display(), words::WITHOUT_NOISE);
            (model, None)
        }
    };
    let readers = if model.warning.is_none() { Readers::Anyone } else { Readers::Owner };
    files::write(&page, readers, &report::number_html(&model, &path, args.ledger.named()))?;
    let mut about = vec![("model", path.display().to_string()), ("report", page.display().to_string())];
    about.extend(account.map(|account| ("account", account)));
    out::print(&if args.json { model.to_json() } else { terminal::number(&model, &about) })
}

/// Three names, so that no file takes another's place.
fn file_name(args: &Fit) -> &'static str {
    match args.seed {
        _ if args.not_private => "not-private-model.json",
        Some(_) => "seeded-model.json",
        None => "model.json",
    }
}

fn advice(args: &Fit) -> &'static str {
    match args.seed {
        None if !args.not_private => {
            "fitting again would spend the budget again; choose another folder with --out, or say --force if that is what you \
             want"
        }
        _ => "choose another folder with --out, or overwrite it with --force",
    }
}

/// The same job with rows held out, if the study asks for it.
fn held_out(job: &NumberJob, study: &Study) -> Result<Option<HeldOutNumber>, Refusal> {
    study.evaluate.as_ref().map(|settings| HeldOutNumber::new(job.clone(), settings)).transpose()
}

/// The study's table, in two parts.
fn read_held_out(args: &Fit, study: &Study, job: &HeldOutNumber) -> Result<HeldOutRows<Matrix>, Refusal> {
    let path = &study.data.path;
    let reading = Reading::of(path);
    let mut rows = job.reader();
    let counts =
        read_labelled(path, &study.schema, &|progress| reading.update(progress), |batch, classes| {
            rows.push(&batch, classes);
            Ok::<(), Refusal>(())
        })?;
    run::stop_at_mistakes(&counts, path, args.check)?;
    rows.finish(job)
}

/// The study's table, with the outcome among its columns.
fn read(args: &Fit, study: &Study) -> Result<Matrix, Refusal> {
    let path = &study.data.path;
    let reading = Reading::of(path);
    let (rows, counts) = read_outcome(path, &study.schema, &|progress| reading.update(progress))?;
    run::stop_at_mistakes(&counts, path, args.check)?;
    Ok(rows)
}
