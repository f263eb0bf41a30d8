//! `discretion density`: from a study file to density.json, density.html and density.svg.
//!
//! The order is that of `fit`: everything that can be refused is refused before the first row is read, the charge is
//! durable before anything is computed, and the file is written before anything is said about it.

use crate::args::Density;
use crate::files::{self, Existing, OutputFolder, Readers};
use crate::out;
use crate::progress::Reading;
use crate::run::{self, Run};
use discretion::Refusal;
use discretion::erm::matrix::Batch;
use discretion::privacy::Unit;
use discretion_jobs::arguments::Arguments;
use discretion_jobs::density::{DensityJob, DensityRows};
use discretion_jobs::request;
use discretion_ledger::Consent;
use discretion_report::report::of_file;
use discretion_report::terminal;
use discretion_table::{OneEach, PersonKey, Study, read_columns, read_columns_of_persons};
use std::path::{Path, PathBuf};

/// Makes the density of a study's columns.
pub fn run(args: &Density) -> Result<(), Refusal> {
    let study = Study::read_to_spend(&args.study, args.spend.given()?)?;
    request::check_budget(&study)?;
    let job = job(args, &study)?;
    if args.dry_run {
        let count = || Ok(read(args, &study, &job, PersonKey::of_seed(0))?.points().rows());
        return out::print(&run::dry_run(&study, &args.ledger, &job, count, args.json)?);
    }
    let folder = OutputFolder::prepare(&output_folder(args))?.alone()?;
    let path = folder.join(if args.seed.is_some() { "seeded-density.json" } else { "density.json" });
    let existing = Existing::new(args.force);
    if !args.repeat.reuse {
        existing.check(&path, advice(args))?;
    }

    let what = format!("density of {} in {}", args.columns.join(", "), study.path.display());
    let run = Run {
        study: &study,
        ledger: &args.ledger,
        seed: args.seed,
        what,
        path: &path,
        // Who overwrites a density has said that it costs again.
        consent: Consent { again: args.repeat.again || args.force, ..args.rows.consent() },
        reuse: args.repeat.reuse.then(|| (existing, advice(args))),
    };
    let (file, account) = run.spend(&job, |key| read(args, &study, &job, key), |rows| rows)?;
    let readers = if file.warning.is_none() { Readers::Anyone } else { Readers::Owner };
    let report = of_file::report(&file, &path, args.ledger.named());
    let page = path.with_extension("html");
    files::write(&page, readers, &report.to_html())?;
    let picture = draw(&report, &path.with_extension("svg"), readers)?;
    let mut about = vec![("density", path.display().to_string()), ("page", page.display().to_string())];
    about.extend(picture.map(|picture| ("picture", picture.display().to_string())));
    about.extend(account.map(|account| ("account", account)));
    out::print(&if args.json { file.to_json() } else { terminal::density(&file, &about) })
}

/// Checks the arguments against the study.
fn job(args: &Density, study: &Study) -> Result<DensityJob, Refusal> {
    let columns = study
        .schema
        .choose(&args.columns)
        .map_err(|problem| Refusal::bad_input(format!("--column: {problem} ({})", study.path.display())))?;
    let bins = args.bins.as_ref().map(|list| list.0.as_slice());
    let spend_at = request::spend_at(study);
    let mut job = DensityJob::new(columns, bins, study.spend, Arguments::Flags, spend_at)?;
    job.unit = study.schema.unit();
    Ok(job)
}

/// Reads the chosen columns.
fn read(args: &Density, study: &Study, job: &DensityJob, key: PersonKey) -> Result<DensityRows, Refusal> {
    let (path, columns) = (&study.data.path, job.columns());
    let mut rows = DensityRows::new(columns)?;
    let reading = Reading::of(path);
    let progress = |progress| reading.update(progress);
    let counts = match study.schema.unit() {
        Unit::Row => read_columns(path, &study.schema, columns, &progress, |batch| {
            rows.push(&batch);
            Ok::<(), Refusal>(())
        })?,
        Unit::Person => {
            let mut kept = OneEach::new(key);
            let each = |batch: Batch, places: &[u128]| {
                kept.push(&batch, places);
                Ok::<(), Refusal>(())
            };
            let counts = read_columns_of_persons(path, &study.schema, columns, key, &progress, each)?;
            rows.push(&kept.into_rows());
            counts
        }
    };
    run::stop_at_mistakes(&counts, path, args.check)?;
    Ok(rows)
}

/// The picture as a file of its own, if there is one.
fn draw(
    report: &discretion_report::DensityReport,
    path: &Path,
    readers: Readers,
) -> Result<Option<PathBuf>, Refusal> {
    match report.picture() {
        Some(picture) => {
            files::write(path, readers, &picture.standalone())?;
            Ok(Some(path.to_owned()))
        }
        None => {
            // One of an earlier density, which --force replaces, would show something else. It may not be there.
            let _ = std::fs::remove_file(path);
            Ok(None)
        }
    }
}

fn output_folder(args: &Density) -> PathBuf {
    args.out.clone().unwrap_or_else(|| args.study.with_extension(""))
}

fn advice(args: &Density) -> &'static str {
    match args.seed {
        None => {
            "another density would spend the budget again; choose another folder with --out, or say --force if that is \
             what you want"
        }
        Some(_) => "choose another folder with --out, or overwrite it with --force",
    }
}
