//! `discretion density`: from a study file to density.json, density.html and density.svg.
//!
//! The order is that of `fit`: everything that can be refused is refused before the first row is read, the charge is
//! durable before anything is computed, and the file is written before anything is said about it.

mod charged;

use crate::args::Density;
use crate::exit::Failure;
use crate::files::{self, Existing, OutputFolder, Readers};
use crate::progress::Reading;
use crate::{arguments::Arguments, out};
use discretion::noise::Seeded;
use discretion_publish::density::{Request, Rows, report, summary};
use discretion_table::{Study, read_columns};
use std::path::{Path, PathBuf};

/// Makes the density of a study's columns.
pub fn run(args: &Density) -> Result<(), Failure> {
    let study = Study::read(&args.study)?;
    crate::request::check_budget(&study)?;
    let request = request(args, &study)?;
    if args.dry_run {
        return out::print(&charged::dry_run(args, &study, &request)?);
    }
    let folder = OutputFolder::prepare(&output_folder(args))?.alone()?;
    let path = folder.join(if args.seed.is_some() { "seeded-density.json" } else { "density.json" });
    Existing::new(args.force).check(&path, advice(args))?;

    let (file, account) = match args.seed {
        None => charged::density(args, &study, &request, &path)?,
        Some(seed) => {
            let rows = read(&study, &request)?;
            let plan = request.plan(rows.points().rows())?;
            (request.run(&plan, rows.points(), None, &mut Seeded::new(seed))?, String::new())
        }
    };
    let readers = if file.warning.is_none() { Readers::Anyone } else { Readers::Owner };
    if let Some(reason) = &file.warning {
        files::write(&path, readers, &file.to_json())?;
        eprintln!("warning: {}: NOT PRIVATE: {reason}", path.display());
    }
    let report = report(&file, &path, args.ledger.as_deref());
    let page = path.with_extension("html");
    files::write(&page, readers, &report.to_html())?;
    let picture = draw(&report, &path.with_extension("svg"), readers)?;
    let mut about = vec![("density", path.display().to_string()), ("page", page.display().to_string())];
    about.extend(picture.map(|picture| ("picture", picture.display().to_string())));
    if !account.is_empty() {
        about.push(("account", account));
    }
    out::print(&if args.json { file.to_json() } else { summary(&file, &about) })
}

/// Checks the arguments against the study.
fn request(args: &Density, study: &Study) -> Result<Request, Failure> {
    let columns = study
        .schema
        .choose(&args.columns)
        .map_err(|problem| Failure::BadInput(format!("--column: {problem} ({})", study.path.display())))?;
    let bins = args.bins.as_ref().map(|list| list.0.as_slice());
    let spend = study.places.spend.to_string();
    Ok(Request::new(columns, bins, study.spend, Arguments::Flags, spend)?)
}

/// Reads the chosen columns.
fn read(study: &Study, request: &Request) -> Result<Rows, Failure> {
    let (path, columns) = (&study.data.path, request.columns());
    let mut rows = Rows::new(columns)?;
    let reading = Reading::of(path);
    read_columns(path, &study.schema, columns, &|progress| reading.update(progress), |batch| {
        rows.push(&batch);
        Ok::<(), Failure>(())
    })?;
    Ok(rows)
}

/// The picture as a file of its own, if there is one.
fn draw(
    report: &discretion_report::DensityReport,
    path: &Path,
    readers: Readers,
) -> Result<Option<PathBuf>, Failure> {
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
