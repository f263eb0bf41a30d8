//! The private fit: reserve, compute, release, in this order.

use super::{explain, read_rows};
use crate::args::Fit;
use crate::exit::Failure;
use crate::files::{self, Readers};
use crate::ledger;
use crate::model::{LedgerEntry, Model};
use crate::progress::{Busy, Reading};
use discretion::fit::{FitError, Plan, Request, TableFacts};
use discretion::noise::OperatingSystem;
use discretion_ledger::checkpoint;
use discretion_publish::fit::{Job, check_rows, left_out};
use discretion_table::{Purpose, Study, read_batches};
use std::path::Path;

/// Charges the account, trains, writes the model to `path` and notes that it was released. Returns the model and
/// a line about the account.
pub fn fit(args: &Fit, study: &Study, request: &Request, path: &Path) -> Result<(Model, String), Failure> {
    let ledger = ledger::open(args.ledger.as_deref())?;
    let account = ledger.account(&study.data.account, study.budget)?;
    let (fingerprint, rows) =
        ledger::fingerprint_while(&account, &study.data.path, || read_rows(args, study, request))?;
    let explain = |error: FitError| explain(&error, study);
    let plan = rows.plan(request).map_err(explain)?;
    ledger::say_if_delta_is_large(study.spend, rows.with_all(|rows| rows.facts().rows));
    say_what_is_left_out(&plan);

    let what = format!("fit of {}", study.path.display());
    let charge = account.charge(&plan.event(), Some(&fingerprint), &what)?;
    let stays = |failure: Failure| failure.and(format!("charge {} stays in the ledger", charge.number));
    let _paid = ledger::say_if_stopped(&charge, path);
    checkpoint("fit: charged");
    ledger::say_if_table_changed(&account, &charge);
    let fitted = {
        let _busy = Busy::new("training");
        rows.run(&plan, &mut OperatingSystem).map_err(explain).map_err(stays)?
    };
    checkpoint("fit: computed");
    let entry = LedgerEntry::of(&account, &charge);
    let model = Model::released(&fitted, &Job::of(study), &plan, Some(entry))
        .map_err(|error| explain(error.into()))
        .map_err(stays)?;
    let json = model.to_json();
    files::write(path, Readers::Anyone, &json).map_err(stays)?;
    checkpoint("fit: written");
    ledger::note_release(&charge, path, &json);
    Ok((model, ledger::about(&account, &charge.quote)))
}

/// What the run would cost. That is a matter of public numbers: rows are read to be refused or counted, and none is kept.
pub fn dry_run(args: &Fit, study: &Study, request: &Request) -> Result<String, Failure> {
    let ledger = ledger::look(args.ledger.as_deref())?;
    let account = ledger.account(&study.data.account, study.budget)?;
    let (path, schema) = (&study.data.path, &study.schema);
    let reading = Reading::of(path);
    let progress = |progress| reading.update(progress);
    let rows = read_batches(path, schema, Purpose::Train, &progress, |_| Ok::<(), Failure>(()))?;
    let rows = usize::try_from(rows).expect("rows that were read can be counted");
    let explain = |error: FitError| explain(&error, study);
    check_rows(rows, request).map_err(explain)?;
    let layout = schema.encoder().layout();
    let facts = TableFacts::of_matrix(rows, layout.dimension(), layout.row_terms(), request.validation());
    let plan = request.plan(facts).map_err(explain)?;
    ledger::say_if_delta_is_large(study.spend, rows);
    say_what_is_left_out(&plan);
    ledger::quote(&account, &plan.event(), args.json)
}

/// Values of λ that the budget cannot pay for.
fn say_what_is_left_out(plan: &Plan) {
    left_out(plan).iter().for_each(|sentence| eprintln!("note: {sentence}"));
}
