//! What is there: tables, studies, results, the run that is under way.

use crate::app::App;
use crate::folder::is_table;
use discretion_ledger::default_path;
use discretion_table::{Study, fields};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Everything that the page begins with. It is read from the folder each time: another tab, or the
/// command line, may have changed it.
pub fn state(app: &App) -> Value {
    let files = app.folder.files();
    let in_root = |name: &&String| !name.contains('/');
    // A ledger is an SQLite file too, and no table.
    let ledger = default_path(app.ledger()).ok().and_then(|path| path.canonicalize().ok());
    let is_ledger =
        |name: &str| ledger.as_ref().is_some_and(|ledger| *ledger == app.folder.path().join(name));
    let tables = files.iter().filter(in_root).filter(|name| is_table(name) && !is_ledger(name));
    let tables: Vec<&String> = tables.collect();
    let studies: Vec<Value> = files
        .iter()
        .filter(in_root)
        .filter(|name| name.ends_with(".toml"))
        .map(|name| study(app, name))
        .collect();
    let ending = |endings: &'static [&'static str]| {
        let files = files.iter().filter(|name| name.contains('/'));
        files.filter(|name| endings.iter().any(|ending| name.ends_with(ending))).collect::<Vec<_>>()
    };
    let folders: BTreeSet<&str> =
        files.iter().filter_map(|name| Some(name.split_once('/')?.0)).collect();
    json!({
        "folder": app.folder.path().display().to_string(),
        "files": app.door.files(),
        "tables": tables,
        "studies": studies,
        "folders": folders,
        "fields": fields(),
        "models": ending(&["model.json"]),
        "pages": ending(&["report.html", "density.html", "dossier/index.html", "dossier.html"]),
        "run": app.work.shown(),
    })
}

fn study(app: &App, name: &str) -> Value {
    let path = app.folder.path().join(name);
    match Study::read(&path) {
        Ok(study) => json!({
            "name": name,
            "ready": true,
            "account": study.data.account,
            "target": study.schema.target().column,
        }),
        Err(error) => json!({ "name": name, "ready": false, "why": error.problem.to_string() }),
    }
}
