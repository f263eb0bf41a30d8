//! The accounts of the studies in this folder: what is spent, by what, and what came of it.

use crate::app::App;
use discretion::Refusal;
use discretion_jobs::study_run::look;
use discretion_table::Study;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Every account with its history, as `discretion ledger show` tells it.
pub fn history(app: &App) -> Result<Value, Refusal> {
    let studies = app
        .folder
        .files()
        .into_iter()
        .filter(|name| !name.contains('/') && name.ends_with(".toml"));
    let names: BTreeSet<String> = studies
        .filter_map(|name| Study::read(app.folder.path().join(name)).ok())
        .map(|study| study.data.account)
        .collect();
    let ledger = look(app.ledger())?;
    let mut accounts = Vec::new();
    for name in names {
        let Ok(account) = ledger.existing_account(&name) else { continue };
        accounts.push(json!({ "standing": account.standing()?, "history": account.history()? }));
    }
    Ok(json!({ "accounts": accounts }))
}
