//! The private fit: reserve, compute, release, in this order.

use super::Rows;
use crate::args::Fit;
use crate::exit::Failure;
use crate::files::{self, Readers};
use crate::model::{LedgerEntry, Model};
use crate::numbers::short;
use crate::progress::Busy;
use crate::{ledger, request, words};
use discretion::fit::{FitError, Plan, Request, TrainingPlan};
use discretion::noise::OperatingSystem;
use discretion_ledger::{Account, Charge, Quote, checkpoint, content_hash};
use discretion_table::Study;
use std::path::Path;

/// Charges the account, trains, writes the model to `path` and notes that it was released. Returns the model and
/// a line about the account.
pub fn fit(args: &Fit, study: &Study, request: &Request, path: &Path) -> Result<(Model, String), Failure> {
    let ledger = ledger::open(args.ledger.as_deref())?;
    let account = ledger.account(&study.data.account, study.budget)?;
    let (fingerprint, rows) =
        ledger::fingerprint_while(&account, &study.data.path, || Rows::read(study, request))?;
    let explain = |error: FitError| request::explain(&error, &study.places.lambda);
    let plan = rows.with(|table| request.plan(table.facts())).map_err(explain)?;
    say_what_is_left_out(&plan);

    let what = format!("fit of {}", study.path.display());
    let charge = account.charge(&plan.event(), Some(&fingerprint), &what)?;
    let stays = |failure: Failure| failure.and(format!("charge {} stays in the ledger", charge.number));
    checkpoint("fit: charged");
    if let Some(changed) = &charge.table_changed {
        eprintln!(
            "note: the table is not the one that charge {} of account '{}' was made on ({}); the account goes on",
            changed.first_charge,
            account.name(),
            changed.at
        );
    }
    let fitted = {
        let _busy = Busy::new("training");
        rows.with(|table| plan.run(table, &mut OperatingSystem)).map_err(explain).map_err(stays)?
    };
    checkpoint("fit: computed");
    let quote = &charge.quote;
    let entry = LedgerEntry {
        account: account.name().to_owned(),
        charge: charge.number,
        cap: Some(quote.cap),
        cost: Some(quote.cost),
        spent: Some(quote.after.amount),
    };
    let model = Model::released(&fitted, study, &plan, Some(entry))
        .map_err(|error| explain(error.into()))
        .map_err(stays)?;
    let json = model.to_json();
    files::write(path, Readers::Anyone, &json).map_err(stays)?;
    checkpoint("fit: written");
    note_release(&charge, path, &json);
    Ok((model, about(&account, &charge.quote)))
}

/// The model is out and paid for, so a ledger that cannot note its name is a pity and no failure.
fn note_release(charge: &Charge<'_>, path: &Path, json: &str) {
    let hash = content_hash(json.as_bytes()).expect("reading from memory does not fail");
    if let Err(error) = charge.released_with_hash(&path.display().to_string(), &hash) {
        eprintln!("note: the ledger has the charge and could not note the name of the file: {error}");
    }
}

/// What the run would cost.
pub fn dry_run(args: &Fit, study: &Study, request: &Request) -> Result<String, Failure> {
    let ledger = ledger::look(args.ledger.as_deref())?;
    let account = ledger.account(&study.data.account, study.budget)?;
    let rows = Rows::read(study, request)?;
    let plan: Plan = rows
        .with(|table| request.plan(table.facts()))
        .map_err(|error| request::explain(&error, &study.places.lambda))?;
    say_what_is_left_out(&plan);
    let quote = account.price(&plan.event())?;
    if args.json {
        return Ok(serde_json::to_string_pretty(&quote).expect("a quote is plain data") + "\n");
    }
    let verdict = if quote.within {
        "Nothing was charged: this was a dry run."
    } else {
        "The account cannot pay for it; nothing was charged."
    };
    Ok(format!("{}\n{verdict}\n", about(&account, &quote)))
}

/// Values of λ that the budget cannot pay for, which public numbers tell.
fn say_what_is_left_out(plan: &Plan) {
    if let TrainingPlan::Chosen(tuning) = plan.training() {
        for dropped in tuning.dropped() {
            eprintln!("note: left out of the list: {}", dropped.reason);
        }
    }
}

/// What a run costs its account, and what it leaves.
fn about(account: &Account<'_>, quote: &Quote) -> String {
    let symbol = words::symbol(quote.cap);
    format!(
        "'{}' pays {symbol} = {}; {} of {} is spent, {} is left",
        account.name(),
        short(quote.cost),
        short(quote.after.amount),
        quote.cap,
        short(quote.left)
    )
}
