//! The custodian's look: what `discretion check` tells. NOT PRIVATE.

use crate::app::App;
use crate::studies::StudyAsked;
use discretion::Refusal;
use discretion_jobs::check::CheckReport;
use discretion_table::{Study, check_table};
use serde_json::{Value, json};

/// Looks at a study's table. No ledger is opened.
pub fn look(app: &App, asked: &StudyAsked) -> Result<Value, Refusal> {
    let study = Study::read(app.folder.study(&asked.study)?)?;
    let found = check_table(&study.data.path, &study.schema, &|_| {})?;
    let report = CheckReport::new(&found);
    Ok(json!({ "report": report, "summary": report.summary() }))
}
