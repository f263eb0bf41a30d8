//! `discretion demo`: an invented table, its study file, and a private model of it.

mod patients;

use super::fit;
use crate::args::{ChargeFlags, Demo, Fit};
use crate::files::{self, OutputFolder, Readers};
use crate::out;
use discretion::Refusal;
use discretion_report::numbers::plain::count;
use std::path::Path;

/// The study file, commented as a template for one's own.
const STUDY: &str = include_str!("study.toml");

/// Makes the demo's files and fits their model.
pub fn run(args: &Demo) -> Result<(), Refusal> {
    let folder = OutputFolder::prepare(&args.out)?;
    let (study, table) = (folder.join("study.toml"), folder.join("patients.csv"));
    let ledger = folder.join("demo-ledger.sqlite");
    check_ours(
        &study,
        &[&study, &table, &folder.join("model.json"), &folder.join("report.html"), &ledger],
    )?;
    files::write(&table, Readers::Anyone, &patients::csv())?;
    files::write(&study, Readers::Anyone, STUDY)?;
    out::print(&format!(
        "Fitting {}, {} invented hospital stays of {} patients, as {} says\n\n",
        table.display(),
        count(patients::STAYS),
        count(patients::PATIENTS),
        study.display()
    ))?;
    remove_ledger(&ledger)?;
    fit::run(&Fit {
        study: study.clone(),
        out: Some(args.out.clone()),
        json: false,
        verbose: args.verbose,
        // The demo's own model: what it spent is the privacy of nobody.
        force: true,
        dry_run: false,
        settings: Default::default(),
        // The table is made anew, and so is its ledger: nobody's budget is spent here.
        charge: ChargeFlags { ledger: ledger.into(), ..ChargeFlags::default() },
        not_private: false,
        with_lambda: false,
        seed: None,
        threads: None,
        memory: None,
        check: Default::default(),
    })?;
    out::print(&next_steps(&study, &table, &args.out))
}

/// The demo's ledger, and what a crash or an earlier program left beside it.
fn remove_ledger(path: &Path) -> Result<(), Refusal> {
    for suffix in ["", "-journal", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        match std::fs::remove_file(&name) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Refusal::bad_file(
                    Path::new(&name),
                    format!("this file is in the way: {error}"),
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Refuses to overwrite files that are not the demo's own, and a study file that someone has
/// edited.
fn check_ours(study: &Path, files: &[&Path]) -> Result<(), Refusal> {
    match files.iter().find(|path| path.exists()) {
        Some(found) if !is_ours(study) => Err(Refusal::refused(format!(
            "{}: this is not the demo's own file, or {} was changed since; choose another folder with --out",
            found.display(),
            study.display()
        ))),
        _ => Ok(()),
    }
}

fn is_ours(study: &Path) -> bool {
    let found = discretion_disk::files::read_at_most(study, STUDY.len() as u64);
    found.is_ok_and(|found| found == STUDY.as_bytes())
}

/// Four commands, each with what it shows.
fn next_steps(study: &Path, table: &Path, folder: &Path) -> String {
    let (study, table, folder) = (study.display(), table.display(), folder.display());
    let commands = [
        (format!("discretion predict {folder}/model.json {table} | head"), "scores and labels"),
        (
            format!("discretion fit {study} --out {folder} --not-private"),
            "without noise, to compare",
        ),
        (
            format!("discretion ledger show demo --ledger {folder}/demo-ledger.sqlite"),
            "what was spent",
        ),
        ("discretion schema YOUR.csv --out study.toml".to_owned(), "start with your own table"),
    ];
    let width = commands.iter().map(|(left, _)| left.chars().count()).max().unwrap_or(0);
    let line = |(command, shows): &(String, &str)| format!("{command:<width$}   # {shows}\n");
    format!("\n{}", commands.iter().map(line).collect::<String>())
}
