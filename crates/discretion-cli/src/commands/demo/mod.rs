//! `discretion demo`: an invented table, its study file, and a private model of it.

mod patients;

use super::fit;
use crate::args::{BudgetFlags, Demo, Fit, RepeatConsent, RowsConsent};
use crate::files::{self, OutputFolder, Readers};
use crate::out;
use discretion::Refusal;
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
        "Wrote {} (invented stays in hospital, some of one patient) and {}.\nFitting, as `discretion fit {} --out {}` does:\n\n",
        table.display(),
        study.display(),
        study.display(),
        args.out.display()
    ))?;
    remove_ledger(&ledger)?;
    fit::run(&Fit {
        study: study.clone(),
        out: Some(args.out.clone()),
        json: false,
        // The demo's own model: what it spent is the privacy of nobody.
        force: true,
        dry_run: false,
        spend: BudgetFlags::default(),
        // The table is made anew, and so is its ledger: nobody's budget is spent here.
        ledger: ledger.into(),
        rows: RowsConsent::default(),
        repeat: RepeatConsent::default(),
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
        Some(found) if std::fs::read_to_string(study).ok().as_deref() != Some(STUDY) => {
            Err(Refusal::refused(format!(
                "{}: this is not the demo's own file, or {} was changed since; choose another folder with --out",
                found.display(),
                study.display()
            )))
        }
        _ => Ok(()),
    }
}

fn next_steps(study: &Path, table: &Path, folder: &Path) -> String {
    let (study, table, folder) = (study.display(), table.display(), folder.display());
    let look = [
        (
            format!("{study}"),
            "all that is public: columns, bounds, budget; copy it for your own table",
        ),
        (format!("{folder}/report.html"), "the page for a review board; open it in a browser"),
        (
            format!("{folder}/model.json"),
            "may be published; run the demo again and see how far noise moves it",
        ),
    ];
    let mut next = vec![
        (format!("discretion predict {folder}/model.json {table} | head"), "scores and labels"),
        (
            format!("discretion fit {study} --out {folder} --not-private"),
            "without noise, to compare",
        ),
        (
            format!("discretion ledger show demo --ledger {folder}/demo-ledger.sqlite"),
            "what was spent and what is left",
        ),
        (format!("discretion plan {study} --rows 300000"), "what ten times the patients would buy"),
        (
            "discretion schema YOUR.csv --out study.toml".to_owned(),
            "start with a table of your own",
        ),
    ];
    // `make demo` builds without it.
    if cfg!(feature = "serve") {
        let serve =
            format!("discretion serve {study} --ledger {folder}/demo-ledger.sqlite --new-tokens");
        next.insert(3, (serve, "answers over HTTP, with a page at http://127.0.0.1:8080"));
    }
    format!("\nWhat to look at\n{}\nWhat to type next\n{}", lines(&look, ""), lines(&next, "# "))
}

fn lines(pairs: &[(String, &str)], mark: &str) -> String {
    let width = pairs.iter().map(|(left, _)| left.chars().count()).max().unwrap_or(0);
    pairs.iter().map(|(left, right)| format!("  {left:<width$}   {mark}{right}\n")).collect()
}
